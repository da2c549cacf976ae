"""Checks of parameters and data, in scikit-learn's words."""

import math
import sys
import warnings
from numbers import Integral, Real

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import config_context
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from .rows import as_canonical, canonical
from .threads import Threads, n_threads_for

MOST_CLUSTERS = 2**31 - 1  # labels are int32
MOST_SAMPLES = 2**62  # positions in a stream are int64
_LEAST_WEIGHT, _LARGEST_WEIGHT = 1e-30, 1e30  # of a sample
_FEW_VALUES = 2**12  # of which the norm is found first, as a bound
_MANY_VALUES = 2**18  # for which one thread is fast enough
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_INDICES = (np.dtype(np.int32), np.dtype(np.int64))
_INDEX_ARRAYS = {"coo": ("row", "col"), "dia": ("offsets",)}  # of sparse formats

# the allowed values of parameters, by name: ints from 1 to the number given, unless that is
# 0, and these constants
_ALLOWED = {
    "n_clusters": (MOST_CLUSTERS, [None]),
    "k": (MOST_SAMPLES, ["auto"]),
    "algorithm": (0, ["practical", "theoretical"]),
    "half_life": (MOST_SAMPLES, [None]),
    "n_samples": (MOST_SAMPLES, [None]),
    "max_clusters": (MOST_CLUSTERS, [None]),
    "centers": (0, ["samples", "means"]),
    "encode": (0, ["onehot", "onehot-dense", "ordinal", "distance", "triangle", "local"]),
    "max_points": (MOST_SAMPLES, [None]),
    "which": (0, ["final", "online"]),
}


def validate_X(estimator, X, reset):
    """Return `X` as floats, dense or in canonical CSR, checked as scikit-learn does.

    Canonical means that the columns of a row exist, are sorted and different: compiled code
    relies on that.
    """
    if not reset and needs_no_validation(estimator, X):
        is_matrix = type(X) is csr_matrix
        return canonical(X.data, X.indices, X.indptr, X.shape) if is_matrix else X
    # the check of the largest value finds those that are not finite, too
    X = as_floats(estimator, X, reset=reset, ensure_all_finite=False)
    if issparse(X):
        X = as_canonical(X)
    largest = _largest(X, getattr(estimator, "n_jobs", 1))
    limit = _limit(X.shape[1])
    if not largest <= limit:
        with config_context(assume_finite=False):  # so that it does check
            assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
        raise ValueError(
            f"Input X has values up to {largest:.3g}, whose squared distances can "
            f"overflow: with {X.shape[1]} features {type(estimator).__name__} takes "
            f"values up to {limit:.3g}. Scale X, for example by MaxAbsScaler."
        )
    return X


def validate_weights(sample_weight, X, is_start=False):
    """Return the weights of the rows of `X` as float64, None if there are none."""
    if sample_weight is None:
        return None
    options = {"ensure_2d": False, "ensure_min_samples": 0, "input_name": "sample_weight"}
    weights = check_array(sample_weight, dtype=np.float64, order="C", **options)
    if weights.shape != X.shape[:1]:
        raise ValueError(
            f"Got sample_weight of shape {weights.shape}, but expected one weight for each "
            f"of the {X.shape[0]} samples, of shape ({X.shape[0]},)."
        )
    is_wrong = (weights != 0) & ((weights < _LEAST_WEIGHT) | (weights > _LARGEST_WEIGHT))
    if is_wrong.any():
        index = int(is_wrong.argmax())
        raise ValueError(
            f"Got a sample_weight of {weights[index]:.3g} for sample {index}, but expected "
            f"0 or numbers from {_LEAST_WEIGHT:.0e} to {_LARGEST_WEIGHT:.0e}: scale the "
            "weights, or leave out samples that should not count."
        )
    if is_start and weights[0] == 0:
        raise ValueError(
            "Got a sample_weight of 0 for the first sample of a stream, which has no "
            "cluster to join: leave out the samples before the first one that counts."
        )
    return weights


def as_floats(estimator, X, *y, **options):
    """Return `X`, and `y` if given, validated by scikit-learn, and CSR also by scipy."""
    if issparse(X):
        X = rebuilt(X)
    elif type(X).__module__.startswith("dask") and hasattr(X, "__dask_graph__"):
        warn_user(
            f"{type(estimator).__name__} got a Dask collection and loads it into memory "
            "as a whole. To keep it in partitions, use the estimators of "
            "onlinekmeans_sklearn.dask, or pass each partition in turn to partial_fit."
        )
    try:
        return validate_data(
            estimator, X, *y, accept_sparse="csr", dtype=_FLOATS, **options
        )
    except OverflowError as error:
        raise ValueError(
            f"Input X has a number that is too large for a float ({error}): scale X, so "
            "that squares are finite."
        ) from error


def rebuilt(X):
    """Return CSR of sparse `X` built anew, which lets scipy check all its index arrays.

    Compiled code trusts them: an index out of range would make it read, or write, beyond
    the end of an array, and crash. What scipy does not check by itself are indices that it
    casts, and, in a matrix that seems empty, rows that end too early.
    """
    if X.ndim != 2:
        return X  # scikit-learn raises for it
    try:
        if X.format == "lil" and [*map(len, X.rows)] != [*map(len, X.data)]:
            raise ValueError("values without a column")
        if X.format in ("lil", "dok"):
            X = X.tocsr()
        names = _INDEX_ARRAYS.get(X.format, ("indices", "indptr"))
        indices = [getattr(X, name) for name in names]
        if any(array.dtype.kind != "i" for array in indices):
            raise ValueError("indices that are not signed integers")
        if hasattr(X, "indptr") and (X.indptr[1:] < X.indptr[:-1]).any():
            raise ValueError("rows that end before they start")
        arrays = (X.data, tuple(indices)) if X.format == "coo" else (X.data, *indices)
        rebuilt = type(X)(arrays, shape=X.shape)
        if hasattr(X, "check_format"):
            rebuilt.check_format(full_check=True)
        return rebuilt.tocsr()
    except MemoryError:
        raise
    except Exception as error:  # scipy promises no particular one
        raise ValueError(
            f"Input X is sparse, in {X.format.upper()} format, and its arrays contradict "
            f"each other or the shape {X.shape} ({error}). They were changed by hand, or "
            "are damaged: build X anew from its values."
        ) from error


def needs_no_validation(estimator, X):
    """Return whether validation would accept `X` unchanged.

    Validation costs more than all the rest when samples come one at a time.
    """
    n_features = estimator.n_features_in_
    if type(X) is np.ndarray:
        has_shape = X.ndim == 2 and X.shape[0] > 0 and X.shape[1] == n_features
    else:
        has_shape = _is_canonical_row(X, n_features)
    return (
        has_shape
        and X.dtype in _FLOATS
        and "feature_names_in_" not in vars(estimator)
        and _largest(X, getattr(estimator, "n_jobs", 1)) <= _limit(n_features)
    )


def _is_canonical_row(X, n_features):
    """Return whether it is a row of CSR whose columns exist, are sorted and different."""
    if type(X) not in (csr_array, csr_matrix) or X.shape != (1, n_features):
        return False
    data, columns, ends = X.data, X.indices, X.indptr
    return (
        type(data) is type(columns) is type(ends) is np.ndarray
        and columns.dtype == ends.dtype in _INDICES
        and data.shape == columns.shape == (data.size,)
        and ends.tolist() == [0, data.size]
        and (data.size == 0 or 0 <= columns[0] <= columns[-1] < n_features)
        and (columns[1:] > columns[:-1]).all()
    )


def _largest(X, n_jobs=1):
    """Return the largest magnitude, NaN if a value is; of few small values a bound."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.size <= _FEW_VALUES and (square := float(np.vdot(values, values))) < 1e30:
        return math.sqrt(square)
    if values.size <= _MANY_VALUES:
        return max(-float(values.min()), float(values.max()))
    flat = values.ravel(order="K")
    parts = [flat[i : i + _MANY_VALUES] for i in range(0, len(flat), _MANY_VALUES)]
    return float(np.max(Threads(n_threads_for(n_jobs)).map(_largest, parts)))


def _limit(n_features):
    """Return the largest magnitude whose squared distances cannot overflow."""
    return math.sqrt(sys.float_info.max / n_features) / 16


def distances_are_finite(X):
    """Return whether squared distances of samples, or of their means, cannot overflow.

    By rounding a mean may be a little larger than the largest sample.
    """
    return _largest(X) <= 2 * _limit(X.shape[1])


def parameter_error(name, value, expected, owner):
    """Return the error about a parameter of a class, or an instance, in sklearn's words."""
    kind = owner if isinstance(owner, type) else type(owner)
    got = repr(value)
    if isinstance(value, int) and abs(value) > 2 * MOST_SAMPLES:
        got = f"an int of {value.bit_length()} bits"
    return ValueError(
        f"The {name!r} parameter of {kind.__name__} must be {expected}. Got {got} instead."
    )


def check_parameters(values, owner):
    """Raise ValueError unless all parameters in a dict have allowed values."""
    for name, (most, constants) in _ALLOWED.items():
        value = values.get(name, constants[0])  # which passes, if the name is not there
        if value is constants[0] or (isinstance(value, str) and value in constants):
            continue  # first, since a call takes long beside a single row
        is_integer = type(value) is int or _is_integer(value)
        if is_integer and 1 <= value <= most:
            continue
        limit = f"{most}]" if is_integer and value > most else "inf)"
        choices = [f"an int in the range [1, {limit}", *map(repr, constants)]
        strings = f"a str among {{{', '.join(map(repr, constants))}}}"
        expected = " or ".join(choices) if most else strings
        raise parameter_error(name, value, expected, owner)
    n_jobs, bound = values.get("n_jobs"), values.get("lower_bound")
    if n_jobs is not None and (not _is_integer(n_jobs) or n_jobs == 0):
        raise parameter_error("n_jobs", n_jobs, "an int other than 0 or None", owner)
    if bound is not None and not _is_positive(bound):
        expected = "a float in the range (0.0, inf) or None"
        raise parameter_error("lower_bound", bound, expected, owner)


def _is_integer(value):
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)


def _is_positive(value):
    """Return whether this is a number whose float is positive and finite."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return 0 < float(value) < math.inf
    except OverflowError:  # of an int that is too large for a float
        return False


def plain_parameters(parameters):
    """Return parameters with Python's numbers instead of numpy's."""
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in parameters.items()}


def warn_of_ignored(parameters, in_force):
    """Warn of changed parameters that are only read when a stream starts."""
    changed = [name for name in in_force if parameters[name] != in_force[name]]
    values = ", ".join(f"{name}={in_force[name]!r}" for name in changed)
    warn_user(
        f"{', '.join(changed)} changed since this stream started with {values}, which "
        "stays in force: call fit, or clone the estimator, to start a new stream."
    )


def warn_user(message, category=UserWarning):
    """Warn at the line of user code that called this package, or scikit-learn."""
    level, frame = 1, sys._getframe()
    passed = ("onlinekmeans_sklearn.", "sklearn.", "joblib.")  # pipelines use joblib
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith(passed):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
