"""Centres in an array: products by BLAS, all or screened, or a k-d tree."""

import numpy as np
from scipy.sparse import issparse

from ._centers_base import Centers, all_integers
from ._growing import GrowingArray
from ._nearest import FLOAT32
from ._sums import adder
from ._tree import nearest_by_tree, tree_pays

_PAIR_ELEMENTS = 2**17  # direct differences formed at once
_ASSIGNED_ELEMENTS = 2**18  # numbers of rows that are added to sums at once
_BLOCK_ELEMENTS = 2**23  # numbers in a block of rows


class DenseCenters(Centers):
    """Centres in an array.

    Rows are shifted by the oldest centre before they are multiplied: far from the origin
    the products would otherwise be all rounding error.
    """

    can_screen = True
    wide = 256

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
        members = X if rows is None else np.take(X, rows, axis=0)
        members = members.astype(np.float64, copy=False)  # subtract is slow to do it
        centers = np.take(self._rows.rows, ids, axis=0).astype(np.float64, copy=False)
        return np.subtract(members, centers, out=centers)

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

    def _assign(self, X, rows, ids, centers, sums):
        centers = self._rows.rows[centers].astype(np.float64)
        n_rows, n_centers = len(ids), len(centers)
        d2 = np.empty(n_rows)
        step = max(_ASSIGNED_ELEMENTS // self.n_features, 2 * n_centers)
        stacked = np.empty((n_centers + min(n_rows, step), self.n_features))
        totals, differences = stacked[:n_centers], stacked[n_centers:]
        totals[:] = sums
        for start in range(0, n_rows, step):
            part = slice(start, start + step)
            members = X[part] if rows is None else np.take(X, rows[part], axis=0)
            members = members.astype(np.float64, copy=False)
            differences = differences[: len(members)]
            np.take(centers, ids[part], axis=0, out=differences, mode="clip")
            np.subtract(members, differences, out=differences)
            d2[part] = _sums_of_squares(differences)
            totals[:] = adder(ids[part], n_centers) @ stacked[: n_centers + len(members)]
        return d2, totals

    @staticmethod
    def _stacked(sums):
        return np.concatenate(sums)

    def distances_from(self, X):
        rows = self._rows.rows
        if not rows.dtype == X.dtype == np.float64:
            rows = rows.astype(np.float64)
        differences = rows - X
        return self.squared_norms(differences), differences

    def assign_one(self, X, label, differences, sums):
        difference = differences[label : label + 1]
        sums = sums.copy()
        sums[label] -= difference[0]
        return _sums_of_squares(difference)[0], sums

    def _search(self, X, first, hidden, threads):
        everywhere = first == 0 and hidden is None
        if everywhere and tree_pays(X.shape[0], len(self), self.n_features, threads.number):
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

    def strip_memory(self, n_rows, precision):
        return np.empty((n_rows, self.n_features + 1), dtype=precision.dtype)

    def strip(self, X, precision, memory=None):
        oldest = self._rows.rows[0]
        if memory is None:
            memory = self.strip_memory(X.shape[0], precision)
        strip = memory[: X.shape[0]]
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


def _sums_of_squares(differences):
    """Return the sum of squares of each row, added up in the same order for any rows.

    A lone row of more than 2^13 numbers einsum would add up in another order.
    """
    if len(differences) == 1 and differences.shape[1] > 2**13:
        differences = np.repeat(differences, 2, axis=0)
        return np.einsum("ij,ij->i", differences, differences)[:1]
    return np.einsum("ij,ij->i", differences, differences)
