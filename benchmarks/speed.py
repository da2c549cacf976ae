"""``python -m benchmarks speed``: one pass of ours against the peers on the same work.

Every contestant gets the same rows and as many clusters as ours opened. The floor is ONE
call of scikit-learn's ``pairwise_distances_argmin_min`` with our final centres: what it
costs just to look every row up. Contestants take turns, several rounds in one process, and
the best round counts. One that would take longer than the limit runs on a slice of the
rows, its time is scaled up, and the table says so.
"""

import argparse
import importlib.util
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy.sparse import csr_matrix, issparse
from sklearn.cluster import Birch, KMeans, MiniBatchKMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin_min

from onlinekmeans_sklearn import OnlineKMeans

from .speed_report import print_table, write_report

BATCH = 4096  # rows per partial_fit call of MiniBatchKMeans


def blobs(n, d, dtype=np.float64):
    """Return Gaussian blobs, 100 of them, in random order."""
    rng = np.random.RandomState(0)
    means = rng.normal(scale=4.0, size=(100, d))
    X = np.empty((n, d), dtype=dtype)
    for start in range(0, n, 65536):
        stop = min(n, start + 65536)
        X[start:stop] = means[rng.randint(100, size=stop - start)]
        X[start:stop] += rng.normal(size=(stop - start, d))
    return X


def texts(n, d, words_per_row):
    """Return rows of ones whose columns are as frequent as words: Zipf's law."""
    rng = np.random.RandomState(0)
    frequency = 1 / np.arange(1, d + 1)
    columns = rng.choice(d, size=n * words_per_row, p=frequency / frequency.sum())
    rows = np.repeat(np.arange(n), words_per_row)
    X = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, d))
    X.data[:] = 1  # a word counts once
    return X


SHAPES = {  # name: (rows, k)
    "A": (partial(blobs, 200_000, 10), 200),
    "B": (partial(blobs, 200_000, 50), 500),
    "C": (partial(blobs, 100_000, 3), 1000),
    "D": (partial(blobs, 50_000, 784, np.float32), 300),
    "E": (partial(texts, 18_800, 61_200, 280), 400),
    "F": (partial(blobs, 1_000_000, 20), 1000),
    "G": (partial(blobs, 500_000, 2), 5000),
}


def mini_batch_pass(X, k):
    """Read the rows once by partial_fit, in batches that hold at least k rows."""
    model = MiniBatchKMeans(k, n_init=1, random_state=0)
    step = max(BATCH, k)
    for start in range(0, X.shape[0], step):
        if X.shape[0] - start >= k or start > 0:
            model.partial_fit(X[start : start + step])


def river_pass(X, k):
    """Read the rows one by one with river's k-means."""
    from river.cluster import KMeans as RiverKMeans

    model = RiverKMeans(n_clusters=k, seed=0)
    for row in X:
        model.learn_one(dict(enumerate(row)))


def faiss_iteration(X, k):
    """Run one Lloyd iteration of faiss, on all rows."""
    import faiss

    model = faiss.Kmeans(X.shape[1], k, niter=1, seed=0, max_points_per_centroid=10**9)
    model.cp.min_points_per_centroid = 1
    model.train(np.ascontiguousarray(X, dtype=np.float32))


def peers(X, k, centers):
    """Return the contestants for these rows: name -> (call on rows, most rows)."""
    n = X.shape[0]
    fitted = KMeans(k, init=dense(centers), n_init=1, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(X[: 2 * k])
    fitted.cluster_centers_ = np.ascontiguousarray(dense(centers), dtype=X.dtype)
    contestants = {
        "floor: one look-up": (lambda X: pairwise_distances_argmin_min(X, centers), n),
        "MiniBatchKMeans, one pass": (lambda X: mini_batch_pass(X, k), n),
        "MiniBatchKMeans.fit": (
            lambda X: MiniBatchKMeans(k, n_init=1, random_state=0).fit(X),
            n,
        ),
        "kmeans_plusplus seeding": (lambda X: kmeans_plusplus(X, k, random_state=0), n),
        "Birch(n_clusters=None)": (
            lambda X: Birch(n_clusters=None, threshold=1.0).fit(X),
            n,
        ),
        "KMeans.predict": (fitted.predict, n),
    }
    if not issparse(X):
        for name, module, call in [
            ("faiss Kmeans, one iteration", "faiss", lambda X: faiss_iteration(X, k)),
            ("river KMeans, by sample", "river", lambda X: river_pass(X, k)),
        ]:
            if importlib.util.find_spec(module):
                contestants[name] = (call, n)
    return contestants


def dense(X):
    """Return the rows as an array."""
    return X.toarray() if issparse(X) else X


def seconds(call, X):
    """Return the seconds that the call takes on the rows."""
    start = time.perf_counter()
    call(X)
    return time.perf_counter() - start


def rows_within(call, n, X, k, limit):
    """Return how many rows the call can take within the limit.

    Few rows are tried first, then four times as many while these can be expected to stay
    within the limit: what a call costs beside its rows must not be scaled up.
    """
    tried = min(n, max(2 * k, 200))
    while tried < n:
        if 4 * seconds(call, X[:tried]) > limit:
            return tried
        tried = min(n, 4 * tried)
    return n


def measure(shape, rounds, limit, n_jobs, advance):
    """Return the best time per contestant, scaled to all rows, and the rows it ran on."""
    make, k = SHAPES[shape]
    X = make()
    ours = OnlineKMeans(k, random_state=0, n_jobs=n_jobs).fit(X)
    centers = ours.cluster_centers_
    k = ours.n_clusters_
    contestants = {
        "ours: fit": (lambda X: OnlineKMeans.fit(ours, X), X.shape[0]),
        "ours: predict": (ours.predict, X.shape[0]),
        **peers(X, k, centers),
    }
    rows = {}
    for name, (call, n) in contestants.items():
        rows[name] = n if name.startswith("ours") else rows_within(call, n, X, k, limit)
        advance(f"{shape}: {name}")
    best = dict.fromkeys(contestants, np.inf)
    for turn in range(rounds):
        for name, (call, n) in contestants.items():
            if turn == 0 or rows[name] == n:
                taken = seconds(call, X[: rows[name]]) * n / rows[name]
                best[name] = min(best[name], taken)
            advance(f"{shape}: {name}")
    return {
        "shape": shape,
        "n": X.shape[0],
        "d": X.shape[1],
        "clusters": k,
        "dtype": str(X.dtype),
        "sparse": bool(issparse(X)),
        "contestants": {
            name: {"seconds": best[name], "rows": int(rows[name])} for name in best
        },
    }


def one_row(repeats=300):
    """Return the median seconds of partial_fit with one row, ours and MiniBatchKMeans'."""
    X = blobs(20_000, 10)
    ours = OnlineKMeans(120, random_state=0).fit(X)
    peer = MiniBatchKMeans(ours.n_clusters_, n_init=1, random_state=0).partial_fit(X)
    taken = {"ours": [], "MiniBatchKMeans": []}
    for row in X[:repeats, None]:
        taken["ours"].append(seconds(ours.partial_fit, row))
        taken["MiniBatchKMeans"].append(seconds(peer.partial_fit, row))
    result = {name: float(np.median(times)) for name, times in taken.items()}
    return {"clusters": ours.n_clusters_, "d": X.shape[1], **result}


def main(argv=None):
    """Run the contest, print its table and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks speed", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (5)")
    parser.add_argument("--limit", type=float, default=60, help="seconds per call (60)")
    parser.add_argument("--n-jobs", type=int, default=None, help="threads of ours")
    parser.add_argument("--out", type=Path, default=Path("speed-report"))
    arguments = parser.parse_args(argv)

    console = Console()
    results = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def advance(description):
            progress.update(task, description=description)

        for shape in arguments.shapes:
            results.append(
                measure(shape, arguments.rounds, arguments.limit, arguments.n_jobs, advance)
            )
        advance("one row")
        row = one_row()
    print_table(console, results, row)
    write_report(arguments.out, results, row)
    console.print(f"The report is in {arguments.out}: index.html, speed.json, speed.png")
