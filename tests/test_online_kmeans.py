"""What users of the estimators are promised."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array, csr_matrix
from streams import ALGORITHMS, blobs, dense, estimator_of, grid

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_stream_shorter_than_the_prefix_is_answered(name):
    X = np.array([[0.0], [0.0], [8.0]])
    model = estimator_of(name, 3, 40, seed=0).fit(X)
    np.testing.assert_array_equal(model.predict([[1.0], [7.0]]), [0, 1])
    np.testing.assert_array_equal(dense(model.transform(X)), [[1, 0], [1, 0], [0, 1]])
    assert model.inertia_ == 0


def test_labels_are_the_online_decisions():
    X = np.sort(blobs(1, 800, d=1), axis=0)
    model = OnlineKMeans(k=25, random_state=0).fit(X)
    assert (model.labels_ != model.predict(X)).any()
    for method in ("fit_predict", "partial_fit_predict"):
        labels = getattr(OnlineKMeans(k=25, random_state=0), method)(X)
        np.testing.assert_array_equal(labels, model.labels_)
    model.partial_fit(X[:5])
    assert model.labels_.shape == (5,)


def test_fit_starts_anew_and_partial_fit_does_not():
    X = blobs(2, 500)
    model = OnlineKMeans(k=30, random_state=0).fit(X)
    once = model.cluster_centers_.copy(), model.labels_
    model.partial_fit(X)
    assert model.n_samples_seen_ == 1000
    model.fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, once[0])
    np.testing.assert_array_equal(model.labels_, once[1])
    assert model.n_samples_seen_ == 500
    assert model.fit(X[:, :2]).n_features_in_ == 2


def test_parameters_of_the_stream_are_those_of_its_first_call():
    X = blobs(2, 500)
    model = OnlineKMeans(k=30, random_state=0).partial_fit(X[:100])
    model.set_params(k=2000, algorithm="theoretical")
    changed = r"k, algorithm changed.* k=30, algorithm='prac"
    with pytest.warns(UserWarning, match=changed) as given:
        model.partial_fit(X[100:])
    assert [warning.filename for warning in given] == [__file__]
    whole = OnlineKMeans(k=30, random_state=0).fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)
    model.set_params(k=np.int64(30), algorithm="practical").partial_fit(X)  # as they were
    model.set_params(max_clusters=500)
    with pytest.warns(UserWarning, match="max_clusters changed"):
        model.partial_fit_predict(X[:1])
    model.fit(X).partial_fit(X)
    other = SemiOnlineKMeans(n_samples=10_000, random_state=0).partial_fit(X)
    with pytest.warns(UserWarning, match="lower_bound changed.* lower_bound=None"):
        other.set_params(lower_bound=1.0).partial_fit(X)


def test_random_state_may_be_an_instance_or_none():
    X = blobs(0, 500)
    seeded = OnlineKMeans(k=30, random_state=7).fit(X)
    instance = OnlineKMeans(k=30, random_state=np.random.RandomState(7)).fit(X)
    np.testing.assert_array_equal(seeded.labels_, instance.labels_)
    drawn = OnlineKMeans(k=30).fit(X), OnlineKMeans(k=30).fit(X)
    assert not np.array_equal(drawn[0].labels_, drawn[1].labels_)


def test_k_auto_follows_n_clusters():
    X = blobs(0, 3000, n_blobs=40)
    for auto, k in [
        (OnlineKMeans(), 100),
        (OnlineKMeans(n_clusters=4), 107),
        (OnlineKMeans(max_clusters=71), 36),
        (OnlineKMeans(n_clusters=4, max_clusters=90), 45),
        (OnlineKMeans(algorithm="theoretical"), 10),
        (SemiOnlineKMeans(n_clusters=3), 3),
        (SemiOnlineKMeans(), 10),
    ]:
        opened_at = auto.set_params(random_state=0).fit(X).opened_at_
        explicit = auto.set_params(k=k).fit(X)
        np.testing.assert_array_equal(opened_at, explicit.opened_at_)


def test_semi_online_takes_n_from_the_first_call():
    X = blobs(0, 512)
    implicit = SemiOnlineKMeans(k=3, lower_bound=50.0, random_state=0).fit(X)
    explicit = SemiOnlineKMeans(k=3, lower_bound=50.0, n_samples=512, random_state=0).fit(X)
    assert implicit.facility_cost_ == explicit.facility_cost_
    first = 50.0 / (3 * 9)
    assert implicit.facility_cost_ == first * 2 ** (implicit.n_phases_ - 1)


def test_score_is_minus_the_cost_of_the_final_centers():
    X = blobs(0, 300)
    for rows in (X, csr_array(X)):
        model = OnlineKMeans(k=30, random_state=0).fit(rows)
        cost = ((X - X[model.opened_at_][model.predict(rows)]) ** 2).sum()
        assert model.score(rows) == pytest.approx(-cost)
        assert isinstance(model.score(rows), float)
    assert -model.score(X) <= model.inertia_


def test_predict_takes_other_storage_and_dtype_than_fit():
    X = grid(0, 200)
    expected = OnlineKMeans(k=30, random_state=0).fit(X).predict(X)
    for fitted in (X, csr_array(X), X.astype(np.float32)):
        model = OnlineKMeans(k=30, random_state=0).fit(fitted)
        for rows in (X, csr_matrix(X), X.astype(np.float32), X.astype(int), X.tolist()):
            np.testing.assert_array_equal(model.predict(rows), expected)


def test_sparse_results_are_of_the_configured_kind():
    X = csr_array(blobs(0, 100))
    model = OnlineKMeans(random_state=0).fit(X)
    for result in (model.cluster_centers_, model.cluster_means_, model.transform(X)):
        assert isinstance(result, csr_matrix)
    if "sparse_interface" in sklearn.get_config():
        with sklearn.config_context(sparse_interface="sparray"):
            for result in (model.cluster_centers_, model.transform(X)):
                assert isinstance(result, csr_array)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_memory_is_bounded_by_the_block(storage):
    n, d, k = 200_000, 4, 200
    X = storage(blobs(0, n, d=d, n_blobs=50))
    model = OnlineKMeans(k=k, random_state=0)
    tracemalloc.start()
    model.fit(X)
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.n_clusters_ > 100
    all_distances = 8 * n * model.n_clusters_
    assert peak < all_distances / 5
