"""D2(v, C): the nearest center of every row, exactly.

`Centers` are the set C and the distance that decides. Their search, in the compiled
`kernels` or the `fallback` in numpy, finds the nearest of them; `rounding` proves that it
does. Rows are independent, so threads share them.
"""

import itertools

import numpy as np
from scipy.sparse import issparse

from .._utils.rows import rows_between
from .._utils.threads import own_threads
from .._utils.tuning import TUNING
from .centers import centers_from


def nearest(centers, X, d2=None, visible=None, labels_only=False, ids=None):
    """Return the nearest center of every row and the squared distance to it.

    Parameters
    ----------
    centers : Centers
    X : rows as `centers.as_rows` returns them
    d2 : ndarray of float64 or None
        Only nearer centers count; updated where there is one.
    visible : ndarray of int64 or None
        For each row, how many of the centers count, the oldest first.
    labels_only : bool
        Whether distances are not needed, except where `d2` is given and finite.
    ids : ndarray of int32 or None
        The array to write the ids to, and to return.

    Returns
    -------
    ids : ndarray of int32
        The nearest center (ties: oldest), -1 if there is none.
    d2 : ndarray of float64
        The squared distance to it, infinite if there is none.
    """
    ids = np.empty(X.shape[0], dtype=np.int32) if ids is None else ids
    ids.fill(-1)
    d2 = np.full(X.shape[0], np.inf) if d2 is None else d2
    centers.search.nearest(X, ids, d2, visible, labels_only)
    return ids, d2


def row_shares(n_rows, work, threads):
    """Return slices of rows for threads to share, just one if there is little work."""
    most = threads.n_threads * TUNING.shares_per_thread if threads.n_threads > 1 else 1
    n_shares = max(1, min(most, n_rows, work // TUNING.min_work_per_share))
    cuts = [n_rows * i // n_shares for i in range(n_shares + 1)]
    return [slice(*cut) for cut in itertools.pairwise(cuts)]


def work_of(centers, X):
    """Return about how many multiplications it takes to find nearest centers."""
    return X.shape[0] * centers.width(X) * len(centers)


def closest_distances(centers):
    """Return the squared distance of each center to its closest neighbor.

    Each is compared with the older ones, then, in the reversed set, with the newer ones.
    """
    older = np.arange(len(centers), dtype=np.int64)  # on Windows numpy 1 means int32
    _, d2 = nearest(centers, centers.exact, visible=older)
    newest_first = centers_from(centers.rows[::-1])
    return nearest(newest_first, newest_first.exact, d2[::-1].copy(), older)[1][::-1]


def largest_block(X, centers):
    """Return the largest number of rows of `X` to read at once."""
    is_sparse = issparse(centers.rows)
    elements = TUNING.most_sparse_elements if is_sparse else TUNING.most_block_elements
    most = min(TUNING.most_block_rows, elements // centers.width(X))
    return max(TUNING.first_block_rows, most)


def nearest_shared(centers, X, n_jobs=None, labels_only=False):
    """Return what `nearest` returns, for rows in any format, with several threads."""
    labels, d2 = np.empty(X.shape[0], dtype=np.int32), np.full(X.shape[0], np.inf)

    def search(span):
        rows = centers.as_rows(rows_between(X, span.start, span.stop))
        nearest(centers, rows, d2[span], None, labels_only, labels[span])

    work = work_of(centers, X)
    with own_threads(n_jobs, work) as threads:
        n_shares = len(row_shares(X.shape[0], work, threads))
        step = min(largest_block(X, centers), X.shape[0] // n_shares + 1)
        threads.map(search, _slices(X, step))
    return labels, d2


def each_panel(centers, X, function, n_jobs=None):
    """Return a function's results for slices of the rows, in order.

    It gets each slice and its rows in the format of the centers, so few that an array of
    their distances to all centers is small.
    """

    def call(span):
        rows = centers.as_rows(rows_between(X, span.start, span.stop))
        return function(span, rows)

    step = max(1, TUNING.distance_elements // max(len(centers), centers.width(X)))
    with own_threads(n_jobs, work_of(centers, X)) as threads:
        return threads.map(call, _slices(X, step))


def _slices(X, step):
    return [slice(start, start + step) for start in range(0, X.shape[0], step)]
