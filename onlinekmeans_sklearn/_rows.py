"""Rows in an array or in CSR: some of them without a copy, and their state."""

import numpy as np
from scipy.sparse import csr_array, issparse

from ._state import FLOATS, INTEGERS, check_state


def index_dtype(most):
    """Return the integers to count so far with, in CSR."""
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64


def rows_between(X, start, stop):
    """Return the rows from `start` to `stop`; they share the memory of `X`."""
    if not issparse(X):
        return X[start:stop]
    stop = min(stop, X.shape[0])
    if start == 0 and stop == X.shape[0]:
        return X
    ends = X.indptr[start : stop + 1]
    numbers = slice(ends[0], ends[-1])
    return canonical(
        X.data[numbers], X.indices[numbers], ends - ends[0], (stop - start, X.shape[1])
    )


def rows_at(X, rows):
    """Return a copy of the rows with these numbers; `take` is faster than brackets."""
    return X[rows] if issparse(X) else np.take(X, rows, axis=0)


def with_dtype(X, dtype):
    """Return CSR with numbers of another type; it shares what can be shared with `X`."""
    data = X.data.astype(dtype, copy=False)
    return canonical(data, X.indices, X.indptr, X.shape)


def canonical(data, indices, indptr, shape):
    """Return CSR of these arrays, whose indices are sorted, and different in a row."""
    X = csr_array((data, indices, indptr), shape=shape)
    X.has_canonical_format = True
    return X


def numbers_of(X):
    """Return the numbers that are stored."""
    return X.data if issparse(X) else X


def state_of_rows(X):
    """Return the state of an array or of CSR."""
    if not issparse(X):
        return {"values": X}
    return {
        "n_features": int(X.shape[1]),
        "values": X.data,
        "columns": X.indices,
        "row_ends": X.indptr,
    }


def rows_from(state):
    """Return the array or the CSR of a state; its numbers may be any."""
    if "row_ends" in state:
        return _csr_from(state)
    X = state.array("values", FLOATS, ndim=2)
    check_state(X.shape[1] > 0, "rows have features")
    return X


def _csr_from(state):
    """Return CSR that no routine of scipy can read beyond the end of."""
    n_features = state.integer("n_features", least=1, most=np.iinfo(np.int64).max)
    values = state.array("values", FLOATS)
    columns = state.array("columns", INTEGERS)
    row_ends = state.array("row_ends", INTEGERS)
    ends = [*row_ends[:1], *row_ends[-1:]]
    check_state(
        len(columns) == len(values) and ends == [0, len(values)],
        "all numbers of CSR have a row and a column",
    )
    check_state(
        (row_ends[1:] >= row_ends[:-1]).all(), "rows of CSR come one after the other"
    )
    check_state(((columns >= 0) & (columns < n_features)).all(), "columns of CSR exist")
    return csr_array((values, columns, row_ends), shape=(len(row_ends) - 1, n_features))
