"""Cluster features: what `transform` makes of labels or distances."""

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import get_config

from ._nearest import each_panel_of_distances, nearest_shared
from ._utils.rows import index_dtype

LABEL_ENCODINGS = ("onehot", "onehot-dense", "ordinal")
DISTANCE_ENCODINGS = ("distance", "triangle")
ENCODINGS = LABEL_ENCODINGS + DISTANCE_ENCODINGS


def encode_rows(X, centers, encode, n_columns, n_jobs, decided=None):
    """Return the features of rows by the final centers.

    For the last rows of a stream, `decided` are this stream and their labels: then the
    features do not depend on centers that opened after a row.
    """
    stream, labels = decided or (None, None)
    if encode in LABEL_ENCODINGS:
        if decided is None:
            labels, _ = nearest_shared(centers, X, n_jobs, labels_only=True)
        return encode_labels(labels, encode, n_columns, X.dtype)
    features = np.empty((X.shape[0], n_columns), dtype=X.dtype)

    def encode_panel(rows, distances):
        hidden = None
        if decided is not None:
            positions = np.arange(stream.n_seen - X.shape[0], stream.n_seen)[rows, None]
            hidden = stream.opened_at > positions
        features[rows] = encode_distances(distances, encode, n_columns, X.dtype, hidden)

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


def encode_distances(distances, encode, n_clusters, dtype, hidden=None):
    """Return the features of samples whose distances to the centers are known.

    `hidden` marks the centers that opened after a sample; columns without distances are
    for clusters still to come. An absent center must not look near: its triangle is 0, its
    distance the largest of the sample to a center that is there. So the first of the
    smallest distances is always that of the nearest center.
    """
    known = np.ones(1, dtype=bool) if hidden is None else ~hidden
    if encode == "triangle":
        weights = np.broadcast_to(known, distances.shape)
        mean = np.average(distances, axis=1, weights=weights, keepdims=True)
        distances = np.maximum(mean - distances, 0)
        absent = np.zeros((len(distances), 1))
    else:
        absent = distances.max(axis=1, where=known, initial=0, keepdims=True)
    largest = distances.max(where=known, initial=0)
    if largest > np.finfo(dtype).max:
        raise ValueError(
            f"Got distances up to {largest:.3g}, too large for {np.dtype(dtype)}: pass X "
            "in float64, or scale it."
        )
    features = np.empty((len(distances), n_clusters), dtype=dtype)
    features[:, : distances.shape[1]] = np.where(known, distances, absent)
    features[:, distances.shape[1] :] = absent
    return features


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
