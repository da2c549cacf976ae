"""Where tests reach inside the package, since nothing public can do the same."""

import copy
import io
from contextlib import ExitStack, contextmanager
from importlib import import_module
from unittest import mock

import reference

from onlinekmeans_sklearn import save
from onlinekmeans_sklearn._state.checkpoint import model_from
from onlinekmeans_sklearn._state.file import read
from onlinekmeans_sklearn._state.fitted import Fitted, plain_fitted

__all__ = ["model_from"]

_PACKAGE = "onlinekmeans_sklearn"

# steps of a call that tests let fail, or do otherwise: name, and where it is looked up
STEPS = {
    **dict.fromkeys(["look_up", "open_centers", "label", "accumulate"], "_algorithm.block"),
    "encode_labels": "_base",
    **dict.fromkeys(["encode_distances", "encode_local"], "_encoding"),
    "unchanged_on_error": "_reading",
    "merge": "_algorithm.merge",
    "rebuilt": "_utils.validation",
    "FORMAT_VERSION": "_state.version",
    "VERSION": "_state.version",
    "POSITIONS_PER_BLOCK": "_algorithm.cluster_sums",
    "POSITIONS": "_algorithm.moving",
    "open": "_state.file",
}


@contextmanager
def replaced(step, by):
    """Let a step be another function, or value, meanwhile."""
    module = import_module(f"{_PACKAGE}.{STEPS[step]}")
    with mock.patch.object(module, step, by, create=step == "open"):
        yield


@contextmanager
def before_step(step, function):
    """Call a function, which may raise, each time before a step of the package."""
    usual = getattr(import_module(f"{_PACKAGE}.{STEPS[step]}"), step)

    def call(*args, **kwargs):
        function()
        return usual(*args, **kwargs)

    with replaced(step, call):
        yield


@contextmanager
def recorded_shares():
    """Yield a list of how many shares threads got, and let them do their work in turn."""
    shares = []

    def map_in_turn(self, function, items):
        shares.append(len(items))
        return [function(item) for item in items]

    threads = import_module(f"{_PACKAGE}._utils.threads")
    with mock.patch.object(threads.Threads, "map", map_in_turn):
        yield shares


@contextmanager
def int32_up_to(most):
    """Let centers and sums in CSR take int64 beyond so many numbers, as beyond 2**31."""

    def dtype(number):
        return "int32" if number <= most else "int64"

    with ExitStack() as stack:
        for name in ("_nearest.centers", "_algorithm.cluster_sums"):
            module = import_module(f"{_PACKAGE}.{name}")
            stack.enter_context(mock.patch.object(module, "index_dtype", dtype))
        yield


@contextmanager
def positions_per_block(number):
    """Let package and reference add up in blocks of so many positions meanwhile."""
    with (
        replaced("POSITIONS_PER_BLOCK", number),
        mock.patch.object(reference, "BLOCK", number),
    ):
        yield


def moves_at(positions):
    """Let centers move at these positions meanwhile, in the package."""
    return replaced("POSITIONS", positions)


def stream_of(model):
    """Return the stream that a fitted estimator has read."""
    return model._fitted.stream


def set_stream(model, stream):
    """Let an estimator have another stream."""
    model._fitted = copy.copy(model._fitted)
    model._fitted.stream = stream
    model._fitted.final = None


def set_last_rows(model, labels, d2):
    """Let an estimator have other labels and squared distances of its last rows."""
    model._fitted = copy.copy(model._fitted)
    model._fitted.last_rows = labels, d2


def with_other_numbers(model):
    """Let an estimator have other random numbers from now on."""
    stream = copy.copy(stream_of(model))
    stream.numbers = type(stream.numbers)(stream.numbers.seed + 1)
    set_stream(model, stream)


def is_fitted(value):
    """Return whether this is what an estimator has learned."""
    return isinstance(value, Fitted)


def state_of(model):
    """Return the plain state that an estimator is saved as."""
    file = io.BytesIO()
    save(model, file)
    return read(file.getvalue())


def plain_state(fitted):
    """Return what an estimator has learned as plain values."""
    return plain_fitted(fitted)


def with_rounded_sums(model):
    """Let an estimator forget half of the digits of its sums."""
    totals = copy.copy(stream_of(model).totals)
    rows = totals.open.rows(len(totals.counts)).astype("float32").astype("float64")
    totals.open = type(totals.open)(rows)
    stream_of(model).totals = totals


def index_dtype(most):
    """Return the integers that sparse centers use to count so far."""
    return import_module(f"{_PACKAGE}._utils.rows").index_dtype(most)
