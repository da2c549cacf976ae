"""Streams that change, each in its own way, and datasets in the order of their files.

A stream comes in windows of equally many rows. The generated ones have 20 Gaussian groups
of unit standard deviation in eight features, ten times as far apart; topics are unit
vectors of 384 features. Datasets are cut into at most as many windows.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from ..data import available
from ..quality.study import SCALERS, scaled

GROUPS, FEATURES, SPREAD = 20, 8, 10
TOPICS, TOPIC_FEATURES = 12, 384
TRAVEL = 5  # windows in which a moving group travels its own width, the root of FEATURES
SHRINK = 1e-6
MOVING, SUDDEN, SCALE = "moving groups", "sudden change", "shrinking scale"
RETURN, STATIONARY, IN_TURN = "groups come back", "stationary", "topics in turn"
DATASETS = ["adult", "ijcnn1", "letter", "magic04", "poker", "shuttle", "skin", "w8a"]
DATASET_CLUSTERS, SHORTEST = 10, 1000  # rows of a window of a dataset, or more


class Stream(NamedTuple):
    """How to make the windows, for a seed, and how many clusters to look for."""

    make: callable
    n_clusters: int
    about: str


def cut(X, windows):
    """Return the rows in so many windows of equal length."""
    rows = len(X) // windows
    return [X[start : start + rows] for start in range(0, windows * rows, rows)]


def generated(centers_of, windows, rows, seed):
    """Return windows of noisy rows; `centers_of(rng, row)` gives each row its center."""
    rng = np.random.default_rng(seed)
    centers = centers_of(rng, np.arange(windows * rows), rows)
    return cut(centers + rng.normal(size=centers.shape), windows)


def new_groups(rng):
    """Return the centers of groups, drawn anew."""
    return SPREAD * rng.normal(size=(GROUPS, FEATURES))


def stationary(rng, row, rows):
    """Nothing changes."""
    return new_groups(rng)[rng.integers(GROUPS, size=len(row))]


def moving(rng, row, rows):
    """Every group moves straight on, by its own width in `TRAVEL` windows."""
    group, first = rng.integers(GROUPS, size=len(row)), new_groups(rng)
    velocity = rng.normal(size=(GROUPS, FEATURES))
    velocity *= np.sqrt(FEATURES) / np.linalg.norm(velocity, axis=1, keepdims=True)
    return first[group] + velocity[group] * (row / (TRAVEL * rows))[:, None]


def sudden(rng, row, rows):
    """In the middle all groups jump somewhere else."""
    later = (row >= len(row) // 2).astype(int)
    return np.array([new_groups(rng), new_groups(rng)])[
        later, rng.integers(GROUPS, size=len(row))
    ]


def returning(rng, row, rows):
    """Every window has another half of the groups."""
    half = [rng.permutation(GROUPS)[: GROUPS // 2] for _ in range(len(row) // rows)]
    chosen = np.array(half)[row // rows, rng.integers(GROUPS // 2, size=len(row))]
    return new_groups(rng)[chosen]


def shrunken(make, seed):
    """Return the windows of a stream that shrinks by a million in the middle."""
    windows = make(seed)
    middle = len(windows) // 2
    return windows[:middle] + [SHRINK * X for X in windows[middle:]]


def topics(n, seed):
    """Return n unit vectors of topics that come one after the other, and their topics.

    Noise is as long as a topic's own vector: two of a topic have a cosine of about 0.5.
    """
    rng = np.random.default_rng(seed)
    topic = np.arange(n) * TOPICS // n
    directions = rng.normal(size=(TOPICS, TOPIC_FEATURES))
    X = directions[topic] + rng.normal(size=(n, TOPIC_FEATURES))
    return X / np.linalg.norm(X, axis=1, keepdims=True), topic


def topics_in_turn(windows, rows, seed):
    """Return the windows of topics that come one after the other."""
    return cut(topics(windows * rows, seed)[0], windows)


def in_file_order(folder, name, windows, seed):
    """Return the windows of a dataset; the seed changes nothing."""
    X = scaled(folder, name)
    X = X.toarray() if issparse(X) else X
    return cut(X, max(2, min(windows, len(X) // SHORTEST)))


def all_streams(folder, windows, rows):
    """Return all there is by name: the generated streams and the datasets."""
    kinds = {
        MOVING: (moving, f"20 groups, each moving by its width in {TRAVEL} windows"),
        SUDDEN: (sudden, "20 groups that all jump elsewhere in the middle"),
        SCALE: (stationary, "20 groups that shrink by a million in the middle"),
        RETURN: (returning, "a random half of 20 groups in every window"),
        STATIONARY: (stationary, "20 groups that stay as they are"),
    }
    every = {
        name: Stream(partial(generated, kind, windows, rows), GROUPS, about)
        for name, (kind, about) in kinds.items()
    }
    make = partial(shrunken, every[SCALE].make)
    every[SCALE] = every[SCALE]._replace(make=make)
    about = "unit vectors of 12 topics, one after the other"
    every[IN_TURN] = Stream(partial(topics_in_turn, windows, rows), TOPICS, about)
    for name in [name for name in DATASETS if name in available(folder)]:
        about = "in file order" + (f", {SCALERS[name].__name__}" if name in SCALERS else "")
        make = partial(in_file_order, folder, name, windows)
        every[name] = Stream(make, DATASET_CLUSTERS, about)
    return every
