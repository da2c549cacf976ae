"""The set of centres for rows of either kind: an array, or CSR."""

from scipy.sparse import issparse

from ._centers_dense import DenseCenters
from ._centers_sparse import SparseCenters
from ._rows import numbers_of, rows_from
from ._state import check_state
from ._validation import are_moderate


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


def centers_from_state(state):
    """Return the set of centres whose rows have a state."""
    rows = rows_from(state)
    is_moderate = are_moderate(numbers_of(rows), rows.shape[1])
    check_state(is_moderate, "no distance of centres can overflow")
    return centers_from(rows)
