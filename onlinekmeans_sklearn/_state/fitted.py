"""What a fitted estimator has learned, and the same as plain fields.

It holds everything that affects future results. The number of rows that are read at once
affects only the speed, so it is not part of the plain state.
"""

import logging
import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from .._algorithm.cluster_sums import Totals
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.merge import FinalClusters, final_clusters
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .checks import expect, expect_same, plain_rows, rows_from

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_MOST_LOG_N = math.log2(MOST_SAMPLES)
_SCHEDULES = {kind.__name__: kind for kind in (SemiOnline, Theoretical, Practical)}


@dataclass(eq=False)
class Fitted:
    """What a call has learned; the next call replaces it as a whole."""

    stream: Stream
    n_clusters: int  # or None; this and the next are parameters of the last call
    centers: str
    start_parameters: dict  # those that were read when the stream started
    last_rows: tuple  # labels and squared distances of the last call, as decided online
    final: FinalClusters = None  # made when first needed; whoever makes it gets the same

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
    stream, merged = fitted.stream, None
    labels, d2 = fitted.last_rows
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
        "stream": {
            "seed": stream.numbers.seed,
            "n_seen": stream.n_seen,
            "max_clusters": None if stream.max_clusters == np.inf else stream.max_clusters,
            "schedule": _plain_schedule(stream.schedule),
            "centers": plain_rows(stream.centers.rows),
            "opened_at": stream.opened_at,
            "counts": stream.counts,
            "closed_sums": plain_rows(stream.totals.closed),
            "open_sums": plain_rows(stream.totals.open.rows(len(stream.centers))),
            "closed_cost": stream.totals.closed_cost,
            "open_cost": stream.totals.open_cost,
        },
    }


def _plain_schedule(schedule):
    fields = {"class": type(schedule).__name__, **vars(schedule)}
    fields.pop("facility_cost", None)  # that of the last phase
    fields["phases"] = [list(phase) for phase in schedule.phases]
    return dict(sorted(fields.items()))


def fitted_from(state):
    """Return what was learned, from plain fields that are checked."""
    try:
        fitted = _fitted_from(state)
        expect_same(state, plain_fitted(fitted))
    except MemoryError:
        raise
    except Exception as error:  # whatever a state that cannot be makes Python say
        message = f"This is not the state of a fitted estimator: {error}"
        raise ValueError(message) from error
    return fitted


def _fitted_from(state):
    stream, n_clusters = _stream_from(state["stream"]), state["n_clusters"]
    n_online, n_features = stream.centers.rows.shape
    labels = np.array(state["labels"], np.int32)
    labels.flags.writeable = False  # users see them
    d2 = np.array(state["squared_distances"], np.float64)
    parameters = state["start_parameters"]
    expect(
        a_squared_distance_for_each_label=len(labels) == len(d2) and (d2 >= 0).all(),
        labels_of_clusters=_are_labels(labels, n_online),
        a_number_of_clusters=n_clusters is None or 1 <= n_clusters <= MOST_CLUSTERS,
        samples_or_means=state["centers"] in ("samples", "means"),
        start_parameters=type(parameters) is dict,
    )
    fitted = Fitted(stream, n_clusters, state["centers"], parameters, (labels, d2))
    if state["merged"] is not None:
        n_merged = min(n_clusters, n_online)
        rows = rows_from(state["merged"]["centers"], (n_merged, n_features))
        of_online = np.array(state["merged"]["of_online"], np.int32)
        are_merged = len(of_online) == n_online and _are_labels(of_online, n_merged)
        expect(
            a_merged_cluster_for_each_online_cluster=are_merged,
            finite_squared_distances=distances_are_finite(rows),
        )
        fitted.final = FinalClusters(centers_from(rows), of_online)
    return fitted


def _stream_from(state):
    schedule, n_seen = _schedule_from(state["schedule"]), int(state["n_seen"])
    stream = Stream(schedule, int(state["seed"]), state["max_clusters"] or np.inf)
    rows = rows_from(state["centers"])
    n_clusters, n_features = rows.shape
    opened_at, counts = (np.array(state[k], np.int64) for k in ("opened_at", "counts"))
    closed = rows_from(state["closed_sums"], (None, n_features)).astype(np.float64)
    open_sums = rows_from(state["open_sums"], rows.shape).astype(np.float64)
    costs = [float(state[name]) for name in ("closed_cost", "open_cost")]
    starts = [0, *(start for start, _ in schedule.phases), n_seen]
    is_prefix = schedule.openings == n_clusters < schedule.prefix_length
    is_phase = schedule.phases and 0 <= schedule.openings <= n_clusters
    expect(
        finite_squared_distances=distances_are_finite(rows),
        a_seed=0 <= stream.numbers.seed < 2**63,
        a_number_of_samples=n_seen <= MOST_SAMPLES,
        centers_within_max_clusters=1 <= n_clusters <= stream.max_clusters,
        max_clusters=stream.max_clusters
        in (np.inf, min(stream.max_clusters, MOST_CLUSTERS)),
        counts_of_all_samples=(counts > 0).all() and sum(counts.tolist()) == n_seen,
        a_count_and_a_position_for_each_center=len(opened_at) == len(counts) == n_clusters,
        centers_that_open_in_order=opened_at[0] >= 0
        and (np.diff(opened_at) > 0).all()
        and opened_at[-1] < n_seen,
        sums_stored_like_centers=issparse(rows) == issparse(closed) == issparse(open_sums)
        and closed.shape[0] <= n_clusters,
        costs_that_are_not_negative=min(costs) >= 0,
        phases_that_start_within_the_stream=starts == sorted(starts),
        a_phase_or_prefix_that_all_centers_can_be_of=is_phase or is_prefix,
    )
    stream.centers, stream.opened_at, stream.n_seen = centers_from(rows), opened_at, n_seen
    stream.totals = Totals(closed, open_sums, counts, n_seen, *costs)
    expect(finite_squared_distances_of_means=distances_are_finite(stream.means))
    return stream


def _schedule_from(state):
    schedule = object.__new__(_SCHEDULES[state["class"]])
    schedule.phases = tuple((int(start), float(cost)) for start, cost in state["phases"])
    for name in ("k", "prefix_length", "openings"):
        setattr(schedule, name, int(state[name]))
    if isinstance(schedule, SemiOnline):
        schedule.log_n = float(state["log_n"])
    if schedule.phases:
        schedule.facility_cost = schedule.phases[-1][1]
    expect(
        the_logarithm_of_a_length=1 <= getattr(schedule, "log_n", 1) <= _MOST_LOG_N,
        a_number_of_clusters_to_aim_at=1 <= schedule.k <= MOST_SAMPLES,
        positive_facility_costs=all(cost > 0 for _, cost in schedule.phases),
    )
    return schedule


def _are_labels(labels, n_clusters):
    return labels.ndim == 1 and ((labels >= 0) & (labels < n_clusters)).all()
