"""The contestants: each reads a window of rows and gives centers for the next.

A contestant is started with the first window, the number of clusters and a seed, and gives
a function from the rows of a window to its centers. Half-lives are counted in windows.
"""

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin

from onlinekmeans_sklearn import OnlineKMeans

HALF_LIVES = (1, 4, 16)  # in windows
OURS, MINI_BATCH = "OnlineKMeans", "MiniBatchKMeans"
WITHOUT = "OnlineKMeans, no half-life"
NEW, RIVAL = "OnlineKMeans, new every window", "KMeans on the last window"
DEAD = 1e-8  # of the largest weight: such a cluster of Spark's moves


def with_half_life(name, half_life):
    """Return the name of a contestant with a half-life."""
    return f"{name}, half-life {half_life} window{'s' if half_life > 1 else ''}"


def ours(half_life=None):
    """Return our contestant."""

    def start(first, n_clusters, seed):
        rows = None if half_life is None else half_life * len(first)
        model = OnlineKMeans(n_clusters, half_life=rows, random_state=seed)
        return lambda X: model.partial_fit(X).cluster_centers_

    return start


def mini_batch(first, n_clusters, seed):
    """Start MiniBatchKMeans, which gets every window as one batch."""
    model = MiniBatchKMeans(n_clusters, n_init=1, random_state=seed)
    return lambda X: model.partial_fit(X).cluster_centers_


def new_every_window(first, n_clusters, seed):
    """Start afresh with every window."""
    return lambda X: OnlineKMeans(n_clusters, random_state=seed).fit(X).cluster_centers_


def kmeans(first, n_clusters, seed):
    """Refit KMeans on every window."""
    return lambda X: KMeans(n_clusters, n_init=1, random_state=seed).fit(X).cluster_centers_


def spark(half_life):
    """Return the rule of Spark's StreamingKMeans, with a half-life in points.

    A center becomes the mean of its old position, with its faded weight, and of its rows of
    the window. A cluster that has lost nearly all weight shares the position of the
    heaviest from then on. Its first centers are k-means++ seeds of the first window.
    """

    def start(first, n_clusters, seed):
        centers, _ = kmeans_plusplus(first, n_clusters, random_state=seed)
        weights = np.zeros(n_clusters)

        def learn(X):
            labels = pairwise_distances_argmin(X, centers)
            weights[:] *= 0.5 ** (1 / half_life)
            counts = np.bincount(labels, minlength=n_clusters)
            for cluster in np.flatnonzero(counts):
                total = weights[cluster] + counts[cluster]
                difference = X[labels == cluster].sum(axis=0)
                difference -= counts[cluster] * centers[cluster]
                centers[cluster] += difference / total
            weights[:] += counts
            heaviest, lightest = np.argmax(weights), np.argmin(weights)
            if weights[lightest] < DEAD * weights[heaviest]:
                weights[[heaviest, lightest]] = weights[heaviest] / 2
                apart = 1e-14 * np.maximum(np.abs(centers[heaviest]), 1)
                centers[lightest] = centers[heaviest] - apart
                centers[heaviest] += apart
            return centers.copy()

        return learn

    return start


def as_array(centers):
    """Return centers of river's as rows."""
    if not centers or not all(centers):  # or they have no features yet
        raise ValueError("has no clusters")
    return np.array([[center[j] for j in range(len(center))] for center in centers])


def merged(n_clusters, seed, pairs):
    """Return what weighted k-means makes of (center, weight) pairs, or all if too few."""
    centers = as_array([center for center, _ in pairs])
    if len(centers) <= n_clusters:
        return centers
    weights = [weight for _, weight in pairs]
    model = KMeans(n_clusters, n_init=3, random_state=seed)
    return model.fit(centers, sample_weight=weights).cluster_centers_


def micro_clusters(model):
    """Return (center, weight) of what CluStream and DBSTREAM keep."""
    return [(each.center, each.weight) for each in model.micro_clusters.values()]


def potential_micro_clusters(model):
    """Return (center, weight) of what DenStream keeps, but for its outliers."""
    now, kept = model.timestamp, model.p_micro_clusters.values()
    return [(each.center, each.calc_weight(now)) for each in kept]


MICRO_CLUSTERS = {
    "CluStream": micro_clusters,
    "DBSTREAM": micro_clusters,
    "DenStream": potential_micro_clusters,
}


def river(name):
    """Return a contestant of river.

    It is told what its defaults cannot know: where the rows are, how wide the clusters are,
    and how many rows there are in a window. Micro-clusters are merged by weighted k-means,
    to as many clusters as the other contestants have.
    """

    def start(first, n_clusters, seed):
        from river import cluster

        n, fitted = len(first), KMeans(n_clusters, n_init=1, random_state=seed).fit(first)
        width = float(np.sqrt(fitted.inertia_ / n))
        normal = {"mu": float(first.mean()), "sigma": float(first.std()), "seed": seed}
        model = {
            "KMeans": cluster.KMeans(n_clusters, **normal),
            "STREAMKMeans": cluster.STREAMKMeans(5 * n_clusters, n_clusters, **normal),
            "CluStream": cluster.CluStream(n_clusters, time_window=n, seed=seed),
            "DBSTREAM": cluster.DBSTREAM(width),
            "DenStream": cluster.DenStream(epsilon=width, n_samples_init=n // 2),
        }[name]

        def learn(X):
            for row in X.tolist():
                model.learn_one(dict(enumerate(row)))
            if name in MICRO_CLUSTERS:
                return merged(n_clusters, seed, MICRO_CLUSTERS[name](model))
            return as_array(model.centers.values())

        return learn

    return start


RIVER = {
    f"river {name}": river(name)
    for name in ("KMeans", "STREAMKMeans", "CluStream", "DBSTREAM", "DenStream")
}
CONTESTANTS = {
    **{with_half_life(OURS, h): ours(h) for h in HALF_LIVES},
    WITHOUT: ours(),
    NEW: new_every_window,
    RIVAL: kmeans,
    MINI_BATCH: mini_batch,
    **{with_half_life("Spark", h): spark(h) for h in HALF_LIVES},
    **RIVER,
}
