"""Centers that move, in streams whose online clusters are only a summary to merge.

Means summarize clusters better than the samples that opened them. So whenever the stream
has grown by 30 %, all centers move to the means of their clusters so far. That is an event
at a position, as the end of an epoch is: labels stay as they are, and sums go on relative
to the new centers. Nothing moves in a prefix, nor after about a million samples, so that
from there on workers can read at the same time.

Means of CSR rows are denser, and take longer to compare than they save.
"""

import math

from .._nearest import centers_from

POSITIONS = [512 * 13**i // 10**i for i in range(30)]


def is_moving(stream):
    """Return whether centers may move before the next sample, or before a later one."""
    return stream.moves and stream.n_seen <= POSITIONS[-1]


def next_move(stream):
    """Return the first position after the next one at which centers may move."""
    later = (position for position in POSITIONS if position > stream.n_seen)
    return min(later, default=math.inf) if stream.moves else math.inf


def move_centers(stream):
    """Move centers to the means of their clusters, in place, if it is time for that."""
    if not stream.moves or stream.n_seen not in POSITIONS or stream.schedule.is_prefix:
        return
    old = stream.centers
    stream.centers = centers_from(stream.means.astype(old.dtype))
    stream.totals = stream.totals.moved(stream.centers.exact - old.exact)
