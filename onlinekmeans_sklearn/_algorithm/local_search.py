"""Weighted k-means by local search, in time about proportional to the points.

1. *Seeding* by k-means++ [1]_, some seeds at a time.
2. *Swaps* [2]_, many in a sweep: replace centers that save little by others that would save
   more. Lloyd's steps follow, only where anything has changed. They win back part of what a
   swap loses, so sweeps are optimistic about it; a sweep that ends with a higher cost is
   undone, and the next ones are less optimistic.
3. *Exchange* [3]_ of single points, which finds improvements after Lloyd's steps have
   converged: it considers that a center moves with its points. This matters most if
   clusters have few points.

If there are few points, 2 and 3 are repeated.

Most of the time goes into looking up nearest centers. Those far from a point do not matter,
so all but the last of Lloyd's steps look only at centers of the same region: those with the
same nearest one of a few centers, drawn anew each time. Missing a nearer center can only
make the distance of a point too large, so the cost still decreases with every step.

.. [1] D. Arthur, S. Vassilvitskii. k-means++: The Advantages of Careful Seeding. SODA 2007.
.. [2] S. Lattanzi, C. Sohler. A Better k-means++ Algorithm via Local Search. ICML 2019.
.. [3] J. Hartigan, M. Wong. A k-Means Clustering Algorithm. Applied Statistics 28, 1979.
"""

from typing import NamedTuple

import numpy as np

from .._nearest import nearest_points
from .._utils.rows import grouped, places_by_group
from .._utils.threads import SINGLE_THREAD
from .._utils.tuning import TUNING

_BATCH = 4  # seeds that are there for each one that is added at once
_REGION = 100  # centers of a region, about
_MOST_ROUNDS, _ROUNDS_WORK = 4, 40_000  # pairs of points and clusters to look at in all
_MOST_SWEEPS, _MOST_EXCHANGES = 30, 24  # of a round
_FAILURES = 3  # sweeps in a row without enough gain that end them
_SWEEP_GAIN, _STEP_GAIN = 1e-3, 1e-4  # of the cost, which is enough
_SWAPPED, _FEWEST_SWAPPED = 0.2, 4  # of the centers, that a sweep tries to swap
_OPTIMISM, _SOBERING = 2.0, 1.3  # how much more than it saves a swap may lose at first
_FIRST_STEPS, _SWAP_STEPS, _LAST_STEPS = 3, 2, 30  # of Lloyd
_FAR = 1e300  # instead of infinite, to be multiplied by no weight
_ROUNDING = 1e-9  # of what is saved, that may be rounding error


class Placed(NamedTuple):
    """Points or centers, and the region of each; None if there is only one."""

    X: np.ndarray
    region: np.ndarray

    def at(self, places):
        """Return those at some places."""
        return Placed(self.X[places], None if self.region is None else self.region[places])


class Clustering(NamedTuple):
    """Centers, and for every point its center and the squared distance to it."""

    centers: np.ndarray
    labels: np.ndarray
    d2: np.ndarray
    cost: float


class LocalSearch:
    """Points with weights, and the steps, each of which returns a new clustering.

    Every distance is exact, however far away other points are.
    """

    def __init__(self, X, weights, random_state, threads=SINGLE_THREAD):
        X = X - X[weights.argmax()]  # not the mean, which one outlier can take far away
        self.X = X / (np.abs(X).max() or 1.0)  # no cost can overflow
        self.weights = weights / weights.sum()
        self.random_state = random_state
        self.threads = threads

    def clustered(self, k):
        """Return labels, exactly k different ones; there must be more than k points."""
        best = self._seeded(k)
        if best.cost > 0 and k > 1:
            best = self._after_steps(best, _FIRST_STEPS, *self._regions(best))
            n_rounds = min(_ROUNDS_WORK // (k * len(self.X)), _MOST_ROUNDS)
            for _ in range(max(1, n_rounds)):
                best = self._after_swaps(best)
                best = self._after_steps(best, _LAST_STEPS, *self._regions(best, np.inf))
                best = self._after_exchanges(best)
        return _without_empty(best.labels, best.d2, k)

    # Seeding

    def _seeded(self, k):
        """Return the clustering by k points, or by fewer if these cost nothing."""
        seeds = self._drawn(np.ones(len(self.X)), 1)
        labels = np.zeros(len(self.X), dtype=np.intp)
        clustering = self._clustering(self.X[seeds], labels)
        while len(seeds) < k and clustering.cost > 0:
            n_new = min(max(1, len(seeds) // _BATCH), k - len(seeds))
            _, points = self._regions(clustering)
            new = self._drawn(clustering.d2, n_new)
            owner, d2 = self._nearest(points.at(new), points, d2=clustering.d2)
            labels = np.where(owner >= 0, len(seeds) + owner, clustering.labels)
            seeds = np.append(seeds, new)
            clustering = self._clustering(self.X[seeds], labels, d2)
        return clustering

    def _drawn(self, d2, n):
        """Return at most n points, drawn by what each costs."""
        odds = np.cumsum(d2 * self.weights)
        places = odds.searchsorted(self.random_state.random_sample(n) * odds[-1], "right")
        return np.unique(np.minimum(places, len(odds) - 1))

    # Swaps

    def _after_swaps(self, best):
        """Return the clustering after sweeps of swaps, until they no longer help."""
        optimism, failures = _OPTIMISM, 0
        for _ in range(_MOST_SWEEPS):
            swapped = self._after_sweep(best, optimism)
            failures = 0 if swapped.cost < (1 - _SWEEP_GAIN) * best.cost else failures + 1
            if swapped.cost < best.cost:
                best = swapped
            else:
                optimism = max(1.0, optimism / _SOBERING)
            if failures == _FAILURES or best.cost == 0:
                break
        return best

    def _after_sweep(self, clustering, optimism):
        """Return the clustering after the swaps that pay, judged with optimism."""
        centers, points = self._regions(clustering)
        n = max(_FEWEST_SWAPPED, int(_SWAPPED * len(centers.X)))
        new, savings = self._new_centers(clustering, n, points)
        old, losses = self._old_centers(clustering, n, centers, points)
        n = min(len(savings), len(losses))
        pays = optimism * savings[:n] > losses[:n]
        n = n if pays.all() else pays.argmin()
        if n == 0:
            return clustering
        is_moved, new = _mask(old[:n], len(centers.X)), new.at(slice(n))
        centers = centers.at(np.arange(len(centers.X)))  # a copy
        centers.X[old[:n]] = new.X
        if new.region is not None:
            centers.region[old[:n]] = new.region
        swapped = self._assigned(clustering, centers, is_moved, points)
        is_changed = _changed(clustering, swapped) | is_moved
        return self._after_steps(swapped, _SWAP_STEPS, centers, points, is_changed)

    def _new_centers(self, clustering, n, points):
        """Return up to n centers to add and what they save if all are, the most first.

        They are the means of what would go to points that are drawn.
        """
        new = points.at(self._drawn(clustering.d2, 2 * n))
        savings, moved, owner = self._savings(clustering, new, points)
        new = Placed(self._means(moved, owner, new.X), new.region)
        new = new.at(np.argsort(-savings, kind="stable")[:n])
        savings, moved, owner = self._savings(clustering, new, points)
        savings += self._won_back(
            clustering, moved, clustering.labels[moved], owner, len(savings), sign=-1
        )
        most = np.argsort(-savings, kind="stable")
        return new.at(most), savings[most]

    def _savings(self, clustering, new, points):
        """Return what centers save if all are added, the points that go, and to which."""
        owner, d2 = self._nearest(new, points, d2=clustering.d2)
        moved = np.flatnonzero(owner >= 0)
        saved = (clustering.d2 - d2)[moved] * self.weights[moved]
        return np.bincount(owner[moved], saved, len(new.X)), moved, owner[moved]

    def _old_centers(self, clustering, n, centers, points):
        """Return up to n centers to remove and what is lost if all are, the least first.

        They are of a random half of the centers, and near one of the other half.
        """
        half = self._half(len(centers.X))
        ids, others = np.flatnonzero(half), np.flatnonzero(~half)
        found, d2 = self._nearest(centers.at(others), centers, ids)
        mass = self._mass(clustering)
        both = np.maximum(mass[ids] + mass[others[found]], self.weights.min())
        bound = mass[ids] * mass[others[found]] / both * np.minimum(d2, _FAR)
        old = ids[np.argsort(bound, kind="stable")[:n]]
        is_old = _mask(old, len(half))
        rows, kept = np.flatnonzero(is_old[clustering.labels]), np.flatnonzero(~is_old)
        found, d2 = self._nearest(centers.at(kept), points, rows)
        lost = (d2 - clustering.d2[rows]) * self.weights[rows]
        losses = np.bincount(clustering.labels[rows], lost, len(half))
        losses -= self._won_back(
            clustering, rows, kept[found], clustering.labels[rows], len(losses), sign=1
        )
        least = np.argsort(losses[old], kind="stable")
        return old[least], losses[old[least]]

    def _won_back(self, clustering, rows, clusters, causes, n_causes, sign):
        """Return what is saved, by cause, when centers follow points that come or go.

        `clusters` are those that points are added to (a sign of 1) or removed from (-1).
        """
        rows, starts, pairs = grouped(rows, clusters * n_causes + causes)
        clusters, causes = np.divmod(pairs, n_causes)
        sums, mass = self._sums(rows, starts, clustering.centers[clusters])
        mass = self._mass(clustering)[clusters] + sign * mass
        squares = np.einsum("ij,ij->i", sums, sums)
        is_left = mass > _ROUNDING * self.weights.min()
        saved = np.divide(squares, mass, out=np.zeros_like(mass), where=is_left)
        return np.bincount(causes, saved, n_causes)

    def _half(self, n):
        """Return a mask of a random half."""
        return _mask(self.random_state.permutation(n)[: n // 2], n)

    # Lloyd's steps

    def _after_steps(self, clustering, n_steps, centers, points, is_changed=None):
        """Return the clustering after Lloyd's steps, as long as they gain enough."""
        if is_changed is None:
            is_changed = np.ones(len(centers.X), dtype=bool)
        for _ in range(n_steps):
            rows = np.flatnonzero(is_changed[clustering.labels])
            means = self._means(rows, clustering.labels[rows], clustering.centers)
            moved = Placed(means, centers.region)
            after = self._assigned(clustering, moved, is_changed, points)
            is_changed = _changed(clustering, after)
            gain = clustering.cost - after.cost
            if gain > 0:
                clustering = after
            if not gain > _STEP_GAIN * clustering.cost:
                break
        return clustering

    def _assigned(self, clustering, centers, is_moved, points):
        """Return the clustering after some of the centers have moved.

        Points of these are compared with all centers, others only with those that moved.
        """
        labels, d2 = clustering.labels.copy(), clustering.d2.copy()
        is_lost = is_moved[labels]
        rows = np.flatnonzero(is_lost)
        labels[rows], d2[rows] = self._nearest(centers, points, rows)
        rows, ids = np.flatnonzero(~is_lost), np.flatnonzero(is_moved)
        found, d2[rows] = self._nearest(centers.at(ids), points, rows, d2[rows])
        is_nearer = found >= 0
        labels[rows[is_nearer]] = ids[found[is_nearer]]
        return self._clustering(centers.X, labels, d2)

    # Exchange

    def _after_exchanges(self, clustering):
        """Return the clustering after moves of single points that reduce the cost.

        In each round points may go from one half of the clusters to the other, and every
        cluster has at most one that comes or goes.
        """
        labels = clustering.labels.copy()
        means = self._means(np.arange(len(labels)), labels, clustering.centers)
        clustering = self._clustering(means, labels)
        for _ in range(_MOST_EXCHANGES):
            moved, to = self._exchanges(clustering)
            if not len(moved):
                break
            is_changed = _mask([labels[moved], to], len(means))
            labels[moved] = to
            rows = np.flatnonzero(is_changed[labels])
            means = self._means(rows, labels[rows], means)
            clustering = self._clustering(means, labels)
        return clustering

    def _exchanges(self, clustering):
        """Return points to move, and the clusters to move them to."""
        centers, points = self._regions(clustering)
        labels, k = clustering.labels, len(centers.X)
        half = self._half(k)
        other, d2 = np.empty_like(labels), np.empty(len(labels))
        for side in (half, ~half):
            rows, ids = np.flatnonzero(side[labels]), np.flatnonzero(~side)
            found, d2[rows] = self._nearest(centers.at(ids), points, rows)
            other[rows] = ids[found]
        mass = self._mass(clustering)
        is_alone = np.bincount(labels, minlength=k)[labels] == 1
        left = np.where(is_alone, np.inf, mass[labels] - self.weights)
        saved = mass[labels] * self.weights / np.maximum(left, self.weights.min())
        saved *= clustering.d2
        lost = mass[other] * self.weights / (mass[other] + self.weights)
        lost *= np.minimum(d2, _FAR)
        moved = np.flatnonzero(saved - lost > _ROUNDING * saved)
        moved = moved[np.argsort((lost - saved)[moved], kind="stable")]
        moved = moved[_disjoint(labels[moved], other[moved])]
        return moved, other[moved]

    # What the steps ask of the points

    def _regions(self, clustering, size=_REGION):
        """Return the centers and the points in regions that are drawn at random."""
        centers, n_regions = clustering.centers, int(len(clustering.centers) / size)
        if n_regions < 2:
            return Placed(centers, None), Placed(self.X, None)
        heads = np.sort(self.random_state.permutation(len(centers))[:n_regions])
        region = nearest_points(centers[heads], centers)[0].astype(np.int16)
        return Placed(centers, region), Placed(self.X, region[clustering.labels])

    def _nearest(self, centers, points, rows=None, d2=None):
        """Return the nearest center in the region of each point, and its squared distance.

        `rows`, if given, are the points to look up, and `d2` what a center must be nearer
        than: else it is -1.
        """
        rows = np.arange(len(points.X)) if rows is None else rows
        d2 = np.full(len(rows), np.inf) if d2 is None else d2.copy()
        if points.region is None:
            X = points.X if len(rows) == len(points.X) else points.X.take(rows, axis=0)
            return nearest_points(centers.X, X, self.threads, d2)[0].astype(np.intp), d2
        found = np.full(len(rows), -1)
        ids_of = places_by_group(centers.region)
        places_of = places_by_group(points.region[rows])
        for region in ids_of.keys() & places_of.keys():
            ids, places = ids_of[region], places_of[region]
            X = points.X.take(rows[places], axis=0)
            near, d2[places] = nearest_points(centers.X[ids], X, self.threads, d2[places])
            found[places] = np.where(near >= 0, ids[near], -1)
        return found, d2

    def _clustering(self, centers, labels, d2=None):
        """Return the clustering with its cost; compute d2 unless it is known."""
        if d2 is None:
            differences = centers.take(labels, axis=0)
            differences -= self.X
            d2 = np.einsum("ij,ij->i", differences, differences)
        return Clustering(centers, labels, d2, float((d2 * self.weights).sum()))

    def _mass(self, clustering):
        """Return the weight of each cluster."""
        return np.bincount(clustering.labels, self.weights, len(clustering.centers))

    def _means(self, rows, labels, otherwise):
        """Return the mean of the points of each label, and `otherwise` for the others.

        Differences to one of the points are added up, which are rounded least.
        """
        rows, starts, labels = grouped(rows, labels)
        some = self.X[rows[starts]]
        sums, mass = self._sums(rows, starts, some)
        means = otherwise.copy()
        means[labels] = some + sums / mass[:, None]
        return means

    def _sums(self, rows, starts, origins):
        """Return weighted sums of groups, each relative to an origin, and their weights."""
        sums, sizes = np.empty_like(origins), np.diff(starts, append=len(rows))
        step = 1 + TUNING.pair_elements * len(starts) // (1 + len(rows) * self.X.shape[1])
        for at in (slice(i, i + step) for i in range(0, len(starts), step)):
            some = rows[starts[at.start] :][: sizes[at].sum()]
            differences = self.X.take(some, axis=0)
            differences -= np.repeat(origins[at], sizes[at], axis=0)
            differences *= self.weights[some, None]
            np.add.reduceat(differences, starts[at] - starts[at.start], out=sums[at])
        return sums, np.add.reduceat(self.weights[rows], starts)


def _mask(places, n):
    """Return a mask of length n that is True at some places."""
    mask = np.zeros(n, dtype=bool)
    mask[places] = True
    return mask


def _changed(before, after):
    """Return a mask of the clusters that have lost or won a point."""
    moved = np.flatnonzero(before.labels != after.labels)
    return _mask([before.labels[moved], after.labels[moved]], len(after.centers))


def _disjoint(first, second):
    """Return places of pairs that have no number in common, chosen greedily."""
    taken, places = set(), []
    for place, pair in enumerate(zip(first.tolist(), second.tolist())):
        if taken.isdisjoint(pair):
            taken.update(pair)
            places.append(place)
    return places


def _without_empty(labels, d2, k):
    """Return labels of k clusters, none of them empty: far points move to empty ones."""
    empty = np.setdiff1d(np.arange(k), labels)
    staying = np.unique(labels, return_index=True)[1]  # one of each cluster
    others = np.setdiff1d(np.arange(len(labels)), staying)
    labels = labels.copy()
    labels[others[np.argsort(-d2[others], kind="stable")[: len(empty)]]] = empty
    return labels
