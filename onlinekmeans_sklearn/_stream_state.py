"""The state of a stream: all that makes a difference to what follows.

How many rows are read at once only makes one to the speed, so it starts anew.
"""

import numpy as np
from scipy.sparse import issparse

from ._centers import centers_from_state
from ._rows import numbers_of, rows_from, state_of_rows
from ._schedule import schedule_from
from ._state import MOST_SAMPLES, check_state, random_from, state_of_random
from ._stream import Stream
from ._validation import are_moderate


def state_of_stream(stream):
    """Return the state of a stream."""
    is_capped = stream.max_clusters != np.inf
    return {
        "schedule": stream.schedule.state(),
        "random_state": state_of_random(stream.random_state),
        "max_clusters": stream.max_clusters if is_capped else None,
        "centers": state_of_rows(stream.centers.rows),
        "sums": state_of_rows(stream.sums),
        "counts": stream.counts,
        "opened_at": stream.opened_at,
        "inertia": stream.inertia,
        "n_seen": stream.n_seen,
        "uniform": stream._uniform,
    }


def stream_from(state):
    """Return a stream that goes on exactly as the one did that had this state."""
    centers = centers_from_state(state.part("centers"))
    is_capped = state.take("max_clusters") is not None
    stream = Stream(
        centers.rows,
        schedule_from(state.part("schedule")),
        random_from(state.part("random_state")),
        state.integer("max_clusters", least=1) if is_capped else np.inf,
    )
    stream.centers = centers
    stream.sums = rows_from(state.part("sums"))
    stream.counts = state.array("counts", (np.int64,))
    stream.opened_at = state.array("opened_at", (np.int64,))
    stream.inertia = state.number("inertia")
    stream.n_seen = state.integer("n_seen", least=1, most=MOST_SAMPLES)
    if state.take("uniform") is not None:
        stream._uniform = state.number("uniform", most=1.0)
    _check_clusters(stream)
    _check_phases(stream.schedule, stream)
    return stream


def _check_clusters(stream):
    """Raise ValueError if what is known of the clusters contradicts itself."""
    rows, sums = stream.centers.rows, stream.sums
    counts, opened_at = stream.counts, stream.opened_at
    check_state(
        sums.shape == rows.shape
        and issparse(sums) == issparse(rows)
        and sums.dtype == np.float64
        and len(counts) == len(opened_at) == rows.shape[0],
        "every cluster has a centre, a sum, a count and a position",
    )
    check_state(
        1 <= len(counts) <= stream.max_clusters, "there are as many clusters as may be"
    )
    check_state(
        opened_at[0] >= 0
        and (opened_at[1:] > opened_at[:-1]).all()
        and opened_at[-1] < stream.n_seen,
        "centres are samples that were seen, the oldest first",
    )
    check_state(
        (counts > 0).all() and sum(counts.tolist()) == stream.n_seen,
        "every sample seen is in a cluster, and no cluster is empty",
    )
    is_moderate = are_moderate(numbers_of(stream.means), rows.shape[1])
    check_state(is_moderate, "means are among the samples")


def _check_phases(schedule, stream):
    """Raise ValueError if the phases contradict what is known of the clusters."""
    n_clusters = len(stream.centers)
    check_state(
        schedule.openings <= n_clusters
        and (schedule.phase > 0 or schedule.openings == n_clusters),
        "what opened in a phase, or in the prefix, is there",
    )
    starts = [start for start, _ in schedule.phases]
    check_state(max(starts, default=0) <= stream.n_seen, "phases are in the past")
