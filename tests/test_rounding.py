"""Rounding stays within the bounds that `_nearest/rounding.py` proves.

The true squared distances here are sums of whole numbers, which Python does not round.
"""

import functools
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from engines import KERNELS, using
from reference import nearest as nearest_by_loop
from reference import squared_distance
from scipy.sparse import csr_array

from onlinekmeans_sklearn._algorithm.block import _reach
from onlinekmeans_sklearn._nearest import centers_from, nearest
from onlinekmeans_sklearn._nearest.products import prepare, products
from onlinekmeans_sklearn._nearest.rounding import FLOAT32, FLOAT64, Precision

UNIT = Fraction(1, 2**53)
SMALLEST = Fraction(1, 2**1074)  # all floats are multiples of it
STORAGES = {"array": np.asarray, "csr_array": csr_array}
PRECISIONS = {"float32": (FLOAT32, np.float32), "float64": (FLOAT64, np.float64)}
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
    """Return two rows, three centers, the last equal to a row, and their true distances."""
    X = ROWS[kind](np.random.RandomState(d), (4, d))
    X, C = X[:2], np.vstack([X[2:], X[:1]])
    return X, C, true_distances(X, C)


def true_distances(X, C):
    """Return the squared distances without rounding, a list per center."""
    X, C = ([[_whole(value) for value in row] for row in A.tolist()] for A in (X, C))
    unit = SMALLEST**2
    return [[unit * sum((a - b) ** 2 for a, b in zip(v, c)) for v in X] for c in C]


def _whole(value):
    numerator, denominator = value.as_integer_ratio()
    return numerator * (2**1074 // denominator)


def deciding_distances(centers, X):
    """Return the squared distances that decide, a row per center."""
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
        centers = centers_from(storage(C))
        computed = deciding_distances(centers, centers.as_rows(storage(X)))
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


TILE = 8


def added_in_order(terms):
    """Return the sums of terms along the last axis, one added after the other."""
    return np.add.accumulate(terms, axis=-1)[..., -1]


def added_in_tiles(terms):
    """Return the sums of terms along the last axis, of TILE of them and then of these."""
    starts = range(0, terms.shape[-1], TILE)
    tiles = [added_in_order(terms[..., start : start + TILE]) for start in starts]
    return added_in_order(np.stack(tiles, axis=-1))


# order of additions: what to make of the norm of a center and its products, in that order
ORDERS = {
    "norm first": added_in_order,
    "norm last": lambda terms: added_in_order(np.roll(terms, -1, axis=-1)),
    "in reverse": lambda terms: added_in_order(terms[..., ::-1]),
    "in pairs": lambda terms: np.ascontiguousarray(terms).sum(axis=-1),
    "in tiles": added_in_tiles,
}


def distances_by_products(X, C, precision, dtype, order):
    """Return squared distances, a row per center, and their slacks; None if too large."""
    shifted, factor = X - C[0], C - C[0]
    norms, shifted = (factor**2).sum(axis=1), shifted.astype(dtype)
    squares = (shifted.astype(np.float64) ** 2).sum(axis=1)
    if not max(squares.max(), norms.max()) <= precision.largest:
        return None
    terms = (-2 * factor).astype(dtype)[:, None, :] * shifted
    norms = np.broadcast_to(norms.astype(dtype)[:, None, None], (*terms.shape[:2], 1))
    found = ORDERS[order](np.concatenate([norms, terms], axis=-1))
    d2 = np.maximum(found + squares, 0)
    tile = {"tile": TILE} if order == "in tiles" else {}
    square_coef, d2_coef, abs_term = precision.slack(X.shape[1], **tile)
    return d2, square_coef * squares + d2_coef * d2 + abs_term


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("precision", "dtype"), PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
def test_products_in_any_order_stay_within_their_slack(kind, precision, dtype, order):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        X, C = X.astype(np.float64), C.astype(np.float64)
        found = distances_by_products(X, C, precision, dtype, order)
        if found is None:
            assert precision is FLOAT32
            assert "over" in kind or "huge" in kind or "far" in kind
            continue
        d2, slack = found
        for (error, _), allowed in zip(errors(d2, true), slack.ravel().tolist()):
            assert error <= allowed
        deciding = deciding_distances(centers_from(C), X)
        assert (np.abs(d2 - deciding) <= slack).all()


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES)
@pytest.mark.parametrize("kind", ROWS)
def test_products_of_blas_and_of_csr_stay_within_their_slack(kind, storage):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        centers = centers_from(storage(C))
        rows = centers.as_rows(storage(X))
        found, squares, coefficients = products(rows, prepare(centers.exact))
        square_coef, d2_coef, abs_term = coefficients
        d2 = np.maximum(found.T + squares, 0)
        slack = square_coef * squares + d2_coef * d2 + abs_term
        for (error, _), allowed in zip(errors(d2, true), slack.ravel().tolist()):
            assert error <= allowed
        assert (np.abs(d2 - deciding_distances(centers, rows)) <= slack).all()


def test_terms_of_wide_centers_count_even_for_rows_with_one_number():
    """The squared distance that decides adds up the numbers of both."""
    row = np.zeros((1, 20_000))
    row[0, 0] = 1000
    center = np.full((1, 20_000), 0.1)
    exact = squared_distance(row[0].tolist(), center[0].tolist())
    for storage in STORAGES.values():
        found, squares, slack = products(storage(row), prepare(storage(center)))
        d2 = (found + squares)[0, 0]
        assert abs(d2 - exact) <= slack[0] * squares[0] + slack[1] * d2 + slack[2]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("precision", "dtype"), PRECISIONS.values(), ids=PRECISIONS)
def test_integers_within_the_limit_are_not_rounded_in_any_order(precision, dtype, order):
    for d in (1, 2, 50, 1000):
        largest = int((precision.exact / d) ** 0.5)
        rows = np.random.RandomState(d).randint(largest - 2, largest + 1, size=(8, d))
        A = rows * np.random.RandomState(d).choice([-1.0, 1.0], size=(8, d))
        A[0] = 0  # the oldest center: nothing is shifted
        true = true_distances(A[4:], A[:4])
        d2, _ = distances_by_products(A[4:], A[:4], precision, dtype, order)
        assert not any(error for error, _ in errors(d2, true))
        for name in KERNELS:
            with using(name):
                found = nearest(centers_from(A[:4]), A[4:])
            expected = [nearest_by_loop(v, A[:4].tolist()) for v in A[4:].tolist()]
            assert list(zip(*map(np.ndarray.tolist, found))) == expected


def swapping(precision, x, c, d=300):
    """Return a row and centers of which the wrong one looks nearest, in this precision.

    The products of all features but the first, x and c, are about half a unit in the last
    place of the sum: for center 1 a little less, and all are lost; for center 2 a little
    more, and each counts double. Center 1 is nearest.
    """
    small = 2.0 ** (np.round(np.log2(precision.roundoff) / 2) - 1)
    X, C = np.full((1, d), small), np.zeros((3, d))
    X[0, 0], C[1:, 0] = x, c
    C[1, 1:], C[2, 1:] = (precision.roundoff / small * (1 + e / 256) for e in (-1, 1))
    assert nearest_by_loop(X[0].tolist(), C.tolist())[0] == 1
    return X, C


@pytest.mark.parametrize(("precision", "dtype"), PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize(
    ("order", "x", "c"), [("norm last", 0.875, 1.1484375), ("norm first", 1.75, 2.0)]
)
def test_an_order_that_swaps_centers_is_allowed_for(precision, dtype, order, x, c):
    X, C = swapping(precision, x, c)
    d2, slack = distances_by_products(X, C, precision, dtype, order)
    assert np.argmin(d2) == 2
    assert d2[1, 0] < d2[2, 0] + slack[2, 0]  # though not by much
    assert d2[1, 0] > d2[2, 0] + slack[2, 0] / 20


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_not_misled_by_an_order_of_additions(name, monkeypatch):
    with using(name):
        for precision, _ in PRECISIONS.values():
            for x, c in ((0.875, 1.1484375), (1.75, 2.0)):
                X, C = swapping(precision, x, c)
                for storage in STORAGES.values():
                    ids, _ = nearest(centers_from(storage(C)), storage(X))
                    assert ids == [1]

        usual = Precision.slack

        def tenth(self, d, tile=np.inf):
            square_coef, d2_coef, _ = usual(self, d, tile)
            return square_coef / 10, d2_coef / 10, 0.0

        monkeypatch.setattr(Precision, "slack", tenth)  # which would be too little
        X, C = swapping(FLOAT32, 1.75, 2.0)
        ids, _ = nearest(centers_from(C), X)
        assert ids == [1 if name == "numpy" else 2]


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_a_new_center_reaches_rows_half_way_to_an_old_one(d):
    """However squared distances are rounded; the second new center makes them exact."""
    rng = np.random.RandomState(d)
    n_reached = 0
    for _ in range(30):
        C = rng.normal(size=(2, d))[[0, 1, 1]]
        nudges = 1 + rng.randint(-4, 5, size=(60, 1)) * 2.0**-53
        n_reached += assert_reaches(C, C[0] + 0.5 * nudges * (C[1] - C[0]))
    assert n_reached > 0


def test_a_new_center_reaches_rows_whose_squares_underflow():
    """All features but one are lost, except for those of the centers."""
    C = np.zeros((3, 12))
    C[1:] = 1.4 * 2.0**-537
    X = C[:1] + 0.7 * 2.0**-537
    X[0, 0] = 0.72 * 2.0**-537
    assert assert_reaches(C, X) == 1


def assert_reaches(C, X):
    """Check that rows nearer to the last two centers are within reach; return how many."""
    old, new = centers_from(C[:1]), centers_from(C[1:])
    to_old, to_new, _ = deciding_distances(centers_from(C), X)
    goes_over = to_new < to_old
    assert (to_old[goes_over] >= _reach(new, old)[0]).all()
    return np.count_nonzero(goes_over)


def test_rows_much_nearer_to_their_center_than_a_new_one_are_out_of_reach():
    old, new = np.random.RandomState(0).normal(size=(2, 4, 6))
    gaps = [nearest_by_loop(center, new.tolist())[1] for center in old.tolist()]
    for storage in STORAGES.values():
        reach = _reach(centers_from(storage(new)), centers_from(storage(old)))
        np.testing.assert_allclose(reach, np.array(gaps) / 4, rtol=1e-5)


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {"squares underflow", "subnormal"}))
def test_distances_as_features_have_nine_digits(kind):
    for d in N_FEATURES:
        X, C, true = pairs(kind, d)
        for storage in STORAGES.values():
            centers = centers_from(storage(C))
            distances = centers.distances(centers.as_rows(storage(X))).T
            for distance, exact in zip(distances.ravel(), chain.from_iterable(true)):
                assert abs(Fraction(float(distance)) ** 2 - exact) <= exact / 2**30
