"""Rounding stays within the bounds that decisions allow for.

They are derived in the modules that use them. The true squared distances here are
sums of whole numbers, which Python does not round.
"""

import functools
from fractions import Fraction
from itertools import chain, product

import numpy as np
import pytest
from reference import nearest as nearest_by_loop
from scipy.sparse import csr_array

from onlinekmeans_sklearn._centers import centers_from
from onlinekmeans_sklearn._centers_base import Centers
from onlinekmeans_sklearn._centers_dense import DenseCenters
from onlinekmeans_sklearn._nearest import FLOAT32, FLOAT64, Precision
from onlinekmeans_sklearn._stream import _within_reach
from onlinekmeans_sklearn._threads import ALONE
from onlinekmeans_sklearn._tree import nearest_by_tree

UNIT = Fraction(1, 2**53)
SMALLEST = Fraction(1, 2**1074)  # all floats are multiples of it
STORAGES = {"array": np.asarray, "csr_array": csr_array}
PRECISIONS = {"float32": FLOAT32, "float64": FLOAT64}
N_FEATURES = [1, 2, 7, 130, 3000]

# rng, shape -> rows
ROWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "of float32": lambda rng, shape: rng.normal(size=shape).astype(np.float32),
    "positive": lambda rng, shape: 1 + rng.random_sample(shape),
    "far": lambda rng, shape: 1e12 + rng.normal(size=shape),
    "wild": lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.randint(-9, 9, shape),
    "one far feature": lambda rng, shape: (
        rng.normal(size=shape) + 1e8 * np.eye(1, shape[1])
    ),
    "float32 underflows": lambda rng, shape: rng.normal(size=shape) * 1e-22,
    "float32 overflows": lambda rng, shape: rng.normal(size=shape) * 1e25,
    "tiny": lambda rng, shape: rng.normal(size=shape) * 1e-150,
    "squares underflow": lambda rng, shape: rng.normal(size=shape) * 1e-161,
    "subnormal": lambda rng, shape: rng.randint(-9, 9, size=shape) * 5e-324,
    "huge": lambda rng, shape: rng.normal(size=shape) * 1e150,
}


@functools.cache
def pairs(kind, d):
    """Return two rows, three centres, the last equal to a row, and their true distances."""
    X = ROWS[kind](np.random.RandomState(d), (4, d))
    X, C = X[:2], np.vstack([X[2:], X[:1]])
    return X, C, true_distances(X, C)


def true_distances(X, C):
    """Return the squared distances without rounding, a list per centre."""
    X, C = ([[_whole(value) for value in row] for row in A.tolist()] for A in (X, C))
    unit = SMALLEST**2
    return [[unit * sum((a - b) ** 2 for a, b in zip(v, c)) for v in X] for c in C]


def _whole(value):
    numerator, denominator = value.as_integer_ratio()
    return numerator * (2**1074 // denominator)


def deciding_distances(centers, X):
    """Return the squared distances that decide, a row per centre."""
    ids, rows = np.indices((len(centers), X.shape[0])).reshape(2, -1)
    return centers.squared_distances(X, rows, ids).reshape(len(centers), -1)


def errors(computed, true):
    """Yield how wrong each number is, and the true one."""
    flat = zip(np.ravel(computed).tolist(), chain.from_iterable(true), strict=True)
    for number, exact in flat:
        yield abs(Fraction(number) - exact), exact


def deciding_limit(true, d):
    """Return how wrong the squared distance that decides can be.

    Each difference and each square is rounded once, and d - 1 sums; none can cancel. The
    squares can also lose what is too small for any float.
    """
    units = (d + 2) * UNIT
    return units / (1 - units) * true + d * SMALLEST / 2


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("kind", ROWS)
def test_the_deciding_distance_is_rounded_no_more_than_its_terms(kind, storage):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        computed = deciding_distances(centers_from(storage(C)), storage(X))
        for error, exact in errors(computed, true):
            assert error <= deciding_limit(exact, d)
        assert computed[-1, 0] == 0


def test_the_deciding_distance_can_be_as_wrong_as_its_limit():
    """Squares that are each just too small to change the sum."""
    X, C = np.full((1, 1000), 2.0**-26.5 * 0.999), np.zeros((1, 1000))
    X[0, 0] = 1
    computed = deciding_distances(centers_from(C), X)
    [(error, true)] = errors(computed, true_distances(X, C))
    assert error > 0.99 * deciding_limit(true, 1000)


def in_order(self, strip, factor, first, out):
    """Multiply as `DenseCenters.multiply` may: one term is added after the other."""
    out[:] = np.add.accumulate(factor[:, None, :] * strip, axis=-1)[..., -1]


def in_reverse(self, strip, factor, first, out):
    """Multiply with the last term first, which is ``|c|^2``."""
    in_order(self, strip[:, ::-1], factor[:, ::-1], first, out)


ORDERS = {"usual": DenseCenters.multiply, "in order": in_order, "in reverse": in_reverse}


def distances_by_products(centers, X, precision):
    """Return squared distances, a row per centre, and their slacks; None if too large."""
    centers.prepare()
    strip, squares, _ = centers.strip(X, precision)
    if not max(squares.max(), centers.largest_square) <= precision.largest:
        return None
    products = np.empty((len(centers), X.shape[0]), dtype=precision.dtype)
    centers.multiply(strip, centers.factor(0, precision), 0, products)
    d2 = np.maximum(products + squares, 0)
    of_square, of_d2, added = precision.slack(centers.n_terms(X))
    return d2, of_square * squares + of_d2 * d2 + added


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("kind", ROWS)
def test_products_stay_within_their_slack(kind, precision, storage, monkeypatch):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        centers, rows = centers_from(storage(C)), storage(X)
        for multiply in ORDERS.values():
            monkeypatch.setattr(DenseCenters, "multiply", multiply)
            found = distances_by_products(centers, rows, precision)
            if found is None:
                assert precision is FLOAT32
                assert "over" in kind or "huge" in kind
                continue
            d2, slack = found
            for (error, _), allowed in zip(errors(d2, true), slack.ravel().tolist()):
                assert error <= allowed
            assert (np.abs(d2 - deciding_distances(centers, rows)) <= slack).all()


@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
def test_integers_within_the_limit_are_not_rounded_in_any_order(precision, monkeypatch):
    monkeypatch.setattr(Centers, "first_precision", lambda self, X: precision)
    for d in (1, 2, 50, 1000):
        largest = int((precision.exact / d) ** 0.5)
        rows = np.random.RandomState(d).randint(largest - 2, largest + 1, size=(8, d))
        A = rows * np.random.RandomState(d).choice([-1.0, 1.0], size=(8, d))
        A[0] = 0  # the oldest centre: nothing is shifted
        true = true_distances(A[4:], A[:4])
        for storage, multiply in product(STORAGES.values(), ORDERS.values()):
            monkeypatch.setattr(DenseCenters, "multiply", multiply)
            centers, rows = centers_from(storage(A[:4])), storage(A[4:])
            d2, _ = distances_by_products(centers, rows, precision)
            assert not any(error for error, _ in errors(d2, true))
            _, lower, upper = centers.nearest(rows)
            np.testing.assert_array_equal(lower, upper)  # so there was no doubt


def swapping(precision, d=300):
    """Return a row and centres of which the wrong one looks nearest, in this precision.

    The products of all features but the first are about half a unit in the last place of
    the sum: for centre 1 a little less, and all are lost; for centre 2 a little more, and
    each counts double. Centre 1 is nearest.
    """
    small = 2.0 ** (np.round(np.log2(precision.roundoff) / 2) - 1)
    X, C = np.full((1, d), small), np.zeros((3, d))
    X[0, 0], C[1:, 0] = 0.875, 1.1484375
    C[1, 1:], C[2, 1:] = (precision.roundoff / small * (1 + e / 256) for e in (-1, 1))
    return X, C


@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
def test_an_order_of_additions_that_swaps_centers_is_allowed_for(precision, monkeypatch):
    X, C = swapping(precision)
    assert nearest_by_loop(X[0].tolist(), C.tolist())[0] == 1
    monkeypatch.setattr(Centers, "first_precision", lambda self, X: precision)
    for multiply in ORDERS.values():
        monkeypatch.setattr(DenseCenters, "multiply", multiply)
        assert centers_from(C).nearest(X)[0] == [1]
    ids, _, _ = centers_from(csr_array(C)).nearest(csr_array(X))
    assert ids == [1]

    def quarter(self, d):
        unit = (d + 4) * self.roundoff / 4
        return self.of_square * unit, self.of_d2 * unit, 0.0

    monkeypatch.setattr(DenseCenters, "multiply", in_order)
    monkeypatch.setattr(Precision, "slack", quarter)  # which would be too little
    assert centers_from(C).nearest(X)[0] == [2]


@pytest.mark.parametrize("d", N_FEATURES)
def test_bounds_are_as_narrow_as_promised(d):
    X, C, _ = pairs("normal", d)
    for storage in STORAGES.values():
        centers, rows = centers_from(storage(C)), storage(X)
        origin = 0 if storage is csr_array else C[0]
        n_terms = 2 * d if storage is csr_array else d
        squares = ((X - origin) ** 2).sum(axis=1) + deciding_distances(centers, rows)
        lower, upper = centers.bounds(rows)
        assert (upper - lower <= 53 * (n_terms + 4) * FLOAT64.roundoff * squares).all()
        _, lower, upper = centers.nearest(rows)
        assert (upper - lower <= 25 * (n_terms + 4) * FLOAT32.roundoff * squares).all()


@pytest.mark.parametrize("kind", ROWS)
def test_a_tree_stays_within_its_slack(kind):
    """And far within, where nothing underflows: d + 5 roundings."""
    for d in (1, 2, 6):
        X = ROWS[kind](np.random.RandomState(d), (44, d))
        C, X = X[:40], X[39:]
        centers = centers_from(C)
        ids, d2, slack = nearest_by_tree(centers, X, ALONE)
        assert ids.tolist() == [nearest_by_loop(v, C.tolist())[0] for v in X.tolist()]
        deciding = centers.squared_distances(X, np.arange(len(X)), ids)
        assert (np.abs(d2 - deciding) <= slack).all()
        by_center = true_distances(X, C)
        true = [[by_center[center][row] for row, center in enumerate(ids)]]
        for (error, exact), allowed in zip(errors(d2, true), slack.tolist()):
            assert error <= allowed + deciding_limit(exact, d)
            if exact > 1e-280:
                assert error <= (d + 6) * UNIT * exact


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_a_new_center_reaches_rows_half_way_to_an_old_one(d):
    """However squared distances are rounded; the second new centre makes them exact."""
    rng = np.random.RandomState(d)
    for _ in range(30):
        C = rng.normal(size=(2, d))[[0, 1, 1]]
        nudges = 1 + rng.randint(-4, 5, size=(60, 1)) * 2.0**-53
        assert_reaches(C, C[0] + 0.5 * nudges * (C[1] - C[0]))


def test_a_new_center_reaches_rows_whose_squares_underflow():
    """All features but one are lost, except for those of the centres."""
    C = np.zeros((3, 12))
    C[1:] = 1.4 * 2.0**-537
    X = C[:1] + 0.7 * 2.0**-537
    X[0, 0] = 0.72 * 2.0**-537
    assert_reaches(C, X)


def assert_reaches(C, X):
    """Check that rows that are nearest to one of the last two of the centres are found."""
    centers = centers_from(C)
    to_old, to_new, _ = deciding_distances(centers, X)
    opened = np.array([0, 0])
    rows = _within_reach(np.zeros(len(X), dtype=int), to_old, centers, opened)
    assert set(np.flatnonzero(to_new < to_old)) <= set(rows.tolist())


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"squares underflow", "subnormal"}))
def test_distances_as_features_have_nine_digits(kind):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        for storage in STORAGES.values():
            distances = centers_from(storage(C)).distances(storage(X)).T
            for distance, exact in zip(distances.ravel(), chain.from_iterable(true)):
                assert abs(Fraction(float(distance)) ** 2 - exact) <= exact / 2**30
