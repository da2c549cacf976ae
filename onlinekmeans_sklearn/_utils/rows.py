"""Rows in an array or in CSR: views, copies and groups of them."""

import itertools

import numpy as np
from scipy.sparse import csr_array, csr_matrix, hstack, issparse, vstack


def index_dtype(most):
    """Return the dtype for CSR indices up to `most`."""
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64


def rows_between(X, start, stop):
    """Return the rows from `start` to `stop`; they share the memory of `X`."""
    if not issparse(X):
        return X[start:stop]
    stop = min(stop, X.shape[0])
    if start == 0 and stop == X.shape[0]:
        return X
    ends = X.indptr[start : stop + 1]
    span = slice(ends[0], ends[-1])
    rows = csr_array((stop - start, X.shape[1]), dtype=X.dtype)  # given arrays, it copies
    rows.data, rows.indices = X.data[span], X.indices[span]
    rows.indptr = ends - ends[0]
    rows.has_canonical_format = True
    return rows


def rows_at(X, rows):
    """Return a copy of the rows at these positions; `take` is faster than indexing."""
    return X[rows] if issparse(X) else np.take(X, rows, axis=0)


def stacked(parts):
    """Return several parts of rows as one."""
    return vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(parts)


def rows_from_copies(rows, n_features):
    """Return rows that were copied one by one, of CSR the values and columns."""
    if not isinstance(rows[0], tuple):
        return np.concatenate(rows)
    values, columns = map(np.concatenate, zip(*rows))
    ends = np.cumsum([0, *(len(part) for part, _ in rows)], dtype=columns.dtype)
    return canonical(values, columns, ends, (len(rows), n_features))


def padded(X, n_rows):
    """Return the rows, followed by rows of zeros, `n_rows` in all."""
    shape = (n_rows - X.shape[0], *X.shape[1:])
    if not shape[0]:
        return X
    return stacked([X, csr_array(shape) if issparse(X) else np.zeros(shape)])


def scaled_rows(X, factors):
    """Return each row multiplied by a number of its own."""
    if not issparse(X):
        return X * factors[:, None]
    X = X.tocsr()
    values = X.data * np.repeat(factors, np.diff(X.indptr))
    return canonical(values, X.indices, X.indptr, X.shape)


def squared_norms(X):
    """Return the sum of squares of each row in float64, added in feature order."""
    if issparse(X):
        X = X.tocsr()
        together = np.zeros_like(X.indices)  # all values of a row in one column
        squares = np.square(X.data, dtype=np.float64)
        return csr_array((squares, together, X.indptr), shape=(X.shape[0], 1)) @ np.ones(1)
    squares = np.square(X.T, order="C", dtype=np.float64)
    if squares.shape[1] == 1:  # reduce would not add a lone column in order
        return np.add.accumulate(squares)[-1]
    return np.add.reduce(squares, axis=0)


def as_canonical(X):
    """Return sparse `X` as CSR whose columns are sorted, and different, in each row."""
    if type(X) is not csr_array:
        X = csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def canonical(data, indices, indptr, shape):
    """Return CSR of arrays that are known to be canonical, so that scipy need not check."""
    X = csr_array((data, indices, indptr), shape=shape)
    X.has_canonical_format = True
    return X


def beside(*parts):
    """Return two parts of rows as one: CSR if one of them is."""
    if not any(map(issparse, parts)):
        return np.hstack(parts)
    if parts[0].shape[0] > 1:
        return csr_matrix(hstack(parts, format="csr"))
    # of a single row, ten times as fast
    first, second = [p.indices if issparse(p) else p[0].nonzero()[0] for p in parts]
    values = np.concatenate([p.data if issparse(p) else p[p != 0] for p in parts])
    widths = [part.shape[1] for part in parts]
    columns = np.concatenate([first, np.add(second, widths[0], dtype=np.int64)])
    return csr_matrix((values, columns, [0, len(values)]), shape=(1, sum(widths)))


def indices_by_group(groups):
    """Return a dict from each group to the indices where it occurs, in order."""
    order = np.argsort(groups, kind="stable").astype(np.int64, copy=False)
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    bounds = itertools.pairwise([*starts.tolist(), len(order)])  # faster than np.split
    found = groups[order[starts]].tolist()
    return {group: order[slice(*ends)] for group, ends in zip(found, bounds)}
