"""What an estimator knows, in a form that can be compared."""

import numpy as np
from inside import is_fitted, plain_state
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

# What makes no difference to any result: merged clusters, which are made when they are
# asked for.
_NOT_COMPARED = {"merged"}
_DEEPEST = 8


def state(estimator):
    """Return every attribute of an estimator, its random numbers included, as plain values.

    Two states are equal if no call can tell the estimators apart.
    """
    return {name: plain(value) for name, value in vars(estimator).items()}


def changes(before, after):
    """Return the names of the attributes that differ between two states."""
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


def plain(value, depth=0):
    """Return a value as nested tuples of numbers and texts, equal if the values are."""
    if value is np.ma.masked:
        return repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.random.RandomState):
        return plain(value.get_state())
    if isinstance(value, np.random.Generator):
        return plain(value.bit_generator.state)
    if isinstance(value, np.generic):
        return repr(value.item())
    if issparse(value):
        return (value.format, value.shape, *map(plain, _arrays(value)))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.dtype.str, plain(value.item(), depth + 1)
    if isinstance(value, (list, tuple, np.ndarray)) and depth < _DEEPEST:
        return type(value).__name__, *(plain(item, depth + 1) for item in value)
    if isinstance(value, dict) and depth < _DEEPEST:
        return tuple(sorted((str(key), plain(value[key], depth + 1)) for key in value))
    if isinstance(value, BaseEstimator):
        return type(value).__name__, plain(state(value), depth + 1)
    if is_fitted(value):
        learned = plain_state(value)
        kept = {name: learned[name] for name in learned if name not in _NOT_COMPARED}
        return plain(kept, depth + 1)
    return repr(value)


def _arrays(X):
    names = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
    return [getattr(X, name, None) for name in names]


def plain_input(X):
    """Return data as plain values, whatever they are."""
    if hasattr(X, "to_string"):  # what a data frame shows, not what it remembers
        return X.to_string(), str(getattr(X, "dtypes", None))
    return plain(X)
