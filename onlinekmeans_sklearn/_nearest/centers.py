"""The set of centers C, and the distance that decides.

Everything that decides something is decided on one number, *the* squared distance of a
sample and a center: the float64 sum, in feature order, of the squared differences. Adding
a zero changes nothing, so dense and sparse rows of the same values have the same distance,
and no number depends on which rows are looked at together. Every difference and square is
rounded once, and d - 1 sums of d terms that cannot cancel: the sum is wrong by at most
(d + 2) u of itself, for the unit roundoff u = 2^-53, and by d 2^-1075 where squares
underflow.
"""

from abc import ABC, abstractmethod

import numpy as np

from .products import check_numbers, prepare, products

_ROUGH = 2.0**-30  # relative uncertainty of a squared distance that is not good enough


class Centers(ABC):
    """An immutable set of rows: adding some returns another set.

    Attributes
    ----------
    rows : ndarray or CSR
        The centers, in the widest dtype of the samples they are.
    n_features : int
    exact : ndarray or CSR
        The same in float64, as the kernels need them.
    search : DenseSearch or SparseSearch
        What the kernels make of them: finds the nearest center, and adds up its members.
    """

    def __init__(self, rows, exact, search):
        self.rows = rows
        self.n_features = rows.shape[1]
        self.exact = exact
        self.search = search

    def __len__(self):
        return self.rows.shape[0]

    def __getstate__(self):
        return {"rows": self.rows}

    def __setstate__(self, state):
        self.__init__(state["rows"])

    def __deepcopy__(self, memo):
        return self

    @property
    def dtype(self):
        """The dtype of the rows."""
        return self.rows.dtype

    @abstractmethod
    def with_rows(self, rows):
        """Return the set that also has these rows, as the newest."""

    @abstractmethod
    def as_rows(self, X):
        """Return rows in the format of the centers, as the kernels need them."""

    @abstractmethod
    def width(self, X):
        """Return about how many numbers a row of `X` has."""

    def squared_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        rows, ids = (np.ascontiguousarray(index, np.int64) for index in (rows, ids))
        return self.search.pair_distances(X, rows, ids)

    def distances(self, X):
        """Return the distances of all rows and all centers, a row per row of `X`.

        They come from products. Where these are too rough, as for a row that equals a
        center, they come from the squared distances themselves. So squares of distances
        are wrong by `_ROUGH` / 2 of themselves at most, and distances by half of that.
        """
        found, squares, (of_square, of_d2, added) = products(X, prepare(self.exact))
        check_numbers(found)
        d2 = np.maximum(found + squares[:, None], 0)
        slack = of_d2 * d2 + (of_square * squares + added)[:, None]
        rows, ids = np.nonzero(2 * slack > _ROUGH * d2)
        d2[rows, ids] = self.squared_distances(X, rows, ids)
        return np.sqrt(d2, out=d2)
