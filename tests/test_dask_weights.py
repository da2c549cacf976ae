"""Weights and half-lives on Dask: the local result, bit for bit."""

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from dask_clusters import (
    SMALL,
    STORAGES,
    assert_same_clusters,
    computed,
    cut,
    stream,
    tuned_everywhere,
    wait_until_forgotten,
)

import onlinekmeans_sklearn
from onlinekmeans_sklearn.dask import OnlineKMeans, SemiOnlineKMeans

pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")

X = stream()
SIZES = [300, 0, 700, 1, 999, 1000]
WEIGHTS = np.random.RandomState(0).exponential(size=len(X))
WEIGHTS[5::7] = 0


def lazy_weights(weights, sizes=SIZES):
    """Return weights as the kinds of collections that partial_fit takes."""
    parts = cut(weights, sizes)
    series = [dask.delayed(pd.Series)(part) for part in parts]
    return {
        "array": da.from_array(weights, chunks=(tuple(sizes),)),
        "series": dd.from_delayed(series, meta=pd.Series([1.0]), verify_meta=False),
        "delayed": [dask.delayed(part) for part in parts],
    }


@pytest.fixture(params=["cluster", "none"])
def client(request):
    if request.param == "none":
        with dask.config.set(scheduler="synchronous"):
            yield None
        return
    module_client = request.getfixturevalue("module_client")
    with tuned_everywhere(module_client, **SMALL):
        yield module_client
    wait_until_forgotten(module_client)


@pytest.mark.parametrize("kind", ["array", "series", "delayed"])
@pytest.mark.parametrize("storage", ["array", "csr_array", "frame", "delayed"])
def test_weights_give_the_local_result(client, storage, kind):
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
def test_weights_and_half_lives_go_together(client, n_clusters):
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


def test_weights_that_do_not_fit_are_refused(client):
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
