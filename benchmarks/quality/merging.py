"""The merge of the online clusters alone: how its time grows, and how even it is.

A call of ``partial_fit()`` without rows does only the last step again, the merge of the
online clusters into `n_clusters`. That is what is timed.
"""

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from onlinekmeans_sklearn import OnlineKMeans

from ..speed.shapes import blobs

FEW, MANY, POINTS_EACH = 200, 2000, 20
EVEN_CLUSTERS, CALLS = 1000, 20


def merge_seconds(model):
    """Return the seconds of the merge of what the model has read."""
    start = time.perf_counter()
    model.partial_fit()
    return time.perf_counter() - start


def model_to_merge(n_clusters):
    """Return a model that has read rows, with 20 online clusters for each final one.

    Aiming at many more than the cap, the first rows open all of them, and the others join.
    """
    points = POINTS_EACH * n_clusters
    model = OnlineKMeans(k=10 * points, max_clusters=points, random_state=0)
    model.fit(blobs(2 * points, 10))
    if len(model.counts_) != points:
        raise RuntimeError(f"there are {len(model.counts_):,} points, not {points:,}")
    return model.set_params(n_clusters=n_clusters)


def growth(rounds, few=FEW, many=MANY):
    """Return the seconds of merges into few and many clusters, in turns."""
    models = {n_clusters: model_to_merge(n_clusters) for n_clusters in (few, many)}
    seconds = {n_clusters: [] for n_clusters in models}
    for _ in range(rounds):
        for n_clusters, model in models.items():
            seconds[n_clusters].append(merge_seconds(model))
    return {
        "few": few,
        "many": many,
        "points for each": POINTS_EACH,
        "seconds of few": seconds[few],
        "seconds of many": seconds[many],
        "ratio": float(np.median(seconds[many]) / np.median(seconds[few])),
    }


def evenness(name, X, n_clusters=EVEN_CLUSTERS):
    """Return the seconds of merges, each after one more row of the dataset."""
    seconds = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OnlineKMeans(n_clusters, random_state=0).fit(X[:-CALLS])
        for row in range(X.shape[0] - CALLS, X.shape[0]):
            model.partial_fit(X[row : row + 1])
            seconds.append(merge_seconds(model))
    return {
        "dataset": name,
        "n_clusters": n_clusters,
        "online clusters": len(model.counts_),
        "seconds": seconds,
        "ratio": float(max(seconds) / np.median(seconds)),
    }
