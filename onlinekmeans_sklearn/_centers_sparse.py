"""Centres in CSR, for rows in CSR."""

import numpy as np
from scipy.sparse import csr_array, vstack

from ._centers_base import Centers, all_integers
from ._growing import GrowingArray
from ._nearest import FLOAT64
from ._sums import adder
from ._threads import ALONE

_PAIR_ELEMENTS = 2**15  # direct differences formed at once


class SparseCenters(Centers):
    """Centres in CSR: they are samples, so they are as sparse as the data."""

    def __init__(self, n_features, dtype):
        super().__init__(n_features)
        self._data = GrowingArray(np.empty(0, dtype=dtype))
        self._indices = GrowingArray(np.empty(0, dtype=np.int32))
        self._indptr = GrowingArray(np.zeros(1, dtype=np.int32))

    @property
    def rows(self):
        arrays = (self._data.rows, self._indices.rows, self._indptr.rows)
        return csr_array(arrays, shape=(len(self), self.n_features))

    def as_rows(self, X):
        X = csr_array(X)
        fits = max(X.nnz, self.n_features) <= np.iinfo(np.int32).max
        dtype = np.int32 if fits else np.int64
        arrays = (X.data, X.indices.astype(dtype), X.indptr.astype(dtype))
        return csr_array(arrays, shape=X.shape)

    def __len__(self):
        return len(self._indptr) - 1

    def append(self, rows):
        self._indptr.append(rows.indptr[1:] + self._indptr.rows[-1])
        self._indices.append(rows.indices)
        self._data.append(rows.data)

    def prepare(self):
        rows = self.rows[len(self._squares) :]
        if rows.shape[0]:
            self._note(self.squared_norms(rows), rows.data)

    def differences(self, X, rows, ids):
        return X[rows].astype(np.float64) - self.rows[ids].astype(np.float64)

    @staticmethod
    def squared_norms(differences):
        n_rows = differences.shape[0]
        row = np.repeat(np.arange(n_rows), np.diff(differences.indptr))
        squares = np.square(differences.data, dtype=np.float64)
        return np.bincount(row, weights=squares, minlength=n_rows)

    def _rows_at_once(self, X):
        n_rows = max(1, X.shape[0] + len(self))
        return max(1, _PAIR_ELEMENTS * n_rows // (X.nnz + len(self._data) + n_rows))

    def with_new_sums(self, sums=None):
        padded = csr_array((0, self.n_features)) if sums is None else sums.copy()
        padded.resize((len(self), self.n_features))
        return padded

    def assign(self, X, ids, sums, threads=ALONE):
        differences = self.differences(X, slice(None), ids)
        stacked = vstack([self.with_new_sums(sums), differences], format="csr")
        sums = adder(ids, len(self)).tocsr() @ stacked
        return self.squared_norms(differences), csr_array(sums)

    def first_precision(self):
        return FLOAT64

    def factor(self, first, precision):
        return (-2 * self.rows[first:].astype(np.float64)).T.tocsr()

    def width(self, X):
        return 1 + X.nnz // X.shape[0]

    def strip(self, X, precision):
        strip = X.astype(np.float64)
        return strip, self.squared_norms(X), self._are_integers and all_integers(X.data)

    def multiply(self, strip, factor, first, out):
        (strip @ factor).toarray(out=out.T)
        out += self._squares.rows[first:, None]
