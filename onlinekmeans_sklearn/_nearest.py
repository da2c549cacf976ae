"""The exact nearest centre of many rows, by products whose rounding is known.

``|c|^2 - 2 v.c`` differs from the squared distance of v and c by the constant ``|v|^2``,
and a matrix product gives it for all rows and centres of a panel at once: in float32
first, and in float64 for rows that stay in doubt. A row is in doubt if a second centre
comes so close to the one that looks nearest that rounding could have swapped them. What is
in doubt at last is decided on the squared distances themselves.

How much rounding there can be, to first order in the unit roundoff u, for d features,
r = |v| and s = |c|. All norms are taken after the shift of dense rows by a common vector.

========================================  ==========================  =====================
from                                      float64                     float32
========================================  ==========================  =====================
adding up v.c and ``|c|^2`` in any order  (d + 1) u (2 r s + s^2)     the same
``|c|^2`` before that                     d u s^2                     u s^2
v and c                                   2 u (r + s) sqrt(D2)        4 u r s
the squared distance that decides         (d + 2) u D2                none
========================================  ==========================  =====================

A centre as near as the one that looks nearest has s <= r + sqrt(D2), and D2 <= s^2. So two
such centres can be swapped by at most (d + 4) u s (4 r + 6 s) in float64 and by
(d + 4) u s (4 r + 2 s) in float32. The factors 1.05 and 1.1 below cover the terms of higher
order as long as (d + 4) u <= 2^-12, and that D2 is known only by its product form.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ._threads import one_blas_thread

_PANEL_BYTES = 2**19  # the products of one panel of rows stay in cache
_FEWEST_PANEL_ROWS, _MOST_PANEL_ROWS = 16, 8192
_WORK_PER_THREAD = 2**21  # products that a thread must have to be worth starting
_FEW_PAIRS = 256


class Precision(NamedTuple):
    """A floating point format, and how far products in it can be trusted."""

    dtype: type
    roundoff: float
    weight: float  # of s in the slack
    smallest: float  # what a product can lose by underflow
    largest: float  # squared norms up to here do not overflow
    exact: float  # integers with squared norms up to here are not rounded at all


FLOAT32 = Precision(np.float32, 2.0**-24, 2.0, 2.0**-149, 2.0**120, 2.0**21)
FLOAT64 = Precision(np.float64, 2.0**-53, 6.0, 2.0**-1074, np.inf, 2.0**50)


def nearest(centers, X, first, seen, n_threads):
    """Return ids, lower and upper bounds as `Centers.nearest` promises them."""
    n_rows, n_centers = X.shape[0], len(centers) - first
    ids = np.empty(n_rows, dtype=np.intp)
    lower, upper = np.empty(n_rows), np.empty(n_rows)
    precision = centers.first_precision()
    factor = centers.factor(first, precision)
    panel_rows = _PANEL_BYTES // (np.dtype(precision.dtype).itemsize * n_centers)
    panel_rows = min(max(panel_rows, _FEWEST_PANEL_ROWS), _MOST_PANEL_ROWS, n_rows)

    def search(start, stop):
        scratch = np.empty(panel_rows * n_centers, dtype=precision.dtype)
        for a in range(start, stop, panel_rows):
            rows = slice(a, min(a + panel_rows, stop))
            ids[rows], lower[rows], upper[rows] = _search_panel(
                centers,
                X[rows],
                first,
                None if seen is None else seen[rows],
                precision,
                factor,
                scratch,
            )

    n_threads = min(n_threads, 1 + n_rows * n_centers // _WORK_PER_THREAD)
    if n_threads == 1:
        search(0, n_rows)
    else:
        cuts = np.linspace(0, n_rows, n_threads + 1).astype(int)
        with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
            for done in [pool.submit(search, *cut) for cut in itertools.pairwise(cuts)]:
                done.result()
    return ids, lower, upper


def _search_panel(centers, X, first, seen, precision, factor, scratch):
    """Return ids and bounds for as many rows as `scratch` has room for."""
    panel, squares, integers = centers.panel(X, precision)
    if not squares.max() <= precision.largest:
        return _search_again(centers, X, first, seen)
    products = centers.products(panel, factor, first, scratch)
    if seen is not None:
        products[np.arange(products.shape[1]) >= seen[:, None]] = np.inf

    every = np.arange(len(products))
    ids = products.argmin(axis=1)
    best = products[every, ids].astype(np.float64)
    d2 = np.maximum(best + squares, 0)
    if integers and max(squares.max(), centers.largest_square()) <= precision.exact:
        ids += first
        return ids, d2, d2

    r, d = np.sqrt(squares), centers.n_features
    s = 1.05 * (r + np.sqrt(d2))
    slack = 1.1 * (d + 4) * precision.roundoff * s * (4 * r + precision.weight * s)
    slack += 8 * d * precision.smallest
    lower, upper, limit = np.maximum(d2 - slack, 0), d2 + slack, best + slack
    products[every, ids] = np.inf
    doubtful = np.flatnonzero(products.min(axis=1) <= limit)
    ids += first
    if len(doubtful):
        products[doubtful, ids[doubtful] - first] = best[doubtful]
        near = products[doubtful] <= limit[doubtful, None]
        n_near = np.count_nonzero(near)
        if precision is FLOAT32 and n_near > max(_FEW_PAIRS, near.size // 16):
            rest = None if seen is None else seen[doubtful]
            settled = _search_again(centers, X[doubtful], first, rest)
        else:
            settled = _search_pairs(centers, X, doubtful, first, near)
        ids[doubtful], lower[doubtful], upper[doubtful] = settled
    return ids, lower, upper


def _search_again(centers, X, first, seen):
    """Return ids and bounds for rows of a panel that need float64."""
    scratch = np.empty(X.shape[0] * (len(centers) - first))
    factor = centers.factor(first, FLOAT64)
    return _search_panel(centers, X, first, seen, FLOAT64, factor, scratch)


def _search_pairs(centers, X, rows, first, near):
    """Return ids and the squared distances, the nearest of the centres marked in `near`."""
    pair, column = np.nonzero(near)
    d2 = centers.squared_distances(X, rows[pair], first + column)
    # Pairs are sorted by row, then by age: a stable sort by distance within the rows puts
    # the oldest of the nearest first.
    order = np.lexsort((d2, pair))
    chosen = order[np.searchsorted(pair, np.arange(len(rows)))]
    return first + column[chosen], d2[chosen], d2[chosen]
