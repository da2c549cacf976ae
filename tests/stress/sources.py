"""Kinds of rows to try, and the storages that they can come in.

A kind is a function of a random state, the numbers of rows and features, and the dtype.
"""

import math
import sys

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix


def blobs(rng, n, d, dtype):
    """Return Gaussian blobs in random order."""
    means = rng.normal(scale=rng.choice([2.0, 50.0]), size=(rng.randint(1, 8), d))
    return means[rng.randint(len(means), size=n)] + rng.normal(size=(n, d))


def grid(rng, n, d, dtype):
    """Return integers, full of repeats and ties."""
    return rng.randint(rng.randint(2, 9), size=(n, d)).astype(float)


def repeats(rng, n, d, dtype):
    """Return a few different rows, each many times."""
    rows = rng.normal(size=(rng.randint(1, 20), d))
    return rows[rng.randint(len(rows), size=n)]


def ordered(rng, n, d, dtype):
    """Return rows in ascending order."""
    return np.sort(blobs(rng, n, d, dtype), axis=0)


def backwards(rng, n, d, dtype):
    """Return rows in descending order."""
    return ordered(rng, n, d, dtype)[::-1]


def constant_features(rng, n, d, dtype):
    """Return rows of which some features never change."""
    X = blobs(rng, n, d, dtype)
    constant = rng.random_sample(d) < 0.7
    X[:, constant] = rng.normal(size=constant.sum())
    return X


def zero_rows(rng, n, d, dtype):
    """Return rows of which many, or all, are zero; some zeros are negative."""
    X = blobs(rng, n, d, dtype)
    X[rng.random_sample(n) < rng.choice([0.5, 1.0])] = 0.0
    X[rng.random_sample((n, d)) < 0.1] = -0.0
    return X


def counts(rng, n, d, dtype):
    """Return small counts, mostly zero."""
    return np.maximum(0, rng.randint(9, size=(n, d)) - 6).astype(float)


def far_groups(rng, n, d, dtype):
    """Return close rows around a few points far from each other."""
    return rng.normal(size=(n, d)) * 10 ** rng.uniform(-9, -3) + rng.randint(3, size=(n, 1))


def outlier_first(rng, n, d, dtype):
    """Return blobs after one sample that is far from all of them."""
    X = blobs(rng, n, d, dtype)
    X[0] *= 10 ** rng.uniform(3, 12)
    return X


def near_ties(rng, n, d, dtype):
    """Return points of a grid, moved by a few units in the last place."""
    X = 0.1 * (1 + grid(rng, n, d, dtype))
    for _ in range(rng.randint(1, 4)):
        X = np.nextafter(X.astype(dtype), dtype.type(rng.choice([-9, 9]))).astype(float)
    return np.where(rng.random_sample((n, d)) < 0.5, X, 0.1 * np.rint(10 * X))


def sphere(rng, n, d, dtype):
    """Return points at equal distances from the first one."""
    X = rng.choice([-1.0, 1.0], size=(n, d)) * rng.permutation(np.arange(1, d + 1))
    X[0] = 0.0
    return X


def growth(rng, n, d, dtype):
    """Return samples that are each twice as far out as the one before."""
    return rng.choice([-1.0, 1.0], size=(n, d)) * 2.0 ** np.arange(n)[:, None]


def shrinking(rng, n, d, dtype):
    """Return samples that are each half as far out as the one before."""
    return growth(rng, n, d, dtype)[::-1] / 2.0**n


def lower_bound(rng, n, d, dtype):
    """Return 0, 1, c: the stream for which no fixed number of centers will do."""
    largest = 150 if dtype == np.float64 else 37
    c = 10 ** rng.uniform(0, largest)
    X = np.zeros((n, d))
    X[:, 0] = rng.choice([0.0, 1.0, c], size=n)
    X[: min(n, 3), 0] = [0.0, 1.0, c][:n]
    return X


def subnormals(rng, n, d, dtype):
    """Return multiples of the smallest number there is."""
    smallest = float(np.finfo(dtype).smallest_subnormal)
    return rng.randint(-9, 10, size=(n, d)) * (smallest * 2.0 ** rng.randint(0, 20))


def tiny_squares(rng, n, d, dtype):
    """Return rows whose squared distances are subnormal, or vanish."""
    return blobs(rng, n, d, dtype) * 10 ** rng.uniform(-164, -158)


def mixed_scales(rng, n, d, dtype):
    """Return rows each at a scale of its own."""
    smallest, largest = (-150, 150) if dtype == np.float64 else (-44, 37)
    return rng.normal(size=(n, d)) * 10 ** rng.uniform(smallest, largest, size=(n, 1))


def extremes(rng, n, d, dtype):
    """Return values as large as may be, and now and then a little larger."""
    limit = math.sqrt(sys.float_info.max / d) / 16
    values = [limit, -limit, limit / 2, 1.0, 0.0, limit * (1 - 1e-15)]
    X = rng.choice(values, size=(n, d))
    X[rng.random_sample((n, d)) < 0.01] = limit * (1 + 1e-9)
    return X


def by_name(*kinds):
    return {kind.__name__.replace("_", " "): kind for kind in kinds}


SCALED = by_name(
    *(blobs, grid, repeats, ordered, backwards, constant_features, zero_rows, counts),
    *(far_groups, outlier_first, near_ties, sphere, growth, shrinking),
)
OTHERS = by_name(lower_bound, subnormals, tiny_squares, mixed_scales, extremes)
KINDS = {**SCALED, **OTHERS}


def strided(X):
    """Return the rows as a view of every other column of every other row."""
    wide = np.full((2 * X.shape[0], 2 * X.shape[1]), np.nan, dtype=X.dtype)
    wide[::2, ::2] = X
    return wide[::2, ::2]


def reversed_view(X):
    """Return the rows as a view with negative strides."""
    return X[::-1, ::-1].copy()[::-1, ::-1]


def read_only(X):
    """Return the rows in an array that cannot be written to."""
    X = X.copy()
    X.flags.writeable = False
    return X


def messy_csr(X, index_dtype=np.int64):
    """Return CSR with unsorted indices, entries in two halves, and zeros among them.

    Where it is messy depends on the values only.
    """
    data, indices, ends = [], [], [0]
    for row in X:
        halves = row / 2  # of an array: numpy 1 gives float64 for a number of float32
        for j in range(len(row))[::-1]:
            half = halves[j]
            parts = [half, half] if j % 2 and half + half == row[j] else [row[j]]
            if row[j] != 0 or j % 3 == 0:
                data += parts
                indices += [j] * len(parts)
        ends.append(len(data))
    arrays = np.array(data, dtype=X.dtype), np.array(indices, dtype=index_dtype)
    messy = csr_array((*arrays, np.array(ends, dtype=index_dtype)), shape=X.shape)
    return messy


def read_only_csr(X):
    """Return CSR whose arrays cannot be written to."""
    rows = csr_matrix(X)
    for values in (rows.data, rows.indices, rows.indptr):
        values.flags.writeable = False
    return rows


STORAGES = {
    "array": np.array,
    "F-order": lambda X: np.array(X, order="F"),
    "strided": strided,
    "negative strides": reversed_view,
    "read-only": read_only,
    "csr_array": csr_array,
    "csr_matrix": csr_matrix,
    "csr, read-only": read_only_csr,
    "csr, messy": messy_csr,
    "csc": csc_array,
    "coordinates": coo_array,
}
