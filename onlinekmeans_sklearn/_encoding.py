"""Cluster features: what `transform` makes of labels or distances."""

import numpy as np
from scipy.sparse import csr_array, csr_matrix, hstack, issparse, vstack
from sklearn import get_config

from ._algorithm.forgetting import every_cluster
from ._nearest import centers_from, each_panel
from ._utils.rows import canonical, index_dtype, rows_at, scaled_rows
from ._utils.validation import warn_user

LABEL_ENCODINGS = ("onehot", "onehot-dense", "ordinal")
DISTANCE_ENCODINGS = ("distance", "triangle")
SPARSE_ENCODINGS = ("onehot", "local")
N_NEAREST = 4  # centers that the local features of a row depend on
_MOST_LOCAL_COLUMNS = 10**6


def encode_rows(X, final, encode, n_columns, n_jobs, stream=None):
    """Return the features of rows by their distances to the final centers.

    If they are the last rows of a `stream`, the features depend only on centers that were
    live when a row was read.
    """
    centers = final.centers
    columns = np.arange(len(centers)) if final.ids is None else final.ids
    if stream is not None:
        first = stream.n_seen - X.shape[0]
        positions = np.arange(first, stream.n_seen)[:, None]
        clusters = every_cluster(stream, centers.rows)
        columns = np.flatnonzero(clusters.retired_at > first)
        clusters = clusters.at(columns)
        centers = centers_from(clusters.rows) if stream.retired else centers
    features = np.empty((X.shape[0], 0 if encode == "local" else n_columns), X.dtype)

    def encode_panel(span, rows):
        is_known = np.ones((1, len(centers)), dtype=bool)
        if stream is not None:
            at = positions[span]
            is_known = (clusters.opened_at <= at) & (at < clusters.retired_at)
        if encode == "local":
            return encode_local(rows, is_known, centers, columns, n_columns)
        distances = centers.distances(rows)
        values, absent = encode_distances(distances, encode, X.dtype, is_known)
        features[span] = absent
        features[span, columns] = np.where(is_known, values, absent)

    panels = each_panel(centers, X, encode_panel, n_jobs)
    if encode != "local":
        return features
    no_rows = csr_array((0, n_columns * (X.shape[1] + 1)))
    return as_configured(vstack([no_rows, *panels], format="csr", dtype=X.dtype))


def encode_local(X, is_known, centers, columns, n_columns):
    """Return the features of a linear model in each of the clusters near a sample, in CSR.

    For the nearest centers that it knows, at distances z_1 <= ... <= z_4, the features of
    the first three are w_j [1, 2 (x - c_j) / z_4], with weights w_j proportional to
    z_4^2 - z_j^2. If there are fewer centers, the farthest has no features either, unless
    it is the only one.
    """
    ids, d2 = centers.nearest_few(X, is_known, N_NEAREST)
    n_near = np.isfinite(d2).sum(axis=1, keepdims=True)
    scale = np.take_along_axis(d2, n_near - 1, axis=1)
    n_used = np.maximum(n_near - 1, 1)
    is_used = np.arange(d2.shape[1]) < n_used
    weights = np.where(is_used, scale - d2, 0)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, total, out=is_used / n_used, where=total > 0)
    slopes = np.divide(2 * weights, np.sqrt(scale), out=0 * weights, where=scale > 0)
    row, rank = np.nonzero(is_used)
    near = row, rank[np.lexsort((ids[is_used], row))]
    center, width = ids[near], X.shape[1] + 1
    differences = rows_at(X, row) - rows_at(centers.exact, center)
    blocks = [weights[near][:, None], scaled_rows(differences, slopes[near])]
    blocks = hstack(blocks, format="csr") if issparse(X) else csr_array(np.hstack(blocks))
    starts = columns[center].astype(np.int64) * width
    indices = blocks.indices + np.repeat(starts, np.diff(blocks.indptr))
    indptr = blocks.indptr[np.append(0, n_used.cumsum())]
    dtype = index_dtype(max(n_columns * width, blocks.nnz))
    arrays = blocks.data, indices.astype(dtype), indptr.astype(dtype)
    return canonical(*arrays, (X.shape[0], n_columns * width))


def encode_labels(labels, encode, n_clusters, dtype):
    """Return the features of samples whose cluster is known."""
    if encode == "ordinal":
        return labels[:, None].astype(dtype)
    ones = np.ones(len(labels), dtype=dtype)
    indptr = np.arange(len(labels) + 1, dtype=index_dtype(len(labels)))
    onehot = canonical(ones, labels.copy(), indptr, (len(labels), n_clusters))
    return onehot.toarray() if encode == "onehot-dense" else as_configured(onehot)


def encode_distances(distances, encode, dtype, is_known):
    """Return the features of samples by distances to centers, and those of absent centers.

    A center is absent if the sample does not know it: it opened after the sample, retired
    before it, or is still to come. It must not look near: its triangle feature is 0, its
    distance the sample's largest to a known center. So the first of the smallest distances
    is always that of the nearest center.
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


def warn_of_many_columns(stream, n_clusters):
    """Warn if local features are more than a linear model can learn from a stream."""
    n, n_features = stream.n_seen, stream.centers.n_features
    name = "k" if n_clusters is None else "n_clusters"
    n_clusters = n_clusters or stream.n_online
    n_columns, most = n_clusters * (n_features + 1), min(n // 3, _MOST_LOCAL_COLUMNS)
    if n_columns > most:
        warn_user(
            f"encode='local' gives {n_columns} columns, {n_features} + 1 for each of "
            f"{n_clusters} clusters, from {n} samples: with more than {most} a linear "
            f"model can fit noise. Pass a smaller {name}, reduce the features, for example "
            "by PCA, or set encode='onehot'."
        )


def as_configured(X):
    """Return sparse `X` as the kind of CSR that scikit-learn is configured to return."""
    interface = get_config().get("sparse_interface", "spmatrix")
    return csr_array(X) if interface == "sparray" else csr_matrix(X)


def check_output(estimator):
    """Raise ValueError if `transform` would have to put CSR into a data frame."""
    output = getattr(estimator, "_output", get_config()["transform_output"])
    if estimator.encode in SPARSE_ENCODINGS and output in ("pandas", "polars"):
        raise ValueError(
            f"{str(output).capitalize()} output does not support the sparse output of "
            f"encode={estimator.encode!r}. Set encode='onehot-dense', or keep sparse data "
            "with set_output(transform='default')."
        )
