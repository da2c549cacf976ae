"""What the theorems say, beside what Algorithms 1 and 2 do on the first rows of a dataset.

W is the cost of the online assignments, W* that of the best k clusters, w* the lower bound
of it that the algorithm starts from, n the rows and C the centers. The paper's theorems, in
its numbering:

1. Algorithm 1: E[|C|] = O(k log n log(W*/w*)).
2. Algorithm 1: E[W] = O(W*).
3. Algorithm 2: E[|C|] = O(k log n log(W*/w*)).
4. Algorithm 2: E[W] = O(W* log n).

If they hold, the constants that the O hides stay bounded as n grows. Logarithms are base 2.
"""

import math
import weakref

import numpy as np
from sklearn.cluster import KMeans

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

ALGORITHMS = ("semi-online", "online")
K = 3  # small, or most rows of the smallest share become centers
SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
STARTS = 5  # of KMeans, the best of which stands for the best k clusters


class BestCosts:
    """W* of the first rows of a dataset, kept until another dataset comes."""

    def __init__(self):
        self._dataset = None  # weak: not to be kept in memory for this
        self._costs = {}

    def __call__(self, X, n, k):
        """Return the cost of the best of several KMeans, no less than the best there is."""
        if self._dataset is None or self._dataset() is not X:
            self._dataset, self._costs = weakref.ref(X), {}
        if (n, k) not in self._costs:
            model = KMeans(k, n_init=STARTS, random_state=0)
            rows = X[:n].astype(np.float64)
            self._costs[n, k] = float(model.fit(rows).inertia_)
        return self._costs[n, k]


best_cost = BestCosts()


def theory(X, y, algorithm, k, share, run):
    """Return what the theorems are about, of one pass over the first rows.

    Parameters
    ----------
    X : {array, CSR} of shape (n_samples, n_features)
        The rows, in the order of the stream.
    y : ignored
    algorithm : {"semi-online", "online"}
        Algorithm 1, that knows n and finds w* as the other does, or Algorithm 2.
    k : int
        The number of clusters to compete with.
    share : float
        Of the rows, that are read.
    run : int
        The seed of the pass.

    Returns
    -------
    result : dict
        n, k_actual, W, W_star and w_star. W_star is the cost of the best of several
        KMeans, the same for every run: an upper estimate of the optimum.
    """
    n = rows_of_share(X, share)
    rows = X[:n]
    check_distinct(rows, k + 2)
    model = model_of(algorithm, k, n, run).fit(rows)
    per_facility = k * math.log2(n) if algorithm == "semi-online" else k
    return {
        "n": n,
        "k_actual": model.n_clusters_,
        "W": float(model.online_inertia_),
        "W_star": best_cost(X, n, k),
        "w_star": float(model.facility_costs_[0] * per_facility),
    }


def model_of(algorithm, k, n, run):
    """Return the estimator of an algorithm, for n rows."""
    if algorithm == "semi-online":
        return SemiOnlineKMeans(k=k, n_samples=n, random_state=run)
    if algorithm == "online":
        return OnlineKMeans(k=k, algorithm="theoretical", random_state=run)
    expected = ", ".join(map(repr, ALGORITHMS))
    raise ValueError(f"Got algorithm={algorithm!r}, but expected one of {expected}.")


def rows_of_share(X, share):
    """Return how many rows a share of them is."""
    if not 0 < share <= 1:
        raise ValueError(
            f"Got share={share!r}, but expected more than 0 and at most 1: 1 is all rows."
        )
    return max(1, round(share * X.shape[0]))


def check_distinct(rows, least):
    """Raise ValueError if fewer rows than that differ from each other.

    The prefix takes k + 1 of them, and W* is more than w* if there is another one.
    """
    # aims at more than the cap: every row that is new becomes a center, up to the cap
    k = max(16, 5 * least)
    model = OnlineKMeans(k=k, max_clusters=least, random_state=0).fit(rows)
    if model.n_clusters_ < least:
        raise ValueError(
            f"Got {rows.shape[0]} rows, {model.n_clusters_} of them distinct, but expected "
            f"at least k + 2 = {least} distinct ones: take a larger share or a smaller k."
        )


def clusters_constant(result, k):
    """Return what Theorems 1 and 3 hide: k_actual over k log n log(W*/w*)."""
    spread = math.log2(result["W_star"] / result["w_star"])
    return result["k_actual"] / (k * math.log2(result["n"]) * spread)


def cost_constant(result, algorithm):
    """Return what Theorems 2 and 4 hide: W over W*, or for Algorithm 2 W over W* log n."""
    ratio = result["W"] / result["W_star"]
    return ratio if algorithm == "semi-online" else ratio / math.log2(result["n"])
