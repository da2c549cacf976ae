"""What a fitted estimator has learned, and its conversion to plain fields and back.

The fields hold everything that affects future results. The number of rows that are read at
once affects only the speed, so it is not among them.
"""

import logging
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._algorithm import merge
from .._algorithm.cluster_sums import Totals, no_totals
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.forgetting import every_cluster
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._utils.validation import distances_are_finite, warn_user
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
    last: merge.FinalClusters = None  # of the last look, which merged clusters continue
    final: merge.FinalClusters = None  # computed on first use; any thread gets the same
    labels: np.ndarray = None  # likewise, the final clusters of the last rows

    @property
    def n_columns(self):
        """The number of clusters that `transform` has columns for."""
        stream, n_clusters = self.stream, self.n_clusters
        if stream.max_clusters < np.inf:
            return n_clusters or stream.max_clusters
        return min(len(stream.ids), n_clusters) if n_clusters else stream.n_online

    def final_clusters(self, n_jobs, warns=False):
        """Return the final clusters, and warn the first time if they are too few."""
        if self.final is not None:
            return self.final
        stream, n_clusters = self.stream, self.n_clusters
        kind = n_clusters, self.centers
        self.final = final = merge.final_clusters(stream, *kind, n_jobs, self.last)
        if n_clusters is None:
            return final
        _, n_final, n_seen = sizes = len(stream.ids), len(final.look.since), stream.n_seen
        _LOGGER.info("%d online clusters merged into %d after %d samples", *sizes)
        since = final.look.since if self.last is not None else ()
        for cluster in np.flatnonzero(np.equal(since, n_seen)):
            _LOGGER.info("Merged cluster %d has a new meaning", cluster)
        if warns and n_final < n_clusters:
            warn_user(
                f"{n_seen} samples opened only {n_final} online cluster(s), fewer than "
                f"{n_clusters=}: returning them unmerged. For more, "
                f"{merge.for_more_clusters(stream)}.",
                ConvergenceWarning,
            )
        return final

    def final_labels(self, n_jobs):
        """Return the final clusters of the last rows, always the same array."""
        if self.labels is None:
            final = self.final_clusters(n_jobs)
            labels = merge.online_to_final(self.stream, final, n_jobs)[self.last_rows[0]]
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
        others = ["start_parameters", "algorithm", "merged", "centers"]
        start_parameters, algorithm, merged, centers = (state[name] for name in others)
        fields = {name: state[name] for name in state if name not in others}
        example = {**_FITTED, "stream": _STREAMS[algorithm]}
        n_clusters, labels, d2, stream = read_like(example, fields, "fitted").values()
        expect(
            parameters=centers in ("samples", "means") and type(start_parameters) is dict,
            labels_of_clusters=labels.max(initial=0) < len(stream["clusters"].opened_at),
            a_squared_distance_for_each_label=len(labels) == len(d2),
        )
        labels.flags.writeable = False  # users see them
        stream = _stream_from(_SCHEDULES[algorithm], **stream)
        if not distances_are_finite(stream.means):
            raise ValueError("expected finite squared distances of means.")
        fitted = Fitted(stream, n_clusters, centers, start_parameters, (labels, d2))
        if merged is not None:
            _add_merged(fitted, read_like(_MERGED, merged, "merged"))
        return fitted
    except MemoryError:
        raise
    except Exception as error:  # whatever Python raises for an invalid state
        message = f"This is not the state of a fitted estimator: {error}"
        raise ValueError(message) from error


def _stream_from(example, clusters, schedule, totals, seed, **others):
    """Return a stream that has a schedule like the example, and these fields.

    Raise ValueError for fields that could crash, never end, or fail later.
    """
    n_seen, (rows, opened_at, retired_at) = others["n_seen"], clusters
    is_live = retired_at > n_seen
    n_live, sums = np.count_nonzero(is_live), (totals.pop("closed"), totals.pop("open"))
    total = Totals(*(each.astype(np.float64) for each in sums), n_seen)
    vars(total).update(totals)
    counts = total.counts
    starts, costs = (column.tolist() for column in schedule["phases"].values())
    schedule["phases"] = tuple(zip(starts, costs, strict=True))
    schedule["prefix_weights"] = weights = tuple(schedule["prefix_weights"].tolist())
    stream = Stream(object.__new__(type(example)), seed)
    vars(stream.schedule).update(schedule)
    is_prefix = stream.schedule.is_prefix
    for name, value in others.items():
        setattr(stream, name, np.inf if value is None else value)
    expect(
        positions_of_each_center=len(opened_at) == len(retired_at) == rows.shape[0],
        positions_in_order=(np.diff(opened_at, append=n_seen) > 0).all(),
        centers_within_max_clusters=1 <= n_live <= stream.max_clusters,
        weights_of_a_prefix=len(weights) == schedule["openings"] * is_prefix <= n_live,
        openings_left=not is_prefix or schedule["openings"] < schedule["prefix_length"],
        all_rows_added_up=total.n_rows == n_seen,
        sums_stored_like_centers=all(_are_alike(each, rows) for each in sums),
        members_of_all_clusters=len(counts) == n_live and (counts > 0).all(),
        finite_squared_distances=distances_are_finite(rows),
    )
    stream.ids = np.flatnonzero(is_live).astype(np.int32)
    if n_live < len(is_live):
        stream.retired = (clusters.at(np.flatnonzero(~is_live)),)
        rows, opened_at, _ = clusters.at(stream.ids)
    stream.opened_at, stream.centers, stream.totals = opened_at, centers_from(rows), total
    return stream


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
_NO_LOOK = merge.Look(_NO_IDS, np.empty(0, dtype=np.int64), 0, 0, 0.0)
_MERGED = merge.FinalClusters(_NO_ROWS, _NO_IDS, None, _NO_LOOK)
_FITTED = {"n_clusters": None, "labels": _NO_IDS, "squared_distances": np.empty(0)}
_SCHEDULES = {"SemiOnline": SemiOnline(1, None, 1)}
_SCHEDULES |= {"Theoretical": Theoretical(1), "Practical": Practical(1)}
_STREAMS = {name: _fields_of(_no_stream(_SCHEDULES[name])) for name in _SCHEDULES}
