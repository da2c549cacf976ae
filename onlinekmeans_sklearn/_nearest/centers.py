"""The set of centers C, and the distance that decides.

Every decision depends on one number, *the* squared distance of a sample and a center: the
float64 sum, in feature order, of the squared differences. Adding a zero changes nothing, so
dense and sparse rows with the same values have the same distance, whichever rows are read
together. `rounding` says how exact it is.
"""

import numpy as np
from scipy.sparse import issparse

from .._utils.rows import as_canonical, canonical, index_dtype, stacked
from .backend import active, fallback
from .products import check_numbers, prepare, products

_ROUGH = 2.0**-30  # relative error of a squared distance that is too large


def centers_from(rows):
    """Return a set of centers with the given rows."""
    if not issparse(rows):
        # arrays of a pickle may be unaligned, which C cannot read
        exact = np.require(rows, np.float64, ["C", "A"])
        rows = rows.view()
        rows.flags.writeable = False  # users see them
        return Centers(rows, exact, active.kernels.DenseSearch(exact))
    rows = _for_kernels(rows, rows.dtype)
    exact = _for_kernels(rows, np.float64)
    # the compiled kernels take int32 indices only
    kind = active.kernels if exact.indices.dtype == np.int32 else fallback
    return Centers(rows, exact, kind.SparseSearch(exact))


class Centers:
    """An immutable set of rows: adding rows returns a new set.

    Attributes
    ----------
    rows : ndarray or CSR
        The centers, in the widest dtype of the samples among them.
    n_features : int
    exact : ndarray or CSR
        The same in float64, for the kernels.
    search : DenseSearch or SparseSearch
        Finds the nearest center of rows, and adds rows to the sums of clusters.
    """

    def __init__(self, rows, exact, search):
        self.rows, self.exact, self.search = rows, exact, search
        self.n_features = rows.shape[1]

    def __len__(self):
        return self.rows.shape[0]

    def __reduce__(self):
        return centers_from, (self.rows,)

    def __deepcopy__(self, memo):
        return self

    @property
    def dtype(self):
        """The dtype of the rows."""
        return self.rows.dtype

    def with_rows(self, rows):
        """Return a set with these rows appended."""
        return centers_from(stacked([self.rows, rows]))

    def as_rows(self, X):
        """Return rows in the format of the centers, ready for the kernels."""
        if type(X) is type(self.rows) is np.ndarray:  # first, and fast for a single row
            return np.ascontiguousarray(X)
        if issparse(self.rows):
            return _for_kernels(X, np.float64)
        return X.toarray() if issparse(X) else np.ascontiguousarray(X)

    def width(self, X):
        """Return about how many values a row of `X` has in the format of the centers."""
        is_sparse = issparse(self.rows)
        return 1 + X.size // max(1, X.shape[0]) if is_sparse else self.n_features

    def squared_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        rows, ids = (np.ascontiguousarray(index, np.int64) for index in (rows, ids))
        return self.search.pair_distances(X, rows, ids)

    def distances(self, X):
        """Return the distances of all rows to all centers, a row per row of `X`.

        They come from products or, where these are too rough, as for a row that equals a
        center, from the squared distances that decide. So the relative error of a squared
        distance is at most `_ROUGH` / 2, and that of a distance half of it.
        """
        found, squares, (square_coef, d2_coef, abs_term) = products(X, prepare(self.exact))
        check_numbers(found)
        d2 = np.maximum(found + squares[:, None], 0)
        slack = d2_coef * d2 + (square_coef * squares + abs_term)[:, None]
        rows, ids = _where(2 * slack > _ROUGH * d2)
        d2[rows, ids] = self.squared_distances(X, rows, ids)
        return np.sqrt(d2, out=d2)

    def nearest_few(self, X, is_known, most):
        """Return the nearest known centers of each row, in order, and squared distances.

        Products say which centers may be among the nearest: those within the slack of the
        last that is wanted, and as much again. The distance that decides does the rest.

        Parameters
        ----------
        X : rows as `as_rows` returns them
        is_known : ndarray of bool
            Whether each center counts, a row per row of `X` or a single one for all.
        most : int

        Returns
        -------
        ids : ndarray of shape (n_rows, n_nearest)
            Of centers at the same distance the oldest first.
        d2 : ndarray of float64 of shape (n_rows, n_nearest)
            Infinite from where there are no more.
        """
        n, most = X.shape[0], min(most, len(self))
        found, squares, (square_coef, d2_coef, abs_term) = products(X, prepare(self.exact))
        check_numbers(found)
        if not is_known.all():
            found = np.where(is_known, found, np.inf)
        last = np.partition(found, most - 1, axis=1)[:, most - 1]
        slack = d2_coef * np.maximum(last + squares, 0) + square_coef * squares + abs_term
        limit = np.minimum(last + 2 * slack, np.finfo(np.float64).max)
        rows, found = _where(found <= limit[:, None])
        d2 = self.squared_distances(X, rows, found)
        order = np.lexsort((d2, rows))
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        few = rank < most
        at, order = (rows[few], rank[few]), order[few]
        ids, nearest = np.zeros((n, most), dtype=np.int64), np.full((n, most), np.inf)
        ids[at], nearest[at] = found[order], d2[order]
        return ids, nearest


def _where(mask):
    """Return rows and columns of a mask's few True values; np.nonzero takes longer."""
    return np.divmod(np.flatnonzero(mask), mask.shape[1])


def _for_kernels(X, dtype):
    """Return canonical CSR with contiguous arrays, and int32 indices if they suffice."""
    X = as_canonical(X)
    arrays, index = (X.data, X.indices, X.indptr), index_dtype(max(X.nnz, X.shape[1]))
    ready = [*map(np.ascontiguousarray, arrays, (dtype, index, index))]
    are_the_same = all(new is old for new, old in zip(ready, arrays))
    return X if are_the_same else canonical(*ready, X.shape)
