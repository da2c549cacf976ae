"""Weights, half-lives and centers that move on Dask: the local result, bit for bit."""

import pickle

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from dask_clusters import (
    STORAGES,
    assert_same,
    assert_same_clusters,
    computed,
    cut,
    moves_everywhere,
    stream,
)

import onlinekmeans_sklearn
from onlinekmeans_sklearn.dask import OnlineKMeans, SemiOnlineKMeans

pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")

X = stream()
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
    options = {"k": 60, "random_state": 0}
    model, local = OnlineKMeans(**options), onlinekmeans_sklearn.OnlineKMeans(**options)
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
    options = {"n_clusters": n_clusters, "k": 60, "half_life": 350, "random_state": 0}
    model, local = OnlineKMeans(**options), onlinekmeans_sklearn.OnlineKMeans(**options)
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
@pytest.mark.parametrize("name", ["OnlineKMeans", "SemiOnlineKMeans"])
def test_moving_centers_give_the_local_result(moving, storage, name):
    collection, local_rows = STORAGES[storage]
    options = {"n_clusters": 5, "k": 40, "random_state": 0}
    if name == "SemiOnlineKMeans":
        options |= {"k": 3, "n_samples": len(X)}
    model = getattr(onlinekmeans_sklearn.dask, name)(**options, client=moving)
    local = getattr(onlinekmeans_sklearn, name)(**options).fit(local_rows(X))
    assert_same(model.fit(collection(X, [300, 0, 400, 1, 299, *[500] * 4])), local)
    if name == "OnlineKMeans" and moving is not None:
        assert model._fitted.figures["n_serial_rows"] < 2000  # workers read the others


def test_labels_of_calls_that_begin_and_end_among_the_moves(moving):
    collection, _ = STORAGES["array"]
    model = OnlineKMeans(5, k=40, random_state=0, client=moving)
    local = onlinekmeans_sklearn.OnlineKMeans(5, k=40, random_state=0)
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
