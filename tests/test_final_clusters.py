"""The last step: samples, means or merged clusters as final centers, and what they cost."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from streams import ALGORITHMS, blobs, dense, estimator_of

from onlinekmeans_sklearn import OnlineKMeans

X = blobs(0, 600, d=4)
STORAGES = {"array": np.asarray, "csr_array": csr_array, "csr_matrix": csr_matrix}
LAST_STEPS = {
    "samples": {"centers": "samples"},
    "means": {"centers": "means"},
    "merged": {"n_clusters": 7},
    "merged into one": {"n_clusters": 1},
    "too few to merge": {"n_clusters": 500},
}


def direct_cost(model, rows):
    """Return the sum of squared distances of rows to the final centers of their labels."""
    centers = dense(model.cluster_centers_).astype(np.float64)
    return ((dense(rows).astype(np.float64) - centers[model.labels_]) ** 2).sum()


def distinct_rows(seed, scale=1.0, shift=0.0):
    """Return sparse looking rows: half of their numbers are the shift."""
    rng = np.random.RandomState(seed)
    rows = blobs(seed, 500, d=6) * (rng.random_sample((500, 6)) < 0.5)
    return scale * rows + shift


@pytest.mark.filterwarnings("ignore:.* opened only .* online cluster")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("parameters", LAST_STEPS.values(), ids=LAST_STEPS)
def test_inertia_is_the_cost_of_the_final_centers(parameters, storage, dtype):
    for seed, (scale, shift) in enumerate([(1, 0), (1e-3, 0), (1, 1e6), (1e70, 0)]):
        if dtype is np.float32 and scale == 1e70:
            continue
        rows = storage(distinct_rows(seed, scale, shift).astype(dtype))
        model = OnlineKMeans(k=40, random_state=seed, **parameters).fit(rows)
        expected = direct_cost(model, rows)
        roughness = 1e-9 * model.online_inertia_
        assert model.inertia_ == pytest.approx(expected, rel=1e-9, abs=roughness)
        assert expected > 0


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_means_cost_no_more_than_the_online_decisions(name, storage):
    """So what is proven of the paper's W holds for them, too."""
    for seed in range(5):
        rows = storage(distinct_rows(seed))
        model = estimator_of(name, 500, 5, seed).set_params(centers="means").fit(rows)
        assert model.inertia_ <= model.online_inertia_
        assert -model.score(rows) <= model.inertia_ * (1 + 1e-12)
        samples = estimator_of(name, 500, 5, seed).fit(rows)
        assert model.inertia_ < samples.inertia_
        assert_array_equal(model.labels_, samples.labels_)
        assert_array_equal(model.online_labels_, samples.online_labels_)
        assert_array_equal(dense(model.cluster_centers_), dense(samples.cluster_means_))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_cost_beyond_all_floats_is_infinite(storage):
    """Online clusters cost nothing here, those that are merged from them too much."""
    largest = 0.99 * np.sqrt(np.finfo(float).max / 2) / 16
    rows = largest * np.random.RandomState(0).choice([-1.0, 1.0], size=(4000, 2))
    model = OnlineKMeans(k=60, random_state=0).fit(storage(rows))
    assert model.inertia_ == model.online_inertia_ == 0
    assert model.set_params(n_clusters=1).partial_fit().inertia_ == np.inf
    assert -model.score(storage(rows)) == np.inf


def test_an_elbow_is_where_it_is():
    """Four blobs far apart: more clusters save little."""
    rng = np.random.RandomState(0)
    rows = rng.normal(size=(800, 2)) + 30 * rng.randint(2, size=(800, 2))
    model = OnlineKMeans(k=100, random_state=0).fit(rows)
    models = (model.set_params(n_clusters=n).partial_fit() for n in range(1, 7))
    costs = [model.inertia_ for model in models]
    assert costs == sorted(costs, reverse=True)
    assert costs[2] > 5 * costs[3]
    assert costs[3] < 1.5 * costs[4]
