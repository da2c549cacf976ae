"""The two estimators: Algorithms 2 and 3 of the paper, and Algorithm 1."""

import math
from numbers import Real

import numpy as np

from ._base import BaseOnlineKMeans
from ._schedule import Practical, SemiOnline, Theoretical
from ._validation import check_integer, check_one_of


class OnlineKMeans(BaseOnlineKMeans):
    """Online k-means clustering: one pass, any order, as many clusters as it takes.

    Each sample gets its cluster before the next one is seen: it either joins the nearest
    centre or becomes a centre itself, the more likely the farther away it is. The number
    of clusters follows the data, a cluster's id never changes, and the cost stays near
    that of the best k-means clustering for any order of the stream [1]_.

    Parameters
    ----------
    k : int or "auto", default="auto"
        With ``algorithm="practical"`` the number of clusters to aim at, the paper's
        k_target; the number that opens is near it, not bounded by it. With
        ``algorithm="theoretical"`` the number of clusters to compete with, the paper's k;
        many more open. "auto" is 100 and 10; with an int `n_clusters`, 30 times and once
        that number.
    algorithm : {"practical", "theoretical"}, default="practical"
        The paper's Algorithm 3 or Algorithm 2. The guarantee is proven for the latter.
    n_clusters : int or None, default=None
        None: the online clusters are the answer. An int: a last step merges them, by
        k-means of their means weighted by their counts, into so many.
    max_clusters : int or None, default=None
        None, or a cap: when so many online clusters are open, no more open, and every
        sample joins the nearest, however far. The width of `transform` is then fixed from
        the first batch on, with columns of zeros for clusters still to come. At the cap
        the guarantee ends: choose it well above `k`.
    encode : {"onehot", "onehot-dense", "ordinal", "distance", "triangle"}, \
            default="onehot"
        What `transform` returns: a one for the cluster among zeros, as CSR or as an array;
        the number of the cluster; the distances to all centres; or by how much each centre
        is nearer than the average one, ``max(0, mean(z) - z_j)`` for distances ``z``.
    n_jobs : int or None, default=None
        The number of threads that look for nearest centres. None and -1 are what
        scikit-learn's own threaded code would use: all processors, or fewer where
        OMP_NUM_THREADS, :func:`threadpoolctl.threadpool_limits` or a joblib worker says
        so; -2 is one less. Calls that run at once share them. The result does not depend
        on it.
    random_state : int, RandomState instance or None, default=None
        The source of the one uniform number per sample. Pass an int for the same result
        every time.

    Attributes
    ----------
    cluster_centers_ : {ndarray, sparse matrix} of shape (n_clusters, n_features)
        The final centres: samples of the stream, or, with an int `n_clusters`, means of
        merged clusters. CSR if the stream is sparse.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample of the last `fit` or `partial_fit`, as it was decided
        when the sample was read. `predict` looks at the final centres instead.
    n_clusters_ : int
        The number of final centres, the paper's k_actual.
    counts_ : ndarray of shape (n_online_clusters,)
        The number of samples assigned to each online cluster.
    cluster_means_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The mean of the samples of each online cluster.
    opened_at_ : ndarray of shape (n_online_clusters,)
        The position in the stream, from 0, of the sample that opened each online cluster.
    online_centers_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The samples at which the online clusters were opened.
    online_labels_ : ndarray of shape (n_samples,)
        As `labels_`, before any merge. The id of an online cluster never changes.
    online_to_merged_ : ndarray of shape (n_online_clusters,)
        The final cluster of each online cluster.
    inertia_ : float
        The paper's W: the sum of squared distances at the moment of assignment.
    facility_cost_ : float
        What opening a centre costs now, the paper's f_r. 0 while the stream has fewer
        distinct samples than the algorithm takes as its first centres.
    facility_costs_ : ndarray of shape (n_phases,)
        What it cost in each phase so far.
    n_phases_ : int
        The number of phases so far, the paper's r: each raises the facility cost. 0 as
        long as `facility_cost_` is 0.
    phase_starts_ : ndarray of shape (n_phases,)
        How many samples came before each phase.
    n_samples_seen_ : int
        The number of samples read since `fit` or the first `partial_fit`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    SemiOnlineKMeans : Uses what is known of the stream beforehand.
    sklearn.cluster.MiniBatchKMeans : A fixed number of centres that move.
    sklearn.cluster.Birch : Builds a tree of subclusters.

    Notes
    -----
    Any way of cutting a stream into `partial_fit` calls gives the same centres, labels,
    counts, means and costs, to the last bit. See the user guide for the rules that the
    paper leaves open.

    References
    ----------
    .. [1] E. Liberty, R. Sriharsha, M. Sviridenko. An Algorithm for Online K-Means
       Clustering. ALENEX 2016, pages 81-89.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinekmeans_sklearn import OnlineKMeans
    >>> X = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [0, 0], [9, 9]])
    >>> model = OnlineKMeans(random_state=0).fit(X)
    >>> model.labels_
    array([0, 1, 2, 3, 0, 2], dtype=int32)
    >>> OnlineKMeans(n_clusters=2, random_state=0).fit(X).predict([[1, 1], [8, 8]])
    array([0, 1], dtype=int32)
    """

    def __init__(
        self,
        k="auto",
        *,
        algorithm="practical",
        n_clusters=None,
        max_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        self.k = k
        self.algorithm = algorithm
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.encode = encode
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_one_of("algorithm", self.algorithm, ("practical", "theoretical"))

    def _schedule(self, n_rows):
        if self.algorithm == "practical":
            return Practical(self._resolved_k(default=100, per_cluster=30))
        return Theoretical(self._resolved_k(default=10, per_cluster=1))


class SemiOnlineKMeans(BaseOnlineKMeans):
    """Online k-means clustering with a lower bound of the cost and the stream's length.

    Algorithm 1 of the paper [1]_. Like :class:`OnlineKMeans` it gives each sample its
    cluster before the next one is seen. Knowing roughly what the best clustering costs
    and how many samples will come, it has the tighter guarantee: an expected cost within
    a constant factor of the best one with k clusters. Both estimates enter by their
    logarithm, so rough ones will do.

    Parameters
    ----------
    k : int or "auto", default="auto"
        The number of clusters to compete with, the paper's k; many more open. "auto" is
        10, or `n_clusters` if that is an int.
    lower_bound : float or None, default=None
        A lower bound of the cost of the best k clusters, the paper's w*. The closer it
        is, the fewer clusters open. None: half the smallest squared distance among the
        first k + 1 distinct samples, which become centres.
    n_samples : int or None, default=None
        The length of the whole stream, the paper's n. None: the number of rows of the
        first call. To cut a stream into several calls without a change, pass it.
    n_clusters : int or None, default=None
        None: the online clusters are the answer. An int: a last step merges them, by
        k-means of their means weighted by their counts, into so many.
    max_clusters : int or None, default=None
        None, or a cap: when so many online clusters are open, no more open, and every
        sample joins the nearest, however far. The width of `transform` is then fixed from
        the first batch on, with columns of zeros for clusters still to come. At the cap
        the guarantee ends: choose it well above `k`.
    encode : {"onehot", "onehot-dense", "ordinal", "distance", "triangle"}, \
            default="onehot"
        What `transform` returns: a one for the cluster among zeros, as CSR or as an array;
        the number of the cluster; the distances to all centres; or by how much each centre
        is nearer than the average one, ``max(0, mean(z) - z_j)`` for distances ``z``.
    n_jobs : int or None, default=None
        The number of threads that look for nearest centres. None and -1 are what
        scikit-learn's own threaded code would use: all processors, or fewer where
        OMP_NUM_THREADS, :func:`threadpoolctl.threadpool_limits` or a joblib worker says
        so; -2 is one less. Calls that run at once share them. The result does not depend
        on it.
    random_state : int, RandomState instance or None, default=None
        The source of the one uniform number per sample. Pass an int for the same result
        every time.

    Attributes
    ----------
    cluster_centers_ : {ndarray, sparse matrix} of shape (n_clusters, n_features)
        The final centres: samples of the stream, or, with an int `n_clusters`, means of
        merged clusters. CSR if the stream is sparse.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample of the last `fit` or `partial_fit`, as it was decided
        when the sample was read. `predict` looks at the final centres instead.
    n_clusters_ : int
        The number of final centres, the paper's k_actual.
    counts_ : ndarray of shape (n_online_clusters,)
        The number of samples assigned to each online cluster.
    cluster_means_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The mean of the samples of each online cluster.
    opened_at_ : ndarray of shape (n_online_clusters,)
        The position in the stream, from 0, of the sample that opened each online cluster.
    online_centers_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The samples at which the online clusters were opened.
    online_labels_ : ndarray of shape (n_samples,)
        As `labels_`, before any merge. The id of an online cluster never changes.
    online_to_merged_ : ndarray of shape (n_online_clusters,)
        The final cluster of each online cluster.
    inertia_ : float
        The paper's W: the sum of squared distances at the moment of assignment.
    facility_cost_ : float
        What opening a centre costs now, the paper's f_r. 0 while the stream has fewer
        distinct samples than the algorithm takes as its first centres.
    facility_costs_ : ndarray of shape (n_phases,)
        What it cost in each phase so far.
    n_phases_ : int
        The number of phases so far, the paper's r: each raises the facility cost. 0 as
        long as `facility_cost_` is 0.
    phase_starts_ : ndarray of shape (n_phases,)
        How many samples came before each phase.
    n_samples_seen_ : int
        The number of samples read since `fit` or the first `partial_fit`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    OnlineKMeans : Needs to know nothing beforehand.

    Notes
    -----
    Given `n_samples`, any way of cutting a stream into `partial_fit` calls gives the same
    centres, labels, counts, means and costs, to the last bit.

    References
    ----------
    .. [1] E. Liberty, R. Sriharsha, M. Sviridenko. An Algorithm for Online K-Means
       Clustering. ALENEX 2016, pages 81-89.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinekmeans_sklearn import SemiOnlineKMeans
    >>> X = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [0, 0], [9, 9]])
    >>> model = SemiOnlineKMeans(k=2, lower_bound=1, random_state=0).fit(X)
    >>> model.n_clusters_
    4
    >>> round(model.facility_cost_, 3)
    0.193
    """

    def __init__(
        self,
        k="auto",
        *,
        lower_bound=None,
        n_samples=None,
        n_clusters=None,
        max_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        self.k = k
        self.lower_bound = lower_bound
        self.n_samples = n_samples
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.encode = encode
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_integer("n_samples", self.n_samples, or_one_of=[None])
        if self.lower_bound is not None and not 0 < _as_float(self.lower_bound) < np.inf:
            raise ValueError(
                f"Got lower_bound={self.lower_bound!r}, but expected None or a positive, "
                "finite number: a lower bound of the best k-means cost."
            )

    def _schedule(self, n_rows):
        k = self._resolved_k(default=10, per_cluster=1)
        n_samples = n_rows if self.n_samples is None else self.n_samples
        return SemiOnline(k, self.lower_bound, n_samples)


def _as_float(value):
    """Return a number as a float, infinite if it is too large, NaN if it is none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
