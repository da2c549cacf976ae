"""What `kernels` does, in numpy, to the last bit: for machines without a compiler.

The nearest center of a row is among those whose product says so, within the slack; these
few are decided on their squared distances, as ever. The methods are those of `kernels`,
where they are documented.
"""

import numpy as np
from scipy.sparse import csc_array, issparse

from .._utils.rows import rows_between
from .._utils.tuning import TUNING
from .products import check_numbers, products, squared_norms


class _Search:
    """Centers, made ready to look for the nearest of them."""

    def __init__(self, centers):
        self._centers = centers

    def nearest(self, X, ids, d2, visible=None):
        """Let rows go over to the oldest nearest center, if it is nearer than theirs."""
        n_centers = self._centers.shape[0]
        step = max(1, TUNING.product_elements // max(1, n_centers))
        for start in range(0, X.shape[0] if n_centers else 0, step):
            rows = slice(start, start + step)
            part = rows_between(X, rows.start, rows.stop)
            found, squares, (of_square, of_d2, added) = products(part, self._centers)
            if visible is not None:
                found[np.arange(n_centers)[:, None] >= np.asarray(visible)[rows]] = np.inf
            best = found.min(axis=0)
            check_numbers(best)
            near = np.maximum(best + squares, 0)
            slack = of_square * squares + of_d2 * near + added
            is_far = near > d2[rows] + slack  # no nearer than what the row has
            limit = np.where(is_far | (best == np.inf), -np.inf, best + slack)
            center, row = np.nonzero(found <= limit)
            order = np.argsort(row, kind="stable")
            row, center = row[order], center[order]
            if len(row):
                self._decide(part, row, center, ids[rows], d2[rows])

    def _decide(self, X, row, center, ids, d2):
        """Let rows go over to the oldest nearest of the centers paired with them."""
        exact = self.pair_distances(X, row, center)
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        least = np.minimum.reduceat(exact, starts)
        is_least = np.flatnonzero(exact == np.repeat(least, np.diff([*starts, len(row)])))
        first = is_least[np.flatnonzero(np.diff(row[is_least], prepend=-1))]
        rows = row[first]
        nearer = exact[first] < d2[rows]
        ids[rows[nearer]] = center[first[nearer]]
        d2[rows[nearer]] = exact[first[nearer]]

    def nearest_of_row(self, X):
        """Return the oldest nearest center of a lone row and its squared distance."""
        every = np.arange(self._centers.shape[0])
        d2 = self.pair_distances(X, np.zeros_like(every), every)
        return int(d2.argmin()), float(d2.min())

    def pair_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        return _pair_distances(X, self._centers, rows, ids)

    def next_opening(self, X, candidates, start, uniforms, facility_cost, d2, opened):
        """Return the place of the next candidate that opens a center, or their number."""
        new = X[opened].astype(np.float64, copy=False)
        ids = np.arange(len(opened))
        for place in range(start, len(candidates)):
            row = candidates[place]
            least = uniforms[row] * facility_cost
            if not least < d2[row]:
                continue
            to_new = _pair_distances(X, new, np.full(len(opened), row), ids)
            if least < to_new.min(initial=np.inf):
                return place
        return len(candidates)


class DenseSearch(_Search):
    """Centers and rows in arrays."""

    def add(self, X, labels, low, high, sums):
        """Add the differences of rows and centers to sums of clusters from low to high."""
        rows = np.flatnonzero((labels >= low) & (labels < high))
        step = max(1, TUNING.pair_elements // X.shape[1], high - low)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            differences = X[some].astype(np.float64, copy=False)
            differences = differences - self._centers[labels[some]]
            stacked = np.concatenate([sums[low:high], differences])
            sums[low:high] = _membership_matrix(labels[some] - low, high - low) @ stacked


class SparseSearch(_Search):
    """Centers and rows in CSR."""

    def add(self, X, rows, cluster, columns, values):
        """Return the columns and values of a cluster's sum with more rows in it."""
        differences = X[rows] - self._centers[np.full(len(rows), cluster)]
        added = np.concatenate([columns, differences.indices])
        new_columns, place = np.unique(added, return_inverse=True)
        new_values = np.zeros(len(new_columns))
        np.add.at(new_values, place, np.concatenate([values, differences.data]))
        return new_columns.astype(columns.dtype), new_values


def _pair_distances(X, centers, rows, ids):
    """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
    d2 = np.empty(len(rows))
    width = 1 + X.nnz // max(1, X.shape[0]) if issparse(X) else X.shape[1]
    step = max(1, TUNING.pair_elements // width)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        differences = X[rows[part]].astype(np.float64, copy=False) - centers[ids[part]]
        if issparse(X):
            d2[part] = squared_norms(differences)
            continue
        squares = np.square(differences.T, order="C")
        if squares.shape[1] == 1:  # reduce would not add a lone column in order
            d2[part] = np.add.accumulate(squares)[-1]
        else:
            d2[part] = np.add.reduce(squares, axis=0)
    return d2


def _membership_matrix(labels, n_clusters):
    """Return the matrix that adds rows to the sums of clusters, which stand above them.

    A product with it goes through its columns in order: sums so far, then one member after
    the other, the same additions in the same order for every chunking.
    """
    n_columns = n_clusters + len(labels)
    cluster = np.concatenate([np.arange(n_clusters), labels]).astype(np.int32)
    column_starts = np.arange(n_columns + 1, dtype=np.int32)
    arrays = (np.ones(n_columns), cluster, column_starts)
    return csc_array(arrays, shape=(n_clusters, n_columns))
