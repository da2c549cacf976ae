"""Where tests reach inside the package, since nothing public can do the same."""

from contextlib import ExitStack, contextmanager
from importlib import import_module
from unittest import mock

_PACKAGE = "onlinekmeans_sklearn"

# steps of a call that tests let fail, or do otherwise: name, and where it is looked up
STEPS = {
    **dict.fromkeys(["look_up", "open_centers", "label", "add_up"], "_algorithm.block"),
    **dict.fromkeys(["encode_labels", "encode_distances"], "_base"),
    "unchanged_on_error": "_base",
    "merge": "_algorithm.merge",
    "_rebuilt": "_utils.validation",
    "_MEMORY_IS_KNOWN": "_utils.rollback",
    "_VERSION": "_utils.pickling",
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
        for name in ("_nearest.sparse", "_algorithm.cluster_sums"):
            module = import_module(f"{_PACKAGE}.{name}")
            stack.enter_context(mock.patch.object(module, "index_dtype", dtype))
        yield


def stream_of(model):
    """Return the stream that a fitted estimator has read."""
    return model._stream


def set_stream(model, stream):
    """Let an estimator have another stream."""
    model._stream = stream


def set_last_rows(model, labels, d2):
    """Let an estimator have other labels and squared distances of its last rows."""
    model.online_labels_, model._online_d2 = labels, d2


def del_stream(model):
    """Let an estimator lose its stream, but not what else it has learned."""
    del model._stream


def with_rounded_sums(model):
    """Let an estimator forget half of the digits of its sums."""
    sums = stream_of(model).sums
    rows = sums.rows.astype("float32").astype("float64")
    stream_of(model).sums = type(sums)(rows)


def index_dtype(most):
    """Return the integers that sparse centers use to count so far."""
    return import_module(f"{_PACKAGE}._utils.rows").index_dtype(most)
