"""Check whether a dict that comes from a file can be the state of an estimator.

Files are not trusted. Anything wrong must raise a ValueError at once, not surprise in a
later call, and no routine of scipy may read beyond the end of an array.
"""

import math

import numpy as np
from scipy.sparse import issparse

from .._algorithm.cluster_sums import sums_from
from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, distances_are_finite
from .state import ESTIMATORS, SCHEDULES, rows_from

_KEY_LENGTH = 624  # of the Mersenne Twister
_MAX_FACTOR = 1e300  # k and log n can still be multiplied

# For each field its type or types and, of a number, the smallest and the largest.
_ESTIMATOR = {"class": ["str"], "output": ["None | str"], "parameters": ["dict"]}
_PARAMETER = ["None | bool | int | float | str"]
_FITTED = {
    "feature_names": ["None | list"],
    "labels": ["int32[:]"],
    "squared_distances": ["float64[:]"],
    "centers": ["str"],
    "merged": ["list"],
    "n_clusters": ["None | int", 1, MOST_CLUSTERS],
    "schedule": ["dict"],
    "shares_random_state": ["bool"],
    "stream.max_clusters": ["None | int", 1, MOST_CLUSTERS],
    "stream.counts": ["int64[:]"],
    "stream.opened_at": ["int64[:]"],
    "stream.inertia": ["float", 0.0, math.inf],
    "stream.n_seen": ["int", 1, MOST_SAMPLES],
}
_SCHEDULE = {
    "class": ["str"],
    "k": ["int", 1, _MAX_FACTOR],
    "prefix_length": ["int", 0, _MAX_FACTOR],
    "openings": ["int", 0, MOST_SAMPLES],
    "phases": ["list | tuple"],
}
_SEMI_ONLINE = {**_SCHEDULE, "log_n": ["float", 1.0, _MAX_FACTOR]}
_RANDOM_STATE = {
    "key": ["uint32[:]"],
    "position": ["int", 0, _KEY_LENGTH],
    "has_gauss": ["int", 0, 1],
    "gauss": ["float", -math.inf, math.inf],
}
_DENSE = {"values": ["float64[:,:] | float32[:,:]"]}
_SPARSE = {
    "n_features": ["int", 1, np.iinfo(np.int64).max],
    "values": ["float64[:] | float32[:]"],
    "columns": ["int32[:] | int64[:]"],
    "row_ends": ["int32[:] | int64[:]"],
}


def check_state(state):
    """Raise ValueError unless this is the state of an estimator."""
    _check_fields(state, _ESTIMATOR)
    _expect(state["class"] in ESTIMATORS, f"class to be one of {', '.join(ESTIMATORS)}")
    parameters = ESTIMATORS[state["class"]]().get_params()
    _check_group(state, "parameters", dict.fromkeys(parameters, _PARAMETER))
    if "random_state.key" in state:
        _check_random_state(state, "random_state.")
    if any(name in state for name in _FITTED):
        _check_fields(state, _FITTED)
        n_clusters, n_features = _check_stream(state)
        _check_schedule(state, n_clusters)
        _check_labels(state["labels"], n_clusters)
        d2 = state["squared_distances"]
        is_right = len(d2) == len(state["labels"]) and (d2 >= 0).all()
        _expect(is_right, "a squared distance for each label")
        _expect(state["centers"] in ("samples", "means"), "centers to be samples or means")
        _check_merged(state, n_clusters, n_features)
        names = state["feature_names"]
        if names is not None:
            are_names = len(names) == n_features and {*map(type, names)} == {str}
            _expect(are_names, "a name for each feature")


def _check_fields(state, fields, prefix=""):
    """Raise ValueError unless all these fields are there, with values as expected."""
    for name, (types, *limits) in fields.items():
        value = state.get(prefix + name)
        found = _type_of(value) if prefix + name in state else "nothing"
        is_right = found in types.split(" | ")
        if is_right and limits and value is not None:
            is_right, found = limits[0] <= value <= limits[1], value
        if not is_right:
            expected = f"{types} in the range {limits}" if limits else types
            raise ValueError(
                f"The field {prefix + name!r} must be {expected}. Got {found}."
            )


def _check_group(state, name, fields):
    """Raise ValueError unless a dict in a state has just these fields, as expected."""
    group = {f"{name}.{field}": value for field, value in state[name].items()}
    _check_fields(group, fields, f"{name}.")
    _expect(len(group) == len(fields), f"{name} to be {', '.join(fields)} only")


def _type_of(value):
    """Return the name of a type, with the dimensions of an array."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(':' * value.ndim)}]"
    return "None" if value is None else type(value).__name__


def _expect(is_true, expected):
    """Raise ValueError unless a statement about several fields is true."""
    if not is_true:
        raise ValueError(f"The checkpoint is inconsistent: expected {expected}.")


def _check_random_state(state, prefix):
    _check_fields(state, _RANDOM_STATE, prefix)
    has_length = len(state[f"{prefix}key"]) == _KEY_LENGTH
    _expect(has_length, f"random states of {_KEY_LENGTH} numbers")


def _check_stream(state):
    """Check the clusters, and return their number and the number of features."""
    _check_random_state(state, "stream.random_state.")
    rows, sums = _check_rows(state, "stream.centers"), _check_rows(state, "stream.sums")
    counts, opened_at = state["stream.counts"], state["stream.opened_at"]
    n_seen, max_clusters = state["stream.n_seen"], state["stream.max_clusters"] or math.inf
    _expect(1 <= rows.shape[0] <= max_clusters, "from 1 to max_clusters centers")
    _expect(
        sums.shape == rows.shape
        and issparse(sums) == issparse(rows)
        and sums.dtype == np.float64
        and len(counts) == len(opened_at) == rows.shape[0],
        "a center, a sum, a count and a position for every cluster",
    )
    _expect(
        opened_at[0] >= 0
        and (opened_at[1:] > opened_at[:-1]).all()
        and opened_at[-1] < n_seen,
        "the positions of the centers to increase, from 0 to below n_seen",
    )
    _expect(
        (counts > 0).all() and sum(counts.tolist()) == n_seen,
        "the counts of the clusters to be positive and to add up to n_seen",
    )
    _check_magnitudes(rows)
    _check_magnitudes(rows + sums_from(sums).divided_by(counts))
    return rows.shape


def _check_schedule(state, n_clusters):
    """Check the phases against each other and against the number of clusters."""
    schedule = state["schedule"]
    is_semi_online = schedule.get("class") == "SemiOnline"
    _check_group(state, "schedule", _SEMI_ONLINE if is_semi_online else _SCHEDULE)
    _expect(schedule["class"] in SCHEDULES, f"a schedule out of {', '.join(SCHEDULES)}")
    phases, openings = schedule["phases"], schedule["openings"]
    are_pairs = all(
        isinstance(phase, (list, tuple)) and list(map(type, phase)) == [int, float]
        for phase in phases
    )
    are_positive = are_pairs and all(cost > 0 for _, cost in phases)
    _expect(are_positive, "a start and a positive facility cost for every phase")
    starts = [0, *(start for start, _ in phases), state["stream.n_seen"]]
    _expect(starts == sorted(starts), "phases to start in order, from 0 to n_seen")
    _expect(openings <= n_clusters, "no more openings in a phase than centers")
    _expect(
        phases or openings == n_clusters < schedule["prefix_length"],
        "phase 1, or all centers to be of an incomplete prefix",
    )


def _check_rows(state, name):
    """Check the structure of an array or of CSR, and return it."""
    fields = _SPARSE if f"{name}.row_ends" in state else _DENSE
    _check_fields(state, fields, f"{name}.")
    if fields is _SPARSE:
        n_features, values, columns, ends = (state[f"{name}.{part}"] for part in _SPARSE)
        _expect(
            len(columns) == len(values)
            and [*ends[:1], *ends[-1:]] == [0, len(values)]
            and (ends[1:] >= ends[:-1]).all()
            and ((columns >= 0) & (columns < n_features)).all(),
            "every value of a sparse matrix to have a row and a column",
        )
    rows = rows_from(state, name)
    is_ordered = fields is _DENSE or rows.has_canonical_format
    _expect(rows.shape[1] > 0 and is_ordered, "rows to have features, in order")
    return rows


def _check_magnitudes(rows):
    is_right = distances_are_finite(rows)
    _expect(is_right, "centers and means with finite squared distances")


def _check_labels(labels, n_clusters):
    """Check the labels of samples; there are none if these were read on Dask."""
    are_valid = ((labels >= 0) & (labels < n_clusters)).all()
    _expect(are_valid, f"labels in the range [0, {n_clusters})")


def _check_merged(state, n_online, n_features):
    """Check the centers of merged clusters, and the labels of the online clusters."""
    for n_clusters in state["merged"]:
        _expect(type(n_clusters) is int and n_clusters > 0, "numbers of merged clusters")
        name, n_merged = f"merged.{n_clusters}", min(n_clusters, n_online)
        _check_fields(state, {f"{name}.labels": ["int32[:]"]})
        labels, centers = state[f"{name}.labels"], _check_rows(state, f"{name}.centers")
        _expect(
            centers.shape == (n_merged, n_features) and len(labels) == n_online,
            f"{n_merged} merged centers, and a label for each of {n_online} clusters",
        )
        _check_magnitudes(centers)
        _check_labels(labels, n_merged)
