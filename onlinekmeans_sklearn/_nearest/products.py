"""Squared distances of many rows and centers by matrix products in float64: fast, rounded.

`rounding` says by how much.
"""

import numpy as np
from scipy.sparse import issparse

from .._utils.rows import canonical, squared_norms
from .._utils.tuning import TUNING
from .rounding import FLOAT64


def prepare(centers):
    """Return centers, the factor for `products`, and ``|c|^2`` of each center."""
    if issparse(centers):
        return centers, -2 * centers, squared_norms(centers)
    factor = _shifted_with_ones(centers, centers[0])
    norms = _squares(factor[:, :-1])
    factor *= -2
    factor[:, -1] = norms  # to be multiplied by the 1 that is appended to a row
    return centers, factor, norms


def products(X, prepared):
    """Return ``|c|^2 - 2 v.c`` of rows and centers, and how to make them squared distances.

    Dense rows are shifted by the oldest center: far from the origin products would be
    nothing but rounding error. `prepared` is what `prepare` returns.

    Returns
    -------
    products : ndarray of shape (n_rows, n_centers)
    squares : ndarray of shape (n_rows,)
        ``|v|^2`` of each row: products plus squares are squared distances.
    slack : tuple of float
        What `Precision.slack` returns: how wrong these can be.
    """
    centers, factor, norms = prepared
    if issparse(X):
        n_terms = int(np.diff(X.indptr).max() + np.diff(centers.indptr).max())
        squares = squared_norms(X)
        X, factor = _with_own_columns(X, factor)
        found = (factor @ X.T).T.toarray()
        found += norms
    else:
        n_terms = X.shape[1]
        shifted = _shifted_with_ones(X, centers[0])
        squares = _squares(shifted[:, :-1])
        # All factors are finite. Yet on a busy machine numpy has, rarely and for an unknown
        # reason, warned of an invalid value; callers check for NaN instead.
        with np.errstate(invalid="ignore"):
            found = shifted @ factor.T
    return found, squares, FLOAT64.slack(n_terms)


def check_numbers(numbers):
    """Raise FloatingPointError if a product is not a number: all factors are finite."""
    if np.isnan(numbers).any():
        raise FloatingPointError("A product of finite numbers is not a number.")


def _with_own_columns(X, centers):
    """Return CSR rows and centers without their empty columns, if there are many.

    The product would need memory for each of them.
    """
    if X.shape[1] <= TUNING.most_index_columns:
        return X, centers
    known = np.unique(np.concatenate([X.indices, centers.indices]))

    def narrow(rows):
        columns, shape = np.searchsorted(known, rows.indices), (rows.shape[0], len(known))
        return canonical(rows.data, columns, rows.indptr, shape)

    return narrow(X), narrow(centers)


def _shifted_with_ones(rows, shift):
    """Return rows minus a vector in float64, with a column of ones appended."""
    shifted = np.ones((rows.shape[0], rows.shape[1] + 1))
    np.subtract(rows, shift, out=shifted[:, :-1])
    return shifted


def _squares(rows):
    return np.einsum("ij,ij->i", rows, rows)
