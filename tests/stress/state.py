"""What an estimator knows, in a form that can be compared."""

import copy

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from onlinekmeans_sklearn._growing import GrowingArray

_CACHE = "_answers"  # merged clusters by `n_clusters`, made when asked for
_DEEPEST = 8


def state(estimator):
    """Return every attribute of an estimator, its random numbers included, as plain values.

    Two states are equal if no call can tell the estimators apart. So the stream counts as
    it is after all that it would do on demand anyway.
    """
    return {name: plain(value) for name, value in vars(estimator).items() if name != _CACHE}


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
    if isinstance(value, GrowingArray):
        return plain(value.rows)
    if issparse(value):
        return (value.format, value.shape, *map(plain, _arrays(value)))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.dtype.str, plain(value.item(), depth + 1)
    if isinstance(value, (list, tuple, np.ndarray)) and depth < _DEEPEST:
        return type(value).__name__, *(plain(item, depth + 1) for item in value)
    if isinstance(value, dict) and depth < _DEEPEST:
        return tuple(sorted((str(key), plain(value[key], depth + 1)) for key in value))
    if hasattr(value, "schedule"):
        return plain(_settled(value), depth + 1)
    if isinstance(value, BaseEstimator):
        return type(value).__name__, plain(state(value), depth + 1)
    if type(value).__module__.startswith("onlinekmeans_sklearn"):
        return type(value).__name__, plain(vars(value), depth + 1)
    return repr(value)


def _arrays(X):
    names = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
    return [getattr(X, name, None) for name in names]


def _settled(stream):
    """Return what a stream will do from now on."""
    stream = copy.deepcopy(stream)
    stream.centers.prepare()
    known = {**vars(stream)}
    del known["_block_rows"]  # a matter of speed only
    drawn, random_state = known.pop("_uniform"), known.pop("random_state")
    known["next"] = [] if drawn is None else [drawn]
    known["next"] += random_state.random_sample(3 - len(known["next"])).tolist()
    return known


def plain_input(X):
    """Return data as plain values, whatever they are."""
    if hasattr(X, "to_string"):  # what a data frame shows, not what it remembers
        return X.to_string(), str(getattr(X, "dtypes", None))
    return plain(X)
