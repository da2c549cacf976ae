"""Documentation that the estimators, and the displays, share.

A line ``%(name)s`` in the docstring of a class, or of a method, is replaced by a text from
here, so that `help`, Sphinx and doctest see the text itself.
"""

import inspect

_TEXTS = {
    "n_clusters": """
n_clusters : int or None, default=None
    If an int, merge the online clusters into exactly this many by weighted k-means. If
    None, keep them as they are.""",
    "common_parameters": """
centers : {"samples", "means"}, default="samples"
    What `cluster_centers_` holds if `n_clusters` is None: the samples that opened the
    clusters, or the means of the clusters, which have a lower cost. `labels_` are the same
    either way. If `n_clusters` is an int, the centers are always means.
max_clusters : int or None, default=None
    The largest number of online clusters. Once that many are open, every sample joins the
    nearest one, however far, and the guarantee ends: choose it well above `k`. The width
    of `transform` is then fixed from the first batch on, with columns for clusters still
    to come. If None, there is no limit.
encode : {"onehot", "onehot-dense", "ordinal", "distance", "triangle"}, \
default="onehot"
    The output of `transform`:

    - "onehot": 1 for the cluster of the sample among zeros, as a sparse matrix in CSR
      format;
    - "onehot-dense": the same as an array;
    - "ordinal": the number of the cluster;
    - "distance": the distances to all centers. A center that is not there (a cluster still
      to come, or in `partial_fit_transform` one that opened after the sample) gets the
      largest distance of the sample to a center that is: a finite number, and never one
      that makes an absent center look near;
    - "triangle": by how much each center is nearer than the average one,
      ``max(0, mean(z) - z_j)`` for distances ``z``. A center that is not there gets 0.
n_jobs : int or None, default=None
    The number of threads that look for nearest centers. None and -1 are what
    scikit-learn's own threaded code would use: all processors, or fewer where
    ``OMP_NUM_THREADS``, ``threadpoolctl.threadpool_limits`` or a joblib worker says so;
    -2 is one less. Calls that run at once share them. The result does not depend on it.
random_state : int, RandomState instance or None, default=None
    Seeds the random number drawn for each sample. Pass an int for reproducible
    results.""",
    "attributes": """
cluster_centers_ : {ndarray, sparse matrix} of shape (n_clusters, n_features)
    The final centers: samples of the stream or means, depending on `centers`; with an int
    `n_clusters`, means of merged clusters. In CSR format if the stream is sparse.
labels_ : ndarray of shape (n_samples,)
    The cluster of each sample of the last `fit` or `partial_fit`, as it was decided when
    the sample was read. `predict` looks at the final centers instead.
n_clusters_ : int
    The number of final centers.
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
online_distances_ : ndarray of shape (n_samples,)
    The distance of each sample of the last `fit` or `partial_fit` to the center of its
    online cluster, when it was read. 0 for a sample that opened one.
inertia_ : float
    The sum of squared distances of all samples to the final center of their label.
online_inertia_ : float
    The paper's W: the sum of squared distances at the moment of assignment.
facility_cost_ : float
    What opening a center costs now, the paper's f_r. 0 while the stream has fewer distinct
    samples than the algorithm takes as its first centers.
facility_costs_ : ndarray of shape (n_phases,)
    The facility cost of each phase so far.
n_phases_ : int
    The number of phases so far, the paper's r: each raises the facility cost. 0 as long as
    `facility_cost_` is 0.
phase_starts_ : ndarray of shape (n_phases,)
    How many samples came before each phase.
n_samples_seen_ : int
    The number of samples read since `fit` or the first `partial_fit`.
n_features_in_ : int
    The number of features.
feature_names_in_ : ndarray of shape (n_features,)
    The names of the features, if `X` has string names for all of them.""",
    "client": """
client : distributed.Client or None, default=None
    The client of the cluster whose workers read. If None, take the one that Dask computes
    with by default. Without any, this process reads one partition after the other while the
    next one is loading. Workers use one thread for each task; `n_jobs` is for this
    process. A pickle, or a deep copy, has None.""",
    "dask_attributes": """
labels_ : dask Array or Series of shape (n_samples,)
    The cluster of each sample of the last `fit` or `partial_fit`, as it was decided when
    the sample was read. Computed from the samples and the centers when it is asked for.
online_labels_, online_distances_ : dask Array or Series of shape (n_samples,)
    As for the local estimator, computed when they are asked for.
cluster_centers_, n_clusters_, counts_, cluster_means_, opened_at_, online_centers_, \
online_to_merged_, inertia_, online_inertia_, facility_cost_, facility_costs_, n_phases_, \
phase_starts_, n_samples_seen_, n_features_in_, feature_names_in_ :
    As for the local estimator, in memory.""",
    "dask_samples": """
Parameters
----------
X : dask Array, dask DataFrame or list of Delayed
    The samples; the chunks of an array may be CSR.""",
    "dask_stream": """
Parameters
----------
X : dask Array, dask DataFrame or list of Delayed
    The stream, in the order of the rows and partitions. The chunks of an array may be
    CSR.""",
    "dask_batch": """
Parameters
----------
X : dask Array, dask DataFrame or list of Delayed
    The next samples of the stream, in the order of the rows and partitions.""",
    "dask_X_new": """
Returns
-------
X_new : dask Array or DataFrame
    The features, encoded as `encode` says: a frame for a frame, but with
    ``encode="onehot"`` an array with chunks in CSR.""",
    "samples": """
Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    The samples.""",
    "stream": """
Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    The stream, in the order of the rows.""",
    "batch": """
Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    The next samples of the stream, in the order of the rows.""",
    "y": """
y : Ignored
    Not used, present for API consistency by convention.""",
    "self": """
Returns
-------
self : object
    The fitted estimator.""",
    "X_new": """
Returns
-------
X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)""",
    "labels": """
Returns
-------
labels : ndarray of shape (n_samples,)
    The cluster of each sample, `labels_`, of dtype int32.""",
    "output": """
Parameters
----------
transform : {"default", "pandas", "polars"} or None, default=None
    A data frame needs a dense encoding: any but ``encode="onehot"``. None leaves the
    setting as it is.

Returns
-------
self : object
    The estimator.""",
    "names": """
Parameters
----------
input_features : array-like of str or None, default=None
    Only checked against `feature_names_in_`, as scikit-learn does.

Returns
-------
names : ndarray of str
    The name of the class in lower case and a number, such as "onlinekmeans0": one for each
    cluster, or a single one for ``encode="ordinal"``.""",
    "estimator": """
Parameters
----------
estimator : OnlineKMeans or SemiOnlineKMeans
    The fitted estimator.""",
    "plotted": """
ax : matplotlib Axes, default=None
    The axes to plot on. If None, those of a new figure.
**kwargs : dict
    Passed to :meth:`plot`.

Returns
-------
display : %(class)s
    The display, plotted.""",
    "ax": """
Parameters
----------
ax : matplotlib Axes, default=None
    The axes to plot on. If None, those of a new figure.""",
    "display": """
Returns
-------
display : %(class)s
    The display.""",
    "axes": """
Attributes
----------
ax_ : matplotlib Axes
    The axes.
figure_ : matplotlib Figure
    The figure of the axes.""",
    "reference": """
.. [1] E. Liberty, R. Sriharsha, M. Sviridenko. An Algorithm for Online K-Means
   Clustering. ALENEX 2016, pages 81-89.""",
}


def with_shared_documentation(cls):
    """Insert the shared texts into the docstrings of a class and of its methods."""
    names = {"class": cls.__name__}
    texts = {name: text.removeprefix("\n") % names for name, text in _TEXTS.items()}
    wrapped = [getattr(member, "__wrapped__", None) for member in vars(cls).values()]
    for documented in (cls, *vars(cls).values(), *wrapped):
        if "%(" in (getattr(documented, "__doc__", None) or ""):
            documented.__doc__ = inspect.cleandoc(documented.__doc__) % texts + "\n"
    return cls
