"""The steps of a block for partitions that several workers read at once.

Optimistic concurrency control [1]_: `propose` looks rows up in the centers known so far,
while more may open before their turn comes, and returns the few candidates for a center.
`decide` takes the candidates of one partition after the other, in stream order, and opens
centers by the paper's rule. `finish` reassigns rows to centers that their proposal did not
know. Meanwhile distances only shrink and the facility cost only grows, so that there are at
worst too many candidates. The decisions are those of the plain loop, bit for bit.

.. [1] X. Pan, J. Gonzalez, S. Jegelka, T. Broderick, M. Jordan. Optimistic Concurrency
   Control for Distributed Unsupervised Learning. NIPS 2013.
"""

from typing import NamedTuple

import numpy as np

from .._nearest import centers_from, nearest
from .._utils.rows import rows_at, rows_between
from .._utils.tuning import TUNING
from .block import advance, label, open_centers
from .forgetting import every_cluster


class Candidates(NamedTuple):
    """The rows that may open a center, and what `decide` needs to know about them.

    Attributes
    ----------
    n_rows : int
        The number of rows that were searched, from the first row on.
    positions : ndarray of int64
        The positions of the candidates among these rows.
    X : ndarray or CSR
        The candidates.
    uniforms, d2 : ndarray of float64
        The random number of each, and its D2(v, C) for the centers that the proposal knew.
    dtype : dtype
        That of the rows before they were converted for the kernels.
    """

    n_rows: int
    positions: np.ndarray
    X: object
    uniforms: np.ndarray
    d2: np.ndarray
    dtype: np.dtype


def propose(centers, facility_cost, X, uniforms, dtype):
    """Return label and squared distance of every row, and the candidates.

    In a burst of new clusters only the first candidates are returned: the others are better
    proposed again after these are decided. A facility cost of None means that there is no
    room for another center.
    """
    labels, d2 = nearest(centers, X)
    positions, n_rows = np.empty(0, dtype=np.int64), X.shape[0]
    if facility_cost is not None:
        positions = np.flatnonzero(uniforms * facility_cost < d2)
    most = TUNING.most_candidate_elements // centers.width(X)
    most = max(1, min(TUNING.most_candidates, most))
    if len(positions) > most:
        n_rows, positions = int(positions[most]), positions[:most]
    found = rows_at(X, positions)
    of_candidates = uniforms[positions], d2[positions]
    return labels, d2, Candidates(n_rows, positions, found, *of_candidates, dtype)


def decide(stream, n_known, found):
    """Let a stream open centers at candidates, in place; return the rows that open one.

    The proposal knew the first `n_known` of the centers.
    """
    d2 = found.d2
    n_now = len(stream.centers)
    if n_known < n_now and len(d2):
        unknown = centers_from(rows_between(stream.centers.rows, n_known, n_now))
        _, d2 = nearest(unknown, found.X, d2=d2.copy())
    opened = open_centers(stream, found.X, found.uniforms, d2, found.dtype, found.positions)
    opened = found.positions[opened]
    advance(stream, opened, found.n_rows)
    return opened


def finish(X, labels, d2, known, unknown, opened):
    """Return labels and squared distances by the centers that opened up to each row.

    The proposal has those by the `known` centers. The last of the centers `unknown` to it
    opened at the rows `opened`; the others of these opened before the first row.
    """
    labels, d2 = labels[: X.shape[0]].copy(), d2[: X.shape[0]].copy()
    label(X, labels, d2, known, unknown, opened)
    return labels, d2


def online_labels(stream, X, first):
    """Return labels and squared distances of rows from position `first` on, as decided.

    A row is compared with the centers that opened before it, or at it, and were live. That
    is right for rows after which no center has moved.
    """
    clusters, start = every_cluster(stream), 0
    labels, d2 = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
    while start < X.shape[0]:  # an epoch
        position = first + start
        left = stream.half_life - position % stream.half_life
        rows = slice(start, int(min(X.shape[0], start + left)))
        ids = np.flatnonzero(clusters.retired_at > position)
        live = clusters.at(ids)
        centers = centers_from(live.rows) if stream.retired else stream.centers
        positions = np.arange(position, first + rows.stop)
        visible = np.searchsorted(live.opened_at, positions, side="right")
        part = centers.as_rows(rows_between(X, rows.start, rows.stop))
        found, d2[rows] = nearest(centers, part, visible=visible)
        labels[rows] = ids[found]
        start = rows.stop
    return labels, d2
