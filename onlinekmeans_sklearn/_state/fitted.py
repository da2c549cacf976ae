"""What a fitted estimator has learned, and the same as plain fields.

It holds everything that affects future results. The number of rows that are read at once
affects only the speed, so it is not part of the plain state.
"""

import logging
import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.sparse import issparse

from .._algorithm.cluster_sums import Totals
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.merge import FinalClusters, final_clusters
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .fields import expect, plain_rows, read_fields, rows_from

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
# Fields that are stored as they are, with their types and bounds. Those of a stream are
# attributes, of itself or of what it has.
_STREAM = {
    "n_seen": (int, 1, MOST_SAMPLES),
    "max_clusters": (int, 1, MOST_CLUSTERS, None),
    "opened_at": (np.int64, 0, MOST_SAMPLES),
    "numbers.seed": (int, 0, 2**63 - 1),
    "totals.counts": (np.int64, 1, MOST_SAMPLES),
    "totals.closed_cost": (float, 0, np.inf),
    "totals.open_cost": (float, 0, np.inf),
    "schedule.k": (int, 1, MOST_SAMPLES),
    "schedule.prefix_length": (int, 0, 2 * MOST_SAMPLES),
    "schedule.openings": (int, 0, MOST_CLUSTERS),
}
_SEMI_ONLINE = {**_STREAM, "schedule.log_n": (float, 1, math.log2(MOST_SAMPLES))}
_SCHEDULES = {
    "SemiOnline": (SemiOnline, _SEMI_ONLINE),
    "Theoretical": (Theoretical, _STREAM),
    "Practical": (Practical, _STREAM),
}
_PHASES = {
    "starts": (np.int64, 0, MOST_SAMPLES),
    "facility_costs": (np.float64, math.ulp(0.0), np.inf),
}


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
    merged = None
    if fitted.n_clusters is not None and fitted.final is not None:
        centers, of_online = fitted.final
        merged = {"centers": plain_rows(centers.rows), "of_online": of_online}
    return {
        "n_clusters": fitted.n_clusters,
        "centers": fitted.centers,
        "start_parameters": fitted.start_parameters,
        "labels": fitted.last_rows[0],
        "squared_distances": fitted.last_rows[1],
        "merged": merged,
        "stream": _plain_stream(fitted.stream),
    }


def _plain_stream(stream):
    name, totals = type(stream.schedule).__name__, stream.totals
    starts, costs = ([phase[i] for phase in stream.schedule.phases] for i in (0, 1))
    phases = {"starts": np.array(starts, np.int64), "facility_costs": np.array(costs)}
    paths = _SCHEDULES[name][1]
    return {
        "schedule": name,
        "phases": phases,
        "centers": plain_rows(stream.centers.rows),
        "closed_sums": plain_rows(totals.closed),
        "open_sums": plain_rows(totals.open.rows(len(totals.counts))),
        **{path: reduce(getattr, path.split("."), stream) for path in paths},
        "max_clusters": None if stream.max_clusters == np.inf else stream.max_clusters,
    }


def fitted_from(state):
    """Return what was learned, from plain fields that are checked."""
    try:
        return _fitted_from(**state)
    except MemoryError:
        raise
    except Exception as error:  # whatever a state that cannot be makes Python say
        message = f"This is not the state of a fitted estimator: {error}"
        raise ValueError(message) from error


def _fitted_from(centers, start_parameters, merged, stream, **fields):
    stream = _stream_from(**stream)
    kinds = {
        "n_clusters": (int, 1, MOST_CLUSTERS, None),
        "labels": (np.int32, 0, len(stream.centers) - 1),
        "squared_distances": (np.float64, 0, np.inf),
    }
    n_clusters, labels, d2 = read_fields(fields, kinds).values()
    expect(
        samples_or_means=centers in ("samples", "means"),
        start_parameters=type(start_parameters) is dict,
        a_squared_distance_for_each_label=len(labels) == len(d2),
        finite_squared_distances_of_means=distances_are_finite(stream.means),
    )
    labels.flags.writeable = False  # users see them
    fitted = Fitted(stream, n_clusters, centers, start_parameters, (labels, d2))
    if merged is not None:
        fitted.final = _merged_from(fitted, **merged)
    return fitted


def _merged_from(fitted, centers, **fields):
    n_online, n_features = fitted.stream.centers.rows.shape
    rows, n_merged = rows_from(**centers), min(fitted.n_clusters, n_online)
    fields = read_fields(fields, {"of_online": (np.int32, 0, n_merged - 1)}, n_online)
    expect(
        as_many_merged_clusters=rows.shape == (n_merged, n_features),
        finite_squared_distances=distances_are_finite(rows),
    )
    return FinalClusters(centers_from(rows), **fields)


def _stream_from(schedule, phases, centers, closed_sums, open_sums, **fields):
    kind, paths = _SCHEDULES[schedule]
    rows, closed, last = (rows_from(**x) for x in (centers, closed_sums, open_sums))
    n_clusters, fields = rows.shape[0], read_fields(fields, paths, rows.shape[0])
    starts, costs = (array.tolist() for array in read_fields(phases, _PHASES).values())
    stream, n_seen = Stream(object.__new__(kind), 0), fields["n_seen"]
    stream.totals = Totals(closed, last, None, n_seen)
    for path, value in fields.items():
        *owners, name = path.split(".")
        setattr(reduce(getattr, owners, stream), name, value)
    stream.max_clusters = stream.max_clusters or np.inf
    schedule, ends = stream.schedule, [*starts, n_seen]
    schedule.phases = tuple(zip(starts, costs, strict=True))
    if costs:
        schedule.facility_cost = costs[-1]
    is_prefix = schedule.openings == n_clusters < schedule.prefix_length
    expect(
        finite_squared_distances=distances_are_finite(rows),
        centers_within_max_clusters=1 <= n_clusters <= stream.max_clusters,
        counts_of_all_samples=sum(stream.totals.counts.tolist()) == n_seen,
        positions_in_order=(np.diff(stream.opened_at, append=n_seen) > 0).all(),
        sums_stored_like_centers=issparse(rows) == issparse(closed) == issparse(last),
        sums_in_float64=closed.dtype == last.dtype == np.float64,
        sums_of_the_same_features=closed.shape[1] == last.shape[1] == rows.shape[1],
        sums_of_all_clusters=closed.shape[0] <= last.shape[0] == n_clusters,
        phases_in_order=ends == sorted(ends),
        openings_within_a_phase=is_prefix or (costs and schedule.openings <= n_clusters),
    )
    stream.centers = centers_from(rows)
    return stream
