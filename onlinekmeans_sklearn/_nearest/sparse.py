"""Centers in CSR."""

import numpy as np
from scipy.sparse import issparse

from .._utils.rows import as_canonical, canonical, index_dtype
from .backend import active, fallback
from .centers import Centers


class SparseCenters(Centers):
    """Centers in CSR, for rows in CSR: centers are samples, so they are as sparse."""

    def __init__(self, rows):
        rows = _for_kernels(rows, rows.dtype)
        exact = _for_kernels(rows, np.float64)
        # the compiled kernels take int32 indices only
        kind = active.kernels if exact.indices.dtype == np.int32 else fallback
        super().__init__(rows, exact, kind.SparseSearch(exact))

    def as_rows(self, X):
        return _for_kernels(X, np.float64)

    def width(self, X):
        return 1 + X.nnz // max(1, X.shape[0]) if issparse(X) else X.shape[1]


def _for_kernels(X, dtype):
    """Return canonical CSR with contiguous arrays, and int32 indices if they suffice."""
    X = as_canonical(X)
    arrays, index = (X.data, X.indices, X.indptr), index_dtype(max(X.nnz, X.shape[1]))
    ready = [*map(np.ascontiguousarray, arrays, (dtype, index, index))]
    are_the_same = all(new is old for new, old in zip(ready, arrays))
    return X if are_the_same else canonical(*ready, X.shape)
