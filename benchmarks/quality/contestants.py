"""The contestants: how each is fitted, its centers, and why it may be left out.

Ours and one pass of MiniBatchKMeans read the rows once, in the order of the file; the
others may read them as often as they like. Ours with other `k` than "auto", the coarser and
the finer passes, show how much cost can be had for how much time.
"""

import importlib.util
from functools import partial
from typing import NamedTuple

from scipy.sparse import issparse
from sklearn.cluster import KMeans, MiniBatchKMeans

from onlinekmeans_sklearn import OnlineKMeans

from ..speed.contest import faiss_kmeans, mini_batch_pass

REFERENCE, OURS, FAISS = "KMeans", "OnlineKMeans", "faiss Kmeans"
MBK_PASS, MBK_FIT = "MiniBatchKMeans, one pass", "MiniBatchKMeans.fit"
MULTIPLES = (3, 5, 10, 20)  # of n_clusters, the k of the other passes
ITERATIONS = 25  # of faiss: its default


class Contestant(NamedTuple):
    """How to fit the rows, for a number of clusters and a seed, and to get the centers."""

    fit: callable
    centers: callable = lambda model: model.cluster_centers_


def fit_kmeans(X, n_clusters, seed):
    """Return the reference."""
    return KMeans(n_clusters, n_init=1, random_state=seed).fit(X)


def fit_ours(X, n_clusters, seed, multiple=None):
    """Return ours after its pass and the merge; `k` is a multiple of the clusters."""
    k = "auto" if multiple is None else multiple * n_clusters
    return OnlineKMeans(n_clusters, k=k, random_state=seed).fit(X)


def fit_mini_batch(X, n_clusters, seed):
    """Return MiniBatchKMeans after as many batches as it likes."""
    return MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X)


def fit_faiss(X, n_clusters, seed):
    """Return faiss after its iterations."""
    return faiss_kmeans(X, n_clusters, ITERATIONS, seed)


def with_k(multiple):
    """Return the name of ours with `k` that many times the number of clusters."""
    return f"{OURS}, k = {multiple} n_clusters"


PEERS = {
    MBK_PASS: Contestant(mini_batch_pass),
    MBK_FIT: Contestant(fit_mini_batch),
    FAISS: Contestant(fit_faiss, lambda model: model.centroids),
}
CONTESTANTS = {REFERENCE: Contestant(fit_kmeans), OURS: Contestant(fit_ours), **PEERS}
CURVE = {with_k(m): Contestant(partial(fit_ours, multiple=m)) for m in MULTIPLES}


def stay_out(X):
    """Return the contestants that cannot take part at all, and why."""
    if issparse(X):
        return {FAISS: "takes part with dense rows only"}
    if importlib.util.find_spec("faiss") is None:
        return {FAISS: "is not installed"}
    return {}
