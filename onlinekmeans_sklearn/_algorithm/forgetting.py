"""Streams that forget: after every `half_life` samples all that is kept counts half.

That is the end of an epoch, an event at a position. Counts, sums, W and n are halved, which
is exact, so a sample that is e epochs old has 2^-e of its weight. The facility cost is
halved with them, so that the paper's loop goes on as it would if new samples weighed
twice as much. Two things are practical additions:

*Restart.* If the facility cost is far too large for what the samples of the epoch cost, a
prefix begins anew: a scale that has shrunk is found again at once, and not by halving. A
sample that opened a center counts with what it would have cost, at most the facility cost;
else the cost could rise and restart in turn forever. An epoch that costs nothing says
nothing about the scale and leaves the facility cost alone.

*Retirement.* Clusters with too small a share of the weight are given up, and take part in
nothing any more. They keep their ids.
"""

from typing import NamedTuple

import numpy as np

from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.rows import rows_at, stacked

TOO_LARGE = 100  # times the mean cost of a phase's openings in the epoch
FAIR_SHARE = 2  # a cluster retires below its fair share of the weight, divided by this
_NEVER = np.iinfo(np.int64).max  # the position at which a live cluster retires


class Clusters(NamedTuple):
    """Online clusters, and when they were live.

    Attributes
    ----------
    rows : ndarray or CSR
        A row for each, such as their centers.
    opened_at : ndarray of int64
        The positions of the samples that opened them.
    retired_at : ndarray of int64
        The positions of the first samples that could no longer join them.
    """

    rows: object
    opened_at: np.ndarray
    retired_at: np.ndarray

    def __len__(self):
        return len(self.opened_at)

    def at(self, indices):
        """Return some of the clusters."""
        positions = (positions[indices] for positions in self[1:])
        return Clusters(rows_at(self.rows, indices), *positions)


def end_epoch(stream):
    """Let a stream forget half of what it knows, in place."""
    stream.schedule = schedule = shallow_copy(stream.schedule)
    cost, n = stream.totals.epoch_cost + schedule.fees, stream.seen.n
    schedule.fees = 0.0
    if not schedule.is_prefix and cost > 0:
        schedule.end_epoch(TOO_LARGE * cost / schedule.openings_per_phase(n))
    stream.totals, stream.seen = stream.totals.halved(), stream.seen.halved()
    if not schedule.is_prefix:
        counts = stream.counts
        fair_share = stream.seen.before / schedule.n_to_keep(n)
        least = min(fair_share / FAIR_SHARE, counts.max())
        is_new = stream.opened_at >= stream.n_seen - stream.half_life
        retire(stream, np.flatnonzero((counts < least) & ~is_new))


def retire(stream, indices):
    """Give up some of the live clusters of a stream, in place."""
    if not len(indices):
        return
    kept = np.delete(np.arange(len(stream.centers)), indices)
    group = _live(stream, stream.centers.rows, stream.n_seen).at(indices)
    stream.retired = _appended(stream.retired, group)
    stream.centers = centers_from(rows_at(stream.centers.rows, kept))
    stream.totals = stream.totals.of_clusters(kept)
    stream.opened_at, stream.ids = stream.opened_at[kept], stream.ids[kept]


def every_cluster(stream, rows=None):
    """Return all clusters of a stream by id; `rows`, if given, are those of live ones.

    The rows of retired ones are their centers, as they were when they retired.
    """
    live = _live(stream, stream.centers.rows if rows is None else rows, _NEVER)
    if not stream.retired:
        return live
    every = joined([live, *stream.retired])
    return every.at(np.argsort(every.opened_at))


def every_opening(stream):
    """Return the position at which each cluster of a stream opened, by id."""
    retired = (clusters.opened_at for clusters in stream.retired)
    return np.sort(np.concatenate([stream.opened_at, *retired]))


def _live(stream, rows, retired_at):
    positions = np.full(len(stream.opened_at), retired_at, dtype=np.int64)
    return Clusters(rows, stream.opened_at, positions)


def _appended(groups, group):
    """Return groups of clusters with another, joined to those no larger.

    So there are few of them, and a cluster is copied only a few times.
    """
    while groups and len(groups[-1]) <= len(group):
        group, groups = joined([groups[-1], group]), groups[:-1]
    return (*groups, group)


def joined(groups):
    """Return groups of clusters as one."""
    rows, *positions = zip(*groups)
    return Clusters(stacked(rows), *map(np.concatenate, positions))
