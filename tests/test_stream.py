"""The engine is the paper's loop, for every algorithm, chunking, dtype and storage.

With an int `n_clusters` online centers move to means, at positions that are fixed.
"""

import numpy as np
import pytest
import reference
from engines import THREADS, engine, tuned
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import moves_at, positions_per_block
from scipy.sparse import csr_array
from sklearn.base import clone
from streams import (
    ALGORITHMS,
    STORAGES,
    STREAMS,
    STREAMS_AND_DTYPES,
    assert_equals_reference,
    blobs,
    dense,
    estimator_of,
    fit_in_chunks,
    grid,
    reference_of,
    small_streams,
)

from onlinekmeans_sklearn import OnlineKMeans

# engine, n_jobs and storage that every seed meets
TRIED = [
    ("usual", None, "array"),
    ("usual", None, "csr_array"),
    ("tiny blocks, threads", 2, "F-order"),
    ("tiny blocks, threads", 2, "csr_matrix"),
]
# numpy takes much longer, so each is for one seed
TRIED_IN_NUMPY = {
    0: [("numpy, tiny blocks, threads", 2, "array")],
    1: [],
    2: [("numpy, tiny blocks", 1, "csr_array")],
}
WEIGHTS = [0.0, 0.25, 1.0, 2.0, 3.0]
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 2))]


@pytest.mark.parametrize(("stream", "dtype"), STREAMS_AND_DTYPES)
@pytest.mark.parametrize("name", sorted(ALGORITHMS.keys() - {"practical, smallest"}))
@pytest.mark.parametrize("seed", SEEDS)
def test_fit_is_the_papers_loop(seed, name, stream, dtype):
    X, k = STREAMS[stream](seed, 120).astype(dtype), 1 + 2 * seed  # 1 is the smallest
    with positions_per_block([2**16, 50, 7][seed]):
        expected = reference_of(name, X, k, seed)
        for which, n_jobs, storage in TRIED + TRIED_IN_NUMPY[seed]:
            print(f"{which}, {storage}")  # shown if it fails
            rows = STORAGES[storage](X)
            estimator = estimator_of(name, len(X), k, seed).set_params(n_jobs=n_jobs)
            with engine(which):
                estimator.fit(rows)
            assert_equals_reference(estimator, estimator.labels_, rows, expected)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [{}, {"max_clusters": 12}], ids=str)
@pytest.mark.parametrize("storage", ["array", "csr_array"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_longer_streams_in_any_chunks_are_the_papers_loop(name, storage, cap):
    for seed in range(8):
        X = blobs(seed, 1500, d=2) if seed % 2 else grid(seed, 1500, d=2, side=30)
        rows, k = STORAGES[storage](X), 1 + seed % 4
        cut = estimator_of(name, len(X), k, seed).set_params(**cap)
        sizes = [[1], [7], [1000], [1, 300, 2, 41]][seed // 2]
        with positions_per_block([2**16, 64, 256][seed % 3]):
            expected = reference_of(name, X, k, seed, **cap)
            assert len(expected.opened_at) == 12 or not cap
            whole = clone(cut).fit(rows)
            assert_equals_reference(whole, whole.labels_, rows, expected)
            assert_equals_reference(cut, fit_in_chunks(cut, rows, sizes), rows, expected)


@pytest.mark.filterwarnings("ignore:The 'half_life' parameter:UserWarning")
@settings(max_examples=250)
@given(
    X=small_streams(),
    name=st.sampled_from(sorted(ALGORITHMS)),
    k=st.integers(1, 4),
    seed=st.integers(0, 10),
    storage=st.sampled_from(sorted(STORAGES)),
    dtype=st.sampled_from([np.float64, np.float32]),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    n_jobs=st.sampled_from([1, 2]),
    limit=st.tuples(st.just("max_clusters"), st.sampled_from([1, 11, 12, 13, 15]))
    | st.tuples(st.just("half_life"), st.just(1) | st.integers(1, 60)),
    weight=st.lists(st.sampled_from(WEIGHTS) | st.floats(1e-30, 1e30), max_size=9),
    block=st.sampled_from([2**16, 1, 4, 13]),
    moves=st.just([]) | st.sets(st.integers(1, 50)).map(sorted),
)
@pytest.mark.parametrize(
    "engines",
    ["usual", "tiny blocks", pytest.param("numpy, tiny blocks", marks=pytest.mark.slow)],
    indirect=True,
)
def test_any_stream_in_any_chunks_is_the_papers_loop(
    X, name, k, seed, storage, dtype, sizes, n_jobs, limit, weight, block, moves, engines
):
    if dtype is np.float32:
        X = np.clip(X, -1e30, 1e30)
    X = X.astype(dtype)
    rows, options = STORAGES[storage](X), dict([limit])
    if limit[0] == "half_life" and "semi-online" in name:
        options = {}
    model = estimator_of(name, len(X), k, seed).set_params(**options, n_jobs=n_jobs)
    if moves and "csr" not in storage:  # of which no centers move
        options |= {"moves": moves, "dtype": dtype}
        model.set_params(n_clusters=1)
    with positions_per_block(block), moves_at(moves):
        whole = clone(model).fit(rows)
        expected = reference_of(name, X, k, seed, **options)
        assert_equals_reference(whole, whole.online_labels_, rows, expected)
        weights = np.resize([1.0, *weight], len(X))
        labels = fit_in_chunks(model, rows, sizes, weights if weight else None)
        expected = reference_of(name, X, k, seed, **options, weights=weights.tolist())
        assert_equals_reference(model, labels, rows, expected)


def test_chunks_may_change_storage_and_dtype():
    X = grid(0, 400, d=3, side=12)
    whole = OnlineKMeans(k=30, random_state=0).fit(X)
    for first in (X[:50], csr_array(X[:50]), X[:50].astype(np.float32)):
        mixed = OnlineKMeans(k=30, random_state=0).partial_fit(first)
        mixed.partial_fit(X[50:60].astype(np.float32)).partial_fit(csr_array(X[60:200]))
        mixed.partial_fit(X[200:].astype(int))
        np.testing.assert_array_equal(dense(mixed.cluster_centers_), whole.cluster_centers_)
        np.testing.assert_array_equal(mixed.counts_, whole.counts_)
        np.testing.assert_array_equal(mixed.labels_, whole.labels_[200:])


def test_a_float64_sample_is_not_rounded_among_float32_centers():
    X = np.array([[0.0], [1.0]], dtype=np.float32)
    model = OnlineKMeans(random_state=0).partial_fit(X).partial_fit([[0.1]])
    assert model.cluster_centers_[2, 0] == model.cluster_means_[2, 0] == 0.1


@pytest.mark.parametrize(
    ("X", "k"),
    [
        (np.round(blobs(4, 30_000, d=2), 1), 80),
        (np.round(blobs(4, 30_000, d=2), 3), 2000),
        (blobs(4, 5000, d=300).astype(np.float32), 80),
        (csr_array(np.maximum(blobs(4, 5000, d=60), 0)), 80),
    ],
    ids=["few centers", "many centers", "wide", "csr"],
)
def test_threads_change_nothing(X, k):
    one = OnlineKMeans(k=k, random_state=0, n_jobs=1).fit(X)
    with tuned(**THREADS):
        two = OnlineKMeans(k=k, random_state=0, n_jobs=2).fit(X)
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(dense(one.cluster_means_), dense(two.cluster_means_))
    assert one.inertia_ == two.inertia_


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
        centers = dense(model.fit(rows).online_centers_)
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
