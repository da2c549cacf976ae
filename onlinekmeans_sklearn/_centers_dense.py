"""Centres in an array: products by BLAS, or a k-d tree."""

import numpy as np
from scipy.sparse import issparse

from ._centers_base import Centers, all_integers
from ._growing import GrowingArray
from ._nearest import FLOAT32
from ._sums import adder
from ._threads import ALONE
from ._tree import nearest_by_tree, tree_pays

_PAIR_ELEMENTS = 2**17  # direct differences formed at once
_SLAB = 128  # features whose sums a thread adds up
_SLAB_ELEMENTS = 2**20  # rows times these
_BLOCK_ELEMENTS = 2**23  # numbers in a block of rows


class DenseCenters(Centers):
    """Centres in an array.

    Rows are shifted by the oldest centre before they are multiplied: far from the origin
    the products would otherwise be all rounding error.
    """

    def __init__(self, n_features, dtype):
        super().__init__(n_features)
        self._rows = GrowingArray(np.empty((0, n_features), dtype=dtype))
        # [-2 (c - oldest), |c - oldest|^2], to be multiplied by [v - oldest, 1].
        empty = np.empty((0, n_features + 1))
        self._factor64 = GrowingArray(empty)
        self._factor32 = GrowingArray(empty.astype(np.float32))

    @property
    def rows(self):
        return self._rows.rows

    def as_rows(self, X):
        return X.toarray() if issparse(X) else X

    def __len__(self):
        return len(self._rows)

    def append(self, rows):
        self._rows.append(rows)

    def prepare(self):
        rows = self._rows.rows[len(self._squares) :]
        if len(rows):
            shifted = np.subtract(rows, self._rows.rows[0], dtype=np.float64)
            squares = np.einsum("ij,ij->i", shifted, shifted)
            factor = np.column_stack([-2 * shifted, squares])
            self._factor64.append(factor)
            with np.errstate(over="ignore", under="ignore"):
                self._factor32.append(factor.astype(np.float32))
            self._note(squares, rows)

    def differences(self, X, rows, ids):
        centers = np.take(self._rows.rows, ids, axis=0)
        return np.subtract(X if rows is None else X[rows], centers, dtype=np.float64)

    @staticmethod
    def squared_norms(differences):
        squares = np.square(differences.T, order="C")
        if squares.shape[1] == 1:  # reduce would not add a lone column in order
            return np.add.accumulate(squares)[-1]
        return np.add.reduce(squares, axis=0)

    def _rows_at_once(self, X):
        return max(1, _PAIR_ELEMENTS // self.n_features)

    def with_new_sums(self, sums=None):
        padded = np.zeros((len(self), self.n_features))
        if sums is not None:
            padded[: len(sums)] = sums
        return padded

    def assign(self, X, ids, sums, threads=ALONE):
        sums = self.with_new_sums(sums)
        slabs = [slice(a, a + _SLAB) for a in range(0, self.n_features, _SLAB)]

        def assign_slab(slab):
            return _assign(X[:, slab], self._rows.rows[:, slab], ids, sums[:, slab])

        return sum(threads.map(assign_slab, slabs)), sums

    def distances_from(self, X):
        return self.squared_norms(np.subtract(self._rows.rows, X, dtype=np.float64))

    def assign_one(self, X, label, sums):
        difference = np.subtract(X, self._rows.rows[label], dtype=np.float64)
        sums = sums.copy()
        sums[label] += difference[0]
        return np.einsum("ij,ij->i", difference, difference)[0], sums

    def _search(self, X, first, hidden, threads):
        everywhere = first == 0 and hidden is None
        if everywhere and tree_pays(X.shape[0], len(self), self.n_features):
            return nearest_by_tree(self, X, threads)
        return super()._search(X, first, hidden, threads)

    def n_terms(self, X):
        return self.n_features

    def block_rows(self, X):
        return _BLOCK_ELEMENTS // self.n_features

    def factor(self, first, precision):
        factor = self._factor32 if precision is FLOAT32 else self._factor64
        return factor.rows[first:]

    def width(self, X):
        return self.n_features + 1

    def strip(self, X, precision):
        oldest = self._rows.rows[0]
        strip = np.empty((X.shape[0], self.n_features + 1), dtype=precision.dtype)
        shifted = strip[:, :-1]
        dtype = np.result_type(X, oldest, precision.dtype)
        with np.errstate(over="ignore", under="ignore"):
            np.subtract(X, oldest, out=shifted, dtype=dtype, casting="same_kind")
            squares = np.einsum("ij,ij->i", shifted, shifted).astype(np.float64)
        strip[:, -1] = 1
        return strip, squares, self._are_integers and all_integers(X)

    def multiply(self, strip, factor, first, out):
        # All factors are finite. Yet on a busy machine dot has now and then warned of an
        # invalid value, for a reason not found; whoever asks looks for NaN instead.
        with np.errstate(invalid="ignore"):
            np.dot(factor, strip.T, out=out)


def _assign(X, centers, ids, sums):
    """Return the squared distances of rows and their centres; add differences to `sums`."""
    n_rows, n_centers = len(X), len(centers)
    centers = centers.astype(np.float64)
    d2 = np.empty(n_rows)
    step = min(n_rows, max(_SLAB_ELEMENTS // X.shape[1], 2 * n_centers))
    stacked = np.empty((n_centers + step, X.shape[1]))
    totals, differences = stacked[:n_centers], stacked[n_centers:]
    totals[:] = sums
    for start in range(0, n_rows, step):
        part = slice(start, start + step)
        members = ids[part]
        differences = differences[: len(members)]
        np.take(centers, members, axis=0, out=differences, mode="clip")
        np.subtract(X[part], differences, out=differences)
        d2[part] = np.einsum("ij,ij->i", differences, differences)
        totals[:] = adder(members, n_centers) @ stacked[: n_centers + len(members)]
    sums[:] = totals
    return d2
