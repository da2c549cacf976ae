"""Cluster features: what `transform` makes of labels or distances."""

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import get_config

from ._algorithm.forgetting import every_cluster
from ._nearest import centers_from, each_panel_of_distances
from ._utils.rows import index_dtype

LABEL_ENCODINGS = ("onehot", "onehot-dense", "ordinal")
DISTANCE_ENCODINGS = ("distance", "triangle")
ENCODINGS = LABEL_ENCODINGS + DISTANCE_ENCODINGS


def encode_rows(X, final, encode, n_columns, n_jobs, decided=None):
    """Return the features of rows by the final clusters.

    For the last rows of a stream, `decided` are this stream and their labels: then the
    features depend only on centers that were live when a row was read.
    """
    stream, labels = decided or (None, None)
    if encode in LABEL_ENCODINGS:
        if decided is None:
            labels, _ = final.nearest(X, n_jobs, labels_only=True)
        return encode_labels(labels, encode, n_columns, X.dtype)
    features = np.empty((X.shape[0], n_columns), dtype=X.dtype)
    centers, columns = final.centers, final.ids
    if decided is not None:
        first = stream.n_seen - X.shape[0]
        positions = np.arange(first, stream.n_seen)[:, None]
        clusters = every_cluster(stream, centers.rows)
        columns = np.flatnonzero(clusters.retired_at > first)
        clusters = clusters.at(columns)
        centers = centers_from(clusters.rows) if stream.retired else centers
    columns = slice(len(centers)) if columns is None else columns

    def encode_panel(rows, distances):
        is_known = np.ones((1, len(centers)), dtype=bool)
        if decided is not None:
            at = positions[rows]
            is_known = (clusters.opened_at <= at) & (at < clusters.retired_at)
        values, absent = encode_distances(distances, encode, X.dtype, is_known)
        features[rows] = absent
        features[rows, columns] = np.where(is_known, values, absent)

    each_panel_of_distances(centers, X, encode_panel, n_jobs)
    return features


def encode_labels(labels, encode, n_clusters, dtype):
    """Return the features of samples whose cluster is known."""
    if encode == "ordinal":
        return labels[:, None].astype(dtype)
    ones = np.ones(len(labels), dtype=dtype)
    indptr = np.arange(len(labels) + 1, dtype=index_dtype(len(labels)))
    arrays = (ones, labels.copy(), indptr)
    onehot = csr_array(arrays, shape=(len(labels), n_clusters))
    return onehot.toarray() if encode == "onehot-dense" else as_configured(onehot)


def encode_distances(distances, encode, dtype, is_known):
    """Return the features of samples by distances to centers, and that of absent centers.

    A center is absent if it is not known: it opened after a sample, had retired before, or
    is still to come. It must not look near: its triangle is 0, its distance the largest of
    the sample to a center that is there. So the first of the smallest distances is always
    that of the nearest center.
    """
    if encode == "triangle":
        weights = np.broadcast_to(is_known, distances.shape)
        mean = np.average(distances, axis=1, weights=weights, keepdims=True)
        distances = np.maximum(mean - distances, 0)
        absent = np.zeros((len(distances), 1))
    else:
        absent = distances.max(axis=1, where=is_known, initial=0, keepdims=True)
    largest = distances.max(where=is_known, initial=0)
    if largest > np.finfo(dtype).max:
        raise ValueError(
            f"Got distances up to {largest:.3g}, too large for {np.dtype(dtype)}: pass X "
            "in float64, or scale it."
        )
    return distances, absent


def as_configured(X):
    """Return sparse `X` as the kind of CSR that scikit-learn is configured to return."""
    if not issparse(X):
        return X
    interface = get_config().get("sparse_interface", "spmatrix")
    return csr_array(X) if interface == "sparray" else csr_matrix(X)


def check_output(estimator):
    """Raise ValueError if `transform` would have to put CSR into a data frame."""
    output = getattr(estimator, "_output", get_config()["transform_output"])
    if estimator.encode == "onehot" and output in ("pandas", "polars"):
        raise ValueError(
            f"{str(output).capitalize()} output does not support the sparse output of "
            "encode='onehot'. Set encode='onehot-dense', or keep sparse data with "
            "set_output(transform='default')."
        )
