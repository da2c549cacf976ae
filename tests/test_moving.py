"""With an int `n_clusters` online centers move to means, at positions that are fixed."""

import numpy as np
import pytest
import reference
from engines import engine
from inside import moves_at, positions_per_block
from streams import (
    STORAGES,
    STREAMS,
    STREAMS_AND_DTYPES,
    assert_equals_reference,
    blobs,
    estimator_of,
    fit_in_chunks,
    reference_of,
)

from onlinekmeans_sklearn import OnlineKMeans

MOVES = [20, 31, 64, 65, 100]


@pytest.mark.parametrize(("stream", "dtype"), STREAMS_AND_DTYPES)
@pytest.mark.parametrize("name", ["practical", "theoretical", "semi-online"])
@pytest.mark.parametrize("which", ["usual", "tiny blocks, threads", "numpy, tiny blocks"])
def test_moving_centers_are_those_of_the_loop(which, name, stream, dtype):
    X = STREAMS[stream](3, 120).astype(dtype)
    with moves_at(MOVES), positions_per_block(50), engine(which):
        expected = reference_of(name, X, 1, 3, moves=MOVES, dtype=dtype)
        for sizes in ([120], [1], [7, 30, 1]):
            model = estimator_of(name, len(X), 1, 3).set_params(n_clusters=2, n_jobs=2)
            labels = fit_in_chunks(model, X, sizes)
            assert_equals_reference(model, labels, X, expected)


def test_moves_are_at_the_positions_of_the_loop():
    X = blobs(0, 3000, d=2, n_blobs=30)
    model = OnlineKMeans(2, k=40, random_state=0)
    labels = fit_in_chunks(model, X, [700, 1, 12])
    uniforms = reference.uniform_numbers(np.random.RandomState(0), len(X))
    expected = reference.practical(X.tolist(), uniforms, 40, moves=reference.MOVES)
    assert_equals_reference(model, labels, X, expected)
    n_moved = (model.online_centers_ != X[model.opened_at_]).any(axis=1).sum()
    assert n_moved > 0.8 * len(model.opened_at_)


def test_without_n_clusters_and_of_sparse_rows_centers_are_samples():
    X = blobs(0, 3000, d=2, n_blobs=30)
    for model, rows in [
        (OnlineKMeans(k=40, random_state=0), X),
        (OnlineKMeans(2, k=40, random_state=0), STORAGES["csr_array"](X)),
    ]:
        centers = model.fit(rows).online_centers_
        centers = centers.toarray() if hasattr(centers, "toarray") else centers
        np.testing.assert_array_equal(centers, X[model.opened_at_])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0, 1e4])
def test_inertia_is_that_of_the_labels_after_moves(dtype, offset):
    X = (blobs(1, 4000, d=3, n_blobs=20) + offset).astype(dtype)
    model = OnlineKMeans(7, random_state=1).fit(X)
    differences = X - model.cluster_centers_[model.labels_].astype(np.float64)
    assert model.inertia_ == pytest.approx((differences**2).sum(), rel=1e-4)
    assert model.online_inertia_ == pytest.approx((model.online_distances_**2).sum())
    model.set_params(n_clusters=None).partial_fit()
    differences = X - model.online_centers_[model.online_labels_].astype(np.float64)
    assert model.inertia_ == pytest.approx((differences**2).sum(), rel=1e-4)


def test_features_decided_online_of_centers_that_move_are_refused():
    X = blobs(2, 600, d=2)
    model = OnlineKMeans(4, k=30).partial_fit(X).set_params(n_clusters=None)
    with pytest.raises(ValueError, match="started with an int n_clusters"):
        model.partial_fit_transform(X)
    assert model.n_samples_seen_ == 600
    assert model.transform(X).shape == (600, model.n_clusters_)
