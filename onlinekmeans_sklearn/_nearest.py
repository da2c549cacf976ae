"""The exact nearest centre of many rows, by products whose rounding is known.

``|c|^2 - 2 v.c`` differs from the squared distance of v and c by the constant ``|v|^2``,
and a matrix product gives it for all rows and centres of a panel at once: in float32
first, and in float64 for rows that stay in doubt. A row is in doubt if a second centre
comes so close to the one that looks nearest that rounding could have swapped them. What is
in doubt at last is decided on the squared distances themselves.

How much rounding there can be, to first order in the unit roundoff u, for d features,
r = |v|, s = |c| and q = |v - c|, so that q^2 is D2. All norms are taken after the shift of
dense rows by a common vector. A sum of n products is wrong by at most n u times the sum of
their magnitudes, in any order, with fused operations or without.

========================================  ==========================  =====================
from                                      float64                     float32
========================================  ==========================  =====================
adding up v.c and ``|c|^2`` in any order  (d + 1) u (2 r s + s^2)     the same
``|c|^2`` before that                     d u s^2                     u s^2
v and c                                   2 u (r + s) q               4 u r s
the squared distance that decides         (d + 2) u q^2               none
========================================  ==========================  =====================

None of r, s and q exceeds the sum of the others, so that (r + s) q <= 2 s q + q^2
<= 2 r s + 2 s^2 + q^2. The sums of the columns are therefore at most

    (d + 4) u (2 r s + 2 s^2 + q^2)    and    (d + 4) u (2 r s + s^2),

and two centres can be swapped by twice as much. Of two that are, neither is farther than
the one that looks nearest. With s <= r + q and 2 r q <= r^2 / 2 + 2 q^2 that is at most

    (d + 4) u (11 r^2 + 18 q^2)        and    (d + 4) u (8 r^2 + 10 q^2).

The numbers in `Precision` are larger by a fifth at least. That covers the terms of higher
order as long as (d + 4) u <= 2^-12, that q^2 is known only by its product form, and the
rounding of the limit itself, 3 u (r^2 + q^2). A squared distance that is a product plus
``|v|^2`` is within the same slack: it needs half of that, and (d + 3) u (r^2 + q^2).

A product that underflows loses half of the smallest number at most. There are 4 d of them
for a centre, and the slack has room for 16 d. Numbers of v and c that float32 itself loses
matter less: 2^-149 sqrt(d) (r + s) is below 2^-20 u (r^2 + s^2), or below 2^-220.
"""

import itertools
from typing import NamedTuple

import numpy as np

from ._rows import rows_at, rows_between
from ._screen import screen_for

# Rows are prepared in strips and multiplied in panels. The products of a panel best stay
# in cache; but threads that share the interpreter must not ask for it too often, or they
# wait for each other most of the time.
_STRIP_BYTES = 2**22
_PANEL_BYTES = 2**22
_FEWEST_ROWS, _MOST_ROWS = 16, 2**15
_GROUP = 12  # centres that are looked at together
_WORK_PER_THREAD = 2**23  # multiplications that a thread must have to be worth starting
_WORK_PER_PRODUCT = 16  # multiplications that take as long as all else does
_FEW_PAIRS = 256


class Precision(NamedTuple):
    """A floating point format, and how far products in it can be trusted."""

    dtype: type
    roundoff: float
    of_square: float  # what |v|^2 adds to the slack, in units of (d + 4) u
    of_d2: float  # what D2 adds to it
    smallest: float  # what a product can lose by underflow
    largest: float  # squared norms up to here do not overflow, nor three times as much
    exact: float  # integers: not rounded, nor is a sum three times as large
    most_terms: float  # of how many terms a distance may be the sum

    def slack(self, d):
        """Return the factors of |v|^2 and D2 in the slack, and what is added.

        Here d is the number of terms of a distance: what is zero in a sparse row and in
        all centres is not among them.
        """
        unit = (d + 4) * self.roundoff
        return self.of_square * unit, self.of_d2 * unit, 8 * d * self.smallest


FLOAT32 = Precision(np.float32, 2.0**-24, 10.0, 12.0, 2.0**-149, 2.0**120, 2.0**21, 4092)
FLOAT64 = Precision(np.float64, 2.0**-53, 17.0, 26.0, 2.0**-1074, np.inf, 2.0**50, np.inf)


class Panel:
    """The products of some rows with all centres; one panel after another uses it.

    It has one row per centre. Centres ``i``, ``i + step``, ``i + 2 step``, ... make a
    group, so that most of them are only ever looked at by their smallest product.
    """

    def __init__(self, most_rows, n_centers, precision):
        self.most_rows = most_rows
        self.n_centers = n_centers
        self._step = -(-n_centers // _GROUP)
        self._memory = np.empty(_GROUP * self._step * most_rows, dtype=precision.dtype)

    def start(self, n_rows):
        """Return room for the products of the next `n_rows` rows."""
        used = self._memory[: _GROUP * self._step * n_rows]
        self._products = used.reshape(_GROUP * self._step, n_rows)
        self._products[self.n_centers :] = np.inf
        return self._products[: self.n_centers]

    def smallest(self):
        """Return the smallest product of every row."""
        grouped = self._products.reshape(_GROUP, self._step, -1)
        self._smallest = np.minimum.reduce(grouped, axis=0)
        smallest = np.minimum.reduce(self._smallest, axis=0)
        if np.isnan(smallest).any():
            raise FloatingPointError("A product of finite numbers is not a number.")
        return smallest

    def not_above(self, limit):
        """Return per row a centre with a product within the limit, and if it is alone."""
        group, group_alone = _the_one(self._smallest <= limit)
        place = group * len(limit) + np.arange(len(limit))
        members = self._products.reshape(_GROUP, -1).take(place, axis=1)
        member, member_alone = _the_one(members <= limit)
        return member * self._step + group, group_alone & member_alone

    def all_not_above(self, limit, rows=None):
        """Return all centres, and their rows, with products not above the limit.

        Only the given rows are looked at. What is found is sorted by centre.
        """
        if rows is None:
            near = self._products <= limit
        else:
            near = self._products.take(rows, axis=1) <= limit[rows]
        center, row = np.divmod(np.flatnonzero(near), near.shape[1])
        return center, row if rows is None else rows[row]


def _the_one(marks):
    """Return for each column the last row that is marked, and whether it is alone."""
    dtype = np.min_scalar_type(len(marks))
    numbers = np.arange(len(marks), dtype=dtype)[:, None]
    marks = marks.view(np.uint8)
    last = np.maximum.reduce(marks * numbers, axis=0).astype(np.intp)
    return last, np.add.reduce(marks, axis=0, dtype=dtype) == 1


def nearest(centers, X, first, hidden, threads):
    """Return ids, squared distances and slacks as `Centers.nearest` promises them."""
    n_rows, n_centers = X.shape[0], len(centers) - first
    ids = np.empty(n_rows, dtype=np.intp)
    d2, slack = np.empty(n_rows), np.empty(n_rows)
    centers.prepare()
    precision = centers.first_precision(X)
    factor = centers.factor(first, precision)
    itemsize = np.dtype(precision.dtype).itemsize
    strip_rows = _within(_STRIP_BYTES // (itemsize * centers.width(X)), n_rows)
    work = n_rows * n_centers * (centers.width(X) + _WORK_PER_PRODUCT)
    n_threads = min(threads.number, 1 + work // _WORK_PER_THREAD)
    panel_rows = _within(_PANEL_BYTES // (itemsize * n_centers), strip_rows)
    can_screen = centers.can_screen and first == 0 and hidden is None
    screen = screen_for(centers, X, precision, factor) if can_screen else None

    def search(start_and_stop):
        start, stop = start_and_stop
        panel = Panel(panel_rows, n_centers, precision)
        memory = centers.strip_memory(min(strip_rows, stop - start), precision)
        for a in range(start, stop, strip_rows):
            rows = slice(a, min(a + strip_rows, stop))
            part = rows_between(X, rows.start, rows.stop)
            rest = None if hidden is None else np.clip(hidden - a, 0, rows.stop - a)
            ids[rows], d2[rows], slack[rows] = _search_strip(
                centers, part, first, rest, precision, factor, panel, memory, screen
            )

    cuts = np.linspace(0, n_rows, n_threads + 1).astype(int)
    threads.map(search, list(itertools.pairwise(cuts)))
    return ids, d2, slack


def bounds(centers, X, first):
    """Return bounds of all squared distances as `Centers.bounds` promises them."""
    strip, squares, _ = centers.strip(X, FLOAT64)
    d2 = np.empty((len(centers) - first, X.shape[0]))
    centers.multiply(strip, centers.factor(first, FLOAT64), first, d2)
    np.maximum(d2 + squares, 0, out=d2)
    of_square, of_d2, added = FLOAT64.slack(centers.n_terms(X))
    slack = of_d2 * d2 + (of_square * squares + added)
    return d2 - slack, d2 + slack


def _within(n_rows, most):
    """Return a number of rows that is neither too small nor too large."""
    return min(max(n_rows, _FEWEST_ROWS), _MOST_ROWS, most)


def _search_strip(
    centers, X, first, hidden, precision, factor, panel, memory=None, screen=None
):
    """Return ids, squared distances and slacks for the rows of a strip."""
    strip, squares, integers = centers.strip(X, precision, memory)
    largest = squares.max()
    if not largest <= precision.largest:
        return _search_again(centers, X, first, hidden)
    is_exact = integers and max(largest, centers.largest_square) <= precision.exact
    of_square, of_d2, added = (0, 0, 0) if is_exact else precision.slack(centers.n_terms(X))

    # What looks at most best + slack is near; with d2 = best + squares that is
    # best (1 + of_d2) + offset.
    offset = ((of_square + of_d2) * squares + added).astype(precision.dtype)
    growth = precision.dtype(1 + of_d2)
    ids = np.empty(len(squares), dtype=np.intp)
    best = np.empty(len(squares), dtype=precision.dtype)
    near_centers, near_rows = [], []
    for a in range(0, len(squares), panel.most_rows):
        rows = slice(a, a + panel.most_rows)
        products = panel.start(len(squares[rows]))
        part = rows_between(strip, rows.start, rows.stop)
        if screen is None or is_exact:
            centers.multiply(part, factor, first, products)
            if hidden is not None:
                for center in np.flatnonzero(hidden > a):
                    products[center, : hidden[center] - a] = np.inf
            found = _look_at_all(panel, growth, offset[rows])
        else:
            screen.multiply(part, squares[rows], products)
            found = _look_at_some(panel, growth, offset[rows], screen, part)
        ids[rows], best[rows], center, row = found
        if len(row):
            near_centers.append(center)
            near_rows.append(row + a)

    ids += first
    d2 = np.maximum(best + squares, 0)
    slack = of_square * squares + of_d2 * d2 + added
    if near_rows:
        center, row = first + np.concatenate(near_centers), np.concatenate(near_rows)
        if is_exact:
            ids[row[::-1]] = center[::-1]  # the oldest comes last, and stays
            return ids, d2, slack
        doubtful = np.unique(row)
        most = max(_FEW_PAIRS, len(doubtful) * (len(centers) - first) // 16)
        if precision is FLOAT32 and len(row) > most:
            rest = None if hidden is None else np.searchsorted(doubtful, hidden)
            settled = _search_again(centers, rows_at(X, doubtful), first, rest)
        else:
            settled = _search_pairs(centers, X, row, center)
        ids[doubtful], d2[doubtful], slack[doubtful] = settled
    return ids, d2, slack


def _look_at_all(panel, growth, offset):
    """Return what the products of a panel tell of its rows.

    That is a nearest centre and its product; and for rows where other centres are as near,
    within the slack, all pairs of these and the row, sorted by centre.
    """
    best = panel.smallest()
    limit = best * growth + offset
    ids, alone = panel.not_above(limit)
    doubtful = np.flatnonzero(~alone)
    if not len(doubtful):
        return ids, best, doubtful, doubtful
    return ids, best, *panel.all_not_above(limit, doubtful)


def _look_at_some(panel, growth, offset, screen, strip):
    """Return what `_look_at_all` does, of a panel of scores that are not above products."""
    likely, _ = panel.not_above(panel.smallest())
    every = np.arange(len(strip))
    best = screen.products(strip, every, likely)
    center, row = panel.all_not_above(best * growth + offset)
    others = center != likely[row]
    center, row = center[others], row[others]
    products = np.append(best, screen.products(strip, row, center))
    center, row = np.append(likely, center), np.append(every, row)

    np.minimum.at(best, row, products)
    near = products <= (best * growth + offset)[row]
    center, row = center[near], row[near]
    ids = likely.copy()
    ids[row] = center
    doubtful = (np.bincount(row) > 1)[row]
    return ids, best, center[doubtful], row[doubtful]


def _search_again(centers, X, first, hidden):
    """Return what `_search_strip` does for rows of a strip that need float64."""
    n_centers = len(centers) - first
    panel_rows = _within(_PANEL_BYTES // (8 * n_centers), X.shape[0])
    panel = Panel(panel_rows, n_centers, FLOAT64)
    factor = centers.factor(first, FLOAT64)
    return _search_strip(centers, X, first, hidden, FLOAT64, factor, panel)


def _search_pairs(centers, X, rows, ids):
    """Return the nearest of the paired centres and its squared distance, row by row."""
    d2 = centers.squared_distances(X, rows, ids)
    order = np.lexsort((ids, d2, rows))  # by row, then by distance, then by age
    nearest_first = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    return ids[nearest_first], d2[nearest_first], 0.0
