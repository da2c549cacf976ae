"""A screen gives what all products give, and is used where it is faster."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import nearest as nearest_by_loop

from onlinekmeans_sklearn import _nearest, _screen
from onlinekmeans_sklearn._centers import centers_from
from onlinekmeans_sklearn._nearest import FLOAT32, FLOAT64


def blobs(n_rows, n_features, n_blobs=50, dtype=np.float32, seed=0):
    rng = np.random.RandomState(seed)
    means = rng.normal(scale=8, size=(n_blobs, n_features))
    X = means[rng.randint(n_blobs, size=n_rows)] + rng.normal(size=(n_rows, n_features))
    return X.astype(dtype)


@pytest.fixture
def screens(monkeypatch):
    """Note for every search whether there was a screen."""
    noted = []

    def noting(*args):
        noted.append(_screen.screen_for(*args))
        return noted[-1]

    monkeypatch.setattr(_nearest, "screen_for", noting)
    return noted


@pytest.fixture
def always(monkeypatch):
    """Use a screen always, with some features in S and some in R."""
    for name in ("_FEWEST_ROWS", "_FEWEST_CENTERS"):
        monkeypatch.setattr(_screen, name, 1)
    monkeypatch.setattr(_screen, "_FEWEST_FEATURES", 2)
    monkeypatch.setattr(_screen, "_PAIR_COST", 0)
    monkeypatch.setattr(_screen, "_SHARE", 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_features_in_clusters_are_screened(screens, monkeypatch, dtype):
    X = blobs(2000, 300, dtype=dtype)
    ids, lower, upper = centers_from(X[:200]).nearest(X)
    assert screens.pop() is not None
    monkeypatch.setattr(_screen, "_FEWEST_FEATURES", 10**9)
    expected, _, _ = centers_from(X[:200]).nearest(X)
    assert screens.pop() is None
    np.testing.assert_array_equal(ids, expected)
    d2 = ((X.astype(np.float64) - X[ids].astype(np.float64)) ** 2).sum(axis=1)
    assert (lower <= d2 * (1 + 1e-12)).all()  # added up in another order
    assert (d2 * (1 - 1e-12) <= upper).all()


@pytest.mark.parametrize(
    ("n_rows", "n_centers", "n_features"),
    [(100, 90, 300), (2000, 20, 300), (2000, 100, 100)],
)
def test_small_work_is_not_screened(screens, n_rows, n_centers, n_features):
    X = blobs(n_rows, n_features)
    centers_from(X[:n_centers]).nearest(X)
    assert screens == [None]


def test_rows_without_clusters_are_not_screened(screens):
    X = np.random.RandomState(0).rand(2000, 300)
    centers_from(X[:100]).nearest(X)
    assert screens == [None]


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 2.0**-70, 2.0**-74, 1e15])
def test_ties_go_to_the_oldest_at_any_scale(screens, dtype, scale):
    rng = np.random.RandomState(0)
    C = (rng.permutation(np.indices((3, 3, 3)).reshape(3, -1).T) * scale).astype(dtype)
    X = (rng.randint(0, 5, size=(300, 3)) / 2 * scale).astype(dtype)
    expected = [nearest_by_loop(v, C.astype(float).tolist()) for v in X.astype(float)]
    ids, lower, upper = centers_from(C).nearest(X)
    assert screens.pop() is not None
    np.testing.assert_array_equal(ids, [label for label, _ in expected])
    exact = np.array([distance for _, distance in expected])
    assert (lower <= exact).all()
    assert (exact <= upper).all()


def test_values_beyond_float32_are_not_screened_in_it(screens):
    X = blobs(2000, 300, dtype=np.float64)
    C, X[::7] = X[:100].copy(), X[::7] * 1e30
    ids, _, _ = centers_from(C).nearest(X)
    assert screens == [None]
    X[::7] /= 1e30
    assert (ids[1:7] == np.arange(1, 7)).all()


@given(
    seed=st.integers(0, 10**6),
    n_features=st.integers(2, 40),
    exponents=st.lists(st.integers(-60, 55), min_size=1, max_size=40),
    precision=st.sampled_from([FLOAT32, FLOAT64]),
)
def test_a_score_is_not_above_the_product(seed, n_features, exponents, precision):
    rng = np.random.RandomState(seed)
    scales = 2.0 ** rng.choice(exponents, size=n_features)
    X = (rng.normal(size=(39, n_features)) * scales).astype(precision.dtype)
    X[::3] = X[1::3] * 3  # as long in all features: the bound is reached
    C = centers_from(X[:12])
    strip, squares, _ = C.strip(X, precision)
    factor = C.factor(0, precision)
    screen = _screen.Screen(factor, precision)
    scores = np.empty((12, 39), dtype=precision.dtype)
    screen.multiply(strip, squares, scores)
    exact = factor.astype(np.longdouble) @ strip.astype(np.longdouble).T
    norms = np.sqrt(squares.max() * C.largest_square) + C.largest_square
    rounding = (n_features + 4) * precision.roundoff * 2 * norms
    assert (scores <= exact + rounding + 8 * n_features * precision.smallest).all()
    every = np.arange(39)
    for center in range(12):
        products = screen.products(strip, every, np.full(39, center))
        error = np.abs(products - exact[center])
        assert (error <= rounding + 8 * n_features * precision.smallest).all()
