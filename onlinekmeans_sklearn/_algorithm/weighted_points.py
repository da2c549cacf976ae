"""Points with weights: what k-means asks of them.

What takes time is to look up nearest centers. Far from a point there are none that matter,
so a search may be told to look only at centers of the same region: those with the same
nearest one of a few centers, drawn anew each time. To miss a nearer center makes a point's
distance no more than too large, so that every step of k-means still goes downhill.
"""

from typing import NamedTuple

import numpy as np

from .._nearest import centers_from, nearest
from .._utils.threads import SINGLE_THREAD

_REGION = 100  # clusters of a region, about


class Placed(NamedTuple):
    """Points or centers, and the region of each; None if there is only one."""

    X: np.ndarray
    region: np.ndarray

    def at(self, places):
        """Return those at some places."""
        return Placed(self.X[places], None if self.region is None else self.region[places])

    def replaced(self, places, others):
        """Return the same but for others at some places."""
        both = [part if part is None else part.copy() for part in self]
        for part, other in zip(both, others):
            if part is not None:
                part[places] = other
        return Placed(*both)


class Clustering(NamedTuple):
    """Centers, and for every point its center and the squared distance to it."""

    centers: np.ndarray
    labels: np.ndarray
    d2: np.ndarray
    cost: float


class WeightedPoints:
    """Points with weights, to be clustered by k-means.

    Every distance is that of `nearest`, exact however far away other points are.
    """

    def __init__(self, X, weights, random_state, threads=SINGLE_THREAD):
        X = X - X[weights.argmax()]  # not the mean, which one outlier can take far away
        self.X = np.ascontiguousarray(X / (np.abs(X).max() or 1.0))  # no cost can overflow
        self.weights = weights / weights.sum()
        self.random_state = random_state
        self.threads = threads

    def regions(self, clustering):
        """Return the centers and the points in regions that are drawn at random."""
        centers, n_regions = clustering.centers, len(clustering.centers) // _REGION
        if n_regions < 2:
            return Placed(centers, None), Placed(self.X, None)
        heads = np.sort(self.random_state.permutation(len(centers))[:n_regions])
        region = nearest(centers_from(centers[heads]), centers)[0].astype(np.int16)
        return Placed(centers, region), Placed(self.X, region[clustering.labels])

    def nearest(self, centers, points, d2=None, rows=None):
        """Return the nearest center in the region of each of the points, as `nearest`."""
        n_rows = len(points.X) if rows is None else len(rows)
        d2 = np.full(n_rows, np.inf) if d2 is None else d2.copy()
        if points.region is None:
            X = points.X if rows is None else points.X[rows]
            found, d2 = nearest(centers_from(centers.X), X, self.threads, d2)
            return found.astype(np.intp), d2
        found = np.full(n_rows, -1)
        ids_of = _by_region(centers.region)
        places_of = _by_region(points.region if rows is None else points.region[rows])

        def search(region):
            ids, places = ids_of[region], places_of[region]
            X = points.X[places if rows is None else rows[places]]
            place, d2[places] = nearest(centers_from(centers.X[ids]), X, d2=d2[places])
            found[places] = np.where(place >= 0, ids[place], -1)

        self.threads.map(search, sorted(places_of.keys() & ids_of.keys()))
        return found, d2

    def squared_distances(self, centers, labels):
        """Return the squared distance of every point to the center of its label."""
        differences = self.X - centers[labels]
        return np.einsum("ij,ij->i", differences, differences)

    def clustering(self, centers, labels, d2):
        """Return the clustering with its cost."""
        return Clustering(centers, labels, d2, float((d2 * self.weights).sum()))

    def put_together(self, clustering):
        """Put points of a cluster side by side in memory, which is faster to collect.

        Return the clustering of the points as they lie now, and where each was.
        """
        order = np.argsort(clustering.labels, kind="stable")
        self.X, self.weights = self.X[order], self.weights[order]
        labels, d2 = clustering.labels[order], clustering.d2[order]
        return clustering._replace(labels=labels, d2=d2), order

    def mass(self, clustering):
        """Return the weight of each cluster."""
        return np.bincount(clustering.labels, self.weights, len(clustering.centers))

    def means(self, rows, labels, otherwise):
        """Return the means of points with labels, and what else to return without points.

        What is added up are differences to one of the points, which are rounded least.
        """
        rows, starts, labels = grouped(rows, labels)
        some = self.X[rows[starts]]
        sums, mass = self.sums(rows, starts, some)
        means = otherwise.copy()
        means[labels] = some + sums / mass[:, None]
        return means

    def sums(self, rows, starts, origins):
        """Return weighted sums of groups, each seen from an origin, and their weights."""
        differences = self.X[rows]
        differences -= np.repeat(origins, np.diff(starts, append=len(rows)), axis=0)
        differences *= self.weights[rows, None]
        sums = np.add.reduceat(differences, starts)
        return sums, np.add.reduceat(self.weights[rows], starts)


def grouped(rows, groups):
    """Return rows put together by group, where each group starts, and its number."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return rows[order], starts, groups[order[starts]]


def _by_region(region):
    """Return the places of each region."""
    places = np.argsort(region, kind="stable")
    regions, starts = np.unique(region[places], return_index=True)
    return dict(zip(regions.tolist(), np.split(places, starts[1:])))


def mask_of(places, n):
    """Return a mask of length n that is True at some places."""
    mask = np.zeros(n, dtype=bool)
    mask[places] = True
    return mask
