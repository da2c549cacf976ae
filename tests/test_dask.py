"""The estimators on Dask give what the local ones give, bit for bit."""

import gc
import pickle
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from checkpoints import fingerprint
from dask_clusters import (
    STORAGES,
    assert_same,
    assert_same_clusters,
    assert_same_numbers,
    computed,
    cut,
    frame_of,
    moves_everywhere,
    repeats,
    stream,
    wait_until_forgotten,
    wait_while,
)
from distributed import Client, wait
from engines import tuned
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import get_tags
from streams import dense

import onlinekmeans_sklearn
from onlinekmeans_sklearn import load, save
from onlinekmeans_sklearn._dask import worker
from onlinekmeans_sklearn.dask import OnlineKMeans, SemiOnlineKMeans

# of Dask in 2025, when a test without a cluster runs beside one
pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")

X = stream()
UNEVEN = [1, 0, 17, 900, 82, 0, 300]
PARTITIONINGS = {
    "one": [len(X)],
    "smaller than the prefix": [7] * 10 + [400] * 8,
    "empty ends": [0, 1500, 1500, 0],
}
MODELS = {
    "practical": OnlineKMeans(k=60),
    "smallest": OnlineKMeans(k=16),
    "merged": OnlineKMeans(5, k=60),
    "means": OnlineKMeans(k=60, centers="means"),
    "cap": OnlineKMeans(k=60, max_clusters=40),
    "theoretical": OnlineKMeans(k=3, algorithm="theoretical"),
    "forgets": OnlineKMeans(k=60, half_life=400),
    "forgets, merged": OnlineKMeans(5, k=60, half_life=700),
    "semi-online": SemiOnlineKMeans(k=3),
    "semi-online, bound": SemiOnlineKMeans(k=3, lower_bound=50.0, n_samples=2500),
}


def local_of(model):
    """Return the local estimator with the same parameters."""
    params = model.get_params(deep=False)
    del params["client"]
    return getattr(onlinekmeans_sklearn, type(model).__name__)(**params)


def pair(model, seed=0):
    """Return an estimator on Dask and the local one, each with random numbers."""
    model = clone(model).set_params(random_state=seed)
    return model, local_of(model)


CASES = [
    *(("practical", "array", sizes) for sizes in PARTITIONINGS.values()),
    *(("practical", storage, UNEVEN) for storage in STORAGES),
    *(("merged", storage, UNEVEN) for storage in STORAGES if storage != "array"),
    *((name, "array", sizes) for name in MODELS for sizes in (UNEVEN, [250] * 12)),
]


@pytest.mark.parametrize(("name", "storage", "sizes"), CASES)
def test_any_partitioning_storage_and_algorithm_gives_the_local_result(
    where, name, storage, sizes
):
    collection, local_rows = STORAGES[storage]
    model, local = pair(MODELS[name])
    assert_same(model.fit(collection(X, sizes)), local.fit(local_rows(X)))
    if where is not None and name == "practical" and sizes is UNEVEN:
        assert model._fitted.figures["n_serial_rows"] < len(X)


@pytest.mark.parametrize("name", ["theoretical", "semi-online"])
def test_algorithms_that_open_many_clusters_leave_the_serial_part(client, name):
    rows = repeats()
    model, local = pair(MODELS[name])
    assert_same(model.fit(STORAGES["array"][0](rows, [250] * 12)), local.fit(rows))
    assert model._fitted.figures["n_serial_rows"] < len(rows) / 2
    assert model._fitted.figures["n_openings"] > 0


@pytest.mark.parametrize(
    ("name", "storage"),
    [("practical", "frame"), ("merged", "array"), ("semi-online, bound", "csr_array")],
)
def test_partial_fit_goes_on_with_the_stream(where, name, storage):
    collection, local_rows = STORAGES[storage]
    model, local = pair(MODELS[name])
    source = np.random.RandomState(3)
    model.set_params(random_state=source)
    local.set_params(random_state=np.random.RandomState(3))
    lazy, expected = [], []
    for rows in cut(X, [40, 1460]):
        lazy.append(model.partial_fit_predict(collection(rows, [0, 13, 400])))
        expected.append(local.partial_fit_predict(local_rows(rows)))
        assert_same(model, local)
    for found, labels in zip(lazy, expected):  # of earlier calls, too
        np.testing.assert_array_equal(computed(found), labels)
    assert_same_numbers(source, local.random_state)
    for each in (model, local):
        each.set_params(n_clusters=4).partial_fit()
    assert_same(model, local)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(
    "encode", ["onehot", "onehot-dense", "ordinal", "distance", "triangle", "local"]
)
@pytest.mark.parametrize("where", ["threads"], indirect=True)
def test_transform_and_predict_are_lazy_and_equal(where, storage, encode):
    collection, local_rows = STORAGES[storage]
    model, local = pair(OnlineKMeans(k=40, encode=encode))
    rows = local_rows(X[:600])
    expected = local.fit(rows).transform(rows)
    lazy = model.fit_transform(collection(X[:600], [1, 0, 250]))
    found = lazy.compute()
    assert issparse(found) == issparse(expected) == (encode in ("onehot", "local"))
    assert lazy.dtype == expected.dtype if isinstance(lazy, da.Array) else True
    assert lazy.shape[1] == found.shape[1]
    assert_same_features(found, expected, encode)
    labels = model.predict(collection(X[:600], [100]))
    np.testing.assert_array_equal(computed(labels), local.predict(rows))
    score = model.score(collection(X[:600], [77]))
    assert score == pytest.approx(local.score(rows), rel=1e-12)


def assert_same_features(found, expected, encode):
    """Check features; distances to all centers depend on the rows looked at together."""
    found, expected = dense(found), dense(expected)
    assert found.dtype == expected.dtype
    if encode in ("distance", "triangle"):
        tolerance = 1e-5 if expected.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("encode", ["onehot", "distance", "local"])
def test_features_decided_online_are_equal(where, encode):
    model, local = pair(OnlineKMeans(k=40, encode=encode, max_clusters=50))
    for rows in cut(X[:900], [500]):
        found = model.partial_fit_transform(STORAGES["array"][0](rows, [1, 0, 250]))
        assert_same_features(found.compute(), local.partial_fit_transform(rows), encode)
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(n_clusters=3).partial_fit_transform(da.zeros((3, 3)))


def test_an_array_gives_arrays_with_its_chunks(client):
    rows = STORAGES["array"][0](X, UNEVEN)
    model = OnlineKMeans(k=60, encode="distance").fit(rows)
    for lazy in (model.labels_, model.predict(rows), model.transform(rows)):
        assert isinstance(lazy, da.Array)
        assert lazy.chunks[0] == rows.chunks[0]
    joined = da.stack([model.labels_, model.predict(rows)]).compute()
    np.testing.assert_array_equal(joined[0], model.labels_.compute())
    unknown = STORAGES["unknown sizes"][0](X, UNEVEN)
    assert np.isnan(model.fit(unknown).labels_.chunks[0]).all()


def test_a_frame_gives_series_and_frames_with_its_index(client):
    frame = dd.from_pandas(frame_of(X), npartitions=4)
    model = OnlineKMeans(k=60, encode="distance").fit(frame)
    assert list(model.feature_names_in_) == ["x0", "x1", "x2"]
    for lazy in (model.labels_, model.predict(frame), model.online_distances_):
        assert isinstance(lazy, dd.Series)
        assert lazy.divisions == frame.divisions
        pd.testing.assert_index_equal(lazy.compute().index, frame_of(X).index)
    features = model.transform(frame)
    assert isinstance(features, dd.DataFrame)
    assert list(features.columns) == list(model.get_feature_names_out())
    both = dd.concat([frame, model.labels_.to_frame("label")], axis=1).compute()
    assert both.loc[100:105, "label"].tolist() == [0, 1, 2, 3, 4, 5]


def test_the_local_estimator_pickles_is_saved_and_goes_on(client, tmp_path):
    first, second = cut(X, [2000])
    model, local = pair(MODELS["merged"])
    model.fit(STORAGES["frame"][0](first, [500]))
    local.fit(frame_of(first))
    taken = model.to_local()
    assert type(taken) is onlinekmeans_sklearn.OnlineKMeans
    save(taken, tmp_path / "model")
    others = [taken, pickle.loads(pickle.dumps(taken)), load(tmp_path / "model")]
    local.partial_fit(frame_of(second))
    for other in others:
        assert fingerprint(other.partial_fit(frame_of(second))) == fingerprint(local)
    assert model.n_samples_seen_ == 2000


def test_a_local_estimator_is_taken_over(client):
    first, second = cut(X, [700])
    _, local = pair(MODELS["practical"])
    local.fit(first)
    model = OnlineKMeans.from_local(local, client=client)
    assert_same(model, local)
    model.partial_fit(STORAGES["array"][0](second, [500]))
    assert local.n_samples_seen_ == 700
    assert_same(model, local.partial_fit(second))
    with pytest.raises(TypeError, match=r"Expected an OnlineKMeans.*SemiOnlineKMeans"):
        OnlineKMeans.from_local(onlinekmeans_sklearn.SemiOnlineKMeans())
    assert not hasattr(OnlineKMeans.from_local(local_of(OnlineKMeans())), "labels_")


def n_proposals():
    """Return how many proposals a worker has."""
    return sum(isinstance(each, worker.Proposal) for each in gc.get_objects())


def test_nothing_stays_on_the_scheduler(client):
    rows = STORAGES["unknown sizes"][0](X, [250] * 12)
    model = OnlineKMeans(k=60, client=client).fit(rows)
    wait_until_forgotten(client)
    model.partial_fit(rows).score(rows)
    wait_until_forgotten(client)
    wait_while(lambda: any(client.run(n_proposals).values()))  # workers hear of it later


@pytest.mark.parametrize("storage", sorted(STORAGES.keys() - {"float32", "integers"}))
def test_a_task_is_the_same_whenever_it_is_computed(client, storage, caplog):
    rows = STORAGES[storage][0](X, [250] * 12)
    parts = rows if isinstance(rows, list) else list(np.ravel(rows.to_delayed()))
    held = client.compute(parts)  # so that the scheduler does not forget the tasks
    model = OnlineKMeans(k=60, client=client).fit(rows)
    model.score(rows)
    lazy = [model.partial_fit_transform(rows), model.labels_, model.online_distances_]
    lazy += [model.predict(rows), model.transform(rows)]
    kept = [collection.persist() for collection in lazy]
    wait(kept)
    assert all(part.done() for part in held)
    assert "run_spec" not in caplog.text


@pytest.fixture
def submitted(client, monkeypatch):
    """What is submitted to the cluster."""
    calls, submit = [], client.submit

    def record(*args, **kwargs):
        calls.append(kwargs)
        return submit(*args, **kwargs)

    monkeypatch.setattr(client, "submit", record)
    return calls


def test_tasks_have_names_that_explain_themselves(client, submitted):
    rows = STORAGES["unknown sizes"][0](X, [250] * 12)
    model = OnlineKMeans(k=60, random_state=0, client=client).fit(rows)
    steps = {"read", "count", "propose", "add-up"}
    names = {dask.utils.key_split(call["key"]) for call in submitted}
    assert names == {f"online-kmeans-{step}" for step in steps}
    lazy = {dask.utils.key_split(key) for key in model.predict(rows).__dask_graph__()}
    assert "online-kmeans-predict-rows" in lazy


def test_many_small_partitions_are_read_together(client, submitted):
    rows = STORAGES["array"][0](X, [7] * 400)
    with tuned(small_partition_elements=2**18):
        model = OnlineKMeans(k=60, random_state=0, client=client).fit(rows)
    assert_same(model, onlinekmeans_sklearn.OnlineKMeans(k=60, random_state=0).fit(X))
    assert len(submitted) < 40


def test_tasks_are_done_in_their_order_and_never_held_back(client, submitted):
    rows = STORAGES["array"][0](X, [90] * 30)
    OnlineKMeans(k=60, random_state=0, client=client).fit(rows)
    proposed = [call for call in submitted if "propose" in call["key"][0]]
    priorities = [call["priority"] for call in proposed]
    assert len(proposed) > 20
    assert all(later < earlier for earlier, later in pairwise(priorities))
    assert 0 < priorities[-1] <= priorities[0] < 2
    # the scheduler may keep tasks for later that share the first part of their keys
    assert len({call["key"][0] for call in submitted}) == len(submitted)


@pytest.mark.parametrize("storage", ["array", "frame", "unknown sizes"])
def test_partitions_are_sent_once_and_not_with_each_other(client, storage, monkeypatch):
    sent, compute = [], client.compute

    def record(parts, **kwargs):
        sent.extend(len(part.dask) for part in parts)
        return compute(parts, **kwargs)

    monkeypatch.setattr(client, "compute", record)
    OnlineKMeans(k=60, client=client).fit(STORAGES[storage][0](X, [90] * 33 + [30]))
    assert len(sent) == 34
    assert max(sent) <= 3  # tasks of a partition


def test_a_clone_has_the_client(client):
    model = OnlineKMeans(k=60, client=client)
    assert clone(model).client is client
    assert get_tags(model).input_tags.sparse


def test_clients_that_cannot_be_waited_for_are_refused():
    with pytest.raises(ValueError, match="'client' parameter of OnlineKMeans must be a"):
        OnlineKMeans(client="tcp://").fit(da.zeros((5, 2)))


def test_a_client_that_is_closed_is_refused_but_for_lazy_results(module_client):
    rows = STORAGES["array"][0](X, UNEVEN)
    with Client(module_client.cluster, set_as_default=False) as client:
        model = OnlineKMeans(k=60, client=client).fit(rows)
    with pytest.raises(ValueError, match="Got a client that is closed"):
        model.fit(rows)
    assert len(computed(model.predict(rows))) == len(X)


BAD = {"NaN": (np.nan, "NaN"), "too large": (1e200, "values up to 1e\\+200")}


def spoilt(name):
    """Return the rows with a bad value late in the stream."""
    rows = X.copy()
    rows[2900] = BAD[name][0]
    return rows


@pytest.mark.parametrize(
    ("name", "storage"),
    [
        ("NaN", "array"),
        ("too large", "csr_matrix"),
        ("NaN", "frame"),
        ("too large", "unknown sizes"),
    ],
)
def test_a_bad_value_leaves_everything_as_it_was(where, name, storage):
    collection, local_rows = STORAGES[storage]
    source, bad, message = np.random.RandomState(0), spoilt(name), BAD[name][1]
    model = OnlineKMeans(k=60, random_state=source).fit(collection(X, UNEVEN))
    before, numbers = vars(model).copy(), pickle.loads(pickle.dumps(source))
    with pytest.raises(ValueError, match=message) as local_error:
        local_of(model).set_params(random_state=0).fit(local_rows(bad))
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=message) as error:
            call(collection(bad, [250] * 12))
        assert str(error.value) == f"Partition {2900 // 250}: {local_error.value}"
        assert vars(model) == before
        assert_same_numbers(source, numbers)


def test_features_are_checked_as_locally(client):
    model = OnlineKMeans(k=60).fit(STORAGES["frame"][0](X, UNEVEN))
    local = onlinekmeans_sklearn.OnlineKMeans(k=60).fit(frame_of(X))
    narrow = frame_of(X[:, :2])
    renamed = frame_of(X).rename(columns={"x0": "y"})
    for wrong in (narrow, renamed):
        with pytest.raises(ValueError) as expected:
            local.predict(wrong)
        for call in (model.predict, model.partial_fit, model.transform):
            with pytest.raises(ValueError) as error:
                call(dd.from_pandas(wrong, npartitions=2))
            assert str(error.value) == str(expected.value)
    rows = STORAGES["array"][0](X, UNEVEN)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(rows)
    with pytest.raises(ValueError, match="X has 2 features, but OnlineKMeans is expecting"):
        OnlineKMeans(k=60).fit(rows).partial_fit([dask.delayed(X[:, :2])])


@pytest.mark.parametrize("storage", ["array", "frame", "delayed"])
def test_a_stream_without_rows_is_refused_as_locally(client, storage):
    nothing = STORAGES[storage][0](X[:0], [0, 0])
    model = OnlineKMeans(k=60).fit(STORAGES[storage][0](X, UNEVEN))
    for call in (OnlineKMeans().fit, model.partial_fit, model.score):
        with pytest.raises(ValueError, match="Found array with 0 sample"):
            call(nothing)
    assert model.n_samples_seen_ == len(X)
    assert len(computed(model.predict(nothing))) == 0


@pytest.mark.parametrize("storage", ["array", "unknown sizes"])
def test_warnings_come_from_the_driver(client, storage):
    rows = STORAGES[storage][0](X, UNEVEN)
    with pytest.warns(UserWarning, match="'k' parameter of OnlineKMeans is 9, but"):
        OnlineKMeans(k=9).fit(rows)
    with pytest.warns(UserWarning, match=f"its length is taken to be {len(X)}"):
        SemiOnlineKMeans(k=3).partial_fit(rows)
    with pytest.warns(UserWarning, match=f"now has {len(X)} samples"):
        SemiOnlineKMeans(k=3, n_samples=1000).fit(rows)


def test_a_bad_value_is_not_tried_again(client, tmp_path):
    loads = tmp_path / "loads"

    def load(part):
        with loads.open("a") as file:
            file.write(".")
        return part

    parts = [dask.delayed(load)(part) for part in cut(spoilt("NaN"), [250] * 12)]
    with pytest.raises(ValueError, match="NaN"):
        OnlineKMeans(k=60, client=client).fit(parts)
    assert len(loads.read_text()) <= 13  # one for the names of the features


SIZES = [300, 0, 700, 1, 999, 1000]
WEIGHTS = np.random.RandomState(0).exponential(size=len(X))
WEIGHTS[5::7] = 0
MOVES = [100, 301, 512, 700, 900]  # the rest is read by workers at the same time


def lazy_weights(weights, sizes=SIZES):
    """Return weights as the kinds of collections that partial_fit takes."""
    parts = cut(weights, sizes)
    series = [dask.delayed(pd.Series)(part) for part in parts]
    return {
        "array": da.from_array(weights, chunks=(tuple(sizes),)),
        "series": dd.from_delayed(series, meta=pd.Series([1.0]), verify_meta=False),
        "delayed": [dask.delayed(part) for part in parts],
    }


@pytest.fixture
def moving(where):
    """Let centers move at other positions."""
    with moves_everywhere(where, MOVES):
        yield where


@pytest.mark.parametrize("kind", ["array", "series", "delayed"])
@pytest.mark.parametrize("storage", ["array", "csr_array", "frame", "delayed"])
def test_weights_give_the_local_result(where, storage, kind):
    collection, local_rows = STORAGES[storage]
    model, local = pair(OnlineKMeans(k=60))
    some = lazy_weights(WEIGHTS)[kind]
    labels = model.partial_fit_predict(collection(X, SIZES), sample_weight=some)
    expected = local.partial_fit_predict(local_rows(X), sample_weight=WEIGHTS)
    assert_same_clusters(model, local)
    np.testing.assert_array_equal(computed(labels), expected)
    model.partial_fit(collection(X, SIZES))  # without, each weight is 1
    local.partial_fit(local_rows(X))
    assert_same_clusters(model, local)


@pytest.mark.parametrize("n_clusters", [None, 5])
def test_weights_and_half_lives_go_together(where, n_clusters):
    model, local = pair(OnlineKMeans(n_clusters, k=60, half_life=350))
    rows, some = STORAGES["array"][0](X, SIZES), lazy_weights(WEIGHTS)["array"]
    model.partial_fit(rows, sample_weight=some).partial_fit(rows)
    local.partial_fit(X, sample_weight=WEIGHTS).partial_fit(X)
    assert_same_clusters(model, local)
    np.testing.assert_array_equal(computed(model.labels_), local.labels_)
    np.testing.assert_array_equal(computed(model.predict(rows)), local.predict(X))
    if n_clusters is None:
        features = model.partial_fit_transform(rows, sample_weight=some).compute()
        expected = local.partial_fit_transform(X, sample_weight=WEIGHTS)
        assert abs(features - expected).sum() == 0


def test_weights_that_do_not_fit_are_refused(where):
    rows, model = STORAGES["array"][0](X, SIZES), OnlineKMeans(k=60, random_state=0)
    for wrong in (WEIGHTS, [1, 2], lazy_weights(WEIGHTS, [3000])["array"]):
        with pytest.raises(ValueError, match=r"with the 6 partition\(s\) of X"):
            model.partial_fit(rows, sample_weight=wrong)
    negative = WEIGHTS.copy()
    negative[1500] = -1
    with pytest.raises(ValueError, match="Partition 4: Got a sample_weight of -1"):
        model.partial_fit(rows, sample_weight=lazy_weights(negative)["array"])
    shifted = lazy_weights(WEIGHTS, [299, 1, 700, 1, 999, 1000])["array"]
    with pytest.raises(ValueError, match=r"Partition 0: .* each of the 300 samples"):
        model.partial_fit(rows, sample_weight=shifted)
    assert not hasattr(model, "n_samples_seen_")
    with pytest.raises(TypeError, match="takes no sample_weight"):
        SemiOnlineKMeans().fit(rows, sample_weight=negative)


@pytest.mark.parametrize("storage", ["array", "csr_array", "frame", "unknown sizes"])
@pytest.mark.parametrize("estimator", [OnlineKMeans(5, k=40), SemiOnlineKMeans(5, k=3)])
def test_moving_centers_give_the_local_result(moving, storage, estimator):
    collection, local_rows = STORAGES[storage]
    model, local = pair(estimator)
    model.fit(collection(X, [300, 0, 400, 1, 299, *[500] * 4]))
    assert_same(model, local.fit(local_rows(X)))
    if isinstance(model, OnlineKMeans) and moving is not None:
        assert model._fitted.figures["n_serial_rows"] < 2000  # workers read the others


def test_labels_of_calls_that_begin_and_end_among_the_moves(moving):
    collection, _ = STORAGES["array"]
    model, local = pair(OnlineKMeans(5, k=40))
    for rows in (X[:150], X[150:800], X[800:2000], X[2000:]):
        labels = model.partial_fit_predict(collection(rows, [100, 30]))
        np.testing.assert_array_equal(computed(labels), local.partial_fit_predict(rows))
        np.testing.assert_array_equal(computed(model.labels_), local.labels_)
        taken = pickle.loads(pickle.dumps(model)).to_local()
        model = OnlineKMeans.from_local(taken, moving)
    assert_same_clusters(model, local)


def test_features_decided_online_of_centers_that_move_are_refused(moving):
    collection, _ = STORAGES["array"]
    model = OnlineKMeans(5, k=40, client=moving).partial_fit(collection(X[:200], [70]))
    model.set_params(n_clusters=None)
    with pytest.raises(ValueError, match="started with an int n_clusters"):
        model.partial_fit_transform(collection(X[200:], SIZES))
    assert model.n_samples_seen_ == 200


def test_too_many_local_features_warn_as_the_local_estimator_does():
    with dask.config.set(scheduler="synchronous"):
        model = OnlineKMeans(k=400, encode="local", random_state=0)
        with pytest.warns(UserWarning, match="encode='local' gives .* Pass a smaller k"):
            model.fit(STORAGES["array"][0](X, SIZES))
