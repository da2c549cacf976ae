"""The kernels, compiled for every instruction set and in numpy, are a plain loop.

They find the oldest of the truly nearest centers and its squared distance bit for bit,
whatever their products round, and they add up in stream order.
"""

import contextlib
import itertools
import pickle
from copy import deepcopy

import joblib
import numpy as np
import pytest
from engines import KERNELS, TINY, tuned, using
from hypothesis import given
from hypothesis import strategies as st
from reference import nearest as nearest_by_loop
from reference import squared_distance
from scipy.sparse import csr_array
from streams import STREAMS, STREAMS_AND_DTYPES, blobs, cells, dense

from onlinekmeans_sklearn import OnlineKMeans
from onlinekmeans_sklearn._algorithm.cluster_sums import split_by_cluster
from onlinekmeans_sklearn._nearest import (
    backend,
    centers_from,
    closest_distances,
    fallback,
    nearest,
)
from onlinekmeans_sklearn._nearest import centers as of_centers

STORAGES = {"array": np.asarray, "csr_array": csr_array}
DTYPES = [np.float64, np.float32]


@pytest.fixture(params=KERNELS)
def kernels(request):
    """Run a test with the kernels of every instruction set, and with those in numpy."""
    with using(request.param):
        yield request.param


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


def searched(C, X, **options):
    """Return the ids and the squared distances of the nearest centers, as lists."""
    centers = centers_from(C)
    ids, d2 = nearest(centers, centers.as_rows(X), **options)
    return ids.tolist(), d2.tolist()


def looped(C, X, visible=None, d2=None):
    """Return what `searched` must return, by a plain loop."""
    C, X = (np.asarray(A, dtype=np.float64).tolist() for A in (C, X))
    ids, found = [], []
    for i, v in enumerate(X):
        label, least = nearest_by_loop(v, C[: None if visible is None else visible[i]])
        before = np.inf if d2 is None else d2[i]
        is_nearer = least < before
        ids.append(label if is_nearer else -1)
        found.append(least if is_nearer else before)
    return ids, found


# The nearest center


@pytest.mark.parametrize(("stream", "dtype"), STREAMS_AND_DTYPES)
def test_nearest_is_the_oldest_of_the_nearest(stream, dtype, storage, kernels):
    X = STREAMS[stream](0, 90).astype(dtype)
    for n_centers in (1, 7, 40):
        C = X[:n_centers]
        assert searched(storage(C), storage(X)) == looped(C, X)


@st.composite
def searches(draw):
    """Return centers and rows of awkward numbers, what counts, and what rows have."""
    d = draw(st.integers(1, 5))
    row = st.tuples(*[cells] * d)
    pool = draw(st.lists(row, min_size=1, max_size=12))
    some = st.one_of(st.sampled_from(pool), row)
    C = draw(st.lists(some, min_size=1, max_size=60))
    X = draw(st.lists(some, min_size=1, max_size=12))
    options = {}
    if draw(st.booleans()):
        counts = st.integers(0, len(C))
        visible = draw(st.lists(counts, min_size=len(X), max_size=len(X)))
        options["visible"] = np.array(visible, dtype=np.int64)
    if draw(st.booleans()):  # often just what one of the centers is away
        limits = [0.0, 5e-324, 1.0, 1e16, np.inf]
        away = (squared_distance(v, draw(st.sampled_from(C))) for v in X)
        near = ([d2, *np.nextafter(d2, [0, np.inf]), *limits] for d2 in away)
        options["d2"] = np.array([draw(st.sampled_from(some)) for some in near])
    return np.array(C, dtype=float), np.array(X, dtype=float), options


@given(search=searches(), dtype=st.sampled_from(DTYPES), is_tiny=st.booleans())
def test_every_kernel_gives_what_a_plain_loop_gives(search, dtype, is_tiny):
    C, X, options = search
    if dtype is np.float32:
        C, X = (np.clip(A, -1e30, 1e30) for A in (C, X))
    C, X = C.astype(dtype), X.astype(dtype)
    expected = looped(C, X, **options)
    for name, storage in itertools.product(KERNELS, STORAGES.values()):
        with using(name), tuned(**(TINY if is_tiny else {})):
            arrays = storage(C), storage(X)
            labels, _ = searched(*arrays, **deepcopy(options), labels_only=True)
            assert labels == expected[0], f"{name}, {storage.__name__}"
            found = searched(*arrays, **deepcopy(options))
            assert found == expected, f"{name}, {storage.__name__}"
            centers = centers_from(storage(C))
            of_row = centers.search.nearest_of_row(centers.as_rows(storage(X[:1])))
            of_loop = nearest_by_loop(X[0].astype(float).tolist(), C.astype(float).tolist())
            assert of_row == of_loop


@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1.0, 1e25, 1e150])
@pytest.mark.parametrize("n_centers", [1, 23, 24, 25, 49])
def test_centers_may_fill_blocks_or_not(n_centers, scale, storage, kernels):
    X = scale * blobs(n_centers, 9 + n_centers, d=2)
    C = X[9:]
    for n in range(1, 10):
        assert searched(storage(C), storage(X[:n])) == looped(C, X[:n])


def test_of_hundreds_at_one_distance_the_oldest_wins(storage, kernels):
    signs = np.indices((2,) * 12).reshape(12, -1).T * 2.0 - 1
    C = np.random.RandomState(0).permutation(signs)[:3084]
    C[257:] *= 3
    assert searched(storage(C), storage(np.zeros((1, 12)))) == ([0], [12.0])
    ids, _ = searched(storage(C), storage(C[-300:]))
    assert ids == list(range(len(C) - 300, len(C)))


@pytest.mark.parametrize("min_boxes", [1, 10**6], ids=["boxes", "no boxes"])
@pytest.mark.parametrize("n_centers", [25, 400, 1500])
@pytest.mark.parametrize("stream", ["blobs", "grid", "far from the origin", "line"])
def test_of_many_centers_few_blocks_are_looked_at(stream, n_centers, min_boxes, kernels):
    """Rows that see few blocks, many, hardly a center, or have one that is near."""
    rng = np.random.RandomState(n_centers)
    d = {"line": 1, "grid": 2}.get(stream, 3)
    shape = (n_centers + 300, d)
    A = rng.normal(size=shape) + 5 * rng.randint(9, size=shape)
    A = np.rint(A) if stream == "grid" else A + 1e7 * (stream == "far from the origin")
    C, X = A[:n_centers], A[-300:].copy()
    X[::10] = C[rng.randint(n_centers, size=30)]
    X[5] += 1e4
    X[7] += 1e70
    visible = rng.randint(n_centers + 1, size=300)
    d2 = np.where(rng.random_sample(300) < 0.5, rng.random_sample(300), np.inf)
    options = {}, {"visible": visible}, {"visible": visible, "d2": d2}
    with using("numpy"):
        expected = [searched(C, X, **deepcopy(each)) for each in options]
    with tuned(min_boxes=min_boxes, box_work=10**9):
        assert [searched(C, X, **deepcopy(each)) for each in options] == expected
        assert searched(C, X, visible=visible, labels_only=True)[0] == expected[1][0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [127, 128, 129, 300])
def test_features_of_wide_rows_are_added_up_in_tiles(d, dtype, kernels):
    rng = np.random.RandomState(d)
    X = (1000 + rng.randint(9, size=(90, d)) / 8).astype(dtype)
    X[60:] = X[:30] + (X[60:] - X[:30]) * (rng.random_sample((30, d)) < 0.02)
    assert searched(X[:40], X) == looped(X[:40], X)


def test_more_features_than_float32_has_digits_for(kernels):
    rng = np.random.RandomState(0)
    C, X = rng.normal(size=(3, 500_001)), rng.normal(size=(2, 500_001))
    C[2], X[1] = C[1], C[1]
    with using("numpy"):
        expected = searched(C, X)
    assert searched(C, X) == expected


def test_no_centers_are_infinitely_far_and_no_rows_have_none(storage, kernels):
    X = storage(np.ones((3, 2)))
    assert searched(X[:0], X) == ([-1, -1, -1], [np.inf] * 3)
    assert searched(X, X[:0]) == ([], [])


@pytest.mark.parametrize("most_columns", [1, 10**6])
@pytest.mark.parametrize("most_full_elements", [0, 100, 10**9])
def test_columns_of_csr_are_alike(most_columns, most_full_elements, kernels):
    """Those that no center has, those that many have, and those that need no index."""
    rng = np.random.RandomState(0)
    C, X = (np.maximum(rng.randint(9, size=(n, 40)) - 6.0, 0) for n in (30, 50))
    C[:, 20:] = 0
    full_C, full_X = (np.round(rng.normal(size=(n, 12)), 1) for n in (40, 50))
    sizes = {"most_index_columns": most_columns, "most_full_elements": most_full_elements}
    with tuned(**sizes):
        assert searched(csr_array(C), csr_array(X)) == looped(C, X)
        assert searched(csr_array(full_C), csr_array(full_X)) == looped(full_C, full_X)


def test_closest_distances_are_to_the_nearest_other_center(storage, kernels):
    X = np.array([[0.0], [5.0], [6.0], [-2.0], [6.0]])
    closest = closest_distances(centers_from(storage(X)))
    np.testing.assert_array_equal(closest, [4, 1, 0, 4, 0])


def test_streams_start_where_numpy_counts_with_int32(storage, kernels, monkeypatch):
    X = storage(STREAMS["blobs"](0, 100))
    expected = OnlineKMeans(k=30, random_state=0).fit(X)
    arange = np.arange

    def arange_of_windows(*args, dtype=None):
        """Return what numpy 1 does on Windows, where the usual integer is a C long."""
        numbers = arange(*args, dtype=dtype)
        return numbers.astype(np.int32) if dtype is None else numbers

    monkeypatch.setattr(np, "arange", arange_of_windows)
    found = OnlineKMeans(k=30, random_state=0).fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.facility_costs_, expected.facility_costs_)


# The distance that decides


@pytest.mark.parametrize("n_rows", [1, 2, 3, 17])
@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 63, 130, 1000])
def test_squared_distances_are_added_in_feature_order(n_rows, d, storage, kernels):
    rng = np.random.RandomState(d)
    X = rng.normal(size=(n_rows, d)) * 10.0 ** rng.randint(-8, 8, size=(n_rows, d))
    X[:, rng.random_sample(d) < 0.5] = 0
    C = rng.permutation(X.ravel()).reshape(n_rows, d)
    every = np.arange(n_rows)
    expected = [squared_distance(x, c) for x, c in zip(X.tolist(), C.tolist())]
    centers = centers_from(storage(C))
    found = centers.squared_distances(centers.as_rows(storage(X)), every, every)
    np.testing.assert_array_equal(found, expected)
    found = [searched(storage(C[i : i + 1]), storage(X[i : i + 1])) for i in every]
    assert found == [([0], [d2]) for d2 in expected]


# The next centers to open


def next_by_loop(X, candidates, start, uniforms, f, d2, opened, most):
    indices, opened = [], list(opened)
    for i in range(start, len(candidates)):
        row = candidates[i]
        least = min([d2[row], *(squared_distance(X[row], X[o]) for o in opened)])
        if uniforms[row] * f < least and len(indices) < most:
            indices.append(i)
            opened.append(row)
    return indices


@pytest.mark.parametrize("stream", ["blobs", "grid", "tiny", "sparse counts"])
def test_the_next_openings_are_those_of_a_plain_loop(stream, storage, kernels):
    X, rng = STREAMS[stream](0, 40), np.random.RandomState(0)
    centers = centers_from(storage(X[:3]))
    rows = centers.as_rows(storage(X))
    _, d2 = nearest(centers, rows)
    candidates, uniforms = np.arange(3, 40, 2), rng.random_sample(40)
    found = set()
    for f, n_opened, start, most in itertools.product(
        [0, 0.5, 2, 8], [0, 1, 4], [0, 7, 18, 19], [0, 1, 3, 100]
    ):
        f *= d2.mean()
        opened = np.arange(3, 3 + n_opened)
        arguments = candidates, start, uniforms, f, d2, opened, most
        expected = next_by_loop(X.tolist(), *arguments)
        assert centers.search.next_openings(rows, *arguments).tolist() == expected
        found.add(tuple(expected))
    assert len(found) > 4
    assert max(map(len, found)) > 1


# What is added up


def test_sums_of_members_are_added_in_stream_order(storage, kernels):
    rng = np.random.RandomState(0)
    X = np.maximum(rng.normal(size=(200, 5)), 0) * 10.0 ** rng.randint(-8, 8, size=(200, 5))
    labels = rng.randint(7, size=200).astype(np.int32)
    expected = np.zeros((7, 5))
    for row, label in zip(X, labels):
        expected[label] += row - X[label]
    centers = centers_from(storage(X[:7]))
    rows = centers.as_rows(storage(X))
    if storage is csr_array:
        sums = [(np.empty(0, dtype=np.int32), np.empty(0))] * 7
        for start, stop in ([0, 60], [60, 130], [130, 200]):
            some = labels[start:stop]
            members = [(c, start + np.flatnonzero(some == c)) for c in range(7)]
            centers.search.add(rows, members, sums)
        for cluster, (columns, values) in enumerate(sums):
            found = np.zeros(5)
            found[columns] = values
            np.testing.assert_array_equal(found, expected[cluster])
        return
    for cuts in ([0, 7], [0, 2, 3, 7]):
        sums = np.zeros((7, 5))
        for part in ([0, 90], [90, 200]):
            for low, high in itertools.pairwise(cuts):
                some = rows[slice(*part)], labels[slice(*part)]
                centers.search.add(*some, low, high, sums)
        np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("n_shares", [1, 2, 3, 50])
def test_clusters_are_shared_so_that_each_is_somebodys(n_shares):
    labels = np.random.RandomState(0).randint(20, size=300) // 2 + 3
    shares = split_by_cluster(labels, 20, n_shares)
    assert [c for low, high in shares for c in range(low, high)] == list(range(20))
    if n_shares <= 3:
        most = max(np.isin(labels, range(*share)).sum() for share in shares)
        assert most <= 300 / n_shares + np.bincount(labels).max()


@pytest.mark.parametrize("n", [0, 1, 16, 17, 1000])
def test_numbers_are_added_one_after_the_other(n, kernels):
    numbers, weights = np.random.RandomState(n).lognormal(sigma=9, size=(2, n))
    for some in (None, weights):
        expected = 0.3
        for i in range(n):
            expected += numbers[i] if some is None else numbers[i] * some[i]
        assert backend.active.kernels.sequential_sum(0.3, numbers, some) == expected
    huge = np.full(3, 1e308)
    assert backend.active.kernels.sequential_sum(0.0, huge, huge) == np.inf


def test_an_instruction_set_that_is_not_there_is_refused_and_changes_nothing():
    if backend.compiled is None:
        pytest.skip("there are no compiled kernels here")
    before = backend.active.kernels, backend.compiled.instruction_set_in_use()
    for name in ("avx1024", ""):
        with contextlib.suppress(ValueError), using(name):
            pytest.fail("it was taken")
    assert before == (backend.active.kernels, backend.compiled.instruction_set_in_use())


# Sets of centers


@pytest.mark.parametrize("order", ["C", "F"])
def test_sets_of_centers_grow_apart(order, storage, kernels):
    X = np.arange(20.0).reshape(10, 2, order=order)
    centers = centers_from(storage(X[:3]))
    left, right = centers.with_rows(storage(X[3:5])), centers.with_rows(storage(X[5:7]))
    left = left.with_rows(storage(X[9:]))
    np.testing.assert_array_equal(dense(centers.rows), X[:3])
    np.testing.assert_array_equal(dense(left.rows), X[[0, 1, 2, 3, 4, 9]])
    np.testing.assert_array_equal(dense(right.rows), X[[0, 1, 2, 5, 6]])
    for grown in (centers, left, right):
        ids, d2 = nearest(grown, grown.as_rows(grown.rows))
        np.testing.assert_array_equal(ids, np.arange(len(grown)))
        assert not d2.any()


def test_centers_of_a_pickle_lie_where_kernels_may_read_them(storage):
    X, buffers = STREAMS["blobs"](0, 50), []
    centers = centers_from(storage(X[:20]))
    data = pickle.dumps(centers, protocol=5, buffer_callback=buffers.append)
    shifted = [memoryview(b"\0" + buffer.raw())[1:] for buffer in buffers]
    loaded = pickle.loads(data, buffers=shifted)
    if storage is not csr_array:  # of which kernels copy what they have to
        assert not loaded.rows.flags.aligned
        assert loaded.exact.flags.aligned
    rows = centers.as_rows(storage(X))
    np.testing.assert_array_equal(nearest(loaded, rows), nearest(centers, rows))


# A product that is not a number: BLAS has given one, of finite factors


def spoiling(products):
    """Return products of which one is not a number."""

    def spoiled(X, centers):
        found, *others = products(X, centers)
        found[-1, 0] = np.nan  # of a center that no row is too early for
        return found, *others

    return spoiled


def test_not_a_number_is_noticed_when_numpy_looks_up(storage, monkeypatch):
    X = storage(STREAMS["blobs"](0, 200))
    with using("numpy"):
        model = OnlineKMeans(k=30, random_state=0).fit(X)
        before = joblib.hash(vars(model))
        monkeypatch.setattr(fallback, "products", spoiling(fallback.products))
        for method in (model.predict, model.partial_fit, model.fit, model.score):
            with pytest.raises(FloatingPointError, match="not a number"):
                method(X)
        assert joblib.hash(vars(model)) == before


@pytest.mark.parametrize("encode", ["distance", "triangle"])
def test_not_a_number_is_noticed_among_distances_as_features(encode, storage, monkeypatch):
    X = storage(STREAMS["blobs"](0, 200))
    model = OnlineKMeans(k=30, encode=encode, random_state=0).fit(X)
    before = joblib.hash(vars(model))
    monkeypatch.setattr(of_centers, "products", spoiling(of_centers.products))
    for method in (model.transform, model.partial_fit_transform, model.fit_transform):
        with pytest.raises(FloatingPointError, match="not a number"):
            method(X)
    assert joblib.hash(vars(model)) == before
