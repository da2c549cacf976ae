"""A state that cannot be that of an estimator is refused with a clear error."""

import re

import numpy as np
import pytest
from inside import model_from, state_of
from scipy.sparse import csr_array
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

X = np.maximum(blobs(0, 40), 0)
MODELS = {
    "dense": OnlineKMeans(k=20, n_clusters=3, max_clusters=30, random_state=0).fit(X),
    "sparse": SemiOnlineKMeans(k=1, random_state=np.random.RandomState(0)).fit(
        csr_array(X)
    ),
    "prefix": OnlineKMeans(k=20, random_state=0).partial_fit(X[:8]),
}


def with_value(array, index, value):
    changed = array.copy()
    changed[index] = value
    return changed


LARGEST = np.iinfo(np.int32).max
# what is changed in the state of a model, and into what; None takes it away
CRAFTED = [
    ("dense", "parameters/k", [3]),
    ("dense", "parameters/other", 3),
    ("dense", "parameters/k", None),
    ("dense", "parameters/encode", {"of": "stream"}),
    ("dense", "parameters", [3]),
    ("dense", "class", "Evil"),
    ("dense", "class", "SemiOnlineKMeans"),
    ("dense", "class", [1]),
    ("sparse", "random_state/position", 625),
    ("sparse", "random_state/position", None),
    ("sparse", "random_state/key", lambda key: key[1:]),
    ("dense", "output", 3),
    ("dense", "output", "foo"),
    ("dense", "other", 3),
    ("dense", "fitted", 3),
    ("dense", "fitted/other", 3),
    ("sparse", "random_state/has_gauss", 2),
    ("sparse", "random_state/gauss", np.nan),
    ("sparse", "random_state/key", lambda key: key.astype(np.int64)),
    ("dense", "fitted/start_parameters", [3]),
    ("dense", "fitted/stream/numbers.seed", -1),
    ("dense", "fitted/stream/numbers.seed", 2**63),
    ("dense", "fitted/stream/numbers.seed", 1.0),
    ("dense", "output", ["pandas"]),
    ("dense", "feature_names", ["a", "b"]),
    ("dense", "feature_names", ["a", "b", 3]),
    ("dense", "feature_names", "abc"),
    ("dense", "fitted/stream/schedule", None),
    ("dense", "fitted/stream/schedule", 3),
    ("dense", "fitted/merged", None),
    ("dense", "fitted/merged", [2]),
    ("dense", "fitted/stream/n_seen", 41),
    ("dense", "fitted/stream/n_seen", 40.0),
    ("dense", "fitted/stream/n_seen", 2**63),
    ("dense", "fitted/stream/n_seen", "40"),
    ("dense", "fitted/stream/max_clusters", 2),
    ("dense", "fitted/stream/max_clusters", 0),
    ("dense", "fitted/stream/max_clusters", "many"),
    ("dense", "fitted/stream/max_clusters", 2**31),
    ("dense", "fitted/n_clusters", 2**31),
    ("dense", "fitted/n_clusters", 0),
    ("dense", "fitted/stream/totals.open_cost", np.nan),
    ("dense", "fitted/stream/totals.open_cost", -1.0),
    ("dense", "fitted/stream/totals.open_cost", 3),
    ("dense", "fitted/stream/totals.closed_cost", -1.0),
    ("dense", "fitted/stream/closed_sums/values", lambda sums: np.zeros((99, 3))),
    ("dense", "fitted/stream/closed_sums/values", lambda sums: np.zeros((0, 2))),
    ("dense", "fitted/centers", "medians"),
    ("dense", "fitted/centers", None),
    ("dense", "fitted/squared_distances", None),
    ("dense", "fitted/squared_distances", lambda d2: d2[1:]),
    ("dense", "fitted/squared_distances", lambda d2: d2 - 1),
    ("dense", "fitted/squared_distances", lambda d2: d2 * np.nan),
    ("dense", "fitted/squared_distances", lambda d2: d2.astype(np.float32)),
    ("dense", "fitted/stream/schedule", "Schedule"),
    ("dense", "fitted/stream/schedule.k", 0),
    ("dense", "fitted/stream/schedule.k", True),
    ("dense", "fitted/stream/schedule.k", 10**400),
    ("dense", "fitted/stream/schedule.openings", -1),
    ("dense", "fitted/stream/schedule.openings", 1000),
    ("dense", "fitted/stream/schedule.growth", 3),
    ("dense", "fitted/stream/schedule.log_n", 3.0),
    ("dense", "fitted/stream/phases", 3),
    ("dense", "fitted/stream/phases", {}),
    ("dense", "fitted/stream/phases/starts", 3),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts[:0]),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts[:, None]),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts[::-1]),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts - 100),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts + 100),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts.astype(float)),
    ("dense", "fitted/stream/phases/starts", lambda starts: starts.tolist()),
    ("dense", "fitted/stream/phases/facility_costs", [3, 4.0]),
    ("dense", "fitted/stream/phases/facility_costs", lambda costs: costs[:0]),
    ("dense", "fitted/stream/phases/facility_costs", lambda costs: costs - 1e9),
    ("dense", "fitted/stream/phases/facility_costs", lambda costs: costs * np.nan),
    ("dense", "fitted/stream/phases", lambda phases: {k: v[:0] for k, v in phases.items()}),
    ("prefix", "fitted/stream/schedule.openings", 7),
    ("prefix", "fitted/stream/schedule.prefix_length", 8),
    ("sparse", "fitted/stream/schedule.log_n", np.nan),
    ("sparse", "fitted/stream/schedule.log_n", 0.5),
    ("sparse", "fitted/stream/schedule.log_n", np.inf),
    ("sparse", "fitted/stream/schedule.log_n", 2000.0),
    ("dense", "fitted/stream/centers/values", lambda rows: rows[1:]),
    ("dense", "fitted/stream/centers/values", lambda rows: rows[:0]),
    ("dense", "fitted/stream/centers/values", lambda rows: rows[:, :0]),
    ("dense", "fitted/stream/centers/values", lambda rows: rows[:, :2]),
    ("dense", "fitted/stream/centers/values", lambda rows: rows.ravel()),
    ("dense", "fitted/stream/centers/values", lambda rows: rows[:, :, None]),
    ("dense", "fitted/stream/centers/values", lambda rows: rows.astype(np.float16)),
    ("dense", "fitted/stream/centers/values", lambda rows: rows.astype(int)),
    (
        "dense",
        "fitted/stream/centers/values",
        lambda rows: with_value(rows, (1, 1), np.nan),
    ),
    (
        "dense",
        "fitted/stream/centers/values",
        lambda rows: with_value(rows, (1, 1), np.inf),
    ),
    ("dense", "fitted/stream/centers/values", lambda rows: with_value(rows, (1, 1), 1e200)),
    ("dense", "fitted/stream/centers/values", None),
    ("dense", "fitted/stream/centers/indptr", 3),
    ("dense", "fitted/stream/open_sums/values", lambda sums: sums[1:]),
    ("dense", "fitted/stream/open_sums/values", lambda sums: sums.astype(np.float32)),
    (
        "dense",
        "fitted/stream/open_sums/values",
        lambda sums: with_value(sums, (1, 1), np.nan),
    ),
    (
        "dense",
        "fitted/stream/open_sums/values",
        lambda sums: with_value(sums, (1, 1), 1e300),
    ),
    ("dense", "fitted/stream/totals.open_counts", lambda counts: counts[1:]),
    (
        "dense",
        "fitted/stream/totals.open_counts",
        lambda counts: with_value(counts, [0, 1], [sum(counts[:2]), 0]),
    ),
    ("dense", "fitted/stream/totals.open_counts", lambda counts: counts.astype(np.int32)),
    (
        "dense",
        "fitted/stream/totals.open_counts",
        lambda counts: with_value(counts, 0, counts[0] + 1),
    ),
    ("dense", "fitted/stream/opened_at", lambda positions: positions[::-1]),
    ("dense", "fitted/stream/opened_at", lambda positions: positions - 1),
    ("dense", "fitted/stream/opened_at", lambda positions: with_value(positions, -1, 40)),
    ("dense", "fitted/labels", lambda labels: labels + 30),
    ("dense", "fitted/labels", lambda labels: labels - 1),
    ("dense", "fitted/labels", lambda labels: labels[:0]),
    ("dense", "fitted/labels", lambda labels: labels.astype(np.int64)),
    ("dense", "fitted/labels", 3),
    ("dense", "fitted/merged/of_online", lambda labels: labels + 3),
    ("dense", "fitted/merged/of_online", lambda labels: labels - 3),
    ("dense", "fitted/merged/of_online", lambda labels: labels[1:]),
    ("dense", "fitted/merged/centers/values", lambda rows: rows[1:]),
    ("dense", "fitted/merged/centers/values", lambda rows: rows[:, 1:]),
    ("dense", "fitted/merged/centers/values", lambda rows: rows * np.nan),
    ("dense", "fitted/merged/centers/values", lambda rows: rows * 1e200),
    ("dense", "fitted/merged", {"x": {"fitted.centers": {}}}),
    ("dense", "fitted/merged/of_online", None),
    ("sparse", "fitted/stream/centers/n_features", 2),
    ("sparse", "fitted/stream/centers/n_features", 2**64),
    ("sparse", "fitted/stream/centers/values", lambda values: values[1:]),
    ("sparse", "fitted/stream/centers/values", lambda values: values * np.nan),
    ("sparse", "fitted/stream/centers/columns", lambda columns: columns + 1),
    ("sparse", "fitted/stream/centers/columns", lambda columns: columns - 1),
    ("sparse", "fitted/stream/centers/columns", lambda columns: columns[1:]),
    ("sparse", "fitted/stream/centers/columns", lambda columns: columns.astype(float)),
    ("sparse", "fitted/stream/centers/indptr", lambda ends: ends[:0]),
    ("sparse", "fitted/stream/centers/indptr", lambda ends: ends[:-1]),
    ("sparse", "fitted/stream/centers/indptr", lambda ends: ends + 1),
    ("sparse", "fitted/stream/centers/indptr", lambda ends: with_value(ends, 1, -5)),
    ("sparse", "fitted/stream/centers/indptr", lambda ends: with_value(ends, 1, LARGEST)),
    (
        "sparse",
        "fitted/stream/centers/indptr",
        # every difference of two int32 that come one after the other is not negative
        lambda ends: with_value(ends, [1, 2, 3], [LARGEST, -LARGEST - 1, -1]),
    ),
    ("sparse", "fitted/stream/open_sums/indptr", lambda ends: with_value(ends, 1, 1000)),
    ("sparse", "fitted/stream/open_sums/columns", lambda columns: columns + 1),
    ("sparse", "fitted/stream/open_sums/columns", np.zeros_like),
    ("sparse", "fitted/stream/centers/columns", lambda columns: columns[::-1].copy()),
    ("sparse", "fitted/stream/open_sums/n_features", 4),
    ("sparse", "fitted/stream/open_sums/values", lambda values: values * 1e300),
]


@pytest.mark.parametrize(
    ("name", "place", "change"),
    CRAFTED,
    ids=[f"{number} {place}" for number, (_, place, _) in enumerate(CRAFTED)],
)
def test_states_that_cannot_be_are_refused(name, place, change):
    state = state_of(MODELS[name])
    model_from(state)  # which is right so far
    *groups, last = place.split("/")
    fields = state
    for group in groups:
        fields = fields[group]
    before = fields.pop(last, None)
    if change is not None:
        fields[last] = change(before) if callable(change) else change
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)) as caught:
        model_from(state)  # `load` makes a ValueError of it
    if place.startswith("fitted/"):
        assert re.match(
            "This is not the state of a fitted estimator: .+", str(caught.value)
        )


def test_names_for_a_huge_number_of_features_are_refused_without_counting_so_far():
    state = state_of(MODELS["sparse"])
    stream = state["fitted"]["stream"]
    for name in ("centers", "closed_sums", "open_sums"):
        stream[name]["n_features"] = 2**62
    state["feature_names"] = ["a"]
    with pytest.raises(ValueError, match="expected"):
        model_from(state)


def test_sums_must_be_stored_like_centers():
    state = state_of(MODELS["sparse"])
    shape = MODELS["sparse"].cluster_centers_.shape
    state["fitted"]["stream"]["open_sums"] = {"values": np.zeros(shape)}
    with pytest.raises(ValueError, match="stored like centers"):
        model_from(state)
