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
`accumulate`
    counts, sums and costs, in stream order.

Only `open_centers` must know all decisions before it, so threads share the other steps.
While the rows of one block are looked up, those of the one before are added up.

Where a block ends makes no difference to the result, only to the speed.
"""

from functools import partial

import numpy as np

from .._nearest import centers_from, largest_block, nearest, row_shares
from .._utils.calls import shallow_copy
from .._utils.rows import rows_at, rows_between
from .._utils.threads import SINGLE_THREAD
from .._utils.tuning import TUNING
from .weights import heavy_numbers, light_numbers


def read_block(stream, X, ids, d2, weights, threads, left):
    """Take rows through the four steps, and write the id and d2 of each to arrays.

    `weights` are None if all are 1. If there are several threads, rows are added up beside
    the look-up of the next block, from left to right::

        look up 1 | open 1 | label 1 | look up 2 | open 2 | label 2 | look up 3 | ...
                                     |  add up 1 |                  |  add up 2 |

    `left` are the steps that the last block has left; return those that this one leaves.
    """
    old, dtype, n_rows = stream.centers, X.dtype, X.shape[0]
    X = old.as_rows(X)
    labels = np.empty_like(ids) if stream.retired else ids  # indices of live centers
    shares = row_shares(n_rows, X.size * len(stream.ids), threads)
    threads = threads if len(shares) > 1 else SINGLE_THREAD
    steps = [partial(look_up, X, old, labels, d2, rows) for rows in shares]
    draw = partial(stream.numbers.between, stream.n_seen, stream.n_seen + n_rows)
    *_, uniforms = do_all([*left, *steps, draw], threads)
    opened = open_centers(stream, X, uniforms, d2, dtype, weights=weights)
    if len(opened):
        label(X, labels, d2, old, centers_from(rows_at(X, opened)), opened, threads)
    advance(stream, opened, n_rows, weights)
    left = accumulate(stream, X, labels, d2, weights, threads)
    if threads is SINGLE_THREAD:
        do_all(left, threads)  # while the rows are in the cache
    if stream.retired:
        ids[:] = stream.ids[labels]
    return left


def do_all(steps, threads):
    """Empty a list of steps that may be done side by side, and return their results."""
    if threads.n_threads == 1:
        results = [step() for step in steps]
    else:
        results = threads.map(lambda step: step(), steps)
    steps.clear()
    return results


def look_up(X, centers, labels, d2, rows):
    """Write the nearest center of some rows of a block, and D2(v, C), to arrays."""
    d2[rows] = np.inf
    X = rows_between(X, rows.start, rows.stop)
    nearest(centers, X, d2[rows], ids=labels[rows])


def open_centers(stream, X, uniforms, d2, dtype, positions=None, weights=None):
    """Open centers at rows of a block, in order, and return which.

    A row opens one if its number times the facility cost is below its D2(v, C), for the C
    of that moment: the centers from before the block, and those that opened in it. If `X`
    has only some rows of the block, `positions` says which.
    """
    uniforms, candidates = _candidates(stream, uniforms, d2, weights)
    centers, schedule = stream.centers, shallow_copy(stream.schedule)
    opened, start, n = candidates[:0], 0, stream.seen.n
    room = min(len(candidates), stream.max_clusters - len(stream.ids))
    while len(opened) < room:
        most = min(room - len(opened), schedule.openings_left(n))
        indices = centers.search.next_openings(
            X, candidates, start, uniforms, schedule.facility_cost, d2, opened, most
        )
        if not len(indices):
            break
        new, start = candidates[indices], int(indices[-1]) + 1
        opened = np.append(opened, new)
        n_rows = 1 + int(new[-1] if positions is None else positions[new[-1]])
        n, position = stream.seen.with_rows(n_rows, weights).n, stream.n_seen + n_rows
        of_new = np.ones(len(new)) if weights is None else weights[new]
        saved = np.zeros(len(new))
        if stream.half_life < np.inf:
            saved = _d2_of_openings(X, opened, new, d2)
        if schedule.record_openings(of_new.tolist(), saved.tolist(), position, n):
            prefix = centers.with_rows(rows_at(X, opened)).rows[-schedule.prefix_length :]
            schedule.start(centers_from(prefix), position)
    if len(opened):
        new = rows_at(X, opened).astype(dtype, copy=False)
        stream.centers, stream.schedule = centers.with_rows(new), schedule
    return opened


def _candidates(stream, uniforms, d2, weights):
    """Return the opening number of each row, and the rows that may open a center."""
    cost = stream.schedule.facility_cost
    if weights is None:
        return uniforms, (uniforms * cost < d2).nonzero()[0]
    numbers = light_numbers(uniforms, weights)
    if not stream.n_seen:
        numbers[0] = 0.0  # it opens one, even if the product would be infinite
    with np.errstate(invalid="ignore", over="ignore"):  # infinity times 0 opens nothing
        least = numbers * (cost * (1 - 1e-12))  # bounds are rounded, too
        candidates = (least < d2).nonzero()[0]
    heavy = candidates[(weights[candidates] > 1) & (numbers[candidates] > 0)]
    numbers[heavy] = heavy_numbers(uniforms[heavy], weights[heavy])
    return numbers, candidates


def _d2_of_openings(X, opened, new, d2):
    """Return D2(v, C) of the last rows that opened a center, the `new` ones."""
    centers, n_before = centers_from(rows_at(X, opened)), len(opened) - len(new)
    visible = np.arange(n_before, len(opened), dtype=np.int64)
    return nearest(centers, rows_at(X, new), d2[new].copy(), visible)[1]


def label(X, labels, d2, old, new, opened, threads=SINGLE_THREAD):
    """Reassign rows of a block to the nearest of the new centers they know, if nearer.

    The rows were looked up in the old centers. The last of the new centers opened at the
    rows `opened`, some perhaps after the block; the others opened before the first row.
    """
    n_rows, n_old, n_new = len(labels), len(old), len(new)
    visible = np.zeros(n_rows, dtype=np.int64)
    visible[:1] = n_new - len(opened)
    visible[opened[opened < n_rows]] += 1
    np.cumsum(visible, out=visible)
    # with many old centers it takes longer to compute the reach than it saves
    if 0 < n_old <= n_rows:
        visible *= d2 >= _reach(new, old)[labels]

    def label_share(rows):
        part = rows_between(X, rows.start, rows.stop)
        found, _ = nearest(new, part, d2[rows], visible[rows])
        nearer = np.flatnonzero(found >= 0)
        labels[rows.start + nearer] = n_old + found[nearer]

    threads.map(label_share, row_shares(n_rows, X.size * n_new, threads))


def _reach(new, old):
    """Return the squared distance to each old center below which no new one is nearer.

    By the triangle inequality a row is at least as near to its old center if it is less
    than half as far from it as the new one is. So if the new one is nearer, the squared gap
    between the centers is at most four times the squared distance of the row to the old
    one. Rounding changes that by about 3 (d + 2) 2^-53, far less than 1e-6, and by
    d 2^-1075 where squares underflow.
    """
    step = largest_block(old.rows, new)  # an index of all may be too large for kernels
    parts = (rows_between(old.rows, i, i + step) for i in range(0, len(old), step))
    gap = np.concatenate([nearest(new, new.as_rows(part))[1] for part in parts])
    return gap * (0.25 - 1e-6) - old.n_features * 1e-320


def accumulate(stream, X, labels, d2, weights, threads):
    """Return steps, in any order, that add rows to the counts, sums and costs."""
    n_sums = 1 + threads.n_threads // TUNING.threads_per_sum
    block = X, labels, d2, weights, stream.centers, n_sums
    stream.totals, steps = stream.totals.with_block(*block)
    return steps


def advance(stream, opened, n_rows, weights=None):
    """Store the positions of rows that opened centers, and count the rows of the block."""
    if len(opened):
        first = stream.n_online
        new = np.arange(first, first + len(opened), dtype=np.int32)
        stream.ids = np.concatenate([stream.ids, new])
        stream.opened_at = np.concatenate([stream.opened_at, stream.n_seen + opened])
    stream.seen = stream.seen.with_rows(n_rows, weights)
    stream.n_seen += n_rows
