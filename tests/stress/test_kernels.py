"""Compiled kernels refuse inconsistent arrays: C would read beyond their end."""

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from onlinekmeans_sklearn._nearest import backend

pytestmark = pytest.mark.skipif(backend.compiled is None, reason="no compiled kernels")

N, D, CENTERS = 7, 5, 4
rng = np.random.RandomState(0)
X = rng.normal(size=(N, D))
C = rng.normal(size=(CENTERS, D))
STORED = {"dense": (np.array, "DenseSearch"), "csr": (csr_array, "SparseSearch")}


def searched(storage):
    """Return a search, and rows for it."""
    kind, name = STORED[storage]
    return getattr(backend.compiled, name)(kind(C)), kind(X)


def arguments(storage, method):
    """Return arguments of a method, by name, that are as they should be."""
    search, rows = searched(storage)
    index = np.array([0, 3, 6])
    given = {
        "nearest": {
            "X": rows,
            "ids": np.full(N, -1, dtype=np.int32),
            "d2": np.full(N, np.inf),
            "visible": np.arange(N) % (CENTERS + 1),
        },
        "nearest_of_row": {"X": rows[[0]]},
        "pair_distances": {"X": rows, "rows": index, "ids": np.array([0, 3, 1])},
        "next_openings": {
            "X": rows,
            "candidates": index,
            "start": 0,
            "uniforms": np.full(N, 0.5),
            "facility_cost": 1e-9,
            "d2": np.full(N, np.inf),
            "opened": np.array([1, 2]),
            "most": 2,
        },
        "add": {
            "X": rows,
            "labels": np.arange(N, dtype=np.int32) % CENTERS,
            "low": 0,
            "high": CENTERS,
            "sums": np.zeros((CENTERS, D)),
        },
    }
    if storage == "csr":
        sums = [(np.empty(0, dtype=np.int32), np.empty(0))] * CENTERS
        given["add"] = {"X": rows, "members": [(1, index)], "sums": sums}
    return search, given[method]


def short(array):
    return array[:-1].copy()


def long(array):
    return np.append(array, array[:1], axis=0)


def wide(rows):
    kind = csr_array if issparse(rows) else np.array
    return kind(np.hstack([X, X])[: rows.shape[0]])


def narrow(rows):
    return rows[:, :2].copy()


def with_number(number):
    def change(array):
        array = array.copy()
        array[1] = number
        return array

    return change


def set_to(value):
    return lambda _: value


def joined(cluster, row):
    return set_to([(cluster, np.array([row]))])


def with_numbers(*numbers):
    return [with_number(number) for number in numbers]


LENGTHS = [short, long]
WRONG = {  # storages and method: name of an argument, and what is wrong with it
    ("both", "nearest"): {
        "ids": LENGTHS,
        "d2": LENGTHS,
        "visible": [*LENGTHS, *with_numbers(-1, CENTERS + 1, 2**62)],
        "X": [narrow, wide],
    },
    ("both", "nearest_of_row"): {"X": [wide, lambda X: X[[0, 0]], lambda X: X[:0]]},
    ("both", "pair_distances"): {
        "ids": [*LENGTHS, *with_numbers(-1, CENTERS, -(2**62))],
        "rows": with_numbers(-1, N, 2**62),
    },
    ("both", "next_openings"): {
        "uniforms": LENGTHS,
        "d2": LENGTHS,
        "candidates": with_numbers(-1, N, 2**62),
        "opened": with_numbers(-1, N, -(2**62)),
        "start": [set_to(-1), set_to(-(2**62))],
    },
    ("dense", "pair_distances"): {"X": [wide]},
    ("dense", "add"): {
        "labels": LENGTHS,
        "sums": [short, lambda sums: np.zeros((CENTERS, D + 1))],
        "low": [set_to(-1), set_to(CENTERS + 1)],
        "high": [set_to(CENTERS + 1), set_to(2**40)],
        "X": [narrow, wide],
    },
    ("csr", "add"): {
        "members": [
            *(joined(1, n) for n in (-1, N, 2**62)),
            *(joined(c, 0) for c in (-1, CENTERS, 2**40)),
        ],
        "sums": [
            lambda sums: sums[:1],
            lambda sums: [(sums[0][0], np.zeros(1))] * CENTERS,
            lambda sums: [(np.zeros(1, np.int32), sums[0][1])] * CENTERS,
        ],
    },
}
CASES = [
    (storage, method, name, change)
    for (which, method), wrong in WRONG.items()
    for name, changes in wrong.items()
    for change in changes
    for storage in (STORED if which == "both" else [which])
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_inconsistent_arrays_are_refused(case):
    storage, method, name, change = CASES[case]
    search, given = arguments(storage, method)
    getattr(search, method)(**given)  # is right
    search, given = arguments(storage, method)
    given[name] = change(given[name])
    with pytest.raises(ValueError, match="are inconsistent: "):
        getattr(search, method)(**given)


@pytest.mark.parametrize("storage", STORED)
@pytest.mark.parametrize(
    ("method", "name"),
    [
        *(("nearest", name) for name in ("ids", "d2", "visible")),
        ("pair_distances", "rows"),
        *(("next_openings", name) for name in ("candidates", "d2")),
    ],
)
@pytest.mark.parametrize("change", ["dtype", "strides", "dimensions", "read-only"])
def test_arrays_of_another_sort_are_refused(storage, method, name, change):
    search, given = arguments(storage, method)
    array = given[name]
    if change == "read-only":
        if method != "nearest" or name == "visible":
            return  # nothing is written there
        array.flags.writeable = False
    else:
        given[name] = {
            "dtype": np.zeros(len(array), dtype=np.int16),
            "strides": np.repeat(array, 2)[::2],
            "dimensions": array[:, None],
        }[change]
    with pytest.raises(ValueError):
        getattr(search, method)(**given)


@pytest.mark.parametrize("label", [-1, CENTERS, 2**31 - 1, -(2**31)])
def test_labels_that_are_not_asked_for_are_skipped(label):
    search, given = arguments("dense", "add")
    given["labels"][2] = label
    search.add(**given)
    expected = np.zeros((CENTERS, D))
    for i in (0, 1, 3, 4, 5, 6):
        expected[i % CENTERS] += X[i] - C[i % CENTERS]
    np.testing.assert_array_equal(given["sums"], expected)


def changed(part, change):
    """Return CSR rows with another array in them; it is not checked here."""
    rows = csr_array(X)
    setattr(rows, part, change(getattr(rows, part)))
    return rows


DAMAGED = {
    "indptr": [
        *(*LENGTHS, *with_numbers(-1, 10**6), lambda ends: ends + 1, lambda ends: ends[:0]),
        lambda ends: ends.astype(np.int64),
    ],
    "indices": [short, lambda columns: columns.astype(np.int64)],
    "data": [short, lambda values: values.astype(np.float32)],
}


@pytest.mark.parametrize(
    ("part", "change"), [(part, how) for part, every in DAMAGED.items() for how in every]
)
def test_rows_that_end_beyond_their_arrays_are_refused(part, change):
    with pytest.raises(ValueError):
        backend.compiled.SparseSearch(changed(part, change))
    for method in ("nearest", "pair_distances", "next_openings", "add"):
        search, given = arguments("csr", method)
        given["X"] = changed(part, change)
        with pytest.raises(ValueError):
            getattr(search, method)(**given)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_that_are_not_aligned_are_read(dtype):
    memory = np.zeros(X.size * 8 + 1, dtype=np.uint8)
    rows = memory[1 : 1 + X.size * np.dtype(dtype).itemsize].view(dtype).reshape(X.shape)
    rows[:] = X
    assert not rows.flags.aligned
    search, given = arguments("dense", "nearest")
    _, other = arguments("dense", "nearest")
    search.nearest(**{**given, "X": rows})
    search.nearest(**{**other, "X": rows.copy()})
    np.testing.assert_array_equal(given["d2"], other["d2"])


@pytest.mark.parametrize("shape", [(3, 0), (0, 0)])
def test_centers_without_features_are_refused(shape):
    with pytest.raises(ValueError, match=" of 0 features: "):
        backend.compiled.DenseSearch(np.empty(shape))


@pytest.mark.parametrize("storage", STORED)
def test_pairs_with_no_centers_are_refused(storage):
    search, rows = searched(storage)
    empty = type(search)(STORED[storage][0](C)[:0])
    with pytest.raises(ValueError):
        empty.pair_distances(rows, np.array([0]), np.array([0]))
