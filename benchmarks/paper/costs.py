"""What Figures 1 to 5 are drawn from: how many centers open, and what they cost.

All costs are of all rows to the final centers, however these were chosen. The centers of
one pass are compared with as many rows chosen uniformly at random, and with as many chosen
by k-means++, without any steps of Lloyd's algorithm after it. Beside the samples that
opened the clusters there are the means of the clusters, and as many means of clusters
merged from those of a pass that aims at five times as many.
"""

import copy
import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import kmeans_plusplus

from onlinekmeans_sklearn import OnlineKMeans

from .variant import ScriptsOnlineKMeans

VARIANTS = {"text": OnlineKMeans, "scripts": ScriptsOnlineKMeans}
ORDERS = ("file", "shuffled")
FINER = 5  # times as many online clusters, for those that are merged


def costs(X, y, k_target, run, variant, baselines, order="file"):
    """Return the number of centers of one pass over the rows, and the costs.

    Parameters
    ----------
    X : {array, CSR} of shape (n_samples, n_features)
        The rows, in the order of the stream.
    y : ignored
    k_target : int
        How many centers to aim at.
    run : int
        The seed of the pass, and of the baselines: the same numbers every time.
    variant : {"text", "scripts"}
        Algorithm 3 as the paper has it, or as the authors' scripts do.
    baselines : bool
        Whether to choose k_actual centers at random and by k-means++, too.
    order : {"file", "shuffled"}, default="file"
        Whether the rows come as they are or, by the seed, in any order.

    Returns
    -------
    result : dict
        k_actual, f_online, f_0 and, with baselines, f_random, f_kmpp, f_means and f_merged.
    """
    for name, value, known in (("variant", variant, VARIANTS), ("order", order, ORDERS)):
        if value not in known:
            expected = ", ".join(map(repr, known))
            raise ValueError(f"Got {name}={value!r}, but expected one of {expected}.")
    if order == "shuffled":
        X = X[np.random.RandomState([run, 3]).permutation(X.shape[0])]
    model = VARIANTS[variant](k=k_target, random_state=run).fit(X)
    result = {
        "k_actual": model.n_clusters_,
        "f_online": cost(X, model.cluster_centers_),
        "f_0": sum_of_squares(X),
    }
    if baselines:
        result["f_random"] = cost(X, random_rows(X, model.n_clusters_, run))
        result["f_kmpp"] = cost(X, kmpp_rows(X, model.n_clusters_, run))
        result["f_means"] = -with_means(model).score(X)
        result["f_merged"] = -merged(X, k_target, model.n_clusters_, run).score(X)
    return result


def with_means(model):
    """Return the same clusters with their means as centers, from the same pass."""
    return copy.copy(model).set_params(centers="means").partial_fit()


def merged(X, k_target, n_clusters, run):
    """Return so many clusters, merged from about FINER times as many."""
    model = OnlineKMeans(n_clusters, k=FINER * k_target, random_state=run)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* online clusters")
        return model.fit(X)


def cost(X, centers):
    """Return the sum of squared distances of all rows to the nearest of the centers.

    The centers are some of the rows, stored as they are. An online pass over them that
    aims at more makes a center of every one that is new, and its score is exact: products
    only find the nearest center, and differences of float64 give the distance to it, so
    that nothing is lost however far from the origin the rows are.
    """
    model = OnlineKMeans(k=max(16, 5 * centers.shape[0]), random_state=0).fit(centers)
    return -model.score(X)


def sum_of_squares(X):
    """Return the paper's f_0: the cost of one center at the origin."""
    values = X.data if issparse(X) else X
    return float(np.square(values, dtype=np.float64).sum())


def random_rows(X, count, run):
    """Return `count` of the rows, chosen uniformly at random without replacement."""
    random_state = np.random.RandomState([run, 1])  # not the numbers of the pass
    return X[random_state.choice(X.shape[0], count, replace=False)]


def kmpp_rows(X, count, run):
    """Return `count` of the rows, chosen by k-means++.

    Every row is drawn with a probability proportional to its squared distance to the rows
    before it, once. That is the k-means++ of Arthur & Vassilvitskii (SODA 2007), which the
    paper cites; scikit-learn's default is the greedy one, which draws several and keeps
    the best. A row that equals one before it may come where distances are rounded: it is
    a center that is of no use.
    """
    _, chosen = kmeans_plusplus(
        X.astype(np.float64, copy=False),
        count,
        random_state=np.random.RandomState([run, 2]),
        n_local_trials=1,
    )
    return X[chosen]
