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
from .._algorithm.facility_cost import KEPT_PHASES, Practical, SemiOnline, Theoretical
from .._algorithm.forgetting import Clusters, every_opening, joined
from .._algorithm.merge import FinalClusters, Look, final_clusters, online_to_final
from .._algorithm.stream import Stream
from .._algorithm.weights import SeenWeight
from .._nearest import centers_from
from .._utils.rows import padded
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .fields import expect, plain_rows, read_fields, rows_from

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_MOST_WEIGHT = 2.0**900  # of all samples: as many as there can be, with the largest weight
# Fields that are stored as they are, with their types and bounds. Those of a stream are
# attributes, of itself or of what it has.
_STREAM = {
    "n_seen": (int, 1, MOST_SAMPLES),
    "max_clusters": (int, 1, MOST_CLUSTERS, None),
    "half_life": (int, 1, MOST_SAMPLES, None),
    "opened_at": (np.int64, 0, MOST_SAMPLES),
    "is_weighted": (bool, False, True),
    "moves": (bool, False, True),
    "numbers.seed": (int, 0, 2**63 - 1),
    "totals.closed_counts": (np.float64, 0, _MOST_WEIGHT),
    "totals.open_counts": (np.float64, 0, _MOST_WEIGHT),
    "totals.closed_cost": (float, 0, np.inf),
    "totals.open_cost": (float, 0, np.inf),
    "totals.past_cost": (float, 0, np.inf),
    "totals.saved": (float, -np.inf, np.inf),
    "schedule.k": (int, 1, MOST_SAMPLES),
    "schedule.prefix_length": (int, 0, 2 * MOST_SAMPLES),
    "schedule.openings": (int, 0, MOST_CLUSTERS),
    "schedule.facility_cost": (float, 0, np.inf),
    "schedule.fees": (float, 0, np.inf),
    "schedule.n_phases": (int, 0, MOST_SAMPLES),
}
_LIMITS = ("max_clusters", "half_life")  # that may be infinite, of which JSON knows nothing
_SEMI_ONLINE = {**_STREAM, "schedule.log_n": (float, 1, math.log2(MOST_SAMPLES))}
_PRACTICAL = {**_STREAM, "schedule.k_target": (int, 1, MOST_SAMPLES)}
_SCHEDULES = {
    "SemiOnline": (SemiOnline, _SEMI_ONLINE),
    "Theoretical": (Theoretical, _STREAM),
    "Practical": (Practical, _PRACTICAL),
}
_PHASES = {
    "starts": (np.int64, 0, MOST_SAMPLES),
    "facility_costs": (np.float64, math.ulp(0.0), np.inf),
    "prefix_weights": (np.float64, 0, 1),
}
_SEEN = {
    "before": (float, 0, _MOST_WEIGHT),
    "epoch": (float, 0, _MOST_WEIGHT),
    "least": (float, 1 / _MOST_WEIGHT, 1),
}
_RETIRED = {
    "opened_at": (np.int64, 0, MOST_SAMPLES),
    "retired_at": (np.int64, 0, MOST_SAMPLES),
}


@dataclass(eq=False)
class Fitted:
    """What a call has learned; the next call replaces it as a whole."""

    stream: Stream
    n_clusters: int  # or None; this and the next are parameters of the last call
    centers: str
    start_parameters: dict  # those that were read when the stream started
    last_rows: tuple  # labels and squared distances of the last call, as decided online
    last: FinalClusters = None  # those of the last look, which merged clusters continue
    final: FinalClusters = None  # made when first needed; whoever makes it gets the same
    labels: np.ndarray = None  # likewise, the final clusters of the last rows

    def final_clusters(self, n_jobs):
        """Return the final clusters."""
        if self.final is None:
            kind = self.n_clusters, self.centers
            final = final_clusters(self.stream, *kind, n_jobs, self.last)
            if self.n_clusters is not None:
                sizes = len(self.stream.centers), len(final.centers), self.stream.n_seen
                _LOGGER.info("%d online clusters merged into %d after %d samples", *sizes)
                self._log_new_meanings(final.look)
            self.final = final
        return self.final

    def _log_new_meanings(self, look):
        since = look.since if self.last is not None else ()
        for cluster in np.flatnonzero(np.equal(since, look.n_seen)):
            _LOGGER.info("Merged cluster %d has a new meaning", cluster)

    def final_labels(self, n_jobs):
        """Return the final clusters of the last rows, always the same array."""
        if self.labels is None:
            final = self.final_clusters(n_jobs)
            labels = online_to_final(self.stream, final, n_jobs)[self.last_rows[0]]
            labels.flags.writeable = False  # users see them
            self.labels = labels
        return self.labels


def plain_fitted(fitted):
    """Return what was learned as dicts of arrays, numbers and strings."""
    merged, final = None, fitted.final or fitted.last
    if final is not None and final.look is not None:
        merged = {"centers": plain_rows(final.centers.rows), "of_online": final.of_online}
        merged.update(final.look._asdict())
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
    phases = starts, costs, stream.schedule.prefix_weights
    kinds = [kind for kind, *_ in _PHASES.values()]
    paths, n_clusters = _SCHEDULES[name][1], len(stream.centers)
    fields = {path: reduce(getattr, path.split("."), stream) for path in paths}
    for path in ("totals.closed_counts", "totals.open_counts"):
        fields[path] = padded(fields[path], n_clusters)
    for path in _LIMITS:
        fields[path] = None if fields[path] == np.inf else fields[path]
    return {
        "schedule": name,
        "phases": dict(zip(_PHASES, map(np.array, phases, kinds))),
        "centers": plain_rows(stream.centers.rows),
        "closed_sums": plain_rows(totals.closed),
        "open_sums": plain_rows(totals.open.rows(n_clusters)),
        "seen": stream.seen._asdict(),
        "retired": _plain_retired(stream.retired),
        **fields,
    }


def _plain_retired(groups):
    if not groups:
        return None
    rows, opened_at, retired_at = joined(groups)
    return {"rows": plain_rows(rows), "opened_at": opened_at, "retired_at": retired_at}


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
        "labels": (np.int32, 0, stream.n_online - 1),
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
        final = _merged_from(stream, n_clusters, **merged)
        is_current = final.look.n_seen == stream.n_seen
        setattr(fitted, "final" if is_current else "last", final)
    return fitted


def _merged_from(stream, n_clusters, centers, **fields):
    rows = rows_from(**centers)
    n_merged, n_features = rows.shape
    numbers = {"of_online": n_merged - 1, "online_ids": stream.n_online - 1}
    kinds = {name: (np.int32, 0, most) for name, most in numbers.items()}
    kinds["since"] = (np.int64, 0, stream.n_seen)
    for name in ("n_seen", "full_at", "fresh_at"):
        kinds[name] = (int, 1, stream.n_seen)
    kinds["unit_cost"] = (float, 0, np.inf)
    fields = read_fields(fields, kinds)
    of_online = fields.pop("of_online")
    look = Look(**fields)
    is_current = look.n_seen == stream.n_seen
    expect(
        merged_clusters_of_the_same_features=n_features == stream.centers.n_features,
        as_many_merged_clusters=n_merged == len(look.since) <= n_clusters,
        finite_squared_distances=distances_are_finite(rows),
        a_merged_cluster_for_each_online_cluster=len(of_online) == len(look.online_ids)
        and (np.diff(look.online_ids) > 0).all(),
        all_live_clusters=not is_current or np.array_equal(look.online_ids, stream.ids),
    )
    return FinalClusters(centers_from(rows), of_online, None, look)


def _stream_from(
    schedule,
    phases,
    centers,
    closed_sums,
    open_sums,
    seen,
    retired,
    **fields,
):
    kind, paths = _SCHEDULES[schedule]
    rows, closed, last = (rows_from(**x) for x in (centers, closed_sums, open_sums))
    n_clusters, fields = rows.shape[0], read_fields(fields, paths, rows.shape[0])
    phases = [array.tolist() for array in read_fields(phases, _PHASES).values()]
    stream, n_seen = Stream(object.__new__(kind), 0), fields["n_seen"]
    stream.totals = Totals(closed, last, n_seen)
    stream.seen = SeenWeight(**read_fields(seen, _SEEN))
    for path, value in fields.items():
        *owners, name = path.split(".")
        setattr(reduce(getattr, owners, stream), name, value)
    for name in _LIMITS:
        setattr(stream, name, fields[name] or np.inf)
    stream.retired = () if retired is None else (_retired_from(rows, **retired),)
    every, counts = every_opening(stream), stream.counts
    stream.ids = np.searchsorted(every, stream.opened_at).astype(np.int32)
    schedule, (starts, costs, prefix_weights) = stream.schedule, phases
    schedule.phases = tuple(zip(starts, costs, strict=True))
    schedule.prefix_weights = tuple(prefix_weights)
    ends, n_openings = [*starts, n_seen], schedule.openings
    is_counted = not stream.is_weighted and stream.half_life == np.inf
    expect(
        finite_squared_distances=distances_are_finite(rows),
        centers_within_max_clusters=1 <= n_clusters <= stream.max_clusters,
        members_of_all_clusters=(counts > 0).all(),
        counts_of_all_samples=counts.sum() == n_seen or not is_counted,
        positions_in_order=(np.diff(every, append=n_seen) > 0).all()
        and (np.diff(stream.opened_at) > 0).all(),
        sums_stored_like_centers=issparse(rows) == issparse(closed) == issparse(last),
        sums_in_float64=closed.dtype == last.dtype == np.float64,
        sums_of_the_same_features=closed.shape[1] == last.shape[1] == rows.shape[1],
        sums_of_all_clusters=closed.shape[0] <= last.shape[0] == n_clusters,
        phases_in_order=ends == sorted(ends)
        and len(costs) == min(schedule.n_phases, KEPT_PHASES),
        a_weight_for_each_opening_of_a_prefix=len(prefix_weights)
        == (n_openings if schedule.is_prefix else 0),
        openings_within_a_phase=n_openings < min(schedule.prefix_length, n_clusters + 1)
        if schedule.is_prefix
        else n_openings <= len(every),
    )
    stream.centers = centers_from(rows)
    return stream


def _retired_from(live, rows, **fields):
    rows, positions = rows_from(**rows), read_fields(fields, _RETIRED)
    expect(
        retired_clusters_like_others=issparse(rows) == issparse(live)
        and rows.shape == (len(positions["opened_at"]), live.shape[1])
        and distances_are_finite(rows),
        a_position_for_each=len({*map(len, positions.values())}) == 1,
    )
    return Clusters(rows, **positions)
