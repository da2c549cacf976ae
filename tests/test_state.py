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


class At:
    """What is at an index of an array, as a function of the array."""

    def __getitem__(self, index):
        return lambda array: array[index]


def put(index, value):
    def change(array):
        changed = array.copy()
        changed[index] = value
        return changed

    return change


def plus(number):
    return lambda array: array + number


def times(number):
    return lambda array: array * number


def to(dtype):
    return lambda array: array.astype(dtype)


AT, NAN = At(), times(np.nan)
LARGEST = np.iinfo(np.int32).max
# model, and a group of its state: what is changed in it, and into what; None takes it away
CRAFTED = {
    ("dense", ""): {
        "class": ["Evil", "SemiOnlineKMeans", [1]],
        "output": [3, "foo", ["pandas"]],
        "feature_names": [["a", "b"], ["a", "b", 3], "abc"],
        **{name: [3] for name in ("random_state", "other", "fitted")},
        "parameters": [[3]],
    },
    ("dense", "parameters"): {"k": [[3], None], "other": [3], "encode": [{"of": "stream"}]},
    ("sparse", "parameters"): {"random_state": [[3], {"key": 3}]},
    ("dense", "fitted"): {
        "other": [3],
        "start_parameters": [[3]],
        "algorithm": [None, 3, "Schedule", "Theoretical"],
        "merged": [None, [2], {"x": {"fitted.centers": {}}}],
        "n_clusters": [2**31, 0],
        "centers": ["medians", None],
        "squared_distances": [None, AT[1:], plus(-1), NAN, to(np.float32)],
        "labels": [plus(30), plus(-1), AT[:0], to(np.int64), 3],
    },
    ("dense", "fitted/merged"): {
        "of_online": [plus(3), plus(-3), AT[1:], None],
        "centers": [AT[1:], AT[:, 1:], NAN, times(1e200)],
    },
    ("dense", "fitted/stream"): {
        "seed": [-1, 2**63, 1.0],
        "schedule": [None, 3, {}],
        "n_seen": [41, 40.0, 2**63, "40"],
        "max_clusters": [2, 0, "many", 2**31],
    },
    ("dense", "fitted/stream/totals"): {
        "open_cost": [np.nan, -1.0, 3],
        "closed_cost": [-1.0],
        "closed": [lambda sums: np.zeros((99, 3)), lambda sums: np.zeros((0, 2))],
        "open": [
            *(AT[:, 1:], AT[:, :1], put((1, 1), np.nan), put((1, 1), 1e300)),
            lambda sums: np.concatenate([sums, sums]),
        ],
        "open_counts": [
            *(AT[1:], to(np.int32), put(0, 1e300)),
            lambda counts: put([0, 1], [sum(counts[:2]), 0])(counts),
        ],
    },
    ("dense", "fitted/stream/schedule"): {
        "k": [0, True, 10**400],
        "openings": [-1, 10**400],
        "growth": [3],
        "log_n": [3.0],
        "phases": [3, {}],
    },
    ("dense", "fitted/stream/schedule/phases"): {
        "starts": [3, AT[:0], AT[:, None], plus(-100), to(float), lambda a: a.tolist()],
        "costs": [[3, 4.0], AT[:0], plus(-1e9), NAN],
    },
    ("prefix", "fitted/stream/schedule"): {
        "openings": [7, 15],
        "prefix_length": [8],
        "prefix_weights": [None, AT[1:], NAN, plus(1)],
    },
    ("sparse", "fitted/stream/schedule"): {"log_n": [np.nan, 0.5, np.inf, 2000.0]},
    ("dense", "fitted/stream/clusters"): {
        "rows": [
            *(AT[1:], AT[:0], AT[:, :0], AT[:, :2], AT[:, :, None], np.ravel, None),
            *(to(np.float16), to(int), to(complex)),
            *(put((1, 1), number) for number in (np.nan, np.inf, 1e200)),
        ],
        "opened_at": [
            *(AT[::-1], plus(-1), put(-1, 40)),
            lambda positions: put(-1, positions[0])(positions),
        ],
    },
    ("sparse", "fitted/stream/clusters/rows"): {
        "n_features": [2, 2**64],
        "values": [AT[1:], NAN],
        "columns": [plus(1), plus(-1), AT[1:], NAN, lambda a: a[::-1].copy()],
        "indptr": [
            *(AT[:0], AT[:-1], plus(1), put(1, -5), put(1, LARGEST)),
            put([1, 2, 3], [LARGEST, -LARGEST - 1, -1]),
        ],
    },
    ("sparse", "fitted/stream/totals/open"): {
        "indptr": [put(1, 1000)],
        "columns": [plus(1), np.zeros_like],
        "n_features": [4],
        "values": [times(1e300)],
    },
    ("forgets", "fitted/stream"): {
        "half_life": [0, 25.0, -np.inf, "7"],
        "is_weighted": [1, None],
        "seen": [None, {}, [1.0, 2.0, 3.0]],
        "clusters": [None, 3, {}],
    },
    ("forgets", "fitted/stream/schedule"): {
        "fees": [-1.0, np.nan],
        "facility_cost": [-1.0, np.nan],
        "k_target": [0, None],
    },
    ("forgets", "fitted/stream/seen"): {
        "least": [0.0, 2.0, 1e-300, np.nan],
        "before": [-1.0, np.inf, 1e300],
    },
    ("forgets", "fitted/stream/totals"): {"closed_counts": [np.zeros_like, np.negative]},
    ("forgets", "fitted/stream/clusters"): {
        "rows": [AT[1:], AT[:, 1:], NAN, times(1e200)],
        "opened_at": [
            *(AT[1:], put(0, 1000), to(float)),
            lambda positions: put(0, positions[1])(positions),
        ],
        "retired_at": [AT[1:]],
    },
}
CASES = [
    (name, f"{group}/{last}".lstrip("/"), change)
    for (name, group), fields in CRAFTED.items()
    for last, changes in fields.items()
    for change in changes
]


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
        message = "This is not the state of a fitted estimator: .+"
        assert re.match(message, str(caught.value))


def test_names_for_many_features_are_refused_uncounted():
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
