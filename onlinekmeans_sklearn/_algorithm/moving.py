"""Centers that move, in streams whose online clusters are only a summary to merge.

Means summarize clusters better than the samples that opened them. So whenever the stream
has grown by 30 %, all centers move to the means of their clusters so far. That is an event
at a position, as the end of an epoch is: labels stay as they are, and sums go on relative
to the new centers. Nothing moves in a prefix, nor after about a million samples, so that
from there on workers can read at the same time.

Means of CSR rows are denser, and take longer to compare than they save.
"""

from bisect import bisect_right

import numpy as np

from .._nearest import centers_from

POSITIONS = [512 * 13**i // 10**i for i in range(30)]


def is_moving(stream):
    """Return whether centers may move before the next sample, or before a later one."""
    return stream.moves and stream.n_seen <= POSITIONS[-1]


def centers_move(stream):
    """Return whether centers move before the next sample."""
    is_time = stream.moves and stream.n_seen in POSITIONS
    return is_time and not stream.schedule.is_prefix


def rows_left_before_move(stream):
    """Return how many samples from the next one on come before a later move."""
    later = POSITIONS[bisect_right(POSITIONS, stream.n_seen) :]
    return later[0] - stream.n_seen if stream.moves and later else np.inf


def move_centers(stream):
    """Move the centers of a stream to the means of their clusters, in place."""
    old = stream.centers
    stream.centers = centers_from(stream.means.astype(old.dtype))
    stream.totals = stream.totals.moved(stream.centers.exact - old.exact)
