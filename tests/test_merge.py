"""The merge of online clusters into exactly n_clusters."""

import numpy as np
import pytest
from engines import THREADS, tuned
from inside import before_step
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from streams import dense
from threadpoolctl import threadpool_limits

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans
from onlinekmeans_sklearn._algorithm.clustering import Clustering
from onlinekmeans_sklearn._algorithm.local_search import LocalSearch
from onlinekmeans_sklearn._algorithm.merge import k_for_merge
from onlinekmeans_sklearn._algorithm.merge import merge as merged_clusters

MEANS = np.array([[0.0, 1.0], [10.0, 0.0], [0.0, 3.0], [10.0, 4.0]])
COUNTS = np.array([1, 1, 3, 3])


def merge_points(means, counts, n_clusters, random_state, **options):
    """Return the means of merged clusters, and the merged cluster of each."""
    merged = merged_clusters(means, counts, n_clusters, random_state, **options)
    weights = np.equal.outer(np.arange(n_clusters), merged) * counts
    return weights / weights.sum(axis=1, keepdims=True) @ dense(means), merged


def merge(means, counts, n_clusters, seed=0):
    """Return the merged centers of clusters with these means, and which is where.

    The means come first, then all other members, each equal to a mean: as k is large, the
    prefix is not complete before all different rows are centers.
    """
    every = np.arange(len(counts))
    X = means[np.concatenate([every, np.repeat(every, counts - 1)])]
    model = OnlineKMeans(n_clusters, k=16 + 5 * len(counts), random_state=seed).fit(X)
    assert_array_equal(model.counts_, counts)
    assert_array_equal(dense(model.cluster_means_), dense(means))
    return model.cluster_centers_, model.online_to_merged_


def corners():
    """Return four blobs far from each other, and the blob of each sample."""
    rng = np.random.RandomState(0)
    blob = rng.randint(4, size=2000)
    return 20 * np.eye(4)[blob] + rng.normal(size=(2000, 4)), blob


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_merged_centers_are_weighted_means_numbered_by_age(storage):
    centers, merged = merge(storage(MEANS), COUNTS, 2)
    assert_array_equal(merged, [0, 1, 0, 1])
    assert_allclose(dense(centers), [[0, 2.5], [10, 3]])


def test_fewer_online_clusters_than_asked_for_is_a_warning():
    few = r"4 samples opened only 4 .*n_clusters=5.*, read more distinct samples\."
    with pytest.warns(ConvergenceWarning, match=few):
        model = OnlineKMeans(5).fit(MEANS)
    assert_array_equal(model.cluster_centers_, MEANS)
    assert_array_equal(model.online_to_merged_, np.arange(4))
    model = OnlineKMeans(5).partial_fit(MEANS[:2]).partial_fit(MEANS[2:])
    assert model.labels_.tolist() == [2, 3]  # what only looks does not warn
    for call in (model.partial_fit, OnlineKMeans(5).partial_fit(MEANS).predict):
        with pytest.warns(ConvergenceWarning, match=few):
            call(*[MEANS] * (call != model.partial_fit))


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("estimator", [OnlineKMeans, SemiOnlineKMeans])
def test_n_clusters_is_what_the_answer_has(estimator, storage):
    X, blob = corners()
    model = estimator(n_clusters=4, random_state=0).fit(storage(X))
    assert model.n_clusters_ == 4
    assert model.cluster_centers_.shape == (4, 4)
    assert model.transform(storage(X)).shape == (2000, 4)
    assert adjusted_rand_score(blob, model.labels_) == 1
    assert_array_equal(model.labels_, model.predict(storage(X)))
    assert_array_equal(model.labels_, model.online_to_merged_[model.online_labels_])
    means = [X[model.labels_ == c].mean(axis=0) for c in range(4)]
    assert_allclose(dense(model.cluster_centers_), means, rtol=1e-9)
    assert len(model.counts_) == dense(model.online_centers_).shape[0] > 4


@pytest.mark.parametrize("n_features", [3, 300])
def test_a_single_merged_cluster_has_the_mean_of_all(n_features):
    X = np.random.RandomState(0).normal(size=(400, n_features))
    model = OnlineKMeans(1, random_state=0).fit(X)
    assert_allclose(model.cluster_centers_, [X.mean(axis=0)], rtol=1e-9, atol=1e-12)


def test_the_merge_draws_nothing_from_the_stream():
    X = np.random.RandomState(0).normal(size=(1000, 3))
    looked, not_looked = (OnlineKMeans(n_clusters=5, random_state=0) for _ in range(2))
    for part in np.split(X, 10):
        looked.partial_fit(part).predict(X)
        not_looked.partial_fit(part)
    for name in ("online_centers_", "online_labels_"):
        assert_array_equal(getattr(looked, name), getattr(not_looked, name))


def test_n_clusters_can_be_changed_after_the_pass():
    X = np.random.RandomState(0).normal(size=(1000, 3))
    model = OnlineKMeans(random_state=0).fit(X)
    n_online = model.n_clusters_
    assert model.set_params(n_clusters=7).n_clusters_ == n_online  # not before a call
    assert model.partial_fit().n_clusters_ == 7
    assert set(model.predict(X)) == set(range(7))
    assert model.set_params(n_clusters=None).partial_fit().n_clusters_ == n_online


def test_wide_sparse_means_are_merged_by_their_sketch():
    rng = np.random.RandomState(0)
    group = rng.randint(6, size=200)
    means = np.zeros((200, 5000))
    means[np.arange(200)[:, None], 100 * group[:, None] + np.arange(30)] = 1
    means[np.arange(200)[:, None], rng.randint(5000, size=(200, 10))] += 1
    counts = rng.randint(1, 9, size=200)
    centers, merged = merge(csr_array(means), counts, 6)
    assert adjusted_rand_score(group, merged) == 1
    parts = [(means[merged == c], counts[merged == c]) for c in range(6)]
    expected = [np.average(rows, axis=0, weights=some) for rows, some in parts]
    assert not issparse(centers)  # as those of KMeans
    assert_allclose(centers, expected, atol=1e-12)


@pytest.mark.parametrize("position", [0, 1000])
@pytest.mark.parametrize("far", [1e9, 1e14, 1e100])
def test_an_outlier_does_not_spoil_the_merge_of_the_others(far, position):
    """Seen from it, or from a mean that it draws away, all others are at one place."""
    X, blob = corners()
    X[position] = far
    others = np.arange(2000) != position
    for storage in (np.asarray, csr_array):
        model = OnlineKMeans(n_clusters=5, random_state=0).fit(storage(X))
        assert adjusted_rand_score(blob[others], model.labels_[others]) == 1


@pytest.mark.parametrize("far", [1e9, 1e12])
def test_groups_far_from_each_other_are_both_merged_well(far):
    """Products alone would be all rounding error in the one or the other."""
    rng = np.random.RandomState(0)
    group = rng.randint(8, size=300)
    means = 10 * np.eye(4)[group % 4] + rng.normal(size=(300, 4))
    means[group >= 4] += far
    _, merged = merge(means, rng.randint(1, 30, size=300), 8)
    assert adjusted_rand_score(group, merged) == 1


def test_a_stream_of_rows_does_not_pay_for_the_merge():
    calls = []
    X = np.random.RandomState(0).normal(size=(300, 3))
    model = OnlineKMeans(n_clusters=4, random_state=0)
    with before_step("merge", lambda: calls.append("merge")):
        for row in X:
            model.partial_fit(row[None])
            model.partial_fit_predict(row[None])
        of_online = "cluster_means_", "online_centers_", "phase_starts_", "facility_costs_"
        assert all(len(getattr(model, attribute)) > 0 for attribute in of_online)
        assert len(calls) == 0
        model.predict(X)
        model.transform(X)
        assert (model.n_clusters_, len(model.labels_), len(calls)) == (4, 1, 1)
        model.partial_fit(X[:1]).predict(X)
        assert len(calls) == 1  # a look after so little costs next to nothing
        model.partial_fit(X + 9).predict(X)
        assert len(calls) == 2


# How good it is, of means and numbers of members


def random_points(seed, n, n_features):
    rng = np.random.RandomState(seed)
    return rng.normal(size=(n, n_features)), rng.randint(1, 50, size=n)


def cost_ratio(means, counts, n_clusters, n_init, seed, storage=np.asarray):
    """Return the cost of the merge by that of KMeans with so many starts."""
    with threadpool_limits(1):  # they would wait for each other
        best = KMeans(n_clusters, n_init=n_init, random_state=0)
        best.fit(means, sample_weight=counts)
    rng = np.random.RandomState(seed)
    centers, merged = merge_points(storage(means), counts, n_clusters, rng)
    assert set(merged) == set(range(n_clusters))
    return counts @ ((means - dense(centers)[merged]) ** 2).sum(axis=1) / best.inertia_


@pytest.mark.slow
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_the_merge_is_about_as_good_as_many_starts_of_kmeans(storage):
    options = {"n_init": 30, "storage": storage}
    points = (random_points(seed, 400, 4) for seed in range(10))
    ratios = [cost_ratio(*each, 12, seed=i, **options) for i, each in enumerate(points)]
    assert np.mean(ratios) <= 1.01
    assert max(ratios) <= 1.04


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [3, 10])
def test_the_merge_does_not_stop_early_on_few_points(n_features):
    points = (random_points(seed, 30, n_features) for seed in range(20))
    ratios = [cost_ratio(*each, 20, n_init=10, seed=i) for i, each in enumerate(points)]
    assert np.mean(ratios) <= 1.01


@pytest.mark.parametrize(("n_points", "n_clusters"), [(600, 60), (2000, 200), (4000, 600)])
def test_the_merge_into_many_is_better_than_kmeans(n_points, n_clusters):
    """The last of them is cut into regions."""
    means, counts = random_points(0, n_points, 5)
    assert cost_ratio(means, counts, n_clusters, n_init=1, seed=0) <= 0.97


@pytest.mark.parametrize("far", [1e9, 1e14])
def test_far_groups_and_an_outlier_do_not_spoil_a_merge_in_regions(far):
    """Each part is merged about as well as alone; the share of each is not known."""
    means, counts = random_points(0, 3000, 3)
    means[:1500] += far
    means[-1] = -1e14
    rng = np.random.RandomState(0)
    centers, merged = merge_points(means, counts, 400, rng)
    assert set(merged) == set(range(400))
    assert np.isfinite(centers).all()
    assert (merged == merged[-1]).sum() == 1
    for part in (slice(1500), slice(1500, 2999)):
        X, weights, labels = means[part], counts[part], merged[part]
        n_clusters = len(set(labels))
        assert 150 < n_clusters < 250
        X = X - (far if part.start is None else 0)
        _, alone = merge_points(X, weights, n_clusters, np.random.RandomState(0))
        cost, best = (within_cost(X, weights, groups) for groups in (labels, alone))
        assert cost <= 1.05 * best


def within_cost(X, weights, groups):
    """Return the cost of points in groups, by the mean of each."""
    parts = [(X[groups == g], weights[groups == g]) for g in set(groups)]
    far = [(rows - np.average(rows, axis=0, weights=some), some) for rows, some in parts]
    return sum(some @ (rows**2).sum(axis=1) for rows, some in far)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e150])
def test_every_merged_cluster_has_members_even_if_means_coincide(scale):
    means = scale * np.repeat([[0.0, 1.0], [5.0, 5.0]], 10, axis=0)
    centers, merged = merge_points(means, np.arange(1, 21), 7, np.random.RandomState(0))
    assert len(centers) == 7
    assert set(merged) == set(range(7))
    assert_allclose(centers[merged], means)


@pytest.mark.parametrize(("n_points", "n_clusters"), [(5, 4), (50, 49), (300, 299), (3, 1)])
def test_the_merge_of_almost_as_many_clusters_as_points(n_points, n_clusters):
    means, counts = random_points(0, n_points, 2)
    _, merged = merge_points(means, counts, n_clusters, np.random.RandomState(0))
    assert set(merged) == set(range(n_clusters))


@pytest.mark.parametrize(("n_regions", "dtype"), [(2**15, np.int16), (2**15 + 1, np.int32)])
def test_every_region_has_an_id_of_its_own(n_regions, dtype):
    """Those of int16, which are sorted fastest, are enough for 3.28 million clusters."""
    X, every = np.arange(float(n_regions))[:, None], np.arange(n_regions)
    search = LocalSearch(X, np.ones(n_regions), np.random.RandomState(0))
    clustering = Clustering(search.X, every, np.zeros(n_regions), 0.0)
    for regions in search._regions(clustering, size=1):
        assert_array_equal(regions.region, every)
        assert regions.region.dtype == dtype


def test_threads_do_not_change_the_merge():
    means, counts = random_points(0, 3000, 8)
    with tuned(**THREADS):  # which share the points of a region, too
        options = means, counts, 300
        one = merge_points(*options, np.random.RandomState(0), n_jobs=1)
        two = merge_points(*options, np.random.RandomState(0), n_jobs=2)
    for found, expected in zip(two, one):
        assert_array_equal(found, expected)


def test_auto_k_has_fewer_for_each_of_many_clusters():
    numbers = [1, 2, 10, 50, 200, 1000, 10_000]
    each = [k_for_merge(n) / n for n in numbers]
    assert each == sorted(each, reverse=True)
    assert 10 < each[-1] < 15
    assert 15 < each[4] < 20
