"""The estimators on Dask: partitions instead of one array, the same result bit for bit.

They need ``onlinekmeans_sklearn[dask]``.
"""

from . import _online_kmeans as local

try:
    from ._dask.estimator import DaskClusters, on_dask
except ImportError as error:
    raise ImportError(
        "onlinekmeans_sklearn.dask needs Dask: pip install 'onlinekmeans_sklearn[dask]'"
    ) from error

__all__ = ["OnlineKMeans", "SemiOnlineKMeans"]


def __dir__():
    """Return the public names, without the helpers."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


@on_dask(local.OnlineKMeans)
class OnlineKMeans(DaskClusters):
    """Online k-means clustering of a stream that is kept in Dask.

    The clusters, their ids, the labels and the costs are those of
    :class:`onlinekmeans_sklearn.OnlineKMeans` for the rows of all partitions in order, bit
    for bit, however they are partitioned and on however many workers. Only a few
    candidates for new centers and the sums of the clusters are sent to the driver.

    `fit` and `partial_fit` are eager. Results with a value for each sample are lazy: a Dask
    array if `X` is one, a Series or DataFrame if `X` is a DataFrame.

    Parameters
    ----------
    %(n_clusters)s
    k : int or "auto", default="auto"
        As for the local estimator: with ``algorithm="practical"`` the number of clusters to
        aim at, otherwise the number to compete with.
    algorithm : {"practical", "theoretical"}, default="practical"
        The paper's Algorithm 3 or Algorithm 2. The latter opens many clusters for a long
        time; while it does, workers read in turn, and more of them do not help.
    half_life : int or None, default=None
        As for the local estimator. With a half-life, workers read in turn, while others
        load the next partitions.
    %(centers)s
    %(max_clusters)s
    %(encode)s
    %(n_jobs)s
    %(random_state)s
    client : distributed.Client or None, default=None
        The client of the cluster whose workers read. If None, take the client that Dask
        uses by default; if there is none, this process reads one partition at a time,
        while the next one is loading. Workers use one thread for each task; `n_jobs`
        applies to this process. It is None in a pickle or a deep copy.

    Attributes
    ----------
    labels_ : dask Array or Series of shape (n_samples,)
        The cluster of each sample of the last `fit` or `partial_fit`, as it was decided
        when the sample was read. Computed from the samples and the centers on demand.
    online_labels_, online_distances_ : dask Array or Series of shape (n_samples,)
        As for the local estimator, computed on demand.
    cluster_centers_, n_clusters_, counts_, cluster_means_, opened_at_, online_centers_, \
online_to_merged_, merged_since_, inertia_, online_inertia_, facility_cost_, \
facility_costs_, n_phases_, phase_starts_, n_samples_seen_, n_features_in_, \
feature_names_in_ :
        As for the local estimator, in memory.

    See Also
    --------
    onlinekmeans_sklearn.OnlineKMeans : The same for data in memory.
    SemiOnlineKMeans : Uses what is known about the stream beforehand.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from onlinekmeans_sklearn.dask import OnlineKMeans
    >>> X = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [0, 0], [9, 9]])
    >>> model = OnlineKMeans(random_state=0).fit(da.from_array(X, chunks=(2, 2)))
    >>> model.labels_
    dask.array<online-kmeans-fitted-values, shape=(6,), dtype=int32, chunksize=(2,), \
chunktype=numpy.ndarray>
    >>> model.labels_.compute()
    array([0, 1, 2, 3, 0, 2], dtype=int32)
    >>> model.to_local().predict([[1, 1], [8, 8]])
    array([1, 3], dtype=int32)
    """


@on_dask(local.SemiOnlineKMeans)
class SemiOnlineKMeans(DaskClusters):
    """Online k-means clustering, with a lower bound on the cost, of a stream in Dask.

    The Dask version of :class:`onlinekmeans_sklearn.SemiOnlineKMeans`. It opens many
    clusters for a long time; while it does, workers read in turn.

    Parameters
    ----------
    %(n_clusters)s
    k : int or "auto", default="auto"
        As for the local estimator: the number of clusters to compete with.
    lower_bound : float or None, default=None
        A lower bound on the cost of the best k clusters. If None, take half the smallest
        squared distance among the first k + 1 distinct samples.
    n_samples : int or None, default=None
        The length of the whole stream. If None, take the number of rows of the first call;
        where Dask does not know it, rows are counted first, in a separate pass.
    %(centers)s
    %(max_clusters)s
    %(encode)s
    %(n_jobs)s
    %(random_state)s
    client : distributed.Client or None, default=None
        The client of the cluster whose workers read. If None, take the client that Dask
        uses by default; if there is none, this process reads one partition at a time,
        while the next one is loading. Workers use one thread for each task; `n_jobs`
        applies to this process. It is None in a pickle or a deep copy.

    Attributes
    ----------
    labels_ : dask Array or Series of shape (n_samples,)
        The cluster of each sample of the last `fit` or `partial_fit`, as it was decided
        when the sample was read. Computed from the samples and the centers on demand.
    online_labels_, online_distances_ : dask Array or Series of shape (n_samples,)
        As for the local estimator, computed on demand.
    cluster_centers_, n_clusters_, counts_, cluster_means_, opened_at_, online_centers_, \
online_to_merged_, merged_since_, inertia_, online_inertia_, facility_cost_, \
facility_costs_, n_phases_, phase_starts_, n_samples_seen_, n_features_in_, \
feature_names_in_ :
        As for the local estimator, in memory.

    See Also
    --------
    onlinekmeans_sklearn.SemiOnlineKMeans : The same for data in memory.
    OnlineKMeans : Needs to know nothing beforehand.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from onlinekmeans_sklearn.dask import SemiOnlineKMeans
    >>> X = np.array([[0, 0], [0, 1], [9, 9], [9, 8], [0, 0], [9, 9]])
    >>> model = SemiOnlineKMeans(k=2, lower_bound=1, random_state=0)
    >>> model.fit(da.from_array(X, chunks=(2, 2))).n_clusters_
    4
    """
