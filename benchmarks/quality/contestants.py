"""Who takes part: how it is fitted, what its centers are, and why it may have to stay out.

Ours and one pass of MiniBatchKMeans read the rows once, in the order of the file; the
others may read them as often as they like.
"""

import importlib.util
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import Birch, KMeans, MiniBatchKMeans

from onlinekmeans_sklearn import OnlineKMeans

from ..speed.contest import faiss_kmeans, mini_batch_pass, rows_within

REFERENCE, OURS, FAISS, BIRCH = "KMeans", "ours", "faiss Kmeans", "Birch"
MBK_PASS, MBK_FIT = "MiniBatchKMeans, one pass", "MiniBatchKMeans.fit"
ITERATIONS = 25  # of faiss: its default
MOST_DISTANCES = 2**28  # of pairs of Birch's subclusters, 2 GiB that its last step copies


def cluster_centers(model, X):
    """Return the centers of a model of scikit-learn, or of ours."""
    return model.cluster_centers_


def faiss_centers(model, X):
    """Return the centers of faiss."""
    return model.centroids


def birch_centers(model, X):
    """Return the means of Birch's clusters, for it has no centers of them."""
    labels = np.unique(model.labels_)
    if len(labels) < model.n_clusters:
        raise ValueError(f"has but {len(labels):,} subclusters to merge")
    return np.array([X[model.labels_ == label].mean(axis=0) for label in labels])


class Contestant(NamedTuple):
    """How to fit the rows, for a number of clusters and a seed, and to get the centers."""

    fit: callable
    centers: callable = cluster_centers
    has_seed: bool = True  # or its answer is always the same, and one run is enough
    grows: bool = True  # whether its time grows with the number of clusters


def fit_kmeans(X, n_clusters, seed):
    """Return the reference."""
    return KMeans(n_clusters, n_init=1, random_state=seed).fit(X)


def fit_ours(X, n_clusters, seed):
    """Return ours after its pass and the merge."""
    return OnlineKMeans(n_clusters, random_state=seed).fit(X)


def fit_mini_batch(X, n_clusters, seed):
    """Return MiniBatchKMeans after as many batches as it likes."""
    return MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X)


def fit_faiss(X, n_clusters, seed):
    """Return faiss after its iterations."""
    return faiss_kmeans(X, n_clusters, ITERATIONS, seed)


def fit_birch(X, n_clusters, seed):
    """Return Birch, which has no seed."""
    return Birch(n_clusters=n_clusters).fit(X)


CONTESTANTS = {
    REFERENCE: Contestant(fit_kmeans),
    OURS: Contestant(fit_ours),
    MBK_PASS: Contestant(mini_batch_pass),
    MBK_FIT: Contestant(fit_mini_batch),
    FAISS: Contestant(fit_faiss, faiss_centers),
    BIRCH: Contestant(fit_birch, birch_centers, has_seed=False, grows=False),
}


def birch_tree(X):
    """Return Birch before its last step, unless that would take too much memory."""
    tree = Birch(n_clusters=None, compute_labels=False).fit(X)
    n = len(tree.subcluster_centers_)
    if n * (n - 1) // 2 > MOST_DISTANCES:
        raise MemoryError(f"{n:,} subclusters in {X.shape[0]:,} rows are too many to merge")
    return tree


def problem_of_birch(X, limit):
    """Return why Birch cannot take part, tried on more and more of the rows; or None."""
    try:
        rows = rows_within(birch_tree, X, 1, limit)
        if rows < X.shape[0]:
            return f"would take longer than {limit:g} s, judged by {rows:,} rows"
        birch_tree(X)
    except MemoryError as error:
        return str(error)
    return None


def stay_out(X, limit):
    """Return who cannot take part whatever the number of clusters, and why."""
    if issparse(X):
        return dict.fromkeys((FAISS, BIRCH), "takes part with dense rows only")
    reasons = {}
    if importlib.util.find_spec("faiss") is None:
        reasons[FAISS] = "is not installed"
    if problem := problem_of_birch(X, limit):
        reasons[BIRCH] = problem
    return reasons
