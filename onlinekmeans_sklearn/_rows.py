"""Some of the rows of an array or of CSR, without a copy."""

from scipy.sparse import csr_array, issparse


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


def with_dtype(X, dtype):
    """Return CSR with numbers of another type; it shares what can be shared with `X`."""
    data = X.data.astype(dtype, copy=False)
    return canonical(data, X.indices, X.indptr, X.shape)


def canonical(data, indices, indptr, shape):
    """Return CSR of these arrays, whose indices are sorted, and different in a row."""
    X = csr_array((data, indices, indptr), shape=shape)
    X.has_canonical_format = True
    return X
