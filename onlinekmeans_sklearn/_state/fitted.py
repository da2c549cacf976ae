"""What a fitted estimator has learned, and the same as plain fields.

It holds everything that affects future results. The number of rows that are read at once
affects only the speed, so it is not part of the plain state.
"""

import logging
import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from .._algorithm.cluster_sums import Totals, no_totals
from .._algorithm.facility_cost import KEPT_PHASES, Practical, SemiOnline, Theoretical
from .._algorithm.forgetting import Clusters, every_cluster
from .._algorithm.merge import FinalClusters, Look, final_clusters, online_to_final
from .._algorithm.stream import Stream
from .._algorithm.weights import SeenWeight
from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.rows import padded
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .fields import expect, plain_rows, read_like

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_MOST_WEIGHT = 2.0**900  # of all samples: as many as there can be, with the largest weight
_BOUNDS = {  # of those fields that are not just from 0 on
    "n_seen": (1, MOST_SAMPLES),
    "n_clusters": (1, MOST_CLUSTERS),
    "max_clusters": (1, MOST_CLUSTERS),
    "half_life": (1, MOST_SAMPLES),
    "seed": (0, 2**63 - 1),
    "k": (1, MOST_SAMPLES),
    "k_target": (1, MOST_SAMPLES),
    "log_n": (1, math.log2(MOST_SAMPLES)),
    "costs": (math.ulp(0.0), np.inf),
    "prefix_weights": (0, 1),
    "closed_counts": (0, _MOST_WEIGHT),
    "open_counts": (0, _MOST_WEIGHT),
    "saved": (-np.inf, np.inf),
    "before": (0, _MOST_WEIGHT),
    "epoch": (0, _MOST_WEIGHT),
    "least": (1 / _MOST_WEIGHT, 1),
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
        "algorithm": type(fitted.stream.schedule).__name__,
        "stream": _plain_stream(fitted.stream),
    }


def _plain_stream(stream):
    schedule, totals = vars(stream.schedule), vars(stream.totals)
    n_live, clusters = len(stream.centers), every_cluster(stream)
    starts, costs = ([phase[i] for phase in schedule["phases"]] for i in (0, 1))
    limits = stream.max_clusters, stream.half_life
    max_clusters, half_life = (None if limit == np.inf else limit for limit in limits)
    return {
        "seed": stream.numbers.seed,
        "max_clusters": max_clusters,
        "half_life": half_life,
        "moves": stream.moves,
        "is_weighted": stream.is_weighted,
        "n_seen": stream.n_seen,
        "seen": stream.seen._asdict(),
        "clusters": {**clusters._asdict(), "rows": plain_rows(clusters.rows)},
        "schedule": {
            **schedule,
            "phases": {"starts": np.array(starts, np.int64), "costs": np.array(costs)},
            "prefix_weights": np.array(schedule["prefix_weights"]),
        },
        "totals": {
            **totals,
            "closed": plain_rows(totals["closed"]),
            "open": plain_rows(totals["open"].rows(n_live)),
            "closed_counts": padded(totals["closed_counts"], n_live),
            "open_counts": padded(totals["open_counts"], n_live),
        },
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


def _fitted_from(centers, start_parameters, merged, algorithm, stream, **fields):
    stream = read_like(_STREAMS[algorithm], stream, _BOUNDS)
    stream = _stream_from(_SCHEDULES[algorithm], **stream)
    n_clusters, labels, d2 = read_like(_FITTED, fields, _BOUNDS).values()
    expect(
        samples_or_means=centers in ("samples", "means"),
        start_parameters=type(start_parameters) is dict,
        labels_of_clusters=labels.max(initial=0) < stream.n_online,
        a_squared_distance_for_each_label=len(labels) == len(d2),
        finite_squared_distances_of_means=distances_are_finite(stream.means),
    )
    labels.flags.writeable = False  # users see them
    fitted = Fitted(stream, n_clusters, centers, start_parameters, (labels, d2))
    if merged is not None:
        final = _merged_from(stream, n_clusters, merged)
        is_current = final.look.n_seen == stream.n_seen
        setattr(fitted, "final" if is_current else "last", final)
    return fitted


def _merged_from(stream, n_clusters, state):
    fields = read_like(_MERGED, state, _BOUNDS)
    rows, of_online = fields.pop("centers"), fields.pop("of_online")
    look, (n_merged, n_features) = Look(**fields), rows.shape
    is_current = look.n_seen == stream.n_seen
    expect(
        merged_clusters_of_the_same_features=n_features == stream.centers.n_features,
        as_many_merged_clusters=n_merged == len(look.since) <= n_clusters,
        finite_squared_distances=distances_are_finite(rows),
        a_merged_cluster_for_each_online_cluster=len(of_online) == len(look.online_ids)
        and of_online.max() < n_merged
        and (np.diff(look.online_ids) > 0).all(),
        all_live_clusters=not is_current or np.array_equal(look.online_ids, stream.ids),
    )
    return FinalClusters(centers_from(rows), of_online, None, look)


def _stream_from(
    example, clusters, schedule, totals, seed, seen, max_clusters, half_life, **others
):
    """Return a stream that has a schedule like the example, and these fields."""
    stream = Stream(example, seed, max_clusters or np.inf, half_life or np.inf)
    vars(stream).update(others, seen=SeenWeight(**seen))
    clusters, n_seen = Clusters(**clusters), stream.n_seen
    expect(
        finite_squared_distances=distances_are_finite(clusters.rows),
        positions_in_order=(np.diff(clusters.opened_at, append=n_seen) > 0).all(),
    )
    is_live = clusters.retired_at > n_seen
    live, retired = (clusters.at(np.flatnonzero(some)) for some in (is_live, ~is_live))
    stream.ids, stream.opened_at = np.flatnonzero(is_live).astype(np.int32), live.opened_at
    stream.retired = (retired,) if len(retired) else ()
    stream.centers = centers_from(live.rows)
    stream.schedule = _schedule_like(example, n_seen, **schedule)
    stream.totals = _totals_from(totals, live, n_seen)
    is_prefix, n_openings = stream.schedule.is_prefix, stream.schedule.openings
    n_live, counts = len(live), stream.counts
    is_counted = not stream.is_weighted and stream.half_life == np.inf
    expect(
        centers_within_max_clusters=1 <= n_live <= stream.max_clusters,
        members_of_all_clusters=(counts > 0).all(),
        counts_of_all_samples=counts.sum() == n_seen or not is_counted,
        openings_of_centers=n_openings <= (n_live if is_prefix else len(clusters)),
    )
    return stream


def _schedule_like(example, n_seen, phases, prefix_weights, **numbers):
    """Return a schedule, of the kind of the example, with these fields."""
    schedule, weights = shallow_copy(example), tuple(prefix_weights.tolist())
    phases = tuple(zip(*(array.tolist() for array in phases.values()), strict=True))
    vars(schedule).update(numbers, phases=phases, prefix_weights=weights)
    is_prefix, n_openings = schedule.is_prefix, schedule.openings
    ends = [*(start for start, _ in phases), n_seen]
    expect(
        phases_in_order=ends == sorted(ends),
        the_last_phases=len(phases) == min(schedule.n_phases, KEPT_PHASES),
        a_weight_for_each_opening_of_a_prefix=len(weights) == is_prefix * n_openings,
        openings_left_in_a_prefix=n_openings < schedule.prefix_length or not is_prefix,
    )
    return schedule


def _totals_from(fields, live, n_seen):
    """Return what is added up of the live clusters."""
    closed, last = fields["closed"], fields["open"]
    totals = Totals(closed, last, n_seen)
    vars(totals).update(fields, open=totals.open)
    layouts = {(issparse(rows), rows.shape[1]) for rows in (live.rows, closed, last)}
    lengths = {len(live), last.shape[0], len(totals.closed_counts), len(totals.open_counts)}
    expect(
        all_rows_added_up=totals.n_rows == n_seen,
        sums_stored_like_centers=len(layouts) == 1,
        sums_in_float64=closed.dtype == last.dtype == np.float64,
        sums_and_counts_of_all_clusters=len(lengths) == 1 and closed.shape[0] <= len(live),
    )
    return totals


def _no_stream(schedule):
    """Return a stream that has read no rows."""
    stream = Stream(schedule, 0)
    stream.centers, stream.totals = centers_from(_NO_ROWS), no_totals(_NO_ROWS)
    return stream


# Examples, of which a state must have the fields and their types.
_NO_ROWS, _NO_IDS = np.empty((0, 1)), np.empty(0, dtype=np.int32)
_NO_LOOK = Look(_NO_IDS, np.empty(0, dtype=np.int64), 0, 0, 0, 0.0)
_MERGED = {"centers": plain_rows(_NO_ROWS), "of_online": _NO_IDS, **_NO_LOOK._asdict()}
_FITTED = {"n_clusters": None, "labels": _NO_IDS, "squared_distances": np.empty(0)}
_SCHEDULES = {"SemiOnline": SemiOnline(1, None, 1)}
_SCHEDULES |= {"Theoretical": Theoretical(1), "Practical": Practical(1)}
_STREAMS = {name: _plain_stream(_no_stream(_SCHEDULES[name])) for name in _SCHEDULES}
