"""Centres in CSR, for rows in CSR."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from ._centers_base import Centers, all_integers
from ._growing import GrowingArray
from ._rows import canonical, index_dtype, rows_between, with_dtype
from ._sums import adder

_PAIR_ELEMENTS = 2**15  # direct differences formed at once
_BLOCK_ELEMENTS = 2**19  # numbers in a block of rows
_FACTOR_ELEMENTS = 2**22  # numbers in the dense part of some centres


class Part(NamedTuple):
    """Some centres in the columns that they have numbers in, as an array."""

    ids: slice
    columns: np.ndarray
    factor: np.ndarray  # -2 c, a row per column, a column per centre


class SparseCenters(Centers):
    """Centres in CSR: they are samples, so they are as sparse as the data."""

    can_screen = False
    wide = 32

    def __init__(self, n_features, dtype):
        super().__init__(n_features)
        self._data = GrowingArray(np.empty(0, dtype=dtype))
        self._indices = GrowingArray(np.empty(0, dtype=np.int32))
        self._indptr = GrowingArray(np.zeros(1, dtype=np.int32))

    @property
    def rows(self):
        shape = (len(self), self.n_features)
        return canonical(self._data.rows, self._indices.rows, self._indptr.rows, shape)

    def as_rows(self, X):
        X = csr_array(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        dtype = index_dtype(max(X.nnz, self.n_features))
        indices = X.indices.astype(dtype, copy=False)
        return canonical(X.data, indices, X.indptr.astype(dtype, copy=False), X.shape)

    def __len__(self):
        return len(self._indptr) - 1

    def append(self, rows):
        n_numbers = len(self._data)
        ends = rows.indptr[1:].astype(index_dtype(n_numbers + rows.nnz), copy=False)
        self._indptr.append(ends + n_numbers)
        self._indices.append(rows.indices)
        self._data.append(rows.data)

    def prepare(self):
        rows = rows_between(self.rows, len(self._squares), len(self))
        if rows.shape[0]:
            self._note(self.squared_norms(rows), rows.data)

    def differences(self, X, rows, ids):
        members = with_dtype(X if rows is None else X[rows], np.float64)
        return members - with_dtype(self.rows[ids], np.float64)

    @staticmethod
    def squared_norms(differences):
        squares = np.square(differences.data, dtype=np.float64)
        row_ends = differences.indptr
        together = np.zeros_like(differences.indices)  # all numbers of a row in one column
        shape = (differences.shape[0], 1)
        return csr_array((squares, together, row_ends), shape=shape) @ np.ones(1)

    def _rows_at_once(self, X):
        n_rows = max(1, X.shape[0] + len(self))
        return max(1, _PAIR_ELEMENTS * n_rows // (X.nnz + len(self._data) + n_rows))

    def block_rows(self, X):
        return _BLOCK_ELEMENTS // self.width(X)

    def with_new_sums(self, sums=None):
        if sums is None:
            return csr_array((len(self), self.n_features))
        new_ends = np.full(len(self) - sums.shape[0], sums.nnz, dtype=sums.indptr.dtype)
        arrays = (sums.data, sums.indices, np.append(sums.indptr, new_ends))
        return csr_array(arrays, shape=(len(self), self.n_features))

    def _assign(self, X, rows, ids, centers, sums):
        differences = self.differences(X, rows, ids + centers.start)
        d2 = self.squared_norms(differences)
        stacked = vstack([sums, differences], format="csr")
        del differences
        return d2, csr_array(adder(ids, sums.shape[0]).tocsr() @ stacked)

    @staticmethod
    def _stacked(sums):
        return sums[0] if len(sums) == 1 else csr_array(vstack(sums, format="csr"))

    def n_terms(self, X):
        return int(np.diff(X.indptr).max() + np.diff(self._indptr.rows).max())

    def width(self, X):
        return 1 + X.nnz // X.shape[0] if issparse(X) else X.shape[1]

    def factor(self, first, precision):
        rows = rows_between(self.rows, first, len(self))
        n_rows, per_row = rows.shape[0], 1 + rows.nnz // rows.shape[0]
        step = max(1, int((_FACTOR_ELEMENTS / per_row) ** 0.5))
        parts = []
        for start in range(0, n_rows, step):
            some = rows_between(rows, start, start + step)
            columns, place = np.unique(some.indices, return_inverse=True)
            factor = np.zeros((len(columns), some.shape[0]), dtype=precision.dtype)
            center = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr))
            with np.errstate(over="ignore", under="ignore"):
                factor[place, center] = -2 * some.data.astype(np.float64)
            ids = slice(start, start + some.shape[0])
            parts.append(Part(ids, columns, factor))
        return parts

    def strip(self, X, precision, memory=None):
        squares = self.squared_norms(X)
        with np.errstate(over="ignore", under="ignore"):
            strip = with_dtype(X, precision.dtype)
        return strip, squares, self._are_integers and all_integers(X.data)

    def multiply(self, strip, factor, first, out):
        squares = self._squares.rows[first:, None].astype(out.dtype)
        for part in factor:
            products = (strip[:, part.columns] @ part.factor).T
            np.add(products, squares[part.ids], out=out[part.ids])
