"""What `kernels` does, in numpy, bit for bit: for machines without a compiler.

The nearest center of a row is among those whose product is within the slack of the
smallest; the squared distances to these few decide. `kernels` documents the methods.
"""

import numpy as np
from scipy.sparse import csc_array

from .._utils.rows import rows_at, squared_norms
from .._utils.tuning import TUNING
from .products import check_numbers, prepare, products


class _Search:
    """Centers to find the nearest of."""

    def __init__(self, centers):
        self._centers = centers

    def nearest(self, X, ids, d2, visible=None, labels_only=False):
        """Reassign rows to the nearest center if it is nearer (ties: oldest)."""
        n_centers = self._centers.shape[0]
        if not n_centers:
            return
        prepared = prepare(self._centers)
        every = np.arange(X.shape[0]) if visible is None else np.flatnonzero(visible)
        step = max(1, TUNING.product_elements // n_centers)
        for start in range(0, len(every), step):
            rows = every[start : start + step]
            part = rows_at(X, rows)
            found, squares, slack = products(part, prepared)
            if visible is not None:
                found[np.arange(n_centers) >= np.asarray(visible)[rows, None]] = np.inf
            near, center = self._oldest_nearest(part, found, squares, slack, d2[rows])
            if labels_only and np.isinf(d2[rows]).all():
                ids[rows[near]] = center
                continue
            exact = self.pair_distances(part, near, center)
            is_nearer = exact < d2[rows[near]]
            rows = rows[near[is_nearer]]
            ids[rows], d2[rows] = center[is_nearer], exact[is_nearer]

    def _oldest_nearest(self, X, found, squares, slack, d2):
        """Return the rows that may have a center nearer than d2, and the nearest of each.

        Distances are only computed if the second best is within the slack, too, which is
        rare. Changes `found`.
        """
        every, (square_coef, d2_coef, abs_term) = np.arange(len(found)), slack
        center = found.argmin(axis=1)
        best = found[every, center]
        check_numbers(best)
        near = np.maximum(best + squares, 0)
        slack = square_coef * squares + d2_coef * near + abs_term
        is_far = near > d2 + slack  # than the current center
        limit = np.where(is_far, -np.inf, best + slack)
        found[every, center] = np.inf
        in_doubt = np.flatnonzero(found.min(axis=1) <= limit)
        if len(in_doubt):
            found[every, center] = best
            distances = found[in_doubt]
            row, ids = np.nonzero(distances <= limit[in_doubt, None])
            distances[:] = np.inf
            distances[row, ids] = self.pair_distances(X, in_doubt[row], ids)
            center[in_doubt] = distances.argmin(axis=1)  # the first is the oldest
        rows = np.flatnonzero(~is_far)
        return rows, center[rows]

    def nearest_of_row(self, X):
        """Return the id and the squared distance of a single row's nearest center."""
        every = np.arange(self._centers.shape[0])
        d2 = self.pair_distances(X, np.zeros_like(every), every)
        return int(d2.argmin()), float(d2.min())

    def pair_distances(self, X, rows, ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        d2 = np.empty(len(rows))
        width = 1 + X.size // max(1, X.shape[0])  # of CSR, stored values
        step = max(1, TUNING.pair_elements // width)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            differences = rows_at(X, rows[part]) - rows_at(self._centers, ids[part])
            d2[part] = squared_norms(differences)
        return d2

    @np.errstate(over="ignore")
    def next_openings(
        self, X, candidates, start, uniforms, facility_cost, d2, opened, most
    ):
        """Return the indices of the next candidates that open a center, at most `most`."""
        indices, new = [], rows_at(X, opened).astype(np.float64, copy=False)
        for i in range(start, len(candidates)):
            if len(indices) == most:
                break
            row = candidates[i : i + 1]
            least = uniforms[row] * facility_cost
            if not least < d2[row]:
                continue
            to_new = squared_norms(rows_at(X, np.repeat(row, len(opened))) - new)
            if least < to_new.min(initial=np.inf):
                indices.append(i)
                opened = np.append(opened, row)
                new = rows_at(X, opened).astype(np.float64, copy=False)
        return np.array(indices, dtype=np.int64)


class DenseSearch(_Search):
    """Centers and rows in arrays."""

    def add(self, X, labels, low, high, sums, weights=None):
        """Add rows, minus their center, to the sums of the clusters from low to high."""
        rows = np.flatnonzero((labels >= low) & (labels < high))
        step = max(1, TUNING.pair_elements // X.shape[1], high - low)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            differences = rows_at(X, part) - rows_at(self._centers, labels[part])
            if weights is not None:
                differences *= weights[part, None]
            stacked = np.concatenate([sums[low:high], differences])
            sums[low:high] = _membership_matrix(labels[part] - low, high - low) @ stacked


class SparseSearch(_Search):
    """Centers and rows in CSR."""

    def add(self, X, members, sums, weights=None):
        """Add rows, minus their center, to the sums of clusters."""
        for cluster, rows in members:
            columns, values = sums[cluster]
            differences = X[rows] - self._centers[np.full(len(rows), cluster)]
            if weights is not None:
                differences.data *= np.repeat(weights[rows], np.diff(differences.indptr))
            all_columns = np.concatenate([columns, differences.indices])
            new_columns, position = np.unique(all_columns, return_inverse=True)
            new_values = np.zeros(len(new_columns))
            np.add.at(new_values, position, np.concatenate([values, differences.data]))
            sums[cluster] = new_columns.astype(columns.dtype), new_values


@np.errstate(over="ignore")
def sequential_sum(total, numbers, weights=None):
    """Return a total plus numbers, each times its weight if given, added in order."""
    numbers = numbers if weights is None else numbers * weights
    return float(np.add.accumulate(np.append(total, numbers))[-1])


def _membership_matrix(labels, n_clusters):
    """Return the matrix that adds rows to the sums of clusters, stacked above them.

    A product with it goes through its columns in order: the sums so far, then one member
    after the other. So additions have the same order for every chunking.
    """
    n_columns = n_clusters + len(labels)
    cluster = np.concatenate([np.arange(n_clusters), labels]).astype(np.int32)
    indptr = np.arange(n_columns + 1, dtype=np.int32)
    arrays = (np.ones(n_columns), cluster, indptr)
    return csc_array(arrays, shape=(n_clusters, n_columns))
