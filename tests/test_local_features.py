"""`encode="local"`: equal to a plain loop over samples and centers, in every situation."""

import math

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import squared_distance
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.base import clone
from streams import blobs, dense, features_in_chunks, grid

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 400, d=3)
MODEL = OnlineKMeans(k=30, encode="local", random_state=0)


def features_of(x, centers, ids, n_columns):
    """Return the features of a sample by centers with these ids, one after the other."""
    found = np.zeros(n_columns)
    near = sorted((squared_distance(x, c), i) for i, c in zip(ids, centers))[:4]
    by_id = dict(zip(ids, centers))
    largest = near[-1][0]
    used = near[:-1] if len(near) > 1 else near
    total = sum(largest - d2 for d2, _ in used)
    for d2, i in used:
        weight = (largest - d2) / total if total > 0 else 1 / len(used)
        first = i * (len(x) + 1)
        found[first] = weight
        for j, (a, b) in enumerate(zip(x, by_id[i])):
            if largest > 0:
                slope = 2 * (a - b) / math.sqrt(largest)
                found[first + 1 + j] = weight * slope
    return found


def assert_as_by_hand(features, rows, centers, ids, n_clusters, tolerance=1e-12):
    n_columns = n_clusters * (rows.shape[1] + 1)
    assert features.shape == (rows.shape[0], n_columns)
    rows, centers = dense(rows).astype(float), dense(centers).astype(float)
    expected = [features_of(x, centers, ids, n_columns) for x in rows]
    np.testing.assert_allclose(dense(features), expected, rtol=tolerance, atol=tolerance)


ESTIMATORS = [
    OnlineKMeans(k=30, random_state=0),
    OnlineKMeans(k=30, centers="means", random_state=0),
    OnlineKMeans(k=2, algorithm="theoretical", random_state=0),
    OnlineKMeans(n_clusters=7, random_state=0),
    OnlineKMeans(n_clusters=3, random_state=0),
    OnlineKMeans(k=20, max_clusters=60, random_state=0),
    SemiOnlineKMeans(n_clusters=4, max_clusters=60, random_state=0),
]


@pytest.mark.parametrize("storage", [np.asarray, csr_array, csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.filterwarnings("ignore:encode='local' gives")
def test_features_are_those_of_the_plain_loop(estimator, dtype, storage):
    rows = storage(X.astype(dtype))
    model = clone(estimator).set_params(encode="local")
    features = model.fit_transform(rows)
    assert issparse(features)
    assert features.has_canonical_format
    assert features.dtype == dtype
    n_clusters = model.n_clusters_
    width = model.n_clusters or model.max_clusters or n_clusters
    tolerance = 1e-12 if dtype == np.float64 else 1e-6
    centers, ids = model.cluster_centers_, range(n_clusters)
    assert_as_by_hand(features, rows, centers, ids, width, tolerance)
    assert len(model.get_feature_names_out()) == features.shape[1]
    np.testing.assert_array_equal(dense(model.transform(rows)), dense(features))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_centers=st.integers(1, 9),
    side=st.integers(1, 4),
    is_sparse=st.booleans(),
)
def test_ties_and_repeats_go_to_the_oldest(seed, n_centers, side, is_sparse):
    rows = grid(seed, 40, side=side)
    storage = csr_array if is_sparse else np.asarray
    model = OnlineKMeans(k=40, max_clusters=n_centers, encode="local", random_state=seed)
    features = model.partial_fit(storage(rows)).transform(storage(rows))
    ids = range(model.n_clusters_)
    assert_as_by_hand(features, rows, model.cluster_centers_, ids, n_centers)


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e9])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_features_are_right_also_far_from_the_origin(storage, offset):
    rows = storage(X + offset)
    model = clone(MODEL).fit(rows)
    features, n_clusters = model.transform(rows), model.n_clusters_
    centers = model.cluster_centers_
    assert_as_by_hand(features, rows, centers, range(n_clusters), n_clusters)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_neither_threads_nor_the_rows_beside_change_a_bit(storage):
    rows = blobs(1, 30_000, d=5)  # distances in more than one panel
    model = OnlineKMeans(k=100, encode="local", random_state=0, n_jobs=1)
    rows = storage(rows)
    whole = model.fit(rows).transform(rows)
    other = model.set_params(n_jobs=2).transform(rows)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(other, name), getattr(whole, name))
    for start in (0, 1, 7777, 29_990):
        part = model.transform(rows[start : start + 10])
        assert (part != whole[start : start + 10]).nnz == 0


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("sizes", [[1], [150, 3], [400]], ids=str)
@pytest.mark.parametrize("max_clusters", [None, 50])
def test_online_features_know_only_centers_so_far(max_clusters, sizes, storage):
    model = clone(MODEL).set_params(max_clusters=max_clusters)
    features = features_in_chunks(model, storage(X), sizes)
    centers, opened_at = dense(model.online_centers_), model.opened_at_
    for t in range(len(X)):
        known = np.flatnonzero(opened_at <= t)
        n_clusters = max_clusters or model.n_clusters_
        at_t = X[t : t + 1], centers[known], known.tolist(), n_clusters
        assert_as_by_hand(features[t : t + 1], *at_t)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("sizes", [[400], [37, 1]], ids=str)
def test_retired_clusters_have_features_only_while_they_lived(sizes, storage):
    drifting = np.concatenate([blobs(1, 300), 40 + blobs(2, 300), blobs(3, 300) - 40])
    model = OnlineKMeans(k=16, half_life=100, encode="local", random_state=0)
    features = features_in_chunks(model, storage(drifting), sizes)
    n_clusters, width = model.n_clusters_, 4
    assert (model.counts_ == 0).sum() > 5
    retired_at = np.full(n_clusters, len(drifting))
    for end in range(100, len(drifting), 100):  # of the epochs
        again = clone(model).partial_fit(drifting[: end + 1])
        gone = np.flatnonzero(again.counts_ == 0)
        retired_at[gone] = np.minimum(retired_at[gone], end)
    centers = dense(model.online_centers_)
    for t in range(len(drifting)):
        known = np.flatnonzero((model.opened_at_ <= t) & (t < retired_at)).tolist()
        at_t = drifting[t : t + 1], centers[known], known, n_clusters
        assert_as_by_hand(features[t : t + 1], *at_t)
    live = np.flatnonzero(model.counts_).tolist()
    final = model.transform(storage(drifting))
    assert_as_by_hand(final, drifting, centers[live], live, n_clusters)
    used = np.unique(csr_array(final).indices // width)
    assert {*used.tolist()} <= {*live}


def test_the_columns_of_a_cluster_have_its_name_and_those_of_the_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    names = clone(MODEL).fit(frame).get_feature_names_out().tolist()
    assert names[28:32] == ["onlinekmeans7", *(f"onlinekmeans7_{name}" for name in "abc")]
    names = clone(MODEL).fit(X).get_feature_names_out()
    assert names[:3].tolist() == ["onlinekmeans0", "onlinekmeans0_x0", "onlinekmeans0_x1"]
    with pytest.raises(ValueError, match="input_features"):
        MODEL.fit(frame).get_feature_names_out(["d", "e", "f"])


def test_a_frame_of_local_features_is_refused_with_what_to_do():
    model = clone(MODEL).fit(X).set_output(transform="pandas")
    with pytest.raises(ValueError, match=r"Pandas.*encode='local'.*'onehot-dense'"):
        model.transform(X)
    with sklearn.config_context(transform_output="polars"), pytest.raises(ValueError):
        clone(MODEL).fit(X).transform(X)


def test_too_many_columns_warn_once_with_what_to_do():
    rows = X[:90]
    message = r"\d+ columns, 3 \+ 1 for each of \d+ clusters, from 90 samples.*than 30 "
    with pytest.warns(UserWarning, match=rf"gives {message}.*Pass a smaller k, ") as found:
        model = clone(MODEL).fit(rows)
    assert len(found) == 1
    model.transform(rows)  # has been said
    model.partial_fit(rows)  # a stream goes on
    clone(MODEL).set_params(encode="onehot").fit(rows)
    merged = OnlineKMeans(8, encode="local", random_state=0)
    with pytest.warns(UserWarning, match=r"8 clusters, from 90.*a smaller n_clusters"):
        merged.fit(rows)
    OnlineKMeans(7, encode="local", random_state=0).fit(rows)
