"""What the clusters of one pass cost, in squared distances and in time.

Cost is the sum of squared distances to the nearest final center, in float64 and by the same
function for every contestant, divided by that of scikit-learn's KMeans with the same seed.
Ours and one pass of MiniBatchKMeans read the rows once, in the order of the file; the
others may read them as often as they like.

Time is that of our fit with the merge, divided by that of the same pass without. The two
take turns, and the best round of each counts.
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import Birch, KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from onlinekmeans_sklearn import OnlineKMeans

from ..data import available, load
from ..speed.contest import dense, mini_batch_pass, rows_within, seconds

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
REFERENCE, OURS, BIRCH = "KMeans", "ours", "Birch"
MBK_PASS, MBK_FIT = "MiniBatchKMeans, one pass", "MiniBatchKMeans.fit"
AUTO_K = 85, 0.8  # factor and power: what k="auto" stands for, as OnlineKMeans documents it
WITH_MERGE, WITHOUT_MERGE = "fit with merge", "fit without merge"
MOST_DISTANCES = 2**28  # of pairs of Birch's subclusters, 2 GiB that its last step copies


class Source(NamedTuple):
    """How to make the rows and how they are scaled; what is asked and aimed at."""

    make: callable
    scaling: str
    n_clusters: int
    target: float


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
            n_clusters=20,
            target=1.03,
        )
        for name in available(folder)
        if name in STUDIED
    }
    return {**real, BLOBS: Source(sorted_blobs, "as it is", n_clusters=50, target=1.05)}


def cost(X, centers):
    """Return the k-means cost of the rows in float64, whatever the model computed in."""
    X = X.astype(np.float64)
    centers = dense(centers).astype(np.float64)
    return float(euclidean_distances(X, centers, squared=True).min(axis=1).sum())


def birch_tree(X):
    """Return Birch before its last step, unless that would take too much memory."""
    tree = Birch(n_clusters=None).fit(X)
    n = len(tree.subcluster_centers_)
    if n * (n - 1) // 2 > MOST_DISTANCES:
        raise MemoryError(f"{n:,} subclusters in {X.shape[0]:,} rows are too many to merge")
    return tree


def birch_centers(X, n_clusters, limit):
    """Return the means of Birch's clusters, for it has no centers of them."""
    if issparse(X):
        raise ValueError("takes part with dense rows only")
    rows = rows_within(birch_tree, X, n_clusters, limit)
    if rows < X.shape[0]:
        raise TimeoutError(f"would take longer than {limit:g} s, judged by {rows:,} rows")
    tree = birch_tree(X).set_params(n_clusters=n_clusters).partial_fit()
    labels = tree.predict(X)
    return np.array([X[labels == label].mean(axis=0) for label in np.unique(labels)])


def contestants(X, n_clusters, limit):
    """Return the contestants: name -> call that gives the centers for a seed."""
    # Birch has no seed: its answer is the same for all
    birch = cache(partial(birch_centers, X, n_clusters, limit))

    def ours(seed):
        return OnlineKMeans(n_clusters=n_clusters, random_state=seed).fit(X)

    def reference(seed):
        return KMeans(n_clusters, n_init=1, random_state=seed).fit(X)

    def mini_batch_fit(seed):
        return MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X)

    return {
        REFERENCE: lambda seed: reference(seed).cluster_centers_,
        OURS: lambda seed: ours(seed).cluster_centers_,
        MBK_PASS: lambda seed: mini_batch_pass(X, n_clusters, seed).cluster_centers_,
        MBK_FIT: lambda seed: mini_batch_fit(seed).cluster_centers_,
        BIRCH: lambda seed: birch(),
    }


def costs_of(X, calls, seeds, advance):
    """Return the costs by contestant and seed, and why a peer has none."""
    costs, left_out = {}, {}
    for name, centers in calls.items():
        advance(name, 0)
        try:
            costs[name] = [cost(X, centers(seed)) for seed in range(seeds)]
        except Exception as error:
            if name in (REFERENCE, OURS):
                raise
            left_out[name] = str(error) or type(error).__name__
        advance(name, 1 / len(calls))
    return costs, left_out


def merge_times(X, n_clusters, rounds):
    """Return the seconds of every round, and the clusters that were there to merge."""
    factor, power = AUTO_K
    k = round(factor * n_clusters**power)
    models = {
        WITH_MERGE: OnlineKMeans(n_clusters=n_clusters, random_state=0).fit(X),
        WITHOUT_MERGE: OnlineKMeans(k=k, random_state=0).fit(X),
    }
    merged, online = (model.counts_ for model in models.values())
    if not np.array_equal(merged, online):
        raise RuntimeError(f"the pass is not that of k={k}: AUTO_K is out of date")
    times = {name: [] for name in models}
    for _ in range(rounds):
        for name, model in models.items():
            times[name].append(seconds(model.fit, X))
    return {"k": k, "online clusters": len(online), "seconds": times}


def measure(name, source, seeds, rounds, limit, advance):
    """Return all figures of a dataset, by seed and by round.

    `advance` is told of the work done, as a share of all there is for the dataset.
    """
    advance(f"{name}: time of the merge", 0)
    X = source.make()
    times = merge_times(X, source.n_clusters, rounds)
    advance(f"{name}: time of the merge", 0.2)
    costs, left_out = costs_of(
        X,
        contestants(X, source.n_clusters, limit),
        seeds,
        lambda contestant, share: advance(f"{name}: {contestant}", 0.8 * share),
    )
    return {
        "dataset": name,
        "n": X.shape[0],
        "d": X.shape[1],
        "sparse": bool(issparse(X)),
        "scaling": source.scaling,
        "n_clusters": source.n_clusters,
        "target": source.target,
        "costs": costs,
        "ratios": {
            contestant: [ours / theirs for ours, theirs in zip(own, costs[REFERENCE])]
            for contestant, own in costs.items()
        },
        "left out": left_out,
        **times,
    }
