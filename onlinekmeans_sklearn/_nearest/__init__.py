"""D2(v, C): the nearest center of every row, exactly.

`Centers` are the set C and the distance that decides. A search, made of them by the
compiled `kernels` or by their `fallback` in numpy, finds the nearest of them; `rounding`
has the proof that it does. Rows are independent, so threads share them.
"""

import itertools

import numpy as np
from scipy.sparse import csr_array, issparse

from .._utils.rows import rows_between
from .._utils.threads import SINGLE_THREAD, own_threads
from .._utils.tuning import TUNING
from .dense import DenseCenters
from .heart import chosen
from .sparse import SparseCenters


def centers_like(X):
    """Return an empty set of centers for rows stored like those of `X`."""
    if issparse(X):
        return SparseCenters(csr_array((0, X.shape[1]), dtype=X.dtype))
    return DenseCenters(np.empty((0, X.shape[1]), dtype=X.dtype))


def centers_from(rows):
    """Return the set of centers that has the given rows."""
    return SparseCenters(rows) if issparse(rows) else DenseCenters(rows)


def nearest(centers, X, threads=SINGLE_THREAD, d2=None, visible=None, labels_only=False):
    """Return the nearest center of every row and the squared distance to it.

    Parameters
    ----------
    centers : Centers
    X : rows as `centers.as_rows` returns them
    threads : Threads
        To share the rows.
    d2 : ndarray of float64 or None
        What a center must be nearer than; changed where one is.
    visible : ndarray of int64 or None
        For each row, how many of the centers count, the oldest first.
    labels_only : bool
        Whether distances need not be known, unless `d2` is given.

    Returns
    -------
    ids : ndarray of int32
        The oldest of the nearest centers, -1 if there is none.
    d2 : ndarray of float64
        The squared distance to it, infinite if there is none.
    """
    n_rows = X.shape[0]
    ids = np.empty(n_rows, dtype=np.int32)
    ids.fill(-1)
    if d2 is None:
        d2 = np.empty(n_rows)
        d2.fill(np.inf)
    if not centers.rows.shape[0]:
        return ids, d2
    work = work_of(centers, X) if threads.number > 1 else 0
    _share_rows(centers.search, work, threads, X, ids, d2, visible, labels_only)
    return ids, d2


def nearest_points(points, X, threads=SINGLE_THREAD, d2=None):
    """Return what `nearest` does for rows of arrays, of which `points` are the centers."""
    ids = np.full(len(X), -1, dtype=np.int32)
    d2 = np.full(len(X), np.inf) if d2 is None else d2
    _share_rows(
        chosen.kernels.DenseSearch(points), X.size * len(points), threads, X, ids, d2
    )
    return ids, d2


def _share_rows(search, work, threads, X, ids, d2, visible=None, labels_only=False):
    """Let threads share the rows of a search, if there is work enough."""
    n_shares = threads.number * TUNING.shares_per_thread if threads.number > 1 else 1
    n_shares = min(n_shares, work // TUNING.min_work_per_share)
    if n_shares <= 1:
        search.nearest(X, ids, d2, visible, labels_only)
        return

    def search_share(share):
        rows = slice(*share)
        part = rows_between(X, *share)
        some = None if visible is None else visible[rows]
        search.nearest(part, ids[rows], d2[rows], some, labels_only)

    cuts = np.linspace(0, X.shape[0], n_shares + 1).astype(int).tolist()
    threads.map(search_share, list(itertools.pairwise(cuts)))


def work_of(centers, X):
    """Return how many multiplications it takes to look rows up, about."""
    return X.shape[0] * centers.width(X) * centers.rows.shape[0]


def closest_distances(centers):
    """Return each center's squared distance to its closest neighbor; there is one.

    Each is compared with the older ones, then with the newer ones: in the reversed set
    these are the older ones.
    """
    older = np.arange(len(centers))
    _, d2 = nearest(centers, centers.as_rows(centers.rows), visible=older)
    reversed_centers = centers_from(centers.rows[::-1])
    rows = reversed_centers.as_rows(reversed_centers.rows)
    return nearest(reversed_centers, rows, d2=d2[::-1].copy(), visible=older)[1][::-1]


def largest_block(X, centers):
    """Return how many rows of `X` to read at once, at most."""
    most = min(TUNING.most_block_rows, centers.block_rows(X))
    return max(TUNING.first_block_rows, most)


def look_up(centers, X, n_jobs=None, labels_only=False):
    """Return the nearest center of every row, in any storage, and its squared distance."""
    labels = np.empty(X.shape[0], dtype=np.int32)
    d2 = np.empty(X.shape[0])
    with own_threads(n_jobs, work_of(centers, X)) as threads:
        step = largest_block(X, centers)
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            part = centers.as_rows(rows_between(X, rows.start, rows.stop))
            found = nearest(centers, part, threads, labels_only=labels_only)
            labels[rows], d2[rows] = found
    return labels, d2


def each_panel_of_distances(centers, X, function, n_jobs=None):
    """Call a function with slices of the rows and their distances to all centers."""
    step = max(1, TUNING.distance_elements // len(centers))
    panels = [slice(a, a + step) for a in range(0, X.shape[0], step)]

    def call(rows):
        part = centers.as_rows(rows_between(X, rows.start, rows.stop))
        function(rows, centers.distances(part))

    with own_threads(n_jobs, work_of(centers, X)) as threads:
        threads.map(call, panels)
