"""Streams that forget: the plain loop with epochs, and what becomes of retired clusters."""

import pickle
from unittest import mock

import numpy as np
import pytest
from inside import positions_per_block
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from streams import (
    STREAMS,
    assert_every_engine_is_the_loop,
    blobs,
    grid,
    reference_of,
)

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, SemiOnlineKMeans
from onlinekmeans_sklearn._state.fitted import Fitted

# so many samples are fewer than clusters, in these short streams
pytestmark = pytest.mark.filterwarnings("ignore:The 'half_life' parameter:UserWarning")
MORE_HALF_LIVES = [pytest.param(n, marks=pytest.mark.slow) for n in (3, 50)]
ALGORITHMS = ["practical", "practical, smallest", "theoretical"]


def moving(n=3000, d=2, seed=0):
    """Return four groups that move away."""
    rng = np.random.RandomState(seed)
    start = rng.normal(scale=5, size=(4, d))[rng.randint(4, size=n)]
    return start + np.linspace(0, 40, n)[:, None] + rng.normal(size=(n, d))


X = moving()


@pytest.fixture(scope="module")
def model():
    """Return a model with many retired clusters; tests must not change it."""
    model = OnlineKMeans(k=60, half_life=300, random_state=0).fit(X)
    live, every = np.count_nonzero(model.counts_), len(model.counts_)
    assert 10 < live < every - 30
    return model


@pytest.mark.parametrize("half_life", [1, 16, *MORE_HALF_LIVES])
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_that_forgets_is_the_plain_loop(stream, name, half_life):
    rows, k = STREAMS[stream](half_life, 130), 1 + half_life % 3
    rows[90:] *= 1e-7  # a scale that shrinks
    with positions_per_block([2**16, 24][half_life % 2]):
        assert_every_engine_is_the_loop(name, rows, k, 5, half_life=half_life)


def test_retirement_and_restart_do_happen():
    """Else the comparison above would show little."""
    expected = reference_of("practical", moving(400), 2, 0, half_life=40)
    assert 0 in expected.counts
    shrinks = blobs(0, 600)
    shrinks[300:] *= 1e-6
    expected = reference_of("practical", shrinks, 2, 0, half_life=50)
    costs = [cost for _, cost in expected.phases]
    assert min(costs[3:]) < 1e-6 * costs[0]


def test_centers_are_those_of_one_state(model):
    """Another thread may extend the stream while they are put together."""
    other = pickle.loads(pickle.dumps(model))
    expected, usual = other.cluster_centers_, Fitted.final_clusters

    def while_extending(self, n_jobs):
        final = usual(self, n_jobs)
        with mock.patch.object(Fitted, "final_clusters", usual):
            other.partial_fit(X[:700] - 50)
        return final

    with mock.patch.object(Fitted, "final_clusters", while_extending):
        assert_array_equal(other.cluster_centers_, expected)
    assert other.n_clusters_ > len(expected)


def test_predict_looks_at_live_clusters_only(model):
    live = np.flatnonzero(model.counts_)
    assert len(live) < len(model.counts_) == len(model.cluster_centers_)
    d2 = ((X[:, None] - model.cluster_centers_[live]) ** 2).sum(axis=2)
    assert_array_equal(model.predict(X), live[d2.argmin(axis=1)])
    assert model.score(X) == pytest.approx(-d2.min(axis=1).sum())
    means = OnlineKMeans(k=60, half_life=300, centers="means", random_state=0).fit(X)
    d2 = ((X[:, None] - means.cluster_means_[live]) ** 2).sum(axis=2)
    assert_array_equal(means.predict(X), live[d2.argmin(axis=1)])
    assert_array_equal(means.cluster_centers_, means.cluster_means_)


def test_a_merge_sees_live_clusters_only(model):
    merged = OnlineKMeans(4, k=60, half_life=300, random_state=0).fit(X)
    plain = OnlineKMeans(4, k=60, random_state=0).fit(X)
    assert 3 * merged.score(X[-200:]) > plain.score(X[-200:])
    live = np.flatnonzero(merged.counts_)
    of_online = merged.online_to_merged_
    assert of_online.shape == merged.counts_.shape
    for cluster in range(4):
        parts = live[of_online[live] == cluster]
        means, counts = merged.cluster_means_[parts], merged.counts_[parts]
        mean = np.average(means, axis=0, weights=counts)
        assert_allclose(merged.cluster_centers_[cluster], mean)
    retired = np.flatnonzero(merged.counts_ == 0)
    nearest = merged.predict(merged.online_centers_[retired])
    assert_array_equal(of_online[retired], nearest)
    assert_array_equal(merged.labels_, of_online[merged.online_labels_])


def test_counts_and_costs_fade():
    rows = grid(0, 100, side=3)
    model = OnlineKMeans(k=20, half_life=40, random_state=0).fit(rows)
    weights = 0.5 ** np.array([2] * 40 + [1] * 40 + [0] * 20)
    counts = np.bincount(model.labels_, weights)
    assert_array_equal(model.counts_, counts)
    assert model.counts_.dtype == np.float64
    total = (weights * model.online_distances_**2).sum()
    assert model.inertia_ == pytest.approx(total)
    model.partial_fit(rows[:20])  # the end of the third epoch, which the next sample finds
    assert model.counts_.sum() == counts.sum() + 20
    model.partial_fit(rows[:1])
    assert model.counts_.sum() == (counts.sum() + 20) / 2 + 1


def test_a_weight_never_fades_to_nothing():
    rows = np.repeat(grid(0, 12, side=50), 1, axis=0)
    model = OnlineKMeans(k=60, half_life=1, random_state=0).fit(rows)
    n = model.n_clusters_
    model.partial_fit(np.repeat(rows[:1], 1500, axis=0))
    assert model.counts_.min() == 2.0**-1000
    assert np.isfinite(model.cluster_means_).all()
    assert model.n_clusters_ == n


@pytest.mark.slow
@pytest.mark.parametrize("half_life", [1000, 10_000])
def test_live_clusters_stay_few(half_life):
    model = OnlineKMeans(k=100, half_life=half_life, random_state=3)
    rng, most = np.random.RandomState(3), 0
    means = rng.normal(scale=10, size=(40, 8))
    for _ in range(40):
        model.partial_fit(means[rng.randint(40, size=5000)] + rng.normal(size=(5000, 8)))
        most = max(most, np.count_nonzero(model.counts_))
    assert 50 < most < 130


def test_a_wide_group_does_not_make_it_restart_for_ever():
    rng = np.random.RandomState(0)
    scale = np.where(rng.random_sample(60_000) < 0.05, 1000.0, 1.0)
    rows = rng.normal(size=(60_000, 4)) * scale[:, None]
    model = OnlineKMeans(k=100, half_life=1000, random_state=0).fit(rows)
    assert np.count_nonzero(model.counts_) < 200
    assert model.n_clusters_ < 3000


@pytest.mark.parametrize("seed", range(3))
def test_a_scale_that_shrinks_is_found_again(seed):
    rows, small = blobs(seed, 6000, n_blobs=8), 1e-6 * blobs(seed, 9000, n_blobs=8)
    now = small[6000:]
    best = KMeans(8, n_init=5, random_state=0).fit(now)
    model = OnlineKMeans(k=100, half_life=2000, random_state=seed).partial_fit(rows)
    model.partial_fit(small[:6000])
    assert -model.score(now) < 1.5 * best.inertia_
    plain = OnlineKMeans(k=100, random_state=seed).partial_fit(rows)
    plain.partial_fit(small[:6000])
    assert -plain.score(now) > 20 * best.inertia_


def test_a_classifier_learns_on_a_stream_that_forgets():
    y = np.arange(len(X)) // 20 % 2
    rows = X + 8 * y[:, None]
    clusterer = OnlineKMeans(k=30, half_life=300)
    model = ClusterFeaturesClassifier(clusterer=clusterer, random_state=0)
    for start in range(0, len(X), 100):
        part = slice(start, start + 100)
        model.partial_fit(rows[part], y[part], classes=[0, 1])
    assert (model.clusterer_.counts_ == 0).any()
    assert model.classifier_.coef_.shape[1] == 2 + 1 + model.clusterer_.n_clusters_


def test_max_clusters_is_refused():
    with pytest.raises(ValueError, match="must be None with max_clusters"):
        OnlineKMeans(half_life=100, max_clusters=50).fit(X[:9])
    assert "half_life" not in SemiOnlineKMeans().get_params()


@pytest.mark.filterwarnings("default:The 'half_life' parameter:UserWarning")
def test_a_half_life_of_fewer_samples_than_clusters_warns():
    with pytest.warns(UserWarning, match="is 99, fewer samples than the 100 clusters"):
        OnlineKMeans(half_life=99).fit(X[:9])
    with pytest.warns(UserWarning, match="is 240, fewer samples than the 250 clusters"):
        OnlineKMeans(10, half_life=240).fit(X[:20])


def test_another_half_life_in_mid_stream_is_ignored_with_a_warning():
    model = OnlineKMeans(k=30, half_life=200, random_state=0).partial_fit(X[:50])
    with pytest.warns(UserWarning, match="half_life"):
        model.set_params(half_life=7).partial_fit(X[50:99])
