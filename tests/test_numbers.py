"""Streams that are moved or scaled are the same streams, where no row is rounded by it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from streams import ALGORITHMS, blobs, dense, estimator_of, grid

from onlinekmeans_sklearn import OnlineKMeans

pytestmark = pytest.mark.slow

STORAGES = {"array": np.asarray, "csr_array": csr_array}
OF_LABELS = ["labels_", "online_labels_", "online_to_merged_"]
OF_LABELS += ["counts_", "opened_at_", "phase_starts_"]


def fitted(name, X, scale):
    """Return the estimator that has read a stream, to be merged into 5 clusters."""
    model = estimator_of(name, X.shape[0], 3, seed=0).set_params(n_clusters=5)
    if name == "semi-online, bound":
        model.set_params(lower_bound=model.lower_bound * scale**2)
    return model.fit(X)


def assert_same_stream(one, other, scale=1.0):
    """Check that two streams differ in nothing but their place and this scale."""
    for attribute in OF_LABELS:
        assert_array_equal(getattr(one, attribute), getattr(other, attribute))
    assert_array_equal(one.facility_costs_ * scale**2, other.facility_costs_)
    assert one.online_inertia_ * scale**2 == other.online_inertia_


@settings(max_examples=40)
@given(
    cells=st.lists(st.tuples(*[st.integers(-(2**20), 2**20)] * 2), min_size=6, max_size=40),
    name=st.sampled_from(sorted(ALGORITHMS)),
    exponent=st.integers(-25, 6),
    storage=st.sampled_from(list(STORAGES.values())),
    move=st.sampled_from([-(2.0**27), 2.0**27]),
)
@pytest.mark.filterwarnings("ignore:.* opened only .* online cluster")
def test_any_stream_of_whole_numbers_can_be_moved(cells, name, exponent, storage, move):
    X = np.array(cells) * 2.0**exponent
    assert (X + move - move == X).all()
    rows = storage(X), storage(X + move)
    model, moved = (fitted(name, A, 2.0**exponent) for A in rows)
    assert_same_stream(model, moved)
    labels = (m.set_params(n_clusters=None).partial_fit() for m in (model, moved))
    labels = (m.predict(A) for m, A in zip(labels, rows))
    assert_array_equal(*labels)


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_any_other_stream_can_be_moved_but_for_the_rounding_of_its_rows(name, storage):
    """What the rows became by rounding, moved back, is the same stream."""
    for scale in (1.0, 1e-6):
        far = 1e8 + scale * blobs(3, 150)
        back = far - 1e8
        assert (back + 1e8 == far).all()
        model, moved = (fitted(name, storage(A), scale) for A in (back, far))
        assert_same_stream(model, moved)
        assert_allclose(
            dense(moved.cluster_centers_) - 1e8,
            dense(model.cluster_centers_),
            rtol=0,
            atol=2 * np.spacing(1e8),
        )


@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [(np.float64, -400), (np.float64, 400), (np.float32, -100), (np.float32, 100)],
)
@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_stream_can_be_scaled_by_powers_of_two(name, storage, dtype, exponent):
    X, scale = blobs(4, 120).astype(dtype), 2.0**exponent
    rows, scaled_rows = storage(X), storage(X * dtype(scale))
    model, scaled = fitted(name, rows, 1.0), fitted(name, scaled_rows, scale)
    assert_same_stream(model, scaled, scale)
    assert_array_equal(model.predict(rows), scaled.predict(scaled_rows))
    assert model.score(rows) * scale**2 == scaled.score(scaled_rows)
    for attribute in ("cluster_centers_", "cluster_means_", "online_centers_"):
        one, other = (dense(getattr(m, attribute)) for m in (model, scaled))
        assert_array_equal(one * dtype(scale), other)
    for encode in ("distance", "triangle"):
        one = model.set_params(encode=encode).transform(rows)
        other = scaled.set_params(encode=encode).transform(scaled_rows)
        assert_array_equal(one * dtype(scale), other)


def test_wide_sparse_streams_are_merged_alike_wherever_they_are():
    """Their means are merged by a sketch."""
    X = grid(5, 120, d=1500, side=4) * 2.0**-24
    models = OnlineKMeans(n_clusters=4, random_state=0), OnlineKMeans(4, random_state=0)
    model, moved = (m.fit(csr_array(A)) for m, A in zip(models, (X, X + 2.0**27)))
    assert_same_stream(model, moved)
