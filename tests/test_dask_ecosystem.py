"""The local estimators beside Dask: dask-ml's Incremental, and joblib's backend."""

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans
from onlinekmeans_sklearn._utils.threads import n_threads_for

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def data():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=600)
    return 4 * np.eye(3)[y] + rng.normal(size=(600, 3)), y


def test_the_size_of_a_cluster_does_not_change_n_jobs(client):
    """It would make three of two, and three of four on a machine of two cores."""
    asked = [1, 2, 4, 4 * cpu_count() + 1]
    expected = [1, 2, 4, 4 * cpu_count()]
    with parallel_config(backend="dask"):
        assert [n_threads_for(n_jobs) for n_jobs in asked] == expected
        found = Parallel()(delayed(n_threads_for)(n_jobs) for n_jobs in asked)
    assert found == expected
    with parallel_config(backend="sequential"):
        assert n_threads_for(4) == 1


def test_a_grid_search_on_dask_equals_a_local_one(client, data):
    X, y = data
    pipeline = make_pipeline(
        OnlineKMeans(k=30, random_state=0, n_jobs=2), SGDClassifier(random_state=0)
    )
    grid = GridSearchCV(pipeline, {"onlinekmeans__k": [20, 40]}, cv=3)
    local = grid.fit(X, y).cv_results_["mean_test_score"]
    with parallel_config(backend="dask"):
        on_dask = grid.fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(on_dask, local)


@pytest.mark.filterwarnings("ignore")  # those of dask-ml are not ours
def test_incremental_of_dask_ml_equals_the_local_stream(client, data):
    wrappers = pytest.importorskip("dask_ml.wrappers")
    array = pytest.importorskip("dask.array")
    X, y = data
    chunked = [array.from_array(part, chunks=(130, -1)[: part.ndim]) for part in data]
    clusterer = wrappers.Incremental(
        OnlineKMeans(k=30, random_state=0), shuffle_blocks=False
    ).fit(chunked[0])
    local = OnlineKMeans(k=30, random_state=0).fit(X)
    np.testing.assert_array_equal(
        clusterer.estimator_.cluster_centers_, local.cluster_centers_
    )
    np.testing.assert_array_equal(clusterer.predict(chunked[0]), local.predict(X))

    clusterer = OnlineKMeans(k=30, random_state=0)
    model = ClusterFeaturesClassifier(clusterer=clusterer, random_state=0)
    incremental = wrappers.Incremental(model, shuffle_blocks=False)
    incremental.fit(*chunked, classes=[0, 1, 2])
    for start in range(0, len(X), 130):
        rows = slice(start, start + 130)
        model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_array_equal(
        incremental.estimator_.decision_function(X), model.decision_function(X)
    )
