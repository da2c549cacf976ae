"""A clustering of points, and what can be said of labels alone."""

from typing import NamedTuple

import numpy as np


class Clustering(NamedTuple):
    """Centers, the center of every point and its squared distance, and the cost."""

    centers: np.ndarray
    labels: np.ndarray
    d2: np.ndarray
    cost: float


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
