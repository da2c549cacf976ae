"""Nearest centres are exact: oldest of the truly nearest, whatever the kernel rounds."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from reference import nearest, squared_distance
from scipy.sparse import csr_array
from streams import STREAMS, WITHIN_FLOAT32, dense

from onlinekmeans_sklearn import OnlineKMeans, _nearest
from onlinekmeans_sklearn._centers import centers_from, centers_like
from onlinekmeans_sklearn._growing import GrowingArray


def both_kinds(rows):
    return [(centers_from(rows), rows), (centers_from(csr_array(rows)), csr_array(rows))]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stream", WITHIN_FLOAT32)
def test_nearest_is_the_oldest_of_the_nearest(stream, dtype, block_sizes):
    rows = STREAMS[stream](0, 90).astype(dtype)
    expected = [nearest(v, rows[:40].tolist()) for v in rows.astype(float).tolist()]
    for storage in (np.asarray, csr_array):
        centers = centers_from(storage(rows[:40]))
        ids, lower, upper = centers.nearest(centers.as_rows(storage(rows)))
        np.testing.assert_array_equal(ids, [e[0] for e in expected])
        d2 = np.array([e[1] for e in expected])
        assert (lower <= d2).all()
        assert (d2 <= upper).all()


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_looking_up_leaves_fitted_centers_as_they_are(storage):
    X = storage(STREAMS["blobs"](0, 300))
    model = OnlineKMeans(30, random_state=0).fit(X)
    for centers in (model._stream.centers, centers_from(X[:20])):
        before = joblib.hash(centers)
        centers.nearest(centers.as_rows(X))
        assert joblib.hash(centers) == before


def test_bounds_are_tight_enough_to_be_useful():
    rows = STREAMS["blobs"](0, 500)
    for centers, X in both_kinds(rows):
        _, lower, upper = centers.nearest(X[:400])  # by products in float32
        assert (upper - lower).max() < 0.01
        lower, upper = centers.bounds(X[:400])  # in float64
        assert (upper - lower).max() < 1e-10


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_a_product_that_is_not_a_number_is_an_error(storage, monkeypatch):
    X = storage(STREAMS["blobs"](0, 50))
    centers = centers_from(X[:20])
    multiply = type(centers).multiply

    def spoiled(self, strip, factor, first, out):
        multiply(self, strip, factor, first, out)
        out[3, 7] = np.nan

    monkeypatch.setattr(type(centers), "multiply", spoiled)
    with pytest.raises(FloatingPointError, match="not a number"):
        centers.nearest(X)


@pytest.mark.parametrize("first", [0, 5, 29])
def test_centers_count_only_from_the_row_on_that_opened_them(first, block_sizes):
    X = STREAMS["grid"](1, 60)
    hidden = np.sort(np.random.RandomState(0).randint(60, size=30 - first))
    hidden[0] = 0
    for centers, _ in both_kinds(X[:30]):
        ids, lower, upper = centers.nearest(centers.as_rows(X), first=first, hidden=hidden)
        for t, v in enumerate(X):
            label, d2 = nearest(v, X[first:30][hidden <= t])
            assert ids[t] == first + label
            assert lower[t] <= d2 <= upper[t]


def test_no_centers_are_infinitely_far():
    X = np.ones((3, 2))
    centers = centers_like(X)
    ids, lower, upper = centers.nearest(X)
    assert ids.tolist() == [-1, -1, -1]
    assert np.isinf(lower).all()
    assert np.isinf(upper).all()


@pytest.mark.parametrize("n_rows", [1, 2, 3, 17])
@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 63, 130, 1000])
def test_squared_distances_are_added_in_feature_order(n_rows, d):
    rng = np.random.RandomState(d)
    X = rng.normal(size=(n_rows, d)) * 10.0 ** rng.randint(-8, 8, size=(n_rows, d))
    X[:, rng.random_sample(d) < 0.5] = 0
    C = rng.permutation(X.ravel()).reshape(n_rows, d)
    every = np.arange(n_rows)
    expected = [squared_distance(x, c) for x, c in zip(X.tolist(), C.tolist())]
    for storage in (np.asarray, csr_array):
        centers, rows = centers_from(storage(C)), storage(X)
        np.testing.assert_array_equal(
            centers.squared_distances(rows, every, every), expected
        )


def test_float32_distances_are_computed_in_float64():
    X = np.array([[16777216.0, 0.1]], dtype=np.float32)
    C = np.array([[1.0, 0.3]], dtype=np.float32)
    expected = squared_distance(X[0].tolist(), C[0].tolist())
    one = np.array([0])
    for storage in (np.asarray, csr_array):
        centers = centers_from(storage(C))
        assert centers.squared_distances(storage(X), one, one)[0] == expected


def test_closest_distances_are_to_the_nearest_other_center():
    X = np.array([[0.0], [5.0], [6.0], [-2.0]])
    for centers, _ in both_kinds(X):
        np.testing.assert_array_equal(centers.closest_distances(), [4, 1, 1, 4])


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_copies_of_centers_grow_apart(storage):
    X = np.arange(20.0).reshape(10, 2)
    centers = centers_from(storage(X[:3]))
    left, right = centers.copy(), centers.copy()
    left.append(storage(X[3:5]))
    right.append(storage(X[5:7]))
    left.append(storage(X[9:]))
    np.testing.assert_array_equal(dense(centers.rows), X[:3])
    np.testing.assert_array_equal(dense(left.rows), X[[0, 1, 2, 3, 4, 9]])
    np.testing.assert_array_equal(dense(right.rows), X[[0, 1, 2, 5, 6]])
    for grown in (left, right):
        ids, _, _ = grown.nearest(grown.rows)
        np.testing.assert_array_equal(ids, np.arange(len(grown)))


def test_copies_of_a_growing_array_share_its_memory():
    array = GrowingArray(np.zeros((3, 2)))
    array.append(np.ones((1, 2)))
    other = copy.copy(array)
    assert np.shares_memory(array.rows, other.rows)
    other.append(np.ones((1, 2)))
    assert np.shares_memory(array.rows, other.rows)
    array.append(np.zeros((1, 2)))
    assert not np.shares_memory(array.rows, other.rows)
    assert (array.rows[4, 0], other.rows[4, 0]) == (0, 1)


def test_a_growing_array_keeps_what_its_views_show():
    array = GrowingArray(np.zeros((0, 2)))
    views = []
    for i in range(50):
        array.append(np.full((1, 2), i))
        views.append(array.rows)
    for i, view in enumerate(views):
        np.testing.assert_array_equal(view[:, 0], np.arange(i + 1))
    with pytest.raises(ValueError, match="read-only"):
        views[-1][0] = 7


def test_a_growing_array_takes_the_wider_dtype():
    array = GrowingArray(np.zeros(1, dtype=np.float32))
    array.append(np.array([0.1]))
    assert array.rows.dtype == np.float64
    assert array.rows[1] == 0.1


def test_a_pickled_growing_array_has_no_spare_room():
    array = GrowingArray(np.zeros((0, 1000)))
    array.append(np.ones((1, 1000)))
    assert len(pickle.dumps(array)) < 9000
    again = pickle.loads(pickle.dumps(array))
    again.append(np.ones((1, 1000)))
    assert (len(array), len(again)) == (1, 2)
    assert len(copy.copy(again)) == 2


def test_more_centers_than_a_byte_can_count_groups():
    signs = np.indices((2,) * 12).reshape(12, -1).T * 2.0 - 1
    C = np.random.RandomState(0).permutation(signs)[: 257 * _nearest._GROUP]
    C[257:] *= 3  # so that each of 257 groups has one of the nearest
    for centers, _ in both_kinds(C):
        ids, _, _ = centers.nearest(centers.as_rows(np.zeros((1, 12))))
        assert ids == [0]
        ids, _, _ = centers.nearest(centers.as_rows(C[-300:]))
        np.testing.assert_array_equal(ids, np.arange(len(C) - 300, len(C)))


def test_terms_of_wide_centers_count_even_for_rows_with_one_number():
    """The squared distance that decides adds up the numbers of both."""
    row = np.zeros((1, 20_000))
    row[0, 0] = 1000
    center = np.full((1, 20_000), 0.1)
    exact = squared_distance(row[0].tolist(), center[0].tolist())
    for storage in (np.asarray, csr_array):
        centers = centers_from(storage(center))
        lower, upper = centers.bounds(storage(row))
        assert lower[0, 0] <= exact <= upper[0, 0]
