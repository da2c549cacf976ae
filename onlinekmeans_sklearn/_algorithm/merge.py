"""The last step: from the online clusters to exactly n_clusters.

The online clusters stand for their members: each is a point, its mean, that weighs as much
as it has members. Weighted k-means of these few points is solved well rather than fast per
point: k-means++ seeding, then a local search that swaps one center for another point
wherever that pays [1]_ [2]_, then Lloyd's steps.

.. [1] S. Lattanzi, C. Sohler. A Better k-means++ Algorithm via Local Search. ICML 2019.
.. [2] D. Arthur, S. Vassilvitskii. k-means++: The Advantages of Careful Seeding. SODA 2007.
.. [3] K. Clarkson, D. Woodruff. Low Rank Approximation and Regression in Input Sparsity
   Time. STOC 2013.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.cluster import kmeans_plusplus

from .._nearest.products import check_numbers
from .._utils.threads import one_blas_thread
from .._utils.tuning import TUNING

_CANDIDATES = 8  # points that are tried as a new center at once
_FEWEST_SWAPS, _MOST_SWAPS = 20, 100  # and in between as many as clusters
_FAILURES = 5  # swaps in vain, one after the other, that end the search
_GAIN = 1e-4  # of the cost, that makes a swap or a step worth it
_MOST_STEPS = 100
_ROUGH = 2.0**-26  # of squared norms: squared distances that may be rounding error
_MOST_COLUMNS = 1024  # of sparse means; wider ones are sketched


def merge(means, counts, n_clusters, random_state, points=None):
    """Merge clusters by k-means of their means, weighted by their counts.

    `points`, if given, are the means as seen from a point close to them, for k-means to be
    rounded less. Return the mean of all members of each merged cluster, and the merged
    cluster of each cluster. Merged clusters are numbered by the age of their oldest part.
    """
    n_online = len(counts)
    if n_online <= n_clusters:
        return means, np.arange(n_online)

    with one_blas_thread():
        points = means if points is None else points
        points = WeightedPoints(_coordinates(points, random_state), counts)
        labels = points.clustered(n_clusters, random_state)
    _, oldest, merged = np.unique(labels, return_index=True, return_inverse=True)
    merged = np.argsort(np.argsort(oldest))[merged]
    return _merged_means(means, counts, merged), merged


def _merged_means(means, counts, merged):
    """Return the means of merged clusters.

    What is added up are differences to the oldest part: far from the origin they are
    rounded less than means, and features that all parts have at 0 stay there.
    """
    weights = counts / np.bincount(merged, weights=counts)[merged]
    columns = np.arange(len(counts), dtype=np.int32)
    mixing = csr_array((weights, (merged.astype(np.int32), columns)))
    oldest = np.unique(merged, return_index=True)[1]
    return means[oldest] + mixing @ (means - means[oldest[merged]])


def _coordinates(means, random_state):
    """Return the means in an array; of wide CSR a sketch that about keeps distances.

    Each feature is added to one of a few columns, or subtracted from it [3]_.
    """
    if not issparse(means):
        return means
    n_features = means.shape[1]
    if n_features <= _MOST_COLUMNS:
        return means.toarray()
    column = random_state.randint(_MOST_COLUMNS, size=n_features)
    sign = random_state.choice([-1.0, 1.0], size=n_features)
    shape = (n_features, _MOST_COLUMNS)
    sketch = csr_array((sign, column, np.arange(n_features + 1)), shape=shape)
    return (means @ sketch).toarray()


class WeightedPoints:
    """Points with weights, to be clustered by k-means."""

    def __init__(self, X, weights):
        self.weights = weights / weights.sum()
        X = X - X[weights.argmax()]  # not the mean, which one outlier can take far away
        self.X = X / (np.abs(X).max() or 1.0)  # no cost can overflow
        self.squares = np.einsum("ij,ij->i", self.X, self.X)
        self.weighted = self.weights[:, None] * self.X

    def clustered(self, k, random_state):
        """Return labels, exactly k different ones; there are more points than that."""
        _, seeds = kmeans_plusplus(
            self.X, k, sample_weight=self.weights, random_state=random_state
        )
        best = self._after_steps(self._assigned(self.X[seeds]), 2)
        failures = 0
        for _ in range(min(max(k, _FEWEST_SWAPS), _MOST_SWAPS)):
            swapped = self._assigned(self._with_swap(best, random_state))
            swapped = self._after_steps(swapped, 1)
            failures += 1
            if swapped.cost < (1 - _GAIN) * best.cost:
                best, failures = swapped, 0
            if failures == _FAILURES:
                break
        return self._without_empty(self._after_steps(best, _MOST_STEPS))

    def _assigned(self, centers):
        """Return the clustering by the nearest of these centers."""
        n_points = len(self.X)
        labels = np.empty(n_points, dtype=np.intp)
        nearest, second = np.empty(n_points), np.empty(n_points)
        step = max(1, TUNING.merge_elements // len(centers))
        for start in range(0, n_points, step):
            rows = slice(start, start + step)
            d2 = self._squared_distances(centers, rows)
            labels[rows] = d2.argmin(axis=0)
            every = np.arange(d2.shape[1])
            nearest[rows] = d2[labels[rows], every]
            d2[labels[rows], every] = np.inf
            second[rows] = d2.min(axis=0)
        cost = nearest @ self.weights
        check_numbers(cost)
        return Clustering(centers, labels, nearest, second, cost)

    def _squared_distances(self, centers, rows=slice(None)):
        """Return the squared distances of centers and points, a row per center.

        They come from products. Pairs so close to each other and so far from the origin
        that these are too rough are looked at again.
        """
        X, squares = self.X[rows], self.squares[rows]
        of_centers = np.einsum("ij,ij->i", centers, centers)[:, None]
        d2 = (-2 * centers) @ X.T
        d2 += of_centers
        d2 += squares
        check_numbers(d2)
        rough = d2 <= _ROUGH * of_centers + _ROUGH * squares
        for center in np.flatnonzero(rough.any(axis=1)):
            near = np.flatnonzero(rough[center])
            differences = X[near] - centers[center]
            d2[center, near] = np.einsum("ij,ij->i", differences, differences)
        return d2

    def _after_steps(self, clustering, n_steps):
        """Return the clustering after Lloyd's steps, as long as they are worth it."""
        for _ in range(n_steps):
            after = self._assigned(self._means(clustering))
            if not after.cost < (1 - _GAIN) * clustering.cost:
                return after if after.cost < clustering.cost else clustering
            clustering = after
        return clustering

    def _means(self, clustering):
        """Return the means of the clusters; an empty one keeps its center."""
        centers, labels = clustering.centers.copy(), clustering.labels
        together = np.argsort(labels, kind="stable")
        filled, starts = np.unique(labels[together], return_index=True)
        mass = np.add.reduceat(self.weights[together], starts)
        centers[filled] = np.add.reduceat(self.weighted[together], starts) / mass[:, None]
        return centers

    def _with_swap(self, clustering, random_state):
        """Return centers of which one is replaced: by the best of some far points.

        What a swap would cost is known from every point's nearest and second center.
        """
        odds = np.cumsum(clustering.nearest * self.weights)
        drawn = random_state.random_sample(_CANDIDATES) * odds[-1]
        candidates = np.minimum(odds.searchsorted(drawn, side="right"), len(self.X) - 1)
        to_candidates = self._squared_distances(self.X[candidates])
        kept = np.minimum(to_candidates, clustering.nearest)
        lost = (np.minimum(to_candidates, clustering.second) - kept) * self.weights
        k = len(clustering.centers)
        pairs = np.arange(_CANDIDATES)[:, None] * k + clustering.labels
        removal = np.bincount(pairs.ravel(), lost.ravel(), minlength=_CANDIDATES * k)
        costs = (kept @ self.weights)[:, None] + removal.reshape(_CANDIDATES, k)
        check_numbers(costs)
        candidate, removed = np.unravel_index(costs.argmin(), costs.shape)
        centers = clustering.centers.copy()
        centers[removed] = self.X[candidates[candidate]]
        return centers

    def _without_empty(self, clustering):
        """Return labels that leave no cluster empty: far points move to the empty ones."""
        labels = clustering.labels.copy()
        sizes = np.bincount(labels, minlength=len(clustering.centers))
        far_first = np.argsort(-clustering.nearest * self.weights, kind="stable")
        for empty in np.flatnonzero(sizes == 0):
            point = next(point for point in far_first if sizes[labels[point]] > 1)
            sizes[labels[point]] -= 1
            labels[point] = empty
            sizes[empty] = 1
        return labels


class Clustering(NamedTuple):
    """Centers, and for every point the nearest one and how far that and the second are."""

    centers: np.ndarray
    labels: np.ndarray
    nearest: np.ndarray
    second: np.ndarray
    cost: float
