"""What the clusters cost, in squared distances and in time, for growing numbers of them.

Cost is the sum of squared distances to the nearest final center, in float64 and by the same
function for every contestant; time is wall time of the fit. Both are divided by those of
scikit-learn's ``KMeans(n_init=1)`` with the same seed. For each seed the contestants take
turns. One that can be expected to take longer than the limit for the next number of
clusters, by its longest time for the last one, is left out there, the reference too.
"""

import time
import warnings
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from ..data import available, load
from ..speed.contest import dense
from .contestants import CONTESTANTS, CURVE, PEERS, REFERENCE, stay_out

STUDIED = [
    "20news",
    "adult",
    "ijcnn1",
    "letter",
    "magic04",
    "poker",
    "shuttle",
    "skin",
    "w8a",
]
BLOBS = "blobs"
SCALERS = {
    "adult": MaxAbsScaler,
    "ijcnn1": StandardScaler,
    "magic04": StandardScaler,
    "shuttle": StandardScaler,
}
NUMBERS = [10, 50, 200, 1000]  # of clusters
CURVE_CLUSTERS = 200
COST, TIME = "cost / KMeans", "time / KMeans"
MIB_OF_DISTANCES = 64  # at a time, when rows are sparse
WARM_UP = 500  # rows


class Source(NamedTuple):
    """How to make the rows, and how they are scaled."""

    make: callable
    scaling: str


def sorted_blobs():
    """Return Gaussian blobs, 50 of them, one after the other."""
    X, blob = make_blobs(200_000, n_features=10, centers=50, random_state=0)
    return X[np.argsort(blob, kind="stable")]


def scaled(folder, name):
    """Return the rows of a dataset, scaled where their features are not comparable."""
    X = load(folder, name)
    return SCALERS[name]().fit_transform(X) if name in SCALERS else X


def sources(folder):
    """Return all there is by name: the datasets of the folder, and the generated stream."""
    real = {
        name: Source(
            partial(scaled, folder, name),
            SCALERS[name].__name__ if name in SCALERS else "as it is",
        )
        for name in available(folder)
    }
    return {**real, BLOBS: Source(sorted_blobs, "as it is")}


def cost(X, centers):
    """Return the k-means cost of the rows in float64, whatever the model computed in."""
    X = X.astype(np.float64)
    centers = dense(centers).astype(np.float64)
    if not issparse(X):
        squared = {"squared": True}
        _, d2 = pairwise_distances_argmin_min(X, centers, metric_kwargs=squared)
        return float(d2.sum())
    squares, columns = (centers**2).sum(axis=1), np.ascontiguousarray(centers.T)
    step = max(1, MIB_OF_DISTANCES * 2**20 // (8 * len(centers)))
    total = 0.0
    for start in range(0, X.shape[0], step):
        rows = X[start : start + step]
        d2 = (squares - 2 * (rows @ columns)).min(axis=1)
        d2 += np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        total += float(np.maximum(d2, 0).sum())
    return total


def too_slow(last, n_clusters, limit):
    """Return the contestants expected to exceed the limit for so many clusters, and why.

    `last` has the number of clusters and the seconds of each contestant's last turn.
    """
    reasons = {}
    for name, (number, seconds) in last.items():
        expected = seconds * n_clusters / number
        if expected > limit:
            reasons[name] = (
                f"would take about {expected:.0f} s, longer than {limit:g} s, judged by "
                f"{seconds:.3g} s for {number:,} clusters"
            )
    return reasons


def one_turn(X, name, n_clusters, seed):
    """Return the seconds of the fit, and the cost of its centers."""
    contestant = (CONTESTANTS | CURVE)[name]
    start = time.perf_counter()
    model = contestant.fit(X, n_clusters, seed)
    seconds = time.perf_counter() - start
    return seconds, cost(X, contestant.centers(model))


def contest(X, n_clusters, seeds, asked, advance):
    """Return seconds and costs by contestant and seed, and why a peer has none."""
    turns, failed = {name: [] for name in asked}, {}
    for seed in range(seeds):
        for name in asked:
            advance(name, 0)
            if name not in failed:
                try:
                    turns[name].append(one_turn(X, name, n_clusters, seed))
                except Exception as error:
                    if name not in PEERS:
                        raise
                    failed[name] = (str(error) or type(error).__name__).splitlines()[0]
            advance(name, 1 / (seeds * len(asked)))
    done = {name: list(zip(*turns[name])) for name in asked if name not in failed}
    seconds = {name: list(figures[0]) for name, figures in done.items()}
    costs = {name: list(figures[1]) for name, figures in done.items()}
    return seconds, costs, failed


def relative(figures):
    """Return figures divided by those of the reference, by seed; none if it has none."""
    if REFERENCE not in figures:
        return {}
    return {
        name: [own / reference for own, reference in zip(values, figures[REFERENCE])]
        for name, values in figures.items()
    }


def warm_up(X, names):
    """Let all contestants load what they need and start threads before time counts."""
    for name in names:
        with suppress(Exception):  # which is told when it happens in its turn
            CONTESTANTS[name].fit(X[:WARM_UP], 2, 0)


def measure(name, source, numbers, curve, seeds, limit, advance):
    """Return all figures of a dataset: a line for each number of clusters.

    For `curve` clusters ours takes part with every `k`. `advance` is told of the work done,
    as a share of all there is for the dataset.
    """
    advance(name, 0)
    X = source.make()
    absent = stay_out(X)
    lines, last = [], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that are alike
        warm_up(X, CONTESTANTS.keys() - absent.keys())
        for number in sorted(numbers):
            left_out = {**too_slow(last, number, limit), **absent}
            everybody = [*CONTESTANTS, *(CURVE if number == curve else ())]
            asked = [contestant for contestant in everybody if contestant not in left_out]
            weight = number / sum(numbers)  # many clusters take longer

            def show(contestant, share, number=number, weight=weight):
                advance(f"{name}, {number:,} clusters: {contestant}", weight * share)

            seconds, costs, failed = contest(X, number, seeds, asked, show)
            for contestant in seconds.keys() & CONTESTANTS.keys():
                last[contestant] = number, max(seconds[contestant])
            lines.append(
                {
                    "n_clusters": number,
                    "seconds": seconds,
                    "costs": costs,
                    TIME: relative(seconds),
                    COST: relative(costs),
                    "left out": {**left_out, **failed},
                }
            )
    return {
        "dataset": name,
        "n": X.shape[0],
        "d": X.shape[1],
        "sparse": bool(issparse(X)),
        "scaling": source.scaling,
        "lines": lines,
    }
