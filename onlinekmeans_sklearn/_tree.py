"""The exact nearest centre of many rows by a k-d tree: few features, many centres.

A k-d tree drops a box of centres when its distance from the row exceeds that of the
centres found so far. Both are sums of squares that only grow, so that their rounding is
relative: at most d + 5 units roundoff 2^-53 for a centre, its square root taken and
squared again, and three for every level above a box. `_ROUNDING` has room for a million
levels. Asked for the two nearest, a tree can therefore miss a nearest centre only if
the second that it finds is as near as the first, within `_ROUNDING`. Then the products of
`_nearest` decide.
"""

import itertools

import numpy as np
from scipy.spatial import KDTree

from ._nearest import nearest

_ROUNDING = 1e-9
_TINY = 1e-290  # squares below it may have lost digits, or themselves, by underflow
_LEAF = 32
_MOST_FEATURES = 6
_FEWEST_CENTERS = 480
_FEWEST_FOR_THREADS = 210  # they need not share the interpreter while they ask a tree
_CENTERS_PER_ROW = 16


def tree_pays(n_rows, n_centers, n_features, n_threads):
    """Return whether a tree is faster than products, as measured on uniform rows and blobs.

    The centres that it takes grow by a factor of 1.4 with every feature; and there must be
    rows enough to build the tree for.
    """
    if n_features > _MOST_FEATURES:
        return False
    fewest = _FEWEST_CENTERS if n_threads == 1 else _FEWEST_FOR_THREADS
    fewest *= 2 ** (n_features / 2)
    return fewest <= n_centers <= _CENTERS_PER_ROW * n_rows


def nearest_by_tree(centers, X, threads):
    """Return ids, squared distances and slacks as `Centers.nearest` promises them."""
    tree = KDTree(centers.rows, leafsize=_LEAF)
    cuts = np.linspace(0, X.shape[0], threads.number + 1).astype(int)
    shares = [X[a:b] for a, b in itertools.pairwise(cuts)]
    found = threads.map(lambda rows: tree.query(rows, k=2), shares)
    distances, ids = map(np.concatenate, zip(*found))
    with np.errstate(over="ignore", under="ignore"):
        squares = np.square(distances)
    d2, ids = squares[:, 0], ids[:, 0]
    slack = d2 * _ROUNDING + _TINY
    in_doubt = np.flatnonzero(~(squares[:, 1] > d2 + slack))
    if len(in_doubt):
        settled = nearest(centers, X[in_doubt], 0, None, threads)
        ids[in_doubt], d2[in_doubt], slack[in_doubt] = settled
    return ids, d2, slack
