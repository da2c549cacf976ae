"""The growing set of centres C and D2(v, C), the squared distance to the nearest one.

Everything that decides something is decided on one number, *the* squared distance of a
sample and a centre: the float64 sum, in feature order, of the squared differences. Adding
a zero changes nothing, so dense and sparse rows of the same values have the same distance,
and no number depends on which rows are looked at together. Every difference and square is
rounded once, and d - 1 sums of d terms that cannot cancel: the sum is wrong by at most
(d + 2) u of itself, for the unit roundoff u = 2^-53, and by d 2^-1075 where squares
underflow.

Such a sum is slow to form for every row and centre: `_nearest` says how that is avoided.
"""

import copy
from abc import ABC, abstractmethod

import numpy as np
from scipy.sparse import csr_array

from ._growing import GrowingArray
from ._nearest import FLOAT32, FLOAT64, bounds, nearest
from ._rows import rows_between
from ._sums import shares
from ._threads import ALONE

_ROUGH = 2.0**-30  # relative uncertainty of a squared distance that is not good enough
_BOUNDS_AT_ONCE = 2**18  # pairs of centres whose distance is bounded at once


class Centers(ABC):
    """Rows that are only ever appended, and the exact nearest one of other rows.

    Attributes
    ----------
    can_screen : bool
        Whether `factor` and `strip` are arrays, so that a `Screen` can be made of them.
    wide : int
        Of how many numbers rows are worth to be picked for a thread that assigns them.
    """

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

    def __deepcopy__(self, memo):
        return self.copy()

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
        """Return ``X[rows[i]] - centers[ids[i]]`` for every i, in float64.

        `rows` may be None, for all rows in order.
        """

    @abstractmethod
    def prepare(self):
        """Do what new centres need before any of the following is asked for."""

    def first_precision(self, X):
        """Return the precision in which to try products with rows of `X` first."""
        fits = self.largest_square <= FLOAT32.largest
        return FLOAT32 if fits and self.n_terms(X) <= FLOAT32.most_terms else FLOAT64

    @abstractmethod
    def n_terms(self, X):
        """Return of how many terms a distance to a row of `X` is the sum, at most."""

    @abstractmethod
    def block_rows(self, X):
        """Return how many rows like those of `X` to read at once, at most."""

    @abstractmethod
    def factor(self, first, precision):
        """Return the centres from `first` on as `multiply` wants them."""

    @abstractmethod
    def width(self, X):
        """Return how many numbers a row of `X` has."""

    def strip_memory(self, n_rows, precision):
        """Return what `strip` can use again and again for so many rows, or None."""
        return None

    @abstractmethod
    def strip(self, X, precision, memory=None):
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
        """Return `sums` with zeros for the centres that it does not have yet."""

    def assign(self, X, ids, sums, threads=ALONE):
        """Return the squared distances of rows to their centres, and the sums with them.

        `sums` are those of the differences between members and centre, added up in row
        order, so that their rounding does not depend on the chunking. The distances are
        not added up in feature order here: they decide nothing.

        Each thread has centres of its own, and so the order of additions stays.
        """
        sums = self.with_new_sums(sums)
        d2 = np.empty(X.shape[0])

        def assign_share(share):
            centers, rows = share
            some = slice(None) if rows is None else rows
            old = rows_between(sums, centers.start, centers.stop)
            d2[some], new = self._assign(X, rows, ids[some] - centers.start, centers, old)
            return new

        number = threads.number if self.width(X) >= self.wide else 1
        return d2, self._stacked(threads.map(assign_share, shares(ids, len(self), number)))

    @abstractmethod
    def _assign(self, X, rows, ids, centers, sums):
        """Return what `assign` does, for the centres of a slice and all their rows.

        The ids count from the first of these centres on. `rows` is None if it is all.
        """

    @staticmethod
    @abstractmethod
    def _stacked(sums):
        """Return sums of centres in one, given those of one slice after the other."""

    def squared_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        d2 = np.empty(len(rows))
        step = self._rows_at_once(X)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            d2[part] = self.squared_norms(self.differences(X, rows[part], ids[part]))
        return d2

    def distances_from(self, X):
        """Return the squared distances of all centres and the one row of `X`.

        Also returns the differences, centre minus row, if there is an array of them.
        """
        every = np.arange(len(self))
        return self.squared_distances(X, np.zeros_like(every), every), None

    def assign_one(self, X, label, differences, sums):
        """Return what `assign` does, for one row and its differences."""
        d2, sums = self.assign(X, np.array([label]), sums)
        return d2[0], sums

    def means(self, sums, counts):
        """Return the means of clusters, from `sums` as `assign` returns them."""
        return self.rows + _shares(counts) @ sums

    def means_from_fullest(self, sums, counts):
        """Return the means of clusters minus the centre of the one with most members.

        They are rounded as their spread is, not as their distance from the origin: the
        same for data that are translated, as long as differences of samples are exact.
        """
        fullest = np.full(len(self), np.argmax(counts))
        return self.differences(self.rows, None, fullest) + _shares(counts) @ sums

    def bounds(self, X, first=0):
        """Return bounds of the squared distances of rows and the centres from `first` on.

        They have a row per centre and a column per row of `X`.
        """
        self.prepare()
        return bounds(self, X, first)

    def distances(self, X):
        """Return the distances of all rows and all centres, a row per row of `X`.

        They come from products. Where these are too rough, as for a row that equals a
        centre, they come from the squared distances themselves. So squares of distances
        are wrong by `_ROUGH` / 2 of themselves at most, and distances by half of that.
        """
        lower, upper = self.bounds(X)
        d2 = (lower + upper) / 2
        ids, rows = np.nonzero(upper - lower > _ROUGH * d2)
        d2[ids, rows] = self.squared_distances(X, rows, ids)
        return np.sqrt(d2.T)

    def closest_distances(self):
        """Return each centre's squared distance to its closest neighbour; there is one."""
        closest = np.full(len(self), np.inf)
        step = max(1, _BOUNDS_AT_ONCE // len(self))
        for start in range(0, len(self), step):
            rows = np.arange(start, min(start + step, len(self)))
            lower, upper = self.bounds(self.rows[rows])
            upper[rows, rows - start] = lower[rows, rows - start] = np.inf
            ids, near = np.nonzero(lower <= upper.min(axis=0))
            d2 = self.squared_distances(self.rows, rows[near], ids)
            np.minimum.at(closest, rows[near], d2)
        return closest

    def nearest(self, X, *, first=0, hidden=None, threads=ALONE):
        """Return the nearest centre of every row, with bounds of its squared distance.

        Parameters
        ----------
        X : rows in the storage of the centres
        first : int
            Only the centres from this one on count.
        hidden : ndarray of int or None
            For each of these, the number of rows at the start for which it does not
            count; 0 for the first.
        threads : Threads
            To share the rows.

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
        ids, d2, slack = self._search(X, first, hidden, threads)
        return ids, np.maximum(d2 - slack, 0), d2 + slack

    def _search(self, X, first, hidden, threads):
        """Return ids, squared distances and slacks as `nearest` promises them."""
        return nearest(self, X, first, hidden, threads)

    def _note(self, squares, values):
        """Remember the squared norms of new centres, and if their values are integers."""
        self._squares.append(squares)
        self.largest_square = max(self.largest_square, squares.max(initial=0.0))
        self._are_integers = self._are_integers and all_integers(values)


def _shares(counts):
    """Return the matrix that divides sums by counts."""
    every = np.arange(len(counts) + 1, dtype=np.int32)
    return csr_array((1 / counts, every[:-1], every), shape=(len(counts),) * 2)


def all_integers(values):
    """Return whether all values are whole numbers."""
    return bool(np.all(values == np.rint(values)))
