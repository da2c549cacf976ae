"""Centers in CSR."""

import numpy as np
from scipy.sparse import issparse, vstack

from .._utils.rows import as_canonical, canonical, index_dtype, with_dtype
from .backend import active, fallback
from .centers import Centers


class SparseCenters(Centers):
    """Centers in CSR, for rows in CSR: centers are samples, so they are as sparse."""

    def __init__(self, rows):
        rows = _for_kernels(rows)
        exact = with_dtype(rows, np.float64)
        # the compiled kernels take int32 indices only
        kind = active.kernels if exact.indices.dtype == np.int32 else fallback
        super().__init__(rows, exact, kind.SparseSearch(exact))

    def with_rows(self, rows):
        return SparseCenters(vstack([self.rows, rows], format="csr"))

    def as_rows(self, X):
        return with_dtype(_for_kernels(X), np.float64)

    def width(self, X):
        return 1 + X.nnz // max(1, X.shape[0]) if issparse(X) else X.shape[1]


def _for_kernels(X):
    """Return canonical CSR with contiguous arrays, and int32 indices if they suffice."""
    X = as_canonical(X)
    dtype = index_dtype(max(X.nnz, X.shape[1]))
    arrays = X.data, X.indices, X.indptr
    if all(array.flags.c_contiguous for array in arrays) and (
        X.indices.dtype == X.indptr.dtype == dtype
    ):
        return X
    indices = [np.ascontiguousarray(array, dtype) for array in (X.indices, X.indptr)]
    return canonical(np.ascontiguousarray(X.data), *indices, X.shape)
