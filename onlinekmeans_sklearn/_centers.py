"""The growing set of centres C and D2(v, C), the squared distance to the nearest one.

Everything that decides something is decided on one number, *the* squared distance of a
sample and a centre: the float64 sum, in feature order, of the squared differences. Adding
a zero changes nothing, so dense and sparse rows of the same values have the same distance,
and no number depends on which rows are looked at together.

Such a sum is slow to form for every row and centre: `_nearest` says how that is avoided.
"""

import copy
from abc import ABC, abstractmethod

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from ._growing import GrowingArray
from ._nearest import FLOAT32, FLOAT64, bounds, nearest
from ._sums import adder

_PAIR_ELEMENTS = 2**15  # direct differences formed at once
_ASSIGNED_AT_ONCE = 16  # times as many for sums, which have more to set up
_BOUNDS_AT_ONCE = 2**18  # pairs of centres whose distance is bounded at once
_MOST_FLOAT32_FEATURES = 4092  # for more, the rounding of float32 has no good bound


def centers_like(X):
    """Return an empty set of centres for rows stored like those of `X`."""
    kind = SparseCenters if issparse(X) else DenseCenters
    return kind(X.shape[1], X.dtype)


def centers_from(rows):
    """Return the set of centres that holds the given rows."""
    centers = centers_like(rows)
    centers.append(centers.as_rows(rows))
    centers.prepare()
    return centers


class Centers(ABC):
    """Rows that are only ever appended, and the exact nearest one of other rows."""

    def __init__(self, n_features):
        self.n_features = n_features
        self._squares = GrowingArray(np.empty(0))
        self.largest_square = 0.0
        self._are_integers = True

    @abstractmethod
    def __len__(self):
        """Return the number of centres."""

    def copy(self):
        """Return a copy that can grow on its own; it shares the memory of the rows."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, GrowingArray):
                setattr(other, name, copy.copy(value))
        return other

    @property
    @abstractmethod
    def rows(self):
        """The centres: a read-only array, or CSR."""

    @property
    def dtype(self):
        """The widest dtype of the rows so far."""
        return self.rows.dtype

    @abstractmethod
    def as_rows(self, X):
        """Return the rows of `X` in the storage of the centres."""

    @abstractmethod
    def append(self, rows):
        """Add rows as the newest centres."""

    @abstractmethod
    def differences(self, X, rows, ids):
        """Return ``X[rows[i]] - centers[ids[i]]`` for every i, in float64."""

    @abstractmethod
    def prepare(self):
        """Do what new centres need before any of the following is asked for."""

    @abstractmethod
    def first_precision(self):
        """Return the precision in which to try products first."""

    @abstractmethod
    def factor(self, first, precision):
        """Return the centres from `first` on as `multiply` wants them."""

    @abstractmethod
    def width(self, X):
        """Return how many numbers a row of `X` has."""

    @abstractmethod
    def strip(self, X, precision):
        """Return rows as `multiply` wants them, ``|v|^2``, and if all are integers."""

    @abstractmethod
    def multiply(self, strip, factor, first, out):
        """Put ``|c|^2 - 2 v.c`` into `out`, a row for each centre from `first` on."""

    @staticmethod
    @abstractmethod
    def squared_norms(differences):
        """Return the sum of squares of each row, added in feature order."""

    @abstractmethod
    def _rows_at_once(self, X):
        """Return for how many rows of `X` differences are formed at a time."""

    @abstractmethod
    def with_new_sums(self, sums=None):
        """Return a copy of `sums` with zeros for the centres that it does not have yet."""

    @abstractmethod
    def assign(self, X, ids, sums):
        """Return the squared distances of rows to their centres, and the sums with them.

        `sums` are those of the differences between members and centre, added up in row
        order, so that their rounding does not depend on the chunking. The distances are
        not added up in feature order here: they decide nothing.
        """

    def squared_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        d2 = np.empty(len(rows))
        step = self._rows_at_once(X)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            d2[part] = self.squared_norms(self.differences(X, rows[part], ids[part]))
        return d2

    def distances_from(self, X):
        """Return the squared distances of all centres and the one row of `X`."""
        every = np.arange(len(self))
        return self.squared_distances(X, np.zeros_like(every), every)

    def assign_one(self, X, label, sums):
        """Return what `assign` does, for one row."""
        d2, sums = self.assign(X, np.array([label]), sums)
        return d2[0], sums

    def means(self, sums, counts):
        """Return the means of clusters, from `sums` as `assign` returns them."""
        n_clusters = len(counts)
        every = np.arange(n_clusters + 1, dtype=np.int32)
        shares = csr_array((1 / counts, every[:-1], every), shape=(n_clusters,) * 2)
        return self.rows + shares @ sums

    def bounds(self, X):
        """Return bounds of all squared distances, a row per centre, a column per row."""
        self.prepare()
        return bounds(self, X)

    def closest_distances(self):
        """Return each centre's squared distance to its closest neighbour."""
        closest = np.full(len(self), np.inf)
        step = max(1, _BOUNDS_AT_ONCE // len(self))
        for start in range(0, len(self), step):
            rows = np.arange(start, min(start + step, len(self)))
            lower, upper = self.bounds(self.rows[rows])
            upper[rows, rows - start] = lower[rows, rows - start] = np.inf
            ids, near = np.nonzero(lower <= upper.min(axis=0))
            keep = ids != rows[near]
            d2 = self.squared_distances(self.rows, rows[near[keep]], ids[keep])
            np.minimum.at(closest, rows[near[keep]], d2)
        return closest

    def nearest(self, X, *, first=0, hidden=None, n_threads=1):
        """Return the nearest centre of every row, with bounds of its squared distance.

        Parameters
        ----------
        X : rows in the storage of the centres
        first : int
            Only the centres from this one on count.
        hidden : ndarray of int or None
            For each of these, the number of rows at the start for which it does not
            count; 0 for the first.
        n_threads : int
            How many threads may share the rows.

        Returns
        -------
        ids : ndarray of intp
            The oldest of the nearest centres, -1 if there are no centres.
        lower, upper : ndarray of float64
            Bounds of the squared distance, infinite if there are no centres.
        """
        n_rows = X.shape[0]
        if len(self) == first:
            nowhere = np.full(n_rows, np.inf)
            return np.full(n_rows, -1, dtype=np.intp), nowhere, nowhere
        ids, d2, slack = nearest(self, X, first, hidden, n_threads)
        return ids, np.maximum(d2 - slack, 0), d2 + slack

    def _note(self, squares, values):
        """Remember the squared norms of new centres, and if their values are integers."""
        self._squares.append(squares)
        self.largest_square = max(self.largest_square, squares.max(initial=0.0))
        self._are_integers = self._are_integers and _all_integers(values)


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
        return np.subtract(X[rows], centers, dtype=np.float64)

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

    def assign(self, X, ids, sums):
        d2 = np.empty(X.shape[0])
        sums = self.with_new_sums(sums)
        step = _ASSIGNED_AT_ONCE * self._rows_at_once(X)
        for start in range(0, X.shape[0], step):
            part = slice(start, start + step)
            touched = np.flatnonzero(np.bincount(ids[part], minlength=len(self)))
            place = np.empty(len(self), dtype=np.int32)
            place[touched] = np.arange(len(touched))

            stacked = np.empty((len(touched) + len(ids[part]), self.n_features))
            stacked[: len(touched)] = sums[touched]
            differences = stacked[len(touched) :]
            centers = np.take(self._rows.rows, ids[part], axis=0)
            np.subtract(X[part], centers, out=differences, dtype=np.float64)
            d2[part] = np.einsum("ij,ij->i", differences, differences)
            sums[touched] = adder(place[ids[part]], len(touched)) @ stacked
        return d2, sums

    def distances_from(self, X):
        return self.squared_norms(np.subtract(self._rows.rows, X, dtype=np.float64))

    def assign_one(self, X, label, sums):
        difference = np.subtract(X, self._rows.rows[label], dtype=np.float64)
        sums = sums.copy()
        sums[label] += difference[0]
        return np.einsum("ij,ij->i", difference, difference)[0], sums

    def first_precision(self):
        fits = self.largest_square <= FLOAT32.largest
        return FLOAT32 if fits and self.n_features <= _MOST_FLOAT32_FEATURES else FLOAT64

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
        return strip, squares, self._are_integers and _all_integers(X)

    def multiply(self, strip, factor, first, out):
        # All factors are finite. Yet on a busy machine dot has now and then warned of an
        # invalid value, for a reason not found; whoever asks looks for NaN instead.
        with np.errstate(invalid="ignore"):
            np.dot(factor, strip.T, out=out)


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

    def assign(self, X, ids, sums):
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
        return strip, self.squared_norms(X), self._are_integers and _all_integers(X.data)

    def multiply(self, strip, factor, first, out):
        (strip @ factor).toarray(out=out.T)
        out += self._squares.rows[first:, None]


def _all_integers(values):
    """Return whether all values are whole numbers."""
    return bool(np.all(values == np.rint(values)))
