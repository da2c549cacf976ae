"""Weights of samples: the plain loop with weights, and what they stand for."""

import numpy as np
import pytest
from inside import positions_per_block
from scipy.sparse import hstack
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import SGDClassifier
from streams import ALGORITHMS, STREAMS, assert_every_engine_is_the_loop, blobs

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 400)
RNG = np.random.RandomState(0)
WEIGHTS = {
    "whole": RNG.randint(0, 4, size=400).astype(float),
    "any": RNG.exponential(size=400),
    "of all magnitudes": 10 ** RNG.uniform(-30, 30, size=400),
}
WEIGHTS["whole"][0] = 2.0


@pytest.mark.parametrize(
    "weights", ["whole", "of all magnitudes", pytest.param("any", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("stream", STREAMS)
def test_a_weighted_stream_is_the_plain_loop(stream, name, weights):
    rows, some = STREAMS[stream](1, 120), WEIGHTS[weights][:120]
    half_life = {"half_life": 50} if name == "practical" else {}
    with positions_per_block(40):
        assert_every_engine_is_the_loop(name, rows, 2, 3, some, **half_life)


def test_the_cost_of_merged_clusters_is_weighted():
    some = WEIGHTS["any"]
    merged = OnlineKMeans(4, random_state=0).partial_fit(X, sample_weight=some)
    d2 = ((X - merged.cluster_centers_[merged.labels_]) ** 2).sum(axis=1)
    assert merged.inertia_ == pytest.approx((some * d2).sum())


def test_whole_weights_open_as_many_clusters_as_repetition():
    counts = {}
    for seed in range(60):
        rng = np.random.RandomState(seed)
        rows, some = blobs(seed, 300), rng.randint(1, 6, size=300)
        weighted = OnlineKMeans(k=40, random_state=seed)
        weighted.partial_fit(rows, sample_weight=some)
        repeated = OnlineKMeans(k=40, random_state=seed).fit(np.repeat(rows, some, axis=0))
        for name, model in {"weighted": weighted, "repeated": repeated}.items():
            late = np.count_nonzero(model.opened_at_ >= model.phase_starts_[1])
            counts.setdefault(name, []).append(late)
    means = {name: np.mean(found) for name, found in counts.items()}
    error = np.std(counts["repeated"]) * (2 / 60) ** 0.5
    assert abs(means["weighted"] - means["repeated"]) < 4 * error
    assert means["repeated"] > 10 * error  # so that a wrong rule would show


@pytest.mark.parametrize("n_parts", [2, 8])
def test_models_of_parts_are_combined(n_parts):
    rows = blobs(5, 8000, d=4, n_blobs=12)
    parts = enumerate(np.array_split(rows, n_parts))
    whole, *others = (OnlineKMeans(12, random_state=i).fit(part) for i, part in parts)
    for other in others:
        whole.partial_fit(other.cluster_means_, sample_weight=other.counts_)
    assert whole.counts_.sum() == len(rows)
    best = KMeans(12, n_init=3, random_state=0).fit(rows)
    assert -whole.score(rows) < 1.05 * best.inertia_


@pytest.mark.parametrize("estimator", [OnlineKMeans, SemiOnlineKMeans])
@pytest.mark.parametrize(
    ("weights", "match"),
    [
        (np.ones(8), r"shape \(8,\), but expected one weight for each of the 9 samples"),
        (np.ones((9, 1)), r"shape \(9, 1\), but expected"),
        (1.0, r"shape \(\), but expected"),
        ([1] * 8 + [-1], "sample_weight of -1 for sample 8, but expected 0 or numbers"),
        ([1] * 8 + [1e31], r"sample_weight of 1e\+31 for sample 8"),
        ([1] * 8 + [1e-31], "sample_weight of 1e-31 for sample 8"),
        ([1] * 8 + [np.nan], "Input sample_weight contains NaN"),
        ([1] * 8 + [np.inf], "Input sample_weight contains infinity"),
        (["a"] * 9, "could not convert string to float"),
        (np.zeros(9), "sample_weight of 0 for the first sample of a stream"),
        ([0] + [1] * 8, "sample_weight of 0 for the first sample of a stream"),
    ],
)
def test_bad_weights_are_refused_and_nothing_changes(weights, match, estimator):
    model = estimator(random_state=0)
    for method in ("partial_fit", "partial_fit_predict", "partial_fit_transform"):
        with pytest.raises(ValueError, match=match):
            getattr(model, method)(X[:9], sample_weight=weights)
        assert not hasattr(model, "n_samples_seen_")
    if "first sample" in match:
        return
    options = {"n_samples": 100} if estimator is SemiOnlineKMeans else {}
    model = estimator(random_state=0, **options).partial_fit(X[:20])
    with pytest.raises(ValueError, match=match):
        model.partial_fit(X[:9], sample_weight=weights)
    assert model.n_samples_seen_ == 20


def test_a_classifier_hands_weights_to_both_of_its_parts():
    y, some = np.arange(400) % 2, WEIGHTS["any"]
    clusterer = OnlineKMeans(k=30, max_clusters=60, random_state=1)
    parts = SGDClassifier(random_state=0), clusterer
    model = ClusterFeaturesClassifier(*parts, scale_clusters=False)
    classifier, clusterer = map(clone, parts)
    for part in (slice(200), slice(200, 400)):
        model.partial_fit(X[part], y[part], classes=[0, 1], sample_weight=some[part])
        features = clusterer.partial_fit_transform(X[part], sample_weight=some[part])
        both = hstack([X[part], features], format="csr")
        classifier.partial_fit(both, y[part], [0, 1], some[part])
    np.testing.assert_allclose(model.classifier_.coef_, classifier.coef_)
    with pytest.raises(ValueError, match="expected one weight for each of the 200"):
        model.partial_fit(X[:200], y[:200], sample_weight=[1])
    with pytest.raises(TypeError, match=r"fit\(\) takes no sample_weight"):
        model.fit(X, y, sample_weight=some)


@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
def test_fit_says_why_it_takes_no_weights(method):
    message = rf"^{method}\(\) takes no sample_weight: .*partial_fit"
    with pytest.raises(TypeError, match=message):
        getattr(OnlineKMeans(), method)(X, sample_weight=np.ones(400))
