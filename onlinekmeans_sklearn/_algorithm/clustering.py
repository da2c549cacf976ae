"""The clusterings that the local search goes through, and small helpers for them."""

from typing import NamedTuple

import numpy as np


class PointsByRegion(NamedTuple):
    """Points or centers, and the region of each; None if there is only one."""

    X: np.ndarray
    region: np.ndarray

    def at(self, indices):
        """Return the points at these indices."""
        region = None if self.region is None else self.region[indices]
        return PointsByRegion(self.X[indices], region)


class Clustering(NamedTuple):
    """Centers, the center of every point and its squared distance, and the cost."""

    centers: np.ndarray
    labels: np.ndarray
    d2: np.ndarray
    cost: float


def mask(indices, n):
    """Return a mask of length n that is True at the indices."""
    mask = np.zeros(n, dtype=bool)
    mask[indices] = True
    return mask


def disjoint(first, second):
    """Return the indices of pairs without a number in common, chosen greedily."""
    taken, indices = set(), []
    for i, pair in enumerate(zip(first.tolist(), second.tolist())):
        if taken.isdisjoint(pair):
            taken.update(pair)
            indices.append(i)
    return indices


def fill_empty(labels, d2, k):
    """Return labels of k clusters, none of them empty: the farthest points fill them."""
    empty = np.setdiff1d(np.arange(k), labels)
    staying = np.unique(labels, return_index=True)[1]  # one of each cluster
    others = np.setdiff1d(np.arange(len(labels)), staying)
    labels = labels.copy()
    labels[others[np.argsort(-d2[others], kind="stable")[: len(empty)]]] = empty
    return labels
