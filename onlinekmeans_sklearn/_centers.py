"""The set of centres for rows of either kind: an array, or CSR."""

from scipy.sparse import issparse

from ._centers_dense import DenseCenters
from ._centers_sparse import SparseCenters


def centers_like(X):
    """Return an empty set of centres for rows stored like those of `X`."""
    kind = SparseCenters if issparse(X) else DenseCenters
    return kind(X.shape[1], X.dtype)


def centers_from(rows):
    """Return the set of centres that holds the given rows."""
    centers = centers_like(rows)
    centers.append(centers.as_rows(rows))
    centers.prepare()
    return centers
