"""Centers that move on Dask: the local result, bit for bit, labels of all rows included."""

import pickle

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
from dask_clusters import (
    SMALL,
    STORAGES,
    assert_same,
    assert_same_clusters,
    computed,
    moves_everywhere,
    stream,
    tuned_everywhere,
    wait_until_forgotten,
)

import onlinekmeans_sklearn
from onlinekmeans_sklearn.dask import OnlineKMeans

pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")

X = stream()
SIZES = [300, 0, 400, 1, 299, 500, 500, 500, 500]
MOVES = [100, 301, 512, 700, 900]  # the rest is read by workers at the same time


@pytest.fixture(scope="module")
def moving_client(module_client):
    with tuned_everywhere(module_client, **SMALL), moves_everywhere(module_client, MOVES):
        yield module_client
    wait_until_forgotten(module_client)


@pytest.fixture(params=[pytest.param("cluster", marks=pytest.mark.slow), "synchronous"])
def client(request):
    if request.param == "cluster":
        yield request.getfixturevalue("moving_client")
    else:
        with dask.config.set(scheduler=request.param):
            yield None


@pytest.mark.parametrize("storage", ["array", "csr_array", "frame", "unknown sizes"])
@pytest.mark.parametrize("name", ["OnlineKMeans", "SemiOnlineKMeans"])
def test_moving_centers_give_the_local_result(client, storage, name):
    collection, local_rows = STORAGES[storage]
    options = {"n_clusters": 5, "k": 40, "random_state": 0}
    if name == "SemiOnlineKMeans":
        options |= {"k": 3, "n_samples": len(X)}
    model = getattr(onlinekmeans_sklearn.dask, name)(**options, client=client)
    local = getattr(onlinekmeans_sklearn, name)(**options).fit(local_rows(X))
    assert_same(model.fit(collection(X, SIZES)), local)
    if name == "OnlineKMeans" and client is not None:
        assert model._fitted.figures["n_serial_rows"] < 2000  # workers read the others


def test_labels_of_calls_that_begin_and_end_among_the_moves(client):
    collection, _ = STORAGES["array"]
    model = OnlineKMeans(5, k=40, random_state=0, client=client)
    local = onlinekmeans_sklearn.OnlineKMeans(5, k=40, random_state=0)
    for rows in (X[:150], X[150:800], X[800:2000], X[2000:]):
        labels = model.partial_fit_predict(collection(rows, [100, 30]))
        np.testing.assert_array_equal(computed(labels), local.partial_fit_predict(rows))
        np.testing.assert_array_equal(computed(model.labels_), local.labels_)
        model = OnlineKMeans.from_local(
            pickle.loads(pickle.dumps(model)).to_local(), client
        )
    assert_same_clusters(model, local)


def test_features_decided_online_of_centers_that_move_are_refused(client):
    collection, _ = STORAGES["array"]
    model = OnlineKMeans(5, k=40, client=client).partial_fit(collection(X[:200], [70]))
    model.set_params(n_clusters=None)
    with pytest.raises(ValueError, match="started with an int n_clusters"):
        model.partial_fit_transform(collection(X[200:], SIZES))
    assert model.n_samples_seen_ == 200


def test_too_many_local_features_warn_as_the_local_estimator_does():
    with dask.config.set(scheduler="synchronous"):
        model = OnlineKMeans(k=400, encode="local", random_state=0)
        with pytest.warns(UserWarning, match="encode='local' gives .* Pass a smaller k"):
            model.fit(STORAGES["array"][0](X, SIZES))
