"""Checks of parameters and data, and calls that change nothing if they fail."""

import math
import sys
from contextlib import contextmanager
from numbers import Integral

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from ._sparse_structure import check_structure, has_index_arrays

MOST_CLUSTERS = 2**31 - 1  # labels are int32
_MOST = 2**62  # positions in a stream are int64
_FEW_VALUES = 64  # for which numpy is not faster


@contextmanager
def unchanged_on_error(estimator):
    """Give the estimator back the attributes it had, if what follows fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def unchanged_numbers(random_state):
    """Give a RandomState back the numbers it had, if what follows fails."""
    before = random_state.get_state()
    try:
        yield
    except BaseException:
        random_state.set_state(before)
        raise


def validated(estimator, X, reset):
    """Return `X` as floats, dense or in canonical CSR, checked as scikit-learn does."""
    if not reset and _is_plain(estimator, X):
        return X
    # not whether all are finite: that comes with the largest value
    X = as_floats(estimator, X, reset=reset, ensure_all_finite=False)
    values = X
    if issparse(X):
        X = csr_array(X)
        if len(X.data) > X.indptr[-1] or not X.has_canonical_format:
            X = X.copy()
            X.prune()
            X.sum_duplicates()
        values = X.data
    largest, limit = _largest(values), _limit(X.shape[1])
    if not largest <= limit:
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
        raise ValueError(
            f"Input X has values up to {largest:.3g}, whose squared distances can "
            f"overflow: with {X.shape[1]} features {type(estimator).__name__} takes "
            f"values up to {limit:.3g}. Scale X, for example by MaxAbsScaler."
        )
    return X


def as_floats(estimator, X, *others, **options):
    """Return what scikit-learn's validation does; sparse data can be trusted then.

    `others` may have the classes.
    """
    if issparse(X):
        check_structure(X)
    try:
        checked = validate_data(
            estimator,
            X,
            *others,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            **options,
        )
    except OverflowError as error:
        raise ValueError(
            f"Got X with a number that is too large for a float ({error}), but expected "
            "magnitudes whose squares are finite: scale X."
        ) from error
    if issparse(X) and not has_index_arrays(X):
        check_structure(checked[0] if others else checked)
    return checked


def _is_plain(estimator, X):
    """Return whether there is nothing that validation could say or change.

    Validation costs more than all the rest when samples come one at a time.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
        and _largest(X) <= _limit(X.shape[1])
    )


def _largest(values):
    """Return a bound of the largest magnitude, NaN or infinite if a value is.

    It is the square root of all squares added up, where that can be: faster to find. Not by
    BLAS, whose threads would keep a core busy for a while.
    """
    if not values.size:
        return 0.0
    flat = values.ravel(order="K")
    if values.size <= _FEW_VALUES:
        norm = math.hypot(*flat.tolist())
    else:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            norm = math.sqrt(np.einsum("i,i->", flat, flat))
    if norm < 1e15:
        return norm
    return max(-float(values.min()), float(values.max()))


def _limit(n_features):
    """Return the largest magnitude whose squared distances cannot overflow."""
    return math.sqrt(sys.float_info.max / n_features) / 16


def are_moderate(values, n_features):
    """Return whether squared distances cannot overflow, of samples or of their means.

    Rounding may have taken a mean a little beyond the largest sample.
    """
    return _largest(values) <= 2 * _limit(n_features)


def check_integer(name, value, or_one_of=(), most=_MOST):
    """Raise ValueError unless `value` is an integer from 1 to `most`, or another choice."""
    if (value is None or isinstance(value, str)) and value in or_one_of:
        return  # asked first, since asking for Integral is slow, for a lone row
    if isinstance(value, Integral) and not isinstance(value, bool):
        if 1 <= value <= most:
            return
        if value > most:
            raise ValueError(f"Got {name}={_short(value)}, but expected at most {most}.")
    others = "".join(f" or {other!r}" for other in or_one_of)
    raise ValueError(
        f"Got {name}={_short(value)}, but expected an integer of at least 1{others}."
    )


def _short(value):
    """Return the text of a value; an integer may have thousands of digits."""
    if isinstance(value, int) and abs(value) > _MOST:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def check_one_of(name, value, expected):
    """Raise ValueError unless `value` is one of the expected strings."""
    if not isinstance(value, str) or value not in expected:
        raise ValueError(
            f"Got {name}={value!r}, but expected one of {', '.join(map(repr, expected))}."
        )
