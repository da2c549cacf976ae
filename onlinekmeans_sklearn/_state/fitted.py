"""What a fitted estimator has learned, and the same as plain fields.

It holds everything that affects future results. The number of rows that are read at once
affects only the speed, so it is not part of the plain state.
"""

import logging
import math

import numpy as np
from scipy.sparse import issparse

from .._algorithm.cluster_sums import Totals
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.merge import FinalClusters, final_clusters
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .fields import Fields, expect, plain_rows

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_SCHEDULES = {kind.__name__: kind for kind in (SemiOnline, Theoretical, Practical)}


class Fitted:
    """What a call has learned; the next call replaces it as a whole.

    Attributes
    ----------
    stream : Stream
    n_clusters, centers : int or None, str
        The parameters of that name at the last call.
    start_parameters : dict
        The parameters that were read when the stream started.
    last_rows : tuple of ndarray
        Labels and squared distances of the rows of the last call, as decided online.
    final : FinalClusters or None
        Computed when it is first needed. Whoever computes it gets the same.
    """

    def __init__(
        self, stream, n_clusters, centers, start_parameters, last_rows, final=None
    ):
        self.stream = stream
        self.n_clusters = n_clusters
        self.centers = centers
        self.start_parameters = start_parameters
        self.last_rows = last_rows
        self.final = final

    def final_clusters(self, n_jobs):
        """Return the final clusters."""
        if self.final is None:
            final = final_clusters(self.stream, self.n_clusters, self.centers, n_jobs)
            if self.n_clusters is not None:
                sizes = len(self.stream.centers), len(final.centers), self.stream.n_seen
                _LOGGER.info("%d online clusters merged into %d after %d samples", *sizes)
            self.final = final
        return self.final


def plain_fitted(fitted):
    """Return what was learned as dicts of arrays, numbers and strings."""
    labels, d2 = fitted.last_rows
    merged = None
    if fitted.n_clusters is not None and fitted.final is not None:
        centers, of_online = fitted.final
        merged = {"centers": plain_rows(centers.rows), "of_online": of_online}
    return {
        "n_clusters": fitted.n_clusters,
        "centers": fitted.centers,
        "start_parameters": fitted.start_parameters,
        "labels": labels,
        "squared_distances": d2,
        "merged": merged,
        "stream": _plain_stream(fitted.stream),
    }


def fitted_from(state):
    """Return what was learned, from plain fields that are checked."""
    fields = Fields(state, "fitted.")
    stream = _stream_from(fields.fields("stream"))
    n_clusters = fields.count("n_clusters", MOST_CLUSTERS)
    labels = fields.array("labels", ["int32"], (None,))
    d2 = fields.array("squared_distances", ["float64"], (len(labels),))
    expect((d2 >= 0).all(), "squared distances that are not negative")
    _check_labels(labels, len(stream.centers))
    labels.flags.writeable = False  # users see them
    centers = fields.choice("centers", ("samples", "means"))
    start_parameters = fields.take("start_parameters", dict)
    merged, final = fields.take("merged", dict, type(None)), None
    if merged is not None:
        final = _merged_from(Fields(merged, "fitted.merged."), stream, n_clusters)
    fields.end()
    return Fitted(stream, n_clusters, centers, start_parameters, (labels, d2), final)


def _merged_from(fields, stream, n_clusters):
    n_online, n_features = stream.centers.rows.shape
    n_merged = min(n_clusters or n_online, n_online)
    rows = fields.rows("centers", (n_merged, n_features))
    of_online = fields.array("of_online", ["int32"], (n_online,))
    _check_labels(of_online, n_merged)
    fields.end()
    return FinalClusters(centers_from(rows), of_online)


def _plain_stream(stream):
    totals, is_capped = stream.totals, stream.max_clusters != np.inf
    n_clusters = len(stream.centers)
    return {
        "seed": stream.numbers.seed,
        "n_seen": stream.n_seen,
        "max_clusters": stream.max_clusters if is_capped else None,
        "schedule": _plain_schedule(stream.schedule),
        "centers": plain_rows(stream.centers.rows),
        "opened_at": stream.opened_at,
        "counts": totals.counts,
        "closed_sums": plain_rows(totals.closed),
        "open_sums": plain_rows(totals.open.rows(n_clusters)),
        "closed_cost": totals.closed_cost,
        "open_cost": totals.open_cost,
    }


def _stream_from(fields):
    schedule = _schedule_from(fields.fields("schedule"))
    seed = fields.number("seed", int, 0, 2**63 - 1)
    stream = Stream(schedule, seed, fields.count("max_clusters", MOST_CLUSTERS) or np.inf)
    stream.n_seen = n_seen = fields.number("n_seen", int, 1, MOST_SAMPLES)
    rows = fields.rows("centers", (None, None))
    n_clusters = rows.shape[0]
    expect(1 <= n_clusters <= min(stream.max_clusters, MOST_CLUSTERS), "a center, or more")
    stream.opened_at = opened_at = fields.array("opened_at", ["int64"], (n_clusters,))
    is_ordered = (np.diff(opened_at) > 0).all() and opened_at[0] >= 0
    expect(is_ordered and opened_at[-1] < n_seen, "centers to open one after the other")
    counts = fields.array("counts", ["int64"], (n_clusters,))
    adds_up = (counts > 0).all() and sum(counts.tolist()) == n_seen
    expect(adds_up, "counts that are positive and add up to n_seen")
    closed = fields.rows("closed_sums", (None, rows.shape[1]), ["float64"])
    open_sums = fields.rows("open_sums", rows.shape, ["float64"])
    are_alike = issparse(rows) == issparse(closed) == issparse(open_sums)
    expect(are_alike and closed.shape[0] <= n_clusters, "sums that are stored like centers")
    costs = [
        fields.number(name, float, 0.0, np.inf) for name in ("closed_cost", "open_cost")
    ]
    stream.centers = centers_from(rows)
    stream.totals = Totals(closed, open_sums, counts, n_seen, *costs)
    expect(distances_are_finite(stream.means), "means with finite squared distances")
    starts = [0, *(start for start, _ in schedule.phases), n_seen]
    expect(starts == sorted(starts), "phases that start within the stream")
    is_prefix = schedule.openings == n_clusters < schedule.prefix_length
    is_phase = schedule.phases and schedule.openings <= n_clusters
    expect(is_phase or is_prefix, "a phase, or a prefix, that all centers can be of")
    fields.end()
    return stream


def _plain_schedule(schedule):
    fields = {"class": type(schedule).__name__, **vars(schedule)}
    fields.pop("facility_cost", None)  # that of the last phase
    return {**fields, "phases": [list(phase) for phase in schedule.phases]}


def _schedule_from(fields):
    name = fields.choice("class", _SCHEDULES)
    schedule = object.__new__(_SCHEDULES[name])
    schedule.k = fields.number("k", int, 1, MOST_SAMPLES)
    schedule.prefix_length = fields.number("prefix_length", int, 0, MOST_SAMPLES + 10)
    schedule.openings = fields.number("openings", int, 0, MOST_CLUSTERS)
    if name == "SemiOnline":
        schedule.log_n = fields.number("log_n", float, 1.0, math.log2(MOST_SAMPLES))
    phases = fields.take("phases", list)
    are_pairs = all(type(phase) is list for phase in phases) and all(
        [*map(type, phase)] == [int, float] and phase[1] > 0 for phase in phases
    )
    expect(are_pairs, "a start and a positive facility cost for every phase")
    schedule.phases = tuple(map(tuple, phases))
    if phases:
        schedule.facility_cost = phases[-1][1]
    fields.end()
    return schedule


def _check_labels(labels, n_clusters):
    are_valid = ((labels >= 0) & (labels < n_clusters)).all()
    expect(are_valid, f"labels in the range [0, {n_clusters})")
