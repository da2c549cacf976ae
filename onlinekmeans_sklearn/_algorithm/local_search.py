"""Weighted k-means by local search, in time about proportional to the points.

1. *Seeding* by k-means++ [1]_, some seeds at a time.
2. *Swaps* [2]_, many in a sweep: replace centers that save little by others that save
   more. Lloyd's steps follow. They recover part of what a swap loses, so sweeps are
   optimistic about it; a sweep that gains too little is undone, and the next ones are less
   optimistic, until no swap would be done that seems to lose.
3. *Exchange* [3]_ of single points, which finds improvements after Lloyd's steps have
   converged, since it takes into account that a center moves with its points. This matters
   most for clusters of few points.

If there are few points, steps 2 and 3 are repeated.

Most of the time is spent on finding nearest centers. Those far from a point do not matter,
so all but the last of Lloyd's steps only search the centers of the same region: those that
share the nearest of a few centers, which are drawn anew each time. Missing a nearer center
can only make the distance of a point too large, so the cost still decreases in every step.
Most of Lloyd's steps move few centers. Then points whose own center stayed where it was
only look at those.

.. [1] D. Arthur, S. Vassilvitskii. k-means++: The Advantages of Careful Seeding. SODA 2007.
.. [2] S. Lattanzi, C. Sohler. A Better k-means++ Algorithm via Local Search. ICML 2019.
.. [3] J. Hartigan, M. Wong. A k-Means Clustering Algorithm. Applied Statistics 28, 1979.
"""

from typing import NamedTuple

import numpy as np

from .._nearest import row_shares
from .._nearest.backend import active
from .._utils.rows import indices_by_group
from .._utils.threads import SINGLE_THREAD
from .clustering import Clustering, disjoint, fill_empty

_BATCH = 2  # a batch of seeds is as large as the seeds so far, divided by this
_REGION = 150  # centers per region, about
_MOST_ROUNDS, _ROUNDS_WORK = 2, 40_000  # work: pairs of points and clusters in all rounds
_MOST_SWEEPS, _MOST_EXCHANGES = 30, 24  # per round
_SWEEP_GAIN, _STEP_GAIN = 1e-3, 1e-4  # share of the cost that is gain enough
_SWAPPED, _FEWEST_SWAPPED = 0.2, 4  # share and least number of centers to try in a sweep
_DRAWN = 4  # points to choose from for each new center
# How many times its savings a swap may lose, at first, and how this shrinks, down to 1.
_OPTIMISM, _OPTIMISM_DECAY = 2.0, 1.2
_SWAP_STEPS, _LAST_STEPS = 2, 30  # of Lloyd
# shares of the cost: what a sweep after an earlier merge must gain, and any change of it
_CONTINUED_GAIN, _CHANGE_GAIN = 0.003, 0.017
_FAR = 1e300  # instead of infinity, which times a weight of 0 is NaN
_MUCH_WORK = 2**21  # multiplications from which it pays to divide or to shorten a search
_ROUNDING = 1e-9  # share of the savings that may be rounding error


class PointsByRegion(NamedTuple):
    """Points or centers, and the region of each; None if there is only one."""

    X: np.ndarray
    region: np.ndarray

    def at(self, indices):
        """Return the points at these indices."""
        region = None if self.region is None else self.region[indices]
        return PointsByRegion(self.X[indices], region)


class LocalSearch:
    """Weighted points, and the steps, each of which returns a new clustering.

    Every distance is exact, however far away other points are.
    """

    def __init__(self, X, weights, random_state, threads=SINGLE_THREAD):
        X = X - X[weights.argmax()]  # not the mean, which one outlier can shift far away
        self.X = X / (np.abs(X).max() or 1.0)  # no cost can overflow
        self.weights = weights / weights.sum()
        self.random_state = random_state
        self.threads = threads

    def clustered(self, k, before=None):
        """Return labels, exactly k > 1 distinct ones; there must be more than k points.

        If there are labels from before, they stay unless something else costs less by far:
        clusters that continue them, and keep their numbers, or those of a fresh start.
        """
        found = [self._improved(self._seed(k))]
        if before is not None:
            kept = self._start(k, before)
            found = [kept, self._improved(kept, _CONTINUED_GAIN), *found]
        least = min(clustering.cost for clustering in found)
        best = next(c for c in found if (1 - _CHANGE_GAIN) * c.cost <= least)
        return fill_empty(best.labels, best.d2, k)

    def _improved(self, best, least_gain=_SWEEP_GAIN, is_rough=False):
        """Return a clustering after all steps; a sweep of swaps must gain enough."""
        if best.cost > 0:
            n_rounds = _ROUNDS_WORK // (len(best.centers) * len(self.X))
            for left in reversed(range(max(1, min(n_rounds, _MOST_ROUNDS)))):
                best = self._swap(best, least_gain)
                best = best if is_rough and not left else self._settled(best)
        return best

    def swapped(self, k):
        """Return labels of at most k clusters, before Lloyd's steps have converged."""
        return self._improved(self._seed(k), is_rough=True).labels

    def refined(self, k, labels):
        """Return labels of k clusters after all steps but the swaps."""
        best = self._settled(self._start(k, labels))
        return fill_empty(best.labels, best.d2, k)

    def _settled(self, clustering):
        """Do Lloyd's steps until they gain little, then exchange points."""
        k, regions = len(clustering.centers), self._regions(clustering, np.inf)
        clustering = self._lloyd(clustering, _LAST_STEPS, *regions, is_final=True)
        clustering = self._clustering_of(clustering.labels, k)
        for _ in range(_MOST_EXCHANGES):
            moved, to = self._find_exchanges(clustering)
            if not len(moved):
                break
            labels = clustering.labels.copy()
            labels[moved] = to
            clustering = self._clustering_of(labels, k)
        return clustering

    # Seeding

    def _seed(self, k):
        """Return a clustering by the mean and k - 1 points, or fewer if its cost is 0."""
        clustering = self._clustering_of(np.zeros(len(self.X), dtype=np.intp), 1)
        while len(clustering.centers) < k and clustering.cost > 0:
            n = len(clustering.centers)
            _, points = self._regions(clustering)
            n_new = min(max(1, n // _BATCH), k - n)
            new = points.at(self._sample(clustering.d2, n_new))
            owner, d2 = self._nearest(new, points, d2=clustering.d2)
            labels = np.where(owner >= 0, n + owner, clustering.labels)
            centers = np.append(clustering.centers, new.X, axis=0)
            clustering = self._clustering(centers, labels, d2)
        return clustering

    def _start(self, k, labels):
        """Return a clustering with these labels, in which no cluster is empty."""
        labels = fill_empty(labels, self._clustering_of(labels, k).d2, k)
        return self._clustering_of(labels, k)

    def _sample(self, d2, n):
        """Return the indices of at most n points, drawn in proportion to their cost."""
        odds = np.cumsum(d2 * self.weights)
        indices = odds.searchsorted(self.random_state.random_sample(n) * odds[-1], "right")
        return np.unique(np.minimum(indices, len(odds) - 1))

    # Swaps

    def _swap(self, best, least_gain):
        """Sweep until swaps no longer help; a poor sweep makes the next less optimistic."""
        optimism = _OPTIMISM
        for _ in range(_MOST_SWEEPS):
            swapped = self._sweep(best, optimism)
            if swapped.cost < (1 - least_gain) * best.cost:
                best = swapped
            else:
                optimism /= _OPTIMISM_DECAY
            if optimism < 1:
                break
        return best

    def _sweep(self, clustering, optimism):
        """Do all swaps that pay, if judged with optimism, and some of Lloyd's steps."""
        centers, points = self._regions(clustering)
        n = max(_FEWEST_SWAPPED, int(_SWAPPED * len(centers.X)))
        new, savings = self._centers_to_add(clustering, n, points)
        old, losses = self._centers_to_remove(clustering, n, centers, points)
        n = min(len(savings), len(losses))
        pays = optimism * savings[:n] > losses[:n]
        n = n if pays.all() else pays.argmin()
        if n == 0:
            return clustering
        centers = centers.at(np.arange(len(centers.X)))  # a copy
        centers.X[old[:n]] = new.X[:n]
        if new.region is not None:
            centers.region[old[:n]] = new.region[:n]
        clustering = self._reassign(clustering, centers, points)
        return self._lloyd(clustering, _SWAP_STEPS, centers, points)

    def _centers_to_add(self, clustering, n, points):
        """Return up to n centers to add and what each saves if all are added, best first.

        They are the means of the points that some random points would attract.
        """
        new = points.at(self._sample(clustering.d2, _DRAWN * n))
        savings, owner = self._savings(clustering, new, points)
        new = PointsByRegion(self._means(owner, new.X), new.region)
        new = new.at(np.argsort(-savings, kind="stable")[:n])
        savings = self._savings(clustering, new, points)[0]
        most = np.argsort(-savings, kind="stable")
        return new.at(most), savings[most]

    def _savings(self, clustering, new, points):
        """Return what new centers save, and to which of them points move, -1 if to none."""
        owner, d2 = self._nearest(new, points, d2=clustering.d2)
        saved = (clustering.d2 - d2) * self.weights
        return np.bincount(owner + 1, saved, len(new.X) + 1)[1:], owner

    def _centers_to_remove(self, clustering, n, centers, points):
        """Return up to n centers to remove and what each loses if all are, best first.

        They are in a random half of the centers, and near one of the other half.
        """
        half = self.random_state.permutation(len(centers.X)) < len(centers.X) // 2
        ids, others = np.flatnonzero(half), np.flatnonzero(~half)
        found, d2 = self._nearest(centers.at(others), centers, ids)
        mass = np.bincount(clustering.labels, self.weights, len(half))
        both = np.maximum(mass[ids] + mass[others[found]], self.weights.min())
        bound = mass[ids] * mass[others[found]] / both * np.minimum(d2, _FAR)
        old = ids[np.argsort(bound, kind="stable")[:n]]
        is_old = np.zeros(len(half), dtype=bool)
        is_old[old] = True
        rows, kept = np.flatnonzero(is_old[clustering.labels]), np.flatnonzero(~is_old)
        found, d2 = self._nearest(centers.at(kept), points, rows)
        lost = (d2 - clustering.d2[rows]) * self.weights[rows]
        losses = np.bincount(clustering.labels[rows], lost, len(half))
        losses -= self._recovered_cost(clustering, rows, kept[found])
        least = np.argsort(losses[old], kind="stable")
        return old[least], losses[old[least]]

    def _recovered_cost(self, clustering, rows, to):
        """Return the cost saved, by old cluster, when centers follow points they gain."""
        k = len(clustering.centers)
        pairs, pair = np.unique(to * k + clustering.labels[rows], return_inverse=True)
        to, old = np.divmod(pairs, k)
        origins, weights = clustering.centers[to], self.weights[rows]
        sums = _sums_of_differences(origins, self.X[rows], pair, weights)
        mass = np.bincount(clustering.labels, self.weights, k)[to]
        mass += np.bincount(pair, weights)
        saved = np.einsum("ij,ij->i", sums, sums) / np.maximum(mass, self.weights.min())
        return np.bincount(old, saved, k)

    # Lloyd's steps

    def _lloyd(self, clustering, n_steps, centers, points, is_final=False):
        """Do Lloyd's steps as long as they gain enough; the first final one is thorough."""
        for step in range(n_steps):
            means = centers._replace(X=self._means(clustering.labels, clustering.centers))
            thorough = is_final and step == 0
            after = self._reassign(clustering, means, points, thorough)
            if not after.cost < (1 - _STEP_GAIN) * clustering.cost:
                break
            clustering = after
        return clustering

    def _reassign(self, clustering, centers, points, thorough=False):
        """Reassign points to centers that have moved, unless their own is still nearer.

        If few of many have moved, points whose own center has not only look at these few,
        unless the search is to be thorough.
        """
        labels, moved = clustering.labels, (clustering.centers != centers.X).any(axis=1)
        is_short = centers.region is None and len(labels) * centers.X.size <= _MUCH_WORK
        if thorough or is_short or not 0 < moved.mean() < 0.5:
            d2 = self._distances(centers.X, labels)
            found, d2 = self._nearest(centers, points, d2=d2)
            return self._clustering(centers.X, np.where(found >= 0, found, labels), d2)
        labels, d2, to = labels.copy(), clustering.d2.copy(), np.flatnonzero(moved)
        rows, others = np.flatnonzero(moved[labels]), np.flatnonzero(~moved[labels])
        d2[rows] = self._distances(centers.X, labels[rows], rows)
        found, d2[rows] = self._nearest(centers, points, rows, d2[rows])
        labels[rows] = np.where(found >= 0, found, labels[rows])
        found, d2[others] = self._nearest(centers.at(to), points, others, d2[others])
        labels[others] = np.where(found >= 0, to[found], labels[others])
        return self._clustering(centers.X, labels, d2)

    # Exchange

    def _find_exchanges(self, clustering):
        """Return single points to move, and the clusters to move them to.

        Points move between two random halves of the clusters, and every cluster gains or
        loses at most one.
        """
        centers, points = self._regions(clustering)
        labels, k = clustering.labels, len(centers.X)
        half = self.random_state.permutation(k) < k // 2  # of the clusters
        other, d2 = np.empty_like(labels), np.empty(len(labels))
        for side in (half, ~half):
            rows, ids = np.flatnonzero(side[labels]), np.flatnonzero(~side)
            found, d2[rows] = self._nearest(centers.at(ids), points, rows)
            other[rows] = ids[found]
        mass = np.bincount(labels, self.weights, k)
        left = np.maximum(mass[labels] - self.weights, self.weights.min())
        saved = mass[labels] * self.weights / left * clustering.d2  # 0 if one is alone
        to = mass[other]
        gain = saved - to * self.weights / (to + self.weights) * np.minimum(d2, _FAR)
        moved = np.flatnonzero(gain > _ROUNDING * saved)
        moved = moved[np.argsort(-gain[moved], kind="stable")]
        moved = moved[disjoint(labels[moved], other[moved])]
        return moved, other[moved]

    # What the steps share

    def _regions(self, clustering, size=_REGION):
        """Return the centers and the points in random regions of about `size` centers."""
        centers, n_regions = clustering.centers, int(len(clustering.centers) / size)
        if n_regions < 2:
            return PointsByRegion(centers, None), PointsByRegion(self.X, None)
        heads = np.sort(self.random_state.permutation(len(centers))[:n_regions])
        region = _nearest_points(centers[heads], centers)[0]
        if n_regions <= 2**15:
            region = region.astype(np.int16)  # which numpy sorts by radix, much faster
        points = PointsByRegion(self.X, region[clustering.labels])
        return PointsByRegion(centers, region), points

    def _nearest(self, centers, points, rows=None, d2=None):
        """Return the nearest center in the region of each point, and its squared distance.

        `rows`, if given, are the indices of the points. If `d2` is given, only nearer
        centers count, and points without one get -1.
        """
        n = len(points.X) if rows is None else len(rows)
        if centers.region is None and n * centers.X.size <= _MUCH_WORK:
            X = points.X if rows is None else points.X.take(rows, axis=0)
            found, d2 = _nearest_points(centers.X, X, d2)
            return found.astype(np.intp), d2
        rows = np.arange(n) if rows is None else rows
        d2, found = np.full(n, np.inf) if d2 is None else d2.copy(), np.full(n, -1)
        if points.region is None:
            shares = row_shares(n, n * centers.X.size, self.threads)
            parts = [(np.arange(len(centers.X)), share) for share in shares]
        else:
            ids, members = map(indices_by_group, (centers.region, points.region[rows]))
            parts = [(ids[i], members[i]) for i in ids.keys() & members.keys()]

        def search(part):
            ids, of_part = part
            X = points.X.take(rows[of_part], axis=0)
            near, d2[of_part] = _nearest_points(centers.X[ids], X, d2[of_part])
            found[of_part] = np.where(near >= 0, ids[near], -1)

        self.threads.map(search, parts)
        return found, d2

    def _distances(self, centers, labels, rows=None):
        """Return the squared distances of points to the centers of their labels."""
        rows = np.arange(len(self.X)) if rows is None else rows
        return active.kernels.DenseSearch(centers).pair_distances(self.X, rows, labels)

    def _clustering_of(self, labels, k):
        """Return the clustering whose centers are the means of k labels; 0 if empty."""
        means = self._means(labels, np.zeros((k, self.X.shape[1])))
        return self._clustering(means, labels, self._distances(means, labels))

    def _clustering(self, centers, labels, d2):
        """Return the clustering with its cost."""
        return Clustering(centers, labels, d2, float((d2 * self.weights).sum()))

    def _means(self, labels, otherwise):
        """Return the mean of the points of each label, or `otherwise` if it has none.

        It adds up differences to one of the points, which are rounded least.
        """
        k = len(otherwise)
        one = np.full(k + 1, -1)  # the last for points that do not count
        one[labels] = np.arange(len(labels))
        one = one[:k]
        is_there = one >= 0
        origins = np.where(is_there[:, None], self.X[one], otherwise)
        sums = _sums_of_differences(origins, self.X, labels, self.weights)
        mass = np.bincount(labels + 1, self.weights, k + 1)[1:]
        return origins + sums / np.where(is_there, mass, 1.0)[:, None]


def _nearest_points(centers, X, d2=None):
    """Return the nearest center of each point, -1 if none is nearer than d2, and its d2."""
    ids = np.full(len(X), -1, dtype=np.int32)
    d2 = np.full(len(X), np.inf) if d2 is None else d2.copy()
    active.kernels.DenseSearch(centers).nearest(X, ids, d2)
    return ids, d2


def _sums_of_differences(centers, X, labels, weights):
    """Return the weighted sum, for each center, of its points minus the center."""
    sums = np.zeros_like(centers)
    search = active.kernels.DenseSearch(centers)
    search.add(X, labels.astype(np.int32), 0, len(centers), sums, weights)
    return sums
