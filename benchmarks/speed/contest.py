"""Contestants on the same rows, in turns.

Every contestant gets the same rows and as many clusters as ours opened. The look-up is ONE
call of scikit-learn's ``pairwise_distances_argmin_min`` with our final centers: what it
costs just to look every row up. Contestants take turns, several rounds in one process, and
the best round counts. One that would take longer than the limit runs on a slice of the
rows and on half of it, all others are taken to cost what the second half did, and the table
says so; one that has used up its limit sits the other rounds out. One pass of
MiniBatchKMeans, with which we compare ourselves first of all, always reads all rows.
"""

import importlib.util
import time
import tracemalloc
import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.cluster import Birch, KMeans, MiniBatchKMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin_min

from onlinekmeans_sklearn import OnlineKMeans

from .shapes import blobs, label
from .steps import timed_steps

LOOK_UP = "one look-up by scikit-learn"
MINI_BATCH_PASS = "MiniBatchKMeans, one pass"
ALONE = "ours: fit, one thread"
WARM = 0.1  # seconds for which a short call is repeated: the first finds others' caches
BATCH = 4096  # rows per partial_fit call of MiniBatchKMeans


def mini_batch_pass(X, k, seed=0):
    """Return the model after one partial_fit pass, in batches that hold at least k rows."""
    model = MiniBatchKMeans(k, n_init=1, random_state=seed)
    step = max(BATCH, k)
    for start in range(0, X.shape[0], step):
        if X.shape[0] - start >= k or start > 0:
            model.partial_fit(X[start : start + step])
    return model


def river_pass(X, k):
    """Read the rows one by one with river's k-means."""
    from river.cluster import KMeans as RiverKMeans

    model = RiverKMeans(n_clusters=k, seed=0)
    for row in X:
        model.learn_one(dict(enumerate(row)))


def faiss_kmeans(X, k, iterations, seed=0):
    """Return faiss's k-means after so many Lloyd iterations, on all rows."""
    import faiss

    options = {"niter": iterations, "seed": seed, "max_points_per_centroid": 10**9}
    model = faiss.Kmeans(X.shape[1], k, **options)
    model.cp.min_points_per_centroid = 1
    model.train(np.ascontiguousarray(X, dtype=np.float32))
    return model


def peers(X, k, centers):
    """Return the other contestants for these rows: name -> call on rows."""
    fitted = KMeans(k, init=dense(centers), n_init=1, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(X[: 2 * k])
    fitted.cluster_centers_ = np.ascontiguousarray(dense(centers), dtype=X.dtype)
    contestants = {
        LOOK_UP: lambda X: pairwise_distances_argmin_min(X, centers),
        MINI_BATCH_PASS: lambda X: mini_batch_pass(X, k),
        "MiniBatchKMeans.fit": MiniBatchKMeans(k, n_init=1, random_state=0).fit,
        "kmeans_plusplus seeding": lambda X: kmeans_plusplus(X, k, random_state=0),
        "Birch(n_clusters=None)": lambda X: Birch(n_clusters=None, threshold=1.0).fit(X),
        "KMeans.predict": fitted.predict,
    }
    if not issparse(X):
        for name, module, call in [
            ("faiss Kmeans, one iteration", "faiss", lambda X: faiss_kmeans(X, k, 1)),
            ("river KMeans, by sample", "river", lambda X: river_pass(X, k)),
        ]:
            if importlib.util.find_spec(module):
                contestants[name] = call
    return contestants


def dense(X):
    """Return the rows as an array."""
    return X.toarray() if issparse(X) else X


def seconds(call, X):
    """Return the seconds that the call takes on the rows."""
    start = time.perf_counter()
    call(X)
    return time.perf_counter() - start


def rows_within(call, X, k, limit):
    """Return how many rows the call can take within the limit.

    Few rows are tried first, then four times as many while these can be expected to stay
    within the limit.
    """
    n = X.shape[0]
    tried = min(n, max(2 * k, 200))
    while tried < n:
        if 4 * seconds(call, X[:tried]) > limit:
            return tried
        tried = min(n, 4 * tried)
    return n


def seconds_for_all(call, X, n_rows):
    """Return the seconds that the call takes on the first rows, extrapolated to all.

    What it costs beside its rows, such as seeding, is not scaled up.
    """
    taken = seconds(call, X[:n_rows])
    if n_rows == X.shape[0]:
        return taken
    of_half = min(taken, seconds(call, X[: n_rows // 2]))
    return taken + (taken - of_half) * (X.shape[0] - n_rows) / (n_rows - n_rows // 2)


def peak_memory(call, X):
    """Return the most bytes that the call has allocated at any time, beside its rows."""
    tracemalloc.start()
    try:
        call(X)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def n_bytes(X):
    """Return the bytes of the rows."""
    return sum(a.nbytes for a in ((X.data, X.indices, X.indptr) if issparse(X) else (X,)))


def about(name, X):
    """Return what a report tells of the rows."""
    n, d = X.shape
    return {"shape": name, "n": n, "d": d, "dtype": str(X.dtype), "sparse": issparse(X)}


def measure(name, shape, rounds, limit, n_jobs, advance):
    """Return the best time per contestant, for all rows, and the rows it ran on.

    `advance` is told of the work done, as a share of all there is for the shape.
    """
    X = shape.make()
    n = X.shape[0]
    ours = OnlineKMeans(k=shape.k, random_state=0, n_jobs=n_jobs).fit(X)
    k = ours.n_clusters_
    alone = clone(ours).set_params(n_jobs=1)
    contestants = {
        "ours: fit": lambda X: OnlineKMeans.fit(ours, X),
        ALONE: alone.fit,
        "ours: predict": ours.predict,
        **peers(X, k, ours.cluster_centers_),
    }
    rows, best = {}, dict.fromkeys(contestants, np.inf)
    spent = dict.fromkeys(contestants, 0.0)
    step = 1 / (len(contestants) * (rounds + 1))
    for contestant, call in contestants.items():
        advance(f"{label(name)}: {contestant}", 0)
        whole = contestant.startswith(("ours", LOOK_UP, MINI_BATCH_PASS))
        rows[contestant] = n if whole else rows_within(call, X, k, limit)
        advance(f"{label(name)}: {contestant}", step)
    with timed_steps() as steps:
        for _ in range(rounds):
            for contestant, call in contestants.items():
                advance(f"{label(name)}: {contestant}", 0)
                stop = spent[contestant] + WARM
                while spent[contestant] <= min(stop, limit):
                    steps.clear()
                    start = time.perf_counter()
                    taken = seconds_for_all(call, X, rows[contestant])
                    spent[contestant] += time.perf_counter() - start
                    if contestant == ALONE and taken < best[contestant]:
                        steps_of_best = dict(steps)
                    best[contestant] = min(best[contestant], taken)
                advance(f"{label(name)}: {contestant}", step)
    return {
        **about(name, X),
        "clusters": k,
        "bytes": n_bytes(X),
        "peak bytes of fit": peak_memory(contestants["ours: fit"], X),
        "seconds of the steps of fit, one thread": steps_of_best,
        "contestants": {
            contestant: {"seconds": best[contestant], "rows": int(rows[contestant])}
            for contestant in contestants
        },
    }


def eight_times_the_rows(rounds, n_jobs):
    """Return the best seconds of fit for n rows and for 8 n rows, with the same k."""
    X, n, k = blobs(800_000, 10), 100_000, 200
    best = {n: np.inf, 8 * n: np.inf}
    for _ in range(rounds):
        for rows in best:
            model = OnlineKMeans(k=k, random_state=0, n_jobs=n_jobs)
            best[rows] = min(best[rows], seconds(model.fit, X[:rows]))
    return {"n": n, "d": X.shape[1], "k": k, "once": best[n], "eight times": best[8 * n]}
