"""A saved estimator goes on as if it had never stopped, and saving loses nothing."""

import copy
import os
import pickle

import numpy as np
import pandas as pd
import pytest
from checkpoints import fingerprint, through_file
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import stream_of
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from streams import ALGORITHMS, STORAGES, blobs, estimator_of, small_streams

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    SemiOnlineKMeans,
    load,
    save,
)

X = blobs(0, 300)
storages = st.sampled_from(sorted(STORAGES))
dtypes = st.sampled_from([np.float64, np.float32])
OPTIONS = [
    *({}, {"max_clusters": 1}, {"max_clusters": 13}, {"centers": "means"}),
    *({"n_clusters": 1}, {"n_clusters": 3}, {"n_clusters": 500}),
    *({"half_life": 1}, {"half_life": 10}, {"half_life": 20, "n_clusters": 2}),
]


def pickled(model, path):
    return pickle.loads(pickle.dumps(model))


@settings(max_examples=100)
@given(
    X=small_streams(),
    name=st.sampled_from(sorted(ALGORITHMS)),
    k=st.integers(1, 4),
    seed=st.integers(0, 10),
    kinds=st.lists(st.tuples(storages, dtypes), min_size=1, max_size=2),  # of calls in turn
    cuts=st.sets(st.integers(1, 49), min_size=1) | st.just({*range(50)}),
    options=st.sampled_from(OPTIONS),
    weight=st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.5]), max_size=5),
    ways=st.lists(st.sampled_from([through_file, pickled]), min_size=1, max_size=2),
)
@pytest.mark.filterwarnings("ignore:The 'half_life' parameter:UserWarning")
@pytest.mark.filterwarnings("ignore:.* opened only .* online cluster")
def test_a_stream_cut_by_checkpoints_is_the_whole_stream(
    X, name, k, seed, kinds, cuts, options, weight, ways, tmp_path
):
    X = np.clip(X, -1e30, 1e30)
    weights = np.resize([1.0, *weight], X.shape[0])
    stops = [*sorted(cut for cut in cuts if 0 < cut < X.shape[0]), X.shape[0]]
    if "semi-online" in name:
        options = {key: value for key, value in options.items() if key != "half_life"}
    whole = estimator_of(name, X.shape[0], k, seed).set_params(**options)
    cut = clone(whole)
    for i, (start, stop) in enumerate(zip([0, *stops], stops)):
        some = weights[start:stop]
        some = None if (some == 1).all() else some  # weights may begin and end anywhere
        storage, dtype = kinds[i % len(kinds)]
        rows = STORAGES[storage](X[start:stop].astype(dtype))
        whole.partial_fit(rows, sample_weight=some)
        cut.partial_fit(rows, sample_weight=some)
        cut = ways[i % len(ways)](cut, tmp_path / "stream.npz")
    assert fingerprint(cut) == fingerprint(whole)
    assert type(cut) is type(whole)
    assert cut.get_params() == whole.get_params()
    assert vars(cut).keys() == vars(whole).keys()
    assert cut.transform(rows).dtype == whole.transform(rows).dtype
    assert issparse(cut.online_centers_) == kinds[0][0].startswith("csr")


@pytest.mark.parametrize("kind", [np.array, csr_array])
@pytest.mark.parametrize("n_calls", [1, 2])
def test_rows_that_open_no_center_do_not_change_dtypes(kind, n_calls, path):
    model = OnlineKMeans(k=20, random_state=0).partial_fit(kind(X[:5].astype(np.float32)))
    again = model.online_centers_[:2].astype(np.float64)
    for part in [again] if n_calls == 1 else [again[:1], again[1:]]:
        model.partial_fit(part)
    for other in (model, through_file(model, path)):
        other.partial_fit(kind(np.float32([[100.0, 0.0, 1.0]])))
        assert other.cluster_centers_.dtype == np.float32


def test_numbers_keep_all_their_bits(path):
    rows = np.array([[-0.0, 5e-324], [0.1, -1e150], [1e-310, 3.0]])
    stored = csr_array((rows.ravel(), [0, 1, 0, 1, 0, 1], [0, 2, 4, 6]), shape=(3, 2))
    for X in (rows, stored):
        model = OnlineKMeans(random_state=0).fit(X)
        schedule = stream_of(model).schedule
        schedule.phases, schedule.facility_cost = ((3, 5e-324), (3, np.inf)), np.inf
        schedule.n_phases, schedule.prefix_weights = 2, ()
        model.partial_fit(X)
        cut = through_file(model, path)
        assert fingerprint(cut) == fingerprint(model)
        centers = cut.cluster_centers_
        assert (centers.data if issparse(X) else centers).tobytes() == rows.tobytes()
        assert cut.facility_costs_.tolist() == [5e-324, np.inf]


@pytest.mark.parametrize("seed", [None, 3, np.int64(3), np.random.RandomState(3)], ids=type)
def test_random_numbers_go_on_and_are_its_own(seed, path):
    np.random.seed(5)
    model = OnlineKMeans(k=20, random_state=copy.deepcopy(seed)).partial_fit(X[:100])
    cut = through_file(model, path)
    global_state = np.random.get_state()[1].tobytes()
    cut.partial_fit(X[100:])
    assert np.random.get_state()[1].tobytes() == global_state
    assert fingerprint(cut) == fingerprint(model.partial_fit(X[100:]))
    assert cut.random_state == (None if isinstance(seed, np.random.RandomState) else seed)


@pytest.mark.parametrize(
    "model",
    [
        OnlineKMeans(),
        OnlineKMeans(k=2**70, encode="ordinal", n_jobs=-1, random_state=7),
        OnlineKMeans(k="many", algorithm="Practical", n_clusters=-3, max_clusters=True),
        SemiOnlineKMeans(k=3, lower_bound=5e-324, n_samples=10**30),
        SemiOnlineKMeans(lower_bound=np.float32(0.1), n_samples=np.int32(4)),
    ],
    ids=str,
)
def test_an_unfitted_estimator_keeps_its_parameters(model, path):
    cut = through_file(model, path)
    assert type(cut) is type(model)
    assert cut.get_params() == model.get_params()
    assert vars(cut).keys() == vars(model).keys()
    assert not hasattr(cut, "labels_")


def test_feature_names_and_output_containers_stay(path):
    frame = pd.DataFrame(X, columns=["a", "\u00e4 b", "c.d"])
    model = OnlineKMeans(k=30, encode="distance", random_state=0)
    model.set_output(transform="pandas")
    assert isinstance(through_file(model, path).fit_transform(frame), pd.DataFrame)
    cut = through_file(model.fit(frame), path)
    assert cut.feature_names_in_.dtype == object
    np.testing.assert_array_equal(cut.feature_names_in_, model.feature_names_in_)
    pd.testing.assert_frame_equal(cut.transform(frame), model.transform(frame))
    with pytest.raises(ValueError, match="feature names"):
        cut.partial_fit(frame[["c.d", "a", "\u00e4 b"]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ClusterFeaturesClassifier(), "ClusterFeaturesClassifier.*skops.io.dump"),
        (type("Own", (OnlineKMeans,), {})(), "Own.*expected an OnlineKMeans"),
        (OnlineKMeans, "of type.*expected an OnlineKMeans"),
        (OnlineKMeans(k=[3]), r"k=\[3\].*expected None, a number, a string"),
        (OnlineKMeans(random_state=np.random), "random_state=<module"),
        (OnlineKMeans(random_state=np.random.default_rng(0)), "random_state=Generator"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_saved_is_said_and_the_old_file_stays(model, message, path):
    save(OnlineKMeans(k=7), path)
    with pytest.raises(TypeError, match=message):
        save(model, path)
    assert load(path).k == 7
    assert os.listdir(path.parent) == [path.name]


def test_the_same_model_gives_the_same_file(path):
    model = OnlineKMeans(k=20, n_clusters=4, random_state=0).fit(X)
    save(model, path)
    before = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == before
