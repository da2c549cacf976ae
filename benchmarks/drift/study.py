"""What the centers learned so far cost on the next window, window after window.

After each window every contestant gives its centers, and the next window is looked up in
them. The cost is divided by the best: the least of several ``KMeans`` on that next window
itself, which nobody can know. A stream's figure is the geometric mean over all windows but
the first, so that a factor of two counts the same whatever the scale. Time is that of
reading and of making the centers.

river reads row by row. It gets the first rows of every window, as many as it can be
expected to read within the limit, and is left out if those are fewer than the clusters.
Its figures are those of one seed.
"""

import time
import warnings
from itertools import pairwise

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..quality.study import cost
from .contestants import CONTESTANTS, RIVER

BEST_OF = 5  # runs of KMeans on the next window itself
TRIED = 120  # rows, or more, after which river has what it keeps; then it is timed


def best_costs(windows, n_clusters, seed):
    """Return the least cost known for each window but the first."""
    model = KMeans(n_clusters, n_init=BEST_OF, random_state=seed)
    return [model.fit(X).inertia_ for X in windows[1:]]


def rows_within(start, windows, n_clusters, seed, limit):
    """Return how many rows of each window can be read within the limit."""
    some, taken = windows[0][: max(TRIED, 5 * n_clusters)], 0.0
    learn = start(some, n_clusters, seed)
    for _ in range(2):
        if taken < limit:
            begin = time.perf_counter()
            learn(some)
            taken = time.perf_counter() - begin
    read = min(len(windows[0]), int(limit * len(some) / (taken * len(windows))))
    if read < n_clusters:
        raise TimeoutError(f"would take longer than {limit:g} s")
    return read


def run(start, windows, n_clusters, seed, rows):
    """Return the cost of each window but the first, and the seconds for all rows."""
    learn = start(windows[0][:rows], n_clusters, seed)
    costs, seconds = [], 0.0
    for X, following in pairwise(windows):
        begin = time.perf_counter()
        centers = learn(X[:rows])
        seconds += time.perf_counter() - begin
        costs.append(cost(following, centers))
    return costs, seconds * len(windows[0]) / rows


def one_seed(stream, seed, limit, advance):
    """Return what a stream is like, the figures of a seed, and why others are left out.

    Figures, by contestant: cost / best for each window, milliseconds, and rows read.
    """
    windows = stream.make(seed)
    n_clusters, rows = stream.n_clusters, len(windows[0])
    advance("the best", 0)
    best = np.array(best_costs(windows, n_clusters, seed))
    figures, left_out = {}, {}
    for name, start in CONTESTANTS.items():
        advance(name, 1 / len(CONTESTANTS))
        if name in RIVER and seed > 0:
            continue
        try:
            read = rows
            if name in RIVER:
                read = rows_within(start, windows, n_clusters, seed, limit)
            costs, seconds = run(start, windows, n_clusters, seed, read)
        except Exception as error:
            if name not in RIVER:
                raise
            left_out[name] = (str(error) or type(error).__name__).splitlines()[0]
            continue
        milliseconds = seconds * 1e6 / (rows * (len(windows) - 1))
        figures[name] = costs / best, milliseconds, read
    about = {"windows": len(windows), "rows": rows, "features": windows[0].shape[1]}
    return about, figures, left_out


def measure(name, stream, seeds, limit, advance):
    """Return all figures of a stream.

    `advance` is told of the work done, as a share of all there is for the stream.
    """
    runs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that are alike
        warnings.filterwarnings("ignore", "The 'half_life' parameter")  # short windows
        for seed in range(seeds):
            runs.append(
                one_seed(
                    stream,
                    seed,
                    limit,
                    lambda what, share: advance(f"{name}: {what}", share / seeds),
                )
            )
    return {
        "stream": name,
        "about": stream.about,
        "n_clusters": stream.n_clusters,
        **runs[0][0],
        "contestants": {
            name: summary([figures[name] for _, figures, _ in runs if name in figures])
            for name in CONTESTANTS
            if name in runs[0][1]
        },
        "left out": runs[0][2],
    }


def geometric_mean(values, axis=None):
    """Return the mean by which factors are to be averaged, to four digits."""
    means = np.exp(np.mean(np.log(values), axis=axis))
    return [float(f"{mean:.4g}") for mean in means] if means.ndim else float(means)


def summary(runs):
    """Return the figures of a contestant: cost / best over time, and the others."""
    ratios, milliseconds, read = zip(*runs)
    return {
        "cost / best": geometric_mean(ratios, axis=0),
        "by seed": geometric_mean(ratios, axis=1),
        "ms per 1,000 rows": float(np.median(milliseconds)),
        "rows read of a window": read[0],
    }


def ratio(result, name):
    """Return the mean of cost / best over windows and seeds; None if absent."""
    figures = result["contestants"].get(name)
    return None if figures is None else geometric_mean(figures["cost / best"])
