"""What a fitted estimator has learned, and its conversion to plain fields and back.

The fields hold everything that affects future results. The number of rows that are read at
once affects only the speed, so it is not among them.
"""

import logging
from dataclasses import dataclass

import numpy as np

from .._algorithm.cluster_sums import Totals, no_totals
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.forgetting import every_cluster
from .._algorithm.merge import FinalClusters, Look, final_clusters, online_to_final
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.validation import distances_are_finite
from .fields import expect, plain, read_like

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
# attributes of a stream that become fields as they are, but None for infinity
_AS_THEY_ARE = ("max_clusters", "half_life", "moves", "is_weighted", "n_seen", "seen")


@dataclass(eq=False)
class Fitted:
    """What a call has learned; the next call replaces it as a whole."""

    stream: Stream
    n_clusters: int  # or None; this and the next are parameters of the last call
    centers: str
    start_parameters: dict  # those that were read when the stream started
    last_rows: tuple  # labels and squared distances of the last call, as decided online
    last: FinalClusters = None  # those of the last look, which merged clusters continue
    final: FinalClusters = None  # computed on first use; any thread gets the same
    labels: np.ndarray = None  # likewise, the final clusters of the last rows

    def final_clusters(self, n_jobs):
        """Return the final clusters."""
        if self.final is None:
            kind = self.n_clusters, self.centers
            final = final_clusters(self.stream, *kind, n_jobs, self.last)
            if self.n_clusters is not None:
                sizes = len(self.stream.centers), len(final.centers), self.stream.n_seen
                _LOGGER.info("%d online clusters merged into %d after %d samples", *sizes)
                since = final.look.since if self.last is not None else ()
                for cluster in np.flatnonzero(np.equal(since, self.stream.n_seen)):
                    _LOGGER.info("Merged cluster %d has a new meaning", cluster)
            self.final = final
        return self.final

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
    stream, final, merged = fitted.stream, fitted.final or fitted.last, None
    if final is not None and final.look is not None:
        merged = final._replace(centers=final.centers.rows)
    fields = {
        "n_clusters": fitted.n_clusters,
        "centers": fitted.centers,
        "start_parameters": fitted.start_parameters,
        "labels": fitted.last_rows[0],
        "squared_distances": fitted.last_rows[1],
        "merged": merged,
        "algorithm": type(stream.schedule).__name__,
        "stream": _fields_of(stream),
    }
    return plain(fields)


def _fields_of(stream):
    """Return a stream as dicts and named tuples of rows, arrays and numbers."""
    schedule, totals = stream.schedule, stream.totals
    starts, costs = ([phase[i] for phase in schedule.phases] for i in (0, 1))
    values = {name: getattr(stream, name) for name in _AS_THEY_ARE}
    return {
        **{name: None if value == np.inf else value for name, value in values.items()},
        "seed": stream.numbers.seed,
        "clusters": every_cluster(stream),
        "schedule": {
            **vars(schedule),
            "phases": {"starts": np.array(starts, np.int64), "costs": np.array(costs)},
            "prefix_weights": np.array(schedule.prefix_weights),
        },
        "totals": {**vars(totals), "open": totals.open.rows(len(totals.open_counts))},
    }


def fitted_from(state):
    """Return what was learned, from plain fields that are checked."""
    try:
        return _fitted_from(**state)
    except MemoryError:
        raise
    except Exception as error:  # whatever Python raises for an invalid state
        message = f"This is not the state of a fitted estimator: {error}"
        raise ValueError(message) from error


def _fitted_from(start_parameters, algorithm, merged, centers, **fields):
    example = {**_FITTED, "stream": _STREAMS[algorithm]}
    n_clusters, labels, d2, stream = read_like(example, fields, "fitted").values()
    labels.flags.writeable = False  # users see them
    stream = _stream_from(_SCHEDULES[algorithm], **stream)
    fitted = Fitted(stream, n_clusters, centers, start_parameters, (labels, d2))
    _check(fitted)
    if merged is not None:
        _add_merged(fitted, read_like(_MERGED, merged, "merged"))
    return fitted


def _stream_from(example, clusters, schedule, totals, seed, **others):
    """Return a stream that has a schedule like the example, and these fields."""
    expect(
        positions_in_order=(np.diff(clusters.opened_at, append=others["n_seen"]) > 0).all(),
        finite_squared_distances=distances_are_finite(clusters.rows),
    )
    stream = Stream(shallow_copy(example), seed)
    starts, costs = (column.tolist() for column in schedule.pop("phases").values())
    weights = tuple(schedule.pop("prefix_weights").tolist())
    phases = tuple(zip(starts, costs, strict=True))
    vars(stream.schedule).update(schedule, phases=phases, prefix_weights=weights)
    for name, value in others.items():
        setattr(stream, name, np.inf if value is None else value)
    is_live = clusters.retired_at > stream.n_seen
    live, retired = (clusters.at(np.flatnonzero(mask)) for mask in (is_live, ~is_live))
    stream.ids, stream.opened_at = np.flatnonzero(is_live).astype(np.int32), live.opened_at
    stream.retired = (retired,) if len(retired) else ()
    stream.centers = centers_from(live.rows)
    closed, last = (totals.pop(name).astype(np.float64) for name in ("closed", "open"))
    stream.totals = Totals(closed, last, stream.n_seen)
    vars(stream.totals).update(totals)
    return stream


def _check(fitted):
    """Raise ValueError for a state that could crash, never end, or fail later."""
    stream, (labels, d2) = fitted.stream, fitted.last_rows
    schedule, totals, n_live = stream.schedule, stream.totals, len(stream.centers)
    n_openings = schedule.openings if schedule.is_prefix else 0
    sums, counts = (totals.closed, totals.open.rows(n_live)), totals.counts
    expect(
        samples_or_means=fitted.centers in ("samples", "means"),
        start_parameters=type(fitted.start_parameters) is dict,
        labels_of_clusters=labels.max(initial=0) < stream.n_online,
        a_squared_distance_for_each_label=len(labels) == len(d2),
        centers_within_max_clusters=1 <= n_live <= stream.max_clusters,
        weights_of_a_prefix=len(schedule.prefix_weights) == n_openings <= n_live,
        openings_left=not schedule.is_prefix or n_openings < schedule.prefix_length,
        all_rows_added_up=totals.n_rows == stream.n_seen,
        sums_stored_like_centers=all(
            _are_alike(rows, stream.centers.rows) for rows in sums
        ),
        members_of_all_clusters=len(counts) == n_live and (counts > 0).all(),
    )
    expect(finite_squared_distances_of_means=distances_are_finite(stream.means))


def _add_merged(fitted, final):
    """Add the merged clusters of the last look, checked, to what was learned."""
    stream, rows, look, labels = fitted.stream, final.centers, final.look, final.of_online
    is_current, online_ids = look.n_seen == stream.n_seen, look.online_ids
    expect(
        merged_clusters_stored_like_centers=_are_alike(rows, stream.centers.rows),
        as_many_merged_clusters=rows.shape[0] == len(look.since) <= fitted.n_clusters,
        finite_squared_distances=distances_are_finite(rows),
        a_merged_cluster_for_each=len(labels) == len(online_ids),
        labels_of_merged_clusters=labels.max() < rows.shape[0],
        ids_in_order=(np.diff(online_ids) > 0).all(),
        all_live_clusters=not is_current or np.array_equal(online_ids, stream.ids),
    )
    final = final._replace(centers=centers_from(rows), ids=None)
    setattr(fitted, "final" if is_current else "last", final)


def _are_alike(rows, others):
    """Return whether rows have the same features, stored in the same way."""
    return type(rows) is type(others) and rows.shape[1] == others.shape[1]


def _no_stream(schedule):
    """Return a stream that has read no rows."""
    stream = Stream(schedule, 0)
    stream.centers, stream.totals = centers_from(_NO_ROWS), no_totals(_NO_ROWS)
    return stream


# Examples: a state must have the same fields, of the same types.
_NO_ROWS, _NO_IDS = np.empty((0, 1)), np.empty(0, dtype=np.int32)
_NO_LOOK = Look(_NO_IDS, np.empty(0, dtype=np.int64), 0, 0, 0.0)
_MERGED = FinalClusters(_NO_ROWS, _NO_IDS, None, _NO_LOOK)
_FITTED = {"n_clusters": None, "labels": _NO_IDS, "squared_distances": np.empty(0)}
_SCHEDULES = {"SemiOnline": SemiOnline(1, None, 1)}
_SCHEDULES |= {"Theoretical": Theoretical(1), "Practical": Practical(1)}
_STREAMS = {name: _fields_of(_no_stream(_SCHEDULES[name])) for name in _SCHEDULES}
