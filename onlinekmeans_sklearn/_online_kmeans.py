"""The two estimators: Algorithms 2 and 3 of the paper, and Algorithm 1."""

from ._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from ._algorithm.merge import k_for_merge
from ._base import BaseOnlineKMeans
from ._utils.docstrings import documented_like
from ._utils.validation import warn_user


class OnlineKMeans(BaseOnlineKMeans):
    """Online k-means clustering: one pass, as many clusters as it takes, ids that last.

    Each sample gets its cluster before the next one is seen: it either joins the nearest
    center or becomes a center itself, with a probability that grows with its distance.
    The number of clusters follows the data, and a cluster's id never changes; with
    `n_clusters` the clusters are merged into exactly that many. In practice the cost stays
    low; for ``algorithm="theoretical"`` it is proven to be near that of the best k-means
    clustering, in any order of the stream [1]_. A small group that comes late may still
    join an old cluster: `n_clusters`, a larger `k` or `half_life` make that less likely.

    Parameters
    ----------
    n_clusters : int or None, default=None
        If an int, merge the online clusters into exactly this many by weighted k-means. If
        None, keep them as they are.
    k : int or "auto", default="auto"
        The number of clusters to aim at. About this many open; it is not a limit (see
        `max_clusters`). Values below 16 act like 16, with a warning. With
        ``algorithm="theoretical"``, the number of clusters to compete with; many more
        open. "auto" is 100 (10 if theoretical), or, if `n_clusters` is an int,
        ``30 * n_clusters**0.92`` (`n_clusters` if theoretical).
    algorithm : {"practical", "theoretical"}, default="practical"
        The paper's Algorithm 3 or Algorithm 2. The guarantee is proven for the latter.
    half_life : int or None, default=None
        The number of further samples after which a sample counts half, after twice as many
        a quarter, and so on, so that clusters follow a changing stream. Clusters whose
        weight gets too small retire: they keep their ids, but no sample joins them
        again. About ``0.06 * k`` clusters open per half-life. Not with `max_clusters`. If
        None, nothing is forgotten.
    centers : {"samples", "means"}, default="samples"
        What `cluster_centers_` holds if `n_clusters` is None: the samples that opened the
        clusters, or the means of the clusters, which have a lower cost. `labels_` are the
        same either way. If `n_clusters` is an int, the centers are always means.
    max_clusters : int or None, default=None
        The largest number of online clusters. Once that many are open, every sample joins
        the nearest one, however far, and the guarantee ends: choose it well above `k`.
        The width of `transform` is then fixed from the first batch on, with columns for
        clusters still to come. If None, there is no limit.
    encode : {"onehot", "onehot-dense", "ordinal", "distance", "triangle", "local"}, \
            default="onehot"
        The output of `transform`:

        - "onehot": 1 for the cluster of the sample among zeros, as a sparse matrix in CSR
          format;
        - "onehot-dense": the same as an array;
        - "ordinal": the number of the cluster;
        - "distance": the distances to all centers. A center that does not exist yet (a
          cluster still to come, or in `partial_fit_transform` one that opened after the
          sample) gets the largest distance of the sample to a center that does: a finite
          number, and never one that makes an absent center look near;
        - "triangle": by how much each center is nearer than the average one,
          ``max(0, mean(z) - z_j)`` for distances ``z``. A center that does not exist yet
          gets 0;
        - "local": what a linear model needs for a plane of its own in each cluster, as a
          sparse matrix in CSR format with ``1 + n_features`` columns for each. Of the four
          nearest centers, at distances ``z_1 <= ... <= z_4``, the first three have
          ``w_j * [1, 2 * (x - c_j) / z_4]`` there, with weights proportional to
          ``z_4**2 - z_j**2`` that add up to 1, so that one plane changes smoothly into the
          next. It helps linear models most, if there are not too many columns: at most a
          third of the number of samples, say.
    n_jobs : int or None, default=None
        The number of threads that look for nearest centers. None means the `n_jobs` of
        ``joblib.parallel_config`` if that is set, else -1. -1 means as many as
        scikit-learn's own threaded code would use: all processors, or fewer where
        ``OMP_NUM_THREADS``, ``threadpoolctl.threadpool_limits`` or a joblib worker limits
        them. -2 means one fewer. Calls that run at once share the threads. The result does
        not depend on their number.
    random_state : int, RandomState instance or None, default=None
        Seeds the random number drawn for each sample. Pass an int for reproducible
        results.

    Attributes
    ----------
    cluster_centers_ : {ndarray, sparse matrix} of shape (n_clusters, n_features)
        The final centers: samples of the stream or means, depending on `centers`; with an
        int `n_clusters`, means of merged clusters, in an array. Otherwise in CSR format if
        the stream is sparse.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample of the last `fit` or `partial_fit`, as it was decided
        when the sample was read. `predict` looks at the final centers instead.
    n_clusters_ : int
        The number of final centers.
    counts_ : ndarray of shape (n_online_clusters,)
        The number of samples assigned to each online cluster. With `half_life` or
        `sample_weight`, their weight, in float64: with `half_life` what is left of it, and
        0 for clusters that have retired.
    cluster_means_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The weighted mean of the samples of each online cluster; of a retired one, its
        center.
    opened_at_ : ndarray of shape (n_online_clusters,)
        The position in the stream, from 0, of the sample that opened each online cluster.
    online_centers_ : {ndarray, sparse matrix} of shape (n_online_clusters, n_features)
        The samples at which the online clusters were opened. With an int `n_clusters` and
        dense data, where they have moved since: to means of their samples.
    online_labels_ : ndarray of shape (n_samples,)
        As `labels_`, before any merge. The id of an online cluster never changes.
    online_to_merged_ : ndarray of shape (n_online_clusters,)
        The final cluster of each online cluster; of a retired one, the nearest.
    merged_since_ : ndarray of shape (n_clusters,)
        With an int `n_clusters`, how many samples came before the id of each merged cluster
        got its present meaning: ids last from merge to merge, unless a cluster dissolves.
    online_distances_ : ndarray of shape (n_samples,)
        The distance of each sample of the last `fit` or `partial_fit` to the center of its
        online cluster, when it was read. 0 for a sample that opened one.
    inertia_ : float
        The weighted sum of squared distances of all samples to the final center of their
        label.
    online_inertia_ : float
        The paper's W: the weighted sum of squared distances at the moment of assignment.
    facility_cost_ : float
        What opening a center costs now, the paper's f_r. 0 while the stream has fewer
        distinct samples than the algorithm takes as its first centers.
    facility_costs_ : ndarray of shape (n_phases,)
        The facility cost at the start of each phase so far, of the last 4096 at most.
    n_phases_ : int
        The number of phases so far, the paper's r: each raises the facility cost.
    phase_starts_ : ndarray of shape (n_phases,)
        How many samples came before each of these phases.
    n_samples_seen_ : int
        The number of samples read since `fit` or the first `partial_fit`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    SemiOnlineKMeans : Uses what is known about the stream beforehand.
    sklearn.cluster.KMeans : Reads the data many times, from memory.
    sklearn.cluster.MiniBatchKMeans : A fixed number of centers that move.
    sklearn.cluster.Birch : Builds a tree of subclusters.

    Notes
    -----
    Any way of cutting a stream into `partial_fit` calls gives the same centers, labels,
    counts, means and costs, bit for bit. :ref:`algorithm_rules` has what the paper
    leaves open.

    `k`, `algorithm`, `half_life`, `max_clusters` and `random_state` are read when a stream
    starts, by `fit` or the first `partial_fit`; changing them by `set_params` takes effect
    with the next `fit`. The other parameters are those of the last `fit` or `partial_fit`:
    after one pass ``set_params(n_clusters=20).partial_fit()`` gives another number of
    clusters.

    References
    ----------
    .. [1] E. Liberty, R. Sriharsha, M. Sviridenko. An Algorithm for Online K-Means
       Clustering. ALENEX 2016, pages 81-89.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinekmeans_sklearn import OnlineKMeans
    >>> X = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [0, 0], [9, 9]])
    >>> model = OnlineKMeans(2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1, 0, 1], dtype=int32)
    >>> model.predict([[1, 1], [8, 8]])
    array([0, 1], dtype=int32)

    With `k` instead, clusters open as samples are read, at first one for each new sample:

    >>> OnlineKMeans(k=100, random_state=0).fit(X).labels_
    array([0, 1, 2, 3, 0, 2], dtype=int32)
    """

    _read_at_start = ("k", "algorithm", "half_life", "max_clusters")

    def __init__(
        self,
        n_clusters=None,
        *,
        k="auto",
        algorithm="practical",
        half_life=None,
        centers="samples",
        max_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(n_clusters, k, centers, max_clusters, encode, n_jobs, random_state)
        self.algorithm = algorithm
        self.half_life = half_life

    def _schedule(self, n_rows):
        if self.algorithm == "practical":
            return Practical(self._resolved_k(default=100, for_merge=k_for_merge))
        return Theoretical(self._resolved_k(default=10, for_merge=int))

    def _warn_before_reading(self, stream, n_rows, is_partial):
        if stream.n_seen > 0:
            return
        k = int(stream.schedule.n_to_keep(1))
        if stream.half_life < k:
            warn_user(
                f"The 'half_life' parameter of {type(self).__name__} is {self.half_life}, "
                f"fewer samples than the {k} clusters it aims at: most clusters will hold "
                "a sample or two. Pass a larger half_life or a smaller k."
            )
        if self.algorithm == "practical" and self.k != "auto" and self.k < 16:
            exactly = self.n_clusters or self.k
            warn_user(
                f"The 'k' parameter of {type(self).__name__} is {self.k}, but "
                "algorithm='practical' cannot target fewer than 16 clusters: it opens as "
                f"many as for k=16. For exactly {exactly} clusters pass "
                f"n_clusters={exactly} and leave k at 'auto'; for fewer online clusters "
                "pass max_clusters."
            )


@documented_like(OnlineKMeans)
class SemiOnlineKMeans(BaseOnlineKMeans):
    """Online k-means clustering with a lower bound on the cost and the stream's length.

    Algorithm 1 of the paper [1]_. Like :class:`OnlineKMeans` it gives each sample its
    cluster before the next one is seen. Knowing roughly what the best clustering costs
    and how many samples will come, it has the tighter guarantee: an expected cost within
    a constant factor of the best one with k clusters. The bounds depend on the logarithm
    of both estimates only, so rough ones are good enough.

    Parameters
    ----------
    %(n_clusters)s
    k : int or "auto", default="auto"
        The number of clusters to compete with, the paper's k; many more open. "auto" is
        10, or `n_clusters` if that is an int.
    lower_bound : float or None, default=None
        A lower bound on the cost of the best k clusters, the paper's w*. The closer it
        is, the fewer clusters open. If None, take half the smallest squared distance among
        the first k + 1 distinct samples, which become centers.
    n_samples : int or None, default=None
        The length of the whole stream, the paper's n. If None, take the number of rows of
        the first call, and warn if that is a `partial_fit`. There is also a warning when
        the stream gets twice as long as that.
    %(centers)s
    %(max_clusters)s
    %(encode)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    OnlineKMeans : Needs to know nothing beforehand.

    Notes
    -----
    Given `n_samples`, any way of cutting a stream into `partial_fit` calls gives the same
    centers, labels, counts, means and costs, bit for bit.

    `k`, `lower_bound`, `n_samples`, `max_clusters` and `random_state` are read when a
    stream starts, by `fit` or the first `partial_fit`; changing them by `set_params` takes
    effect with the next `fit`.

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

    _read_at_start = ("k", "lower_bound", "n_samples", "max_clusters")

    def __init__(
        self,
        n_clusters=None,
        *,
        k="auto",
        lower_bound=None,
        n_samples=None,
        centers="samples",
        max_clusters=None,
        encode="onehot",
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(n_clusters, k, centers, max_clusters, encode, n_jobs, random_state)
        self.lower_bound = lower_bound
        self.n_samples = n_samples

    def _schedule(self, n_rows):
        k = self._resolved_k(default=10, for_merge=int)
        n_samples = n_rows if self.n_samples is None else int(self.n_samples)
        return SemiOnline(k, self.lower_bound, n_samples)

    def _warn_before_reading(self, stream, n_rows, is_partial):
        name, n_seen = type(self).__name__, stream.n_seen
        if n_seen == 0 and is_partial and self.n_samples is None:
            warn_user(
                f"The 'n_samples' parameter of {name} is None in a stream started with "
                f"partial_fit: its length is taken to be {n_rows}, the rows of this call. "
                "Pass n_samples (a rough number is good enough), or use OnlineKMeans."
            )
        expected = round(2**stream.schedule.log_n)  # only the logarithm is kept
        if n_seen < 2 * expected <= n_seen + n_rows:
            warn_user(
                f"The stream of {name} now has {n_seen + n_rows} samples, at least twice "
                f"the {expected} of the 'n_samples' parameter or of the first call; the "
                "guarantee no longer holds. Pass a larger n_samples, or use OnlineKMeans."
            )
