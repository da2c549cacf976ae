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

# Products of one panel of rows. One thread is as fast with smaller panels, which stay
# nearer to it in cache; with several, each step must be worth handing over the interpreter.
_PANEL_BYTES = 2**22
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


class Scratch:
    """Memory for the products of panels, used again for every panel of a thread."""

    def __init__(self, n_rows, n_centers, precision):
        self._products = np.empty(n_rows * n_centers, dtype=precision.dtype)
        self._near = np.empty(n_rows * n_centers, dtype=bool)

    def products(self, n_centers, n_rows):
        """Return room for one row of products per centre."""
        return self._products[: n_centers * n_rows].reshape(n_centers, n_rows)

    def where(self, compare, products, limit):
        """Return the centres and rows of the products that compare with the limit."""
        near = self._near[: products.size].reshape(products.shape)
        return np.divmod(
            np.flatnonzero(compare(products, limit, out=near)), products.shape[1]
        )


def nearest(centers, X, first, hidden, n_threads):
    """Return ids, squared distances and slacks as `Centers.nearest` promises them."""
    n_rows, n_centers = X.shape[0], len(centers) - first
    ids = np.empty(n_rows, dtype=np.intp)
    d2, slack = np.empty(n_rows), np.empty(n_rows)
    precision = centers.first_precision()
    factor = centers.factor(first, precision)
    panel_rows = _PANEL_BYTES // (np.dtype(precision.dtype).itemsize * n_centers)
    panel_rows = min(max(panel_rows, _FEWEST_PANEL_ROWS), _MOST_PANEL_ROWS, n_rows)

    def search(start, stop):
        scratch = Scratch(panel_rows, n_centers, precision)
        for a in range(start, stop, panel_rows):
            rows = slice(a, min(a + panel_rows, stop))
            rest = None if hidden is None else np.clip(hidden - a, 0, rows.stop - a)
            ids[rows], d2[rows], slack[rows] = _search_panel(
                centers, X[rows], first, rest, precision, factor, scratch
            )

    n_threads = min(n_threads, 1 + n_rows * n_centers // _WORK_PER_THREAD)
    if n_threads == 1:
        search(0, n_rows)
    else:
        cuts = np.linspace(0, n_rows, n_threads + 1).astype(int)
        with ThreadPoolExecutor(n_threads) as pool:
            for done in [pool.submit(search, *cut) for cut in itertools.pairwise(cuts)]:
                done.result()
    return ids, d2, slack


def _search_panel(centers, X, first, hidden, precision, factor, scratch):
    """Return ids, squared distances and slacks for the rows of a panel."""
    panel, squares, integers = centers.panel(X, precision)
    largest = squares.max()
    if not largest <= precision.largest:
        return _search_again(centers, X, first, hidden)
    products = centers.products(panel, factor, first, scratch)  # one row per centre
    if hidden is not None:
        for center in np.flatnonzero(hidden):
            products[center, : hidden[center]] = np.inf
    best = products.min(axis=0)
    d2 = best + squares
    np.maximum(d2, 0, out=d2)

    ids = np.empty(len(d2), dtype=np.intp)
    if integers and max(largest, centers.largest_square) <= precision.exact:
        center, row = scratch.where(np.equal, products, best)
        ids[row[::-1]] = first + center[::-1]  # the oldest comes last, and stays
        return ids, d2, np.zeros(len(d2))

    slack = _slack(squares, d2, centers.n_features, precision)
    # In float32 the limit is rounded, by less than a thousandth of the slack.
    limit = (best + 1.001 * slack).astype(precision.dtype)
    center, row = scratch.where(np.less_equal, products, limit)
    ids[row] = first + center
    if len(row) > len(d2):
        in_doubt = np.bincount(row, minlength=len(d2)) > 1
        doubtful, pairs = np.flatnonzero(in_doubt), np.flatnonzero(in_doubt[row])
        most = max(_FEW_PAIRS, len(doubtful) * len(products) // 16)
        if precision is FLOAT32 and len(pairs) > most:
            rest = None if hidden is None else np.searchsorted(doubtful, hidden)
            settled = _search_again(centers, X[doubtful], first, rest)
        else:
            settled = _search_pairs(centers, X, row[pairs], first + center[pairs])
        ids[doubtful], d2[doubtful], slack[doubtful] = settled
    return ids, d2, slack


def _slack(squares, d2, d, precision):
    """Return how much farther than the nearest centre an equally near one can look."""
    r = np.sqrt(squares)
    s = 1.05 * (r + np.sqrt(d2))
    slack = 1.1 * (d + 4) * precision.roundoff * s * (4 * r + precision.weight * s)
    return slack + 8 * d * precision.smallest


def _search_again(centers, X, first, hidden):
    """Return what `_search_panel` does for rows of a panel that need float64."""
    factor = centers.factor(first, FLOAT64)
    scratch = Scratch(X.shape[0], len(centers) - first, FLOAT64)
    return _search_panel(centers, X, first, hidden, FLOAT64, factor, scratch)


def _search_pairs(centers, X, rows, ids):
    """Return the nearest of the paired centres and its squared distance, row by row."""
    d2 = centers.squared_distances(X, rows, ids)
    order = np.lexsort((ids, d2, rows))  # by row, then by distance, then by age
    nearest_first = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    return ids[nearest_first], d2[nearest_first], 0.0
