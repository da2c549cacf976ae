"""Streams to try, and the comparison of a fitted estimator with the reference."""

import math

import numpy as np
from engines import engine
from hypothesis import strategies as st
from reference import (
    practical,
    semi_online,
    squared_distance,
    theoretical,
    uniform_numbers,
)
from scipy.sparse import csr_array, csr_matrix, issparse
from scipy.spatial.distance import cdist

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

# name: estimator for a small k, and the reference that it must equal
ALGORITHMS = {
    "practical": (
        lambda k, n: OnlineKMeans(k=15 + 5 * k),
        lambda X, u, k, **rest: practical(X, u, 15 + 5 * k, **rest),
    ),
    "practical, smallest": (
        lambda k, n: OnlineKMeans(k=16),
        lambda X, u, k, **rest: practical(X, u, 16, **rest),
    ),
    "theoretical": (
        lambda k, n: OnlineKMeans(k=k, algorithm="theoretical"),
        lambda X, u, k, **rest: theoretical(X, u, k, **rest),
    ),
    "semi-online": (
        lambda k, n: SemiOnlineKMeans(k=k, n_samples=n),
        lambda X, u, k, **rest: semi_online(X, u, k, **rest),
    ),
    "semi-online, bound": (
        lambda k, n: SemiOnlineKMeans(k=k, n_samples=1000, lower_bound=5.0),
        lambda X, u, k, **rest: semi_online(X, u, k, lower_bound=5.0, n=1000, **rest),
    ),
}

STORAGES = {
    "array": np.ascontiguousarray,
    "F-order": np.asfortranarray,
    "csr_matrix": csr_matrix,
    "csr_array": csr_array,
}


def blobs(seed, n, d=3, n_blobs=6, spread=5.0):
    """Return Gaussian blobs in random order."""
    rng = np.random.RandomState(seed)
    means = rng.normal(scale=spread, size=(n_blobs, d))
    return means[rng.randint(n_blobs, size=n)] + rng.normal(size=(n, d))


def grid(seed, n, d=2, side=7):
    """Return integer points full of repeats and ties."""
    return np.random.RandomState(seed).randint(side, size=(n, d)).astype(float)


def far_integers(seed, n, distance):
    """Return two groups of close integers, so far apart that products are rounded."""
    rng = np.random.RandomState(seed)
    return rng.choice([-distance, distance], size=(n, 1)) + rng.randint(3, size=(n, 2))


def growth(seed, n, d=2):
    """Return samples that are each about twice as far out as the one before."""
    rng = np.random.RandomState(seed)
    return rng.normal(size=(n, d)) * 2.0 ** (np.arange(n) % 200)[:, None]


STREAMS = {
    "blobs": lambda seed, n: blobs(seed, n),
    "sorted": lambda seed, n: np.sort(blobs(seed, n, d=2), axis=0),
    "reversed": lambda seed, n: np.sort(blobs(seed, n, d=2), axis=0)[::-1],
    "far from the origin": lambda seed, n: 1e9 + blobs(seed, n),
    "outlier first": lambda seed, n: np.vstack([np.full(3, 1e12), blobs(seed, n - 1)]),
    "two far groups": lambda seed, n: blobs(seed, n) * 1e-6 + 1e6 * grid(seed, n, 1, 2),
    "grid": grid,
    "large grid": lambda seed, n: 1e6 * grid(seed, n, d=3, side=4) + 123456789.0,
    "integers too far for float32": lambda seed, n: far_integers(seed, n, 2.0**14),
    "integers too far for float64": lambda seed, n: far_integers(seed, n, 2.0**40),
    "tenths": lambda seed, n: 0.1 * grid(seed, n, d=1, side=40),
    "tiny": lambda seed, n: blobs(seed, n) * 1e-150,
    "squares underflow": lambda seed, n: blobs(seed, n) * 1e-161,
    "huge": lambda seed, n: blobs(seed, n) * 1e150,
    "growth": growth,
    "sparse counts": lambda seed, n: np.maximum(0, grid(seed, n, d=12, side=9) - 6),
    "constant": lambda seed, n: np.full((n, 2), 3.25),
    "all zero": lambda seed, n: np.zeros((n, 2)),
}

WITHIN_FLOAT32 = sorted(set(STREAMS) - {"tiny", "squares underflow", "huge", "growth"})

STREAMS_AND_DTYPES = [
    *((stream, np.float64) for stream in STREAMS),
    *((stream, np.float32) for stream in WITHIN_FLOAT32),
]

cells = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.1, 0.2, 0.3, 1e-3, 1e8, 1e8 + 1, -0.0, 1e-300, 5e-324, 1e140]),
    st.floats(-1e3, 1e3, width=32),
)


@st.composite
def small_streams(draw):
    """Return a few rows of awkward numbers, many of them repeated."""
    d = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[cells] * d), min_size=1, max_size=25))
    order = draw(st.lists(st.sampled_from(rows), min_size=1, max_size=50))
    return np.array(order, dtype=float)


def reference_of(name, X, k, seed, **options):
    """Return what the plain loop makes of the rows of X."""
    X = np.asarray(X, dtype=np.float64)
    uniforms = uniform_numbers(np.random.RandomState(seed), len(X))
    return ALGORITHMS[name][1](X.tolist(), uniforms, k, **options)


def estimator_of(name, n, k, seed):
    """Return the unfitted estimator that should give the same."""
    return ALGORITHMS[name][0](k, n).set_params(random_state=seed)


def fit_in_chunks(estimator, X, sizes, weights=None):
    """Return the labels of all rows, read by partial_fit calls of these sizes in turn."""
    labels, start, turn = [], 0, 0
    while start < X.shape[0]:
        stop = start + sizes[turn % len(sizes)]
        some = None if weights is None else weights[start:stop]
        if turn % 2 == 0 and np.all(some == 1):  # as without
            some = None
        labels.append(estimator.partial_fit_predict(X[start:stop], sample_weight=some))
        start, turn = stop, turn + 1
    return np.concatenate(labels)


def features_in_chunks(estimator, X, sizes):
    """Return the features of each row, read by partial_fit_transform calls likewise."""
    rows, turn = [], 0
    while len(rows) < X.shape[0]:
        part = X[len(rows) : len(rows) + sizes[turn % len(sizes)]]
        rows.extend(dense(estimator.partial_fit_transform(part)))
        turn += 1
    return rows


def expected_features(encode, X, centers, ids, n_clusters):
    """Return the features of rows by centers with these ids; no others are there."""
    if encode == "local":
        return np.array([local_features(x, centers, ids, n_clusters) for x in X])
    z = cdist(X, centers)
    nearest = np.array(ids)[z.argmin(axis=1)]
    if encode == "ordinal":
        return nearest[:, None]
    features = np.zeros((len(X), n_clusters))
    if encode.startswith("onehot"):
        features[np.arange(len(X)), nearest] = 1
    elif encode == "distance":
        features[:] = z.max(axis=1, keepdims=True)  # as far as those that are there
        features[:, ids] = z
    else:
        features[:, ids] = np.maximum(0, z.mean(axis=1, keepdims=True) - z)
    return features


def local_features(x, centers, ids, n_clusters):
    """Return the local features of a sample, one of its nearest centers after the other."""
    features = np.zeros((n_clusters, len(x) + 1))
    near = sorted((squared_distance(x, c), i) for i, c in zip(ids, centers))[:4]
    by_id = dict(zip(ids, centers))
    largest = near[-1][0]
    used = near[:-1] if len(near) > 1 else near
    total = sum(largest - d2 for d2, _ in used)
    for d2, i in used:
        weight = (largest - d2) / total if total > 0 else 1 / len(used)
        features[i, 0] = weight
        for j, (a, b) in enumerate(zip(x, by_id[i]), start=1):
            if largest > 0:
                features[i, j] = weight * (2 * (a - b) / math.sqrt(largest))
    return features.ravel()


ENGINES_AND_STORAGES = [
    ("usual", "array"),
    ("tiny blocks, threads", "csr_matrix"),
    ("numpy, tiny blocks, threads", "F-order"),
]


def assert_every_engine_is_the_loop(name, X, k, seed, weights=None, **options):
    """Check that a stream in calls of other sizes by each engine is what the loop says."""
    some = None if weights is None else weights.tolist()
    expected = reference_of(name, X, k, seed, weights=some, **options)
    for (which, storage), sizes in zip(ENGINES_AND_STORAGES, ([17, 1, 30], [1], [len(X)])):
        model = estimator_of(name, len(X), k, seed).set_params(**options)
        rows = STORAGES[storage](X)
        with engine(which):
            labels = fit_in_chunks(model, rows, sizes, weights)
        assert_equals_reference(model, labels, rows, expected)


def dense(X):
    return X.toarray() if issparse(X) else np.asarray(X)


def assert_equals_reference(estimator, labels, X, expected):
    """Check that a fitted estimator is bit for bit what the reference says."""
    np.testing.assert_array_equal(labels, expected.labels)
    assert_same_stream(estimator, X, expected)
    if estimator.n_clusters is None:
        centers = dense(estimator.cluster_centers_)
        np.testing.assert_array_equal(centers, dense(estimator.online_centers_))
        assert estimator.inertia_ == expected.inertia


def assert_same_stream(estimator, X, expected):
    """Check all that an estimator knows of a stream but for labels and final clusters."""
    np.testing.assert_array_equal(estimator.opened_at_, expected.opened_at)
    centers = dense(estimator.online_centers_)
    np.testing.assert_array_equal(centers, np.reshape(expected.centers, centers.shape))
    assert centers.dtype == X.dtype
    assert estimator.facility_cost_ == expected.facility_cost
    assert estimator.n_phases_ == expected.phase
    phases = zip(estimator.phase_starts_.tolist(), estimator.facility_costs_.tolist())
    assert list(phases) == expected.phases
    assert estimator.online_inertia_ == expected.inertia
    distances = estimator.online_distances_.tolist()
    assert distances == [math.sqrt(d2) for d2 in expected.d2[-len(distances) :]]
    assert estimator.n_samples_seen_ == X.shape[0]
    np.testing.assert_array_equal(estimator.counts_, expected.counts)
    means = np.array(expected.means).astype(X.dtype)
    np.testing.assert_array_equal(dense(estimator.cluster_means_), means)
