"""The last step: from the online clusters to exactly n_clusters."""

import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning


def merge(means, counts, n_clusters, random_state):
    """Merge clusters by k-means of their means, weighted by their counts.

    Returns
    -------
    centers : array or CSR of shape (n_merged, n_features)
        The mean of all members of each merged cluster.
    merged : ndarray of shape (n_online,)
        The merged cluster of each cluster. Merged clusters are numbered by the age of
        their oldest part.
    """
    n_online = len(counts)
    if n_online <= n_clusters:
        if n_online < n_clusters:
            warnings.warn(
                f"Only {n_online} online clusters were opened, fewer than "
                f"n_clusters={n_clusters}: they are the answer as they are. For more, "
                "increase k or read more distinct samples.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return means, np.arange(n_online)

    kmeans = KMeans(n_clusters, n_init=10, random_state=random_state)
    labels = kmeans.fit(means, sample_weight=counts.astype(np.float64)).labels_
    _, oldest, merged = np.unique(labels, return_index=True, return_inverse=True)
    merged = np.argsort(np.argsort(oldest))[merged]
    weights = counts / np.bincount(merged, weights=counts)[merged]
    columns = np.arange(n_online, dtype=np.int32)
    mixing = csr_array((weights, (merged.astype(np.int32), columns)))
    return mixing @ means, merged
