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
    "forgets": OnlineKMeans(k=20, half_life=25, random_state=0).partial_fit(
        np.concatenate([X, 50 + X, 100 + X]), sample_weight=np.arange(1, 121)
    ),
}


def with_value(array, index, value):
    changed = array.copy()
    changed[index] = value
    return changed


LARGEST = np.iinfo(np.int32).max
# what is changed in the state of a model, and into what; None takes it away
CRAFTED = {
    ("dense", "parameters/k"): [[3], None],
    ("dense", "parameters/other"): [3],
    ("dense", "parameters/encode"): [{"of": "stream"}],
    ("dense", "parameters"): [[3]],
    ("sparse", "parameters/random_state"): [[3], {"key": 3}],
    ("dense", "random_state"): [3],
    ("dense", "class"): ["Evil", "SemiOnlineKMeans", [1]],
    ("dense", "output"): [3, "foo", ["pandas"]],
    ("dense", "other"): [3],
    ("dense", "fitted"): [3],
    ("dense", "fitted/other"): [3],
    ("dense", "fitted/start_parameters"): [[3]],
    ("dense", "fitted/stream/seed"): [-1, 2**63, 1.0],
    ("dense", "feature_names"): [["a", "b"], ["a", "b", 3], "abc"],
    ("dense", "fitted/algorithm"): [None, 3, "Schedule", "Theoretical"],
    ("dense", "fitted/stream/schedule"): [None, 3, {}],
    ("dense", "fitted/merged"): [None, [2], {"x": {"fitted.centers": {}}}],
    ("dense", "fitted/stream/n_seen"): [41, 40.0, 2**63, "40"],
    ("dense", "fitted/stream/max_clusters"): [2, 0, "many", 2**31],
    ("dense", "fitted/n_clusters"): [2**31, 0],
    ("dense", "fitted/stream/totals/open_cost"): [np.nan, -1.0, 3],
    ("dense", "fitted/stream/totals/closed_cost"): [-1.0],
    ("dense", "fitted/stream/totals/closed"): [
        lambda sums: np.zeros((99, 3)),
        lambda sums: np.zeros((0, 2)),
    ],
    ("dense", "fitted/centers"): ["medians", None],
    ("dense", "fitted/squared_distances"): [
        None,
        lambda d2: d2[1:],
        lambda d2: d2 - 1,
        lambda d2: d2 * np.nan,
        lambda d2: d2.astype(np.float32),
    ],
    ("dense", "fitted/stream/schedule/k"): [0, True, 10**400],
    ("dense", "fitted/stream/schedule/openings"): [-1, 10**400],
    ("dense", "fitted/stream/schedule/growth"): [3],
    ("dense", "fitted/stream/schedule/log_n"): [3.0],
    ("dense", "fitted/stream/schedule/phases"): [3, {}],
    ("dense", "fitted/stream/schedule/phases/starts"): [
        3,
        lambda starts: starts[:0],
        lambda starts: starts[:, None],
        lambda starts: starts - 100,
        lambda starts: starts.astype(float),
        lambda starts: starts.tolist(),
    ],
    ("dense", "fitted/stream/schedule/phases/costs"): [
        [3, 4.0],
        lambda costs: costs[:0],
        lambda costs: costs - 1e9,
        lambda costs: costs * np.nan,
    ],
    ("prefix", "fitted/stream/schedule/openings"): [7, 15],
    ("prefix", "fitted/stream/schedule/prefix_length"): [8],
    ("sparse", "fitted/stream/schedule/log_n"): [np.nan, 0.5, np.inf, 2000.0],
    ("dense", "fitted/stream/clusters/rows"): [
        lambda rows: rows[1:],
        lambda rows: rows[:0],
        lambda rows: rows[:, :0],
        lambda rows: rows[:, :2],
        lambda rows: rows.ravel(),
        lambda rows: rows[:, :, None],
        lambda rows: rows.astype(np.float16),
        lambda rows: rows.astype(int),
        lambda rows: rows.astype(complex),
        lambda rows: with_value(rows, (1, 1), np.nan),
        lambda rows: with_value(rows, (1, 1), np.inf),
        lambda rows: with_value(rows, (1, 1), 1e200),
        None,
    ],
    ("dense", "fitted/stream/totals/open"): [
        lambda sums: sums[:, 1:],
        lambda sums: sums[:, :1],
        lambda sums: np.concatenate([sums, sums]),
        lambda sums: with_value(sums, (1, 1), np.nan),
        lambda sums: with_value(sums, (1, 1), 1e300),
    ],
    ("dense", "fitted/stream/totals/open_counts"): [
        lambda counts: counts[1:],
        lambda counts: with_value(counts, [0, 1], [sum(counts[:2]), 0]),
        lambda counts: counts.astype(np.int32),
        lambda counts: with_value(counts, 0, 1e300),
    ],
    ("dense", "fitted/stream/clusters/opened_at"): [
        lambda positions: positions[::-1],
        lambda positions: positions - 1,
        lambda positions: with_value(positions, -1, positions[0]),
        lambda positions: with_value(positions, -1, 40),
    ],
    ("dense", "fitted/labels"): [
        lambda labels: labels + 30,
        lambda labels: labels - 1,
        lambda labels: labels[:0],
        lambda labels: labels.astype(np.int64),
        3,
    ],
    ("dense", "fitted/merged/of_online"): [
        lambda labels: labels + 3,
        lambda labels: labels - 3,
        lambda labels: labels[1:],
        None,
    ],
    ("dense", "fitted/merged/centers"): [
        lambda rows: rows[1:],
        lambda rows: rows[:, 1:],
        lambda rows: rows * np.nan,
        lambda rows: rows * 1e200,
    ],
    ("sparse", "fitted/stream/clusters/rows/n_features"): [2, 2**64],
    ("sparse", "fitted/stream/clusters/rows/values"): [
        lambda values: values[1:],
        lambda values: values * np.nan,
    ],
    ("sparse", "fitted/stream/clusters/rows/columns"): [
        lambda columns: columns + 1,
        lambda columns: columns - 1,
        lambda columns: columns[1:],
        lambda columns: columns * np.nan,
        lambda columns: columns[::-1].copy(),
    ],
    ("sparse", "fitted/stream/clusters/rows/indptr"): [
        lambda ends: ends[:0],
        lambda ends: ends[:-1],
        lambda ends: ends + 1,
        lambda ends: with_value(ends, 1, -5),
        lambda ends: with_value(ends, 1, LARGEST),
        lambda ends: with_value(ends, [1, 2, 3], [LARGEST, -LARGEST - 1, -1]),
    ],
    ("sparse", "fitted/stream/totals/open/indptr"): [
        lambda ends: with_value(ends, 1, 1000)
    ],
    ("sparse", "fitted/stream/totals/open/columns"): [
        lambda columns: columns + 1,
        np.zeros_like,
    ],
    ("sparse", "fitted/stream/totals/open/n_features"): [4],
    ("prefix", "fitted/stream/schedule/prefix_weights"): [
        None,
        lambda weights: weights[1:],
        lambda weights: weights * np.nan,
        lambda weights: weights + 1,
    ],
    ("forgets", "fitted/stream/half_life"): [0, 25.0, -np.inf, "7"],
    ("forgets", "fitted/stream/is_weighted"): [1, None],
    ("forgets", "fitted/stream/schedule/fees"): [-1.0, np.nan],
    ("forgets", "fitted/stream/schedule/facility_cost"): [-1.0, np.nan],
    ("forgets", "fitted/stream/schedule/k_target"): [0, None],
    ("forgets", "fitted/stream/seen"): [None, {}, [1.0, 2.0, 3.0]],
    ("forgets", "fitted/stream/seen/least"): [0.0, 2.0, 1e-300, np.nan],
    ("forgets", "fitted/stream/seen/before"): [-1.0, np.inf, 1e300],
    ("forgets", "fitted/stream/totals/closed_counts"): [np.zeros_like, np.negative],
    ("forgets", "fitted/stream/clusters"): [None, 3, {}],
    ("forgets", "fitted/stream/clusters/rows"): [
        lambda rows: rows[1:],
        lambda rows: rows[:, 1:],
        lambda rows: rows * np.nan,
        lambda rows: rows * 1e200,
    ],
    ("forgets", "fitted/stream/clusters/opened_at"): [
        lambda positions: positions[1:],
        lambda positions: with_value(positions, 0, positions[1]),
        lambda positions: with_value(positions, 0, 1000),
        lambda positions: positions.astype(float),
    ],
    ("forgets", "fitted/stream/clusters/retired_at"): [lambda positions: positions[1:]],
    ("sparse", "fitted/stream/totals/open/values"): [lambda values: values * 1e300],
}


CASES = [(*where, change) for where, changes in CRAFTED.items() for change in changes]


@pytest.mark.parametrize(("name", "path", "change"), CASES)
def test_states_that_cannot_be_are_refused(name, path, change):
    state = state_of(MODELS[name])
    model_from(state)  # which is right so far
    *groups, last = path.split("/")
    fields = state
    for group in groups:
        fields = fields[group]
    before = fields.pop(last, None)
    if change is not None:
        fields[last] = change(before) if callable(change) else change
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)) as caught:
        model_from(state)  # `load` makes a ValueError of it
    if path.startswith("fitted/"):
        assert re.match(
            "This is not the state of a fitted estimator: .+", str(caught.value)
        )


def test_names_for_a_huge_number_of_features_are_refused_without_counting_so_far():
    state = state_of(MODELS["sparse"])
    stream = state["fitted"]["stream"]
    totals = stream["totals"]
    for rows in (stream["clusters"]["rows"], totals["closed"], totals["open"]):
        rows["n_features"] = 2**62
    state["feature_names"] = ["a"]
    with pytest.raises(ValueError, match="expected"):
        model_from(state)


def test_sums_must_be_stored_like_centers():
    state = state_of(MODELS["sparse"])
    shape = MODELS["sparse"].cluster_centers_.shape
    state["fitted"]["stream"]["totals"]["open"] = np.zeros(shape)
    with pytest.raises(ValueError, match="stored like centers"):
        model_from(state)
