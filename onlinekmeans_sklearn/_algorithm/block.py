"""Many rows at once, with the decisions of the paper's loop.

While a block is read the distance of a sample to its nearest center only shrinks and the
facility cost only grows. So a sample that would not open a center against the centers and
the cost from before the block does not open one at all, and a block is read in four steps:

`look_up`
    the nearest center from before the block for every row; rows are independent.
`open_centers`
    walk the few candidates in stream order and open centers by the paper's rule.
`label`
    the nearest center of every row at the moment it was read; rows are independent again.
`add_up`
    counts, sums and costs, in stream order.

Where a block ends makes no difference to the result, only to the speed.
"""

import numpy as np

from .._nearest import centers_from, largest_block, nearest
from .._utils.rollback import shallow_copy
from .._utils.rows import rows_at, rows_between
from .cluster_sums import sequential_sum


def read_block(stream, X, uniforms, threads, dtype):
    """Let a stream read a block of rows, in place; return labels and squared distances.

    The dtype is that of the rows before they were stored as kernels want them.
    """
    old = stream.centers
    labels, d2 = look_up(stream, X, threads)
    opened = open_centers(stream, X, uniforms, d2, dtype)
    if len(opened):
        new, visible = centers_from(rows_at(X, opened)), n_visible(X.shape[0], opened)
        label(X, new, visible, old, labels, d2, threads)
    add_up(stream, X, labels, d2, threads)
    move_on(stream, opened, X.shape[0])
    return labels, d2


def look_up(stream, X, threads):
    """Return the nearest center of every row and D2(v, C)."""
    return nearest(stream.centers, X, threads)


def open_centers(stream, X, uniforms, d2, dtype, positions=None):
    """Open centers at rows of a block, in order, and return which.

    A row opens one if its number times the facility cost is below its D2(v, C), for the C
    of that moment: the centers from before the block, and those that opened in it. If `X`
    has only some rows of the block, `positions` says which.
    """
    candidates = (uniforms * stream.schedule.facility_cost < d2).nonzero()[0]
    opened = candidates[:0]
    if not len(candidates):
        return opened
    centers, schedule = stream.centers, shallow_copy(stream.schedule)
    place, n = 0, stream.n_seen
    room = min(len(candidates), stream.max_clusters - len(centers))
    while len(opened) < room:
        most = min(room - len(opened), schedule.openings_left(n))
        places = centers.search.next_openings(
            X, candidates, place, uniforms, schedule.facility_cost, d2, opened, most
        )
        if not len(places):
            break
        opened, place = np.append(opened, candidates[places]), int(places[-1]) + 1
        row = opened[-1] if positions is None else positions[opened[-1]]
        n = stream.n_seen + int(row) + 1
        if schedule.record_openings(len(places), n):
            schedule.start(centers.with_rows(rows_at(X, opened)), n)
    if len(opened):
        new = rows_at(X, opened).astype(dtype, copy=False)
        stream.centers, stream.schedule = centers.with_rows(new), schedule
    return opened


def n_visible(n_rows, opened, n_before=0):
    """Return how many new centers each row of a block knows: those that opened up to it.

    `n_before` of them opened before the block.
    """
    visible = np.zeros(n_rows, dtype=np.int64)
    visible[:1] = n_before
    visible[opened] += 1
    return np.cumsum(visible, out=visible)


def label(X, new, visible, old, labels, d2, threads):
    """Let rows go over to new centers that are visible to them, if these are nearer."""
    if 0 < len(old) <= X.shape[0]:  # or to know the reach takes longer than it saves
        visible *= d2 >= _reach(new, old)[labels]
    new_labels, _ = nearest(new, X, threads, d2, visible)
    gone_over = np.flatnonzero(new_labels >= 0)
    labels[gone_over] = len(old) + new_labels[gone_over]


def _reach(new, old):
    """Return for each old center how far a row must be for a new one to be nearer.

    By the triangle inequality a row is at least as near to its old center if it is less
    than half as far from it as the new one is. So if the new one is nearer, the squared gap
    between the centers is at most four times the squared distance of the row to the old
    one. Rounding changes that by about 3 (d + 2) 2^-53, far less than 1e-6, and by
    d 2^-1075 where squares underflow.
    """
    step = largest_block(old.rows, new)  # the index of all may be too wide for kernels
    parts = (rows_between(old.rows, i, i + step) for i in range(0, len(old), step))
    gap = np.concatenate([nearest(new, new.as_rows(part))[1] for part in parts])
    return gap * (0.25 - 1e-6) - old.n_features * 1e-320


def add_up(stream, X, labels, d2, threads):
    """Take over what the rows add to counts, sums and costs."""
    stream.sums = stream.sums.with_members(X, labels, stream.centers, threads)
    counts = np.bincount(labels, minlength=len(stream.centers))
    counts[: len(stream.counts)] += stream.counts
    stream.counts = counts
    stream.inertia = sequential_sum(stream.inertia, d2)


def move_on(stream, opened, n_rows):
    """Take over the positions of rows that opened centers, and pass the block."""
    if len(opened):
        stream.opened_at = np.concatenate([stream.opened_at, stream.n_seen + opened])
    stream.n_seen += n_rows
