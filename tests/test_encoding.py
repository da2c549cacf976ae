"""What `transform` and `partial_fit_transform` return, for every encoding."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import before_step
from scipy.sparse import csr_array, csr_matrix, issparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from streams import blobs, dense, expected_features, features_in_chunks, grid

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 400, d=3)
DRIFTING = X + np.linspace(0, 100, 400)[:, None]  # so that clusters retire
DENSE = ["onehot-dense", "ordinal", "distance", "triangle"]
ENCODINGS = ["onehot", *DENSE, "local"]
LOCAL = OnlineKMeans(k=30, encode="local", random_state=0)
ESTIMATORS = [
    OnlineKMeans(k=40, random_state=0),
    OnlineKMeans(k=2, algorithm="theoretical", random_state=0),
    OnlineKMeans(n_clusters=5, random_state=0),
    OnlineKMeans(n_clusters=3, random_state=0),
    OnlineKMeans(max_clusters=300, random_state=0),
    OnlineKMeans(k=40, centers="means", max_clusters=20, random_state=0),
    OnlineKMeans(k=20, half_life=60, random_state=0),
    SemiOnlineKMeans(n_clusters=4, max_clusters=60, random_state=0),
]
each_storage = pytest.mark.parametrize("storage", [np.asarray, csr_array])
STORED = [(np.float64, csr_matrix)]
STORED += [(d, kind) for d in (np.float64, np.float32) for kind in (np.asarray, csr_array)]


@pytest.mark.filterwarnings("ignore:encode='local' gives")
@pytest.mark.parametrize(("dtype", "storage"), STORED)
@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_features_are_those_of_the_distances(estimator, encode, dtype, storage):
    forgets = getattr(estimator, "half_life", None) is not None
    rows = storage((DRIFTING if forgets else X).astype(dtype))
    model = clone(estimator).set_params(encode=encode)
    features = model.fit_transform(rows)
    ids = np.flatnonzero(model.counts_) if forgets else np.arange(model.n_clusters_)
    assert (len(ids) < model.n_clusters_ / 2) == forgets
    width = model.n_clusters or model.max_clusters or model.n_clusters_
    wide, centers = (dense(A).astype(float) for A in (rows, model.cluster_centers_))
    expected = expected_features(encode, wide, centers[ids], ids, width)
    tolerance = 1e-12 if encode == "local" else 1e-9
    tolerance = tolerance if dtype == np.float64 else max(1e-6, 1e4 * tolerance)
    np.testing.assert_allclose(dense(features), expected, rtol=tolerance, atol=tolerance)
    assert issparse(features) == (encode in ("onehot", "local"))
    assert not issparse(features) or features.has_canonical_format
    assert features.dtype == dtype
    assert len(model.get_feature_names_out()) == features.shape[1] == expected.shape[1]
    np.testing.assert_array_equal(dense(model.transform(rows)), dense(features))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n_centers=st.integers(1, 9),
    side=st.integers(1, 4),
    storage=st.sampled_from([np.asarray, csr_array]),
    encode=st.sampled_from(["local", *ENCODINGS]),
)
def test_ties_and_repeats_go_to_the_oldest(seed, n_centers, side, storage, encode):
    rows = grid(seed, 40, side=side)
    model = OnlineKMeans(k=40, max_clusters=n_centers, encode=encode, random_state=seed)
    features = model.partial_fit(storage(rows)).transform(storage(rows))
    at = dense(model.cluster_centers_), range(model.n_clusters_), n_centers
    expected = expected_features(encode, rows, *at)
    np.testing.assert_allclose(dense(features), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e9])
@each_storage
def test_features_are_right_also_far_from_the_origin(storage, offset):
    rows = storage(X + offset)
    model = OnlineKMeans(k=30, encode="distance", random_state=0).fit(rows)
    centers, ids = dense(model.cluster_centers_), range(model.n_clusters_)
    z = model.transform(model.cluster_centers_)
    assert (np.diag(z) == 0).all()
    np.testing.assert_allclose(z, cdist(centers, centers), rtol=1e-8)
    features = dense(model.set_params(encode="local").transform(rows))
    expected = expected_features("local", dense(rows), centers, ids, len(ids))
    np.testing.assert_allclose(features, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("encode", "most"), [("triangle", 1e-12), ("local", 0)])
@each_storage
def test_neither_threads_nor_the_rows_beside_change_features(storage, encode, most):
    rows = storage(blobs(1, 30_000, d=5))  # distances in more than one panel
    model = OnlineKMeans(k=100, encode=encode, random_state=0, n_jobs=1)
    whole = model.fit(rows).transform(rows)
    assert abs(model.set_params(n_jobs=2).transform(rows) - whole).max() <= most
    for start in (0, 1, 7777, 29_990):
        part = slice(start, start + 10)
        assert abs(model.transform(rows[part]) - whole[part]).max() <= most


@pytest.mark.parametrize("encode", DENSE)
def test_frames_have_the_names_of_the_features(encode):
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(400) + 7)
    model = OnlineKMeans(k=30, encode=encode, random_state=0).set_output(transform="pandas")
    out = model.fit_transform(frame)
    assert list(out.columns) == list(model.get_feature_names_out())
    assert out.columns[0] == "onlinekmeans0"
    assert (out.index == frame.index).all()
    expected = model.set_output(transform="default").transform(frame)
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_local_columns_have_the_names_of_their_cluster_and_of_the_features():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    names = clone(LOCAL).fit(frame).get_feature_names_out().tolist()
    assert names[28:32] == ["onlinekmeans7", *(f"onlinekmeans7_{name}" for name in "abc")]
    names = clone(LOCAL).fit(X).get_feature_names_out()
    assert names[:3].tolist() == ["onlinekmeans0", "onlinekmeans0_x0", "onlinekmeans0_x1"]
    with pytest.raises(ValueError, match="input_features"):
        clone(LOCAL).fit(frame).get_feature_names_out(["d", "e", "f"])


@pytest.mark.parametrize("encode", ["onehot", "local"])
@pytest.mark.parametrize("how", [lambda model: model, clone])
def test_a_frame_of_csr_is_refused_with_what_to_do_and_changes_nothing(how, encode):
    model = OnlineKMeans(k=30, encode=encode, random_state=0).set_output(transform="pandas")
    model = how(model).fit(X)
    before = joblib.hash(vars(model))
    advice = rf"Pandas output.*sparse.*encode='{encode}'.*encode='onehot-dense'"
    for method in (model.transform, model.fit_transform):
        with pytest.raises(ValueError, match=advice):
            method(X[:300])
        assert joblib.hash(vars(model)) == before
    model.set_params(encode="onehot-dense")
    assert isinstance(model.transform(X), pd.DataFrame)
    model.set_params(encode=encode).set_output(transform="default")
    assert issparse(model.transform(X))


@pytest.mark.parametrize("encode", ["onehot", "local"])
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_a_frame_of_csr_by_configuration_is_refused_too(encode, container):
    model = OnlineKMeans(k=30, encode=encode, random_state=0).fit(X)
    with sklearn.config_context(transform_output=container):
        with pytest.raises(ValueError, match="encode='onehot-dense'"):
            model.transform(X)
        model.set_output(transform=None)
        assert issparse(model.set_output(transform="default").transform(X))


@pytest.mark.parametrize("max_clusters", [1, 9, 64])
@pytest.mark.parametrize("encode", ["onehot", *DENSE])
def test_with_a_cap_the_width_is_the_same_from_the_first_row_on(encode, max_clusters):
    model = OnlineKMeans(k=20, max_clusters=max_clusters, encode=encode, random_state=0)
    width = 1 if encode == "ordinal" else max_clusters
    for rows in (X[:1], X[1:5], X[5:]):
        assert model.partial_fit_transform(rows).shape == (len(rows), width)
        assert model.transform(X).shape == (400, width)
        assert len(model.get_feature_names_out()) == width
    assert model.n_clusters_ <= max_clusters


def ids_by_row(model, rows):
    """Return the ids of the clusters that were there when each row was read."""
    retired_at, half_life = np.full(model.n_clusters_, len(rows)), model.half_life
    for end in range(half_life, len(rows), half_life) if half_life else ():
        again = clone(model).partial_fit(rows[: end + 1])
        gone = np.flatnonzero(again.counts_ == 0)
        retired_at[gone] = np.minimum(retired_at[gone], end)
    at = np.arange(len(rows))[:, None]
    return list(map(np.flatnonzero, (model.opened_at_ <= at) & (at < retired_at)))


@each_storage
@pytest.mark.parametrize("sizes", [[1], [400], [150, 3, 49]], ids=str)
@pytest.mark.parametrize("options", [{}, {"max_clusters": 300}, {"half_life": 60}], ids=str)
@pytest.mark.parametrize("encode", ENCODINGS)
def test_online_features_know_only_the_centers_that_are_there(
    encode, options, sizes, storage
):
    model = OnlineKMeans(k=20, encode=encode, random_state=0, **options)
    rows = DRIFTING if model.half_life else X
    features = features_in_chunks(model, storage(rows), sizes)
    assert (model.counts_ == 0).any() == bool(model.half_life)
    widths, centers = list(map(len, features)), dense(model.online_centers_)
    assert widths == sorted(widths)
    if sizes == [1] and encode != "ordinal":
        assert (widths[0] < widths[-1]) == (model.max_clusters is None)
    for x, found, ids in zip(rows, features, ids_by_row(model, rows)):
        width = model.max_clusters or model.n_clusters_
        (expected,) = expected_features(encode, x[None], centers[ids], ids, width)
        expected = expected[: len(found)]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    if encode == "ordinal":
        whole = clone(model).fit(rows)
        np.testing.assert_array_equal(np.ravel(features), whole.labels_)


def test_online_features_of_merged_clusters_are_refused_and_nothing_is_read():
    model = OnlineKMeans(n_clusters=3, random_state=0)
    message = r"'n_clusters' .* must be None.*max_clusters.*Got 3"
    with pytest.raises(ValueError, match=message):
        model.partial_fit_transform(X)
    assert not hasattr(model, "n_samples_seen_")


@pytest.mark.parametrize("size", [1, 50])
@pytest.mark.parametrize("encode", ["onehot", "triangle", "local"])
def test_online_features_that_fail_leave_the_stream_as_it_was(encode, size):
    def fail():
        raise MemoryError

    whole = OnlineKMeans(k=60, random_state=0).fit(X)
    model = OnlineKMeans(k=60, encode=encode, random_state=0).partial_fit(X[:100])
    for start in range(100, 400, size):
        with (
            before_step("encode_labels", fail),
            before_step("encode_distances", fail),
            before_step("encode_local", fail),
            pytest.raises(MemoryError),
        ):
            model.partial_fit_transform(X[start : start + size])
        assert model.n_samples_seen_ == start
        model.partial_fit_transform(X[start : start + size])
    np.testing.assert_array_equal(model.opened_at_, whole.opened_at_)
    np.testing.assert_array_equal(model.cluster_means_, whole.cluster_means_)


@each_storage
def test_the_smallest_distance_is_that_of_the_nearest_center_that_is_there(storage):
    rows = storage(X)
    model = OnlineKMeans(k=40, max_clusters=300, encode="distance", random_state=0)
    for start in (0, 1, 100):
        stop = max(1, start) * 2
        features = model.partial_fit_transform(rows[start:stop])
        np.testing.assert_array_equal(features.argmin(axis=1), model.online_labels_)
        features = model.transform(rows)
        np.testing.assert_array_equal(features.argmin(axis=1), model.predict(rows))
        n_clusters = model.n_clusters_
        absent, there = features[:, n_clusters:], features[:, :n_clusters]
        assert (absent == there.max(axis=1, keepdims=True)).all()
    merged = clone(model).set_params(n_clusters=250)
    with pytest.warns(ConvergenceWarning):  # fewer are there than columns
        features = merged.fit_transform(rows)
    np.testing.assert_array_equal(features.argmin(axis=1), merged.predict(rows))


def test_too_many_local_columns_warn_once_with_what_to_do():
    rows = X[:90]
    message = r"\d+ columns, 3 \+ 1 for each of \d+ clusters, from 90 samples.*than 30 "
    with pytest.warns(UserWarning, match=rf"gives {message}.*Pass a smaller k, ") as found:
        model = clone(LOCAL).fit(rows)
    assert len(found) == 1
    model.transform(rows)  # has been said
    model.partial_fit(rows)  # a stream goes on
    clone(LOCAL).set_params(encode="onehot").fit(rows)
    merged = OnlineKMeans(8, encode="local", random_state=0)
    with pytest.warns(UserWarning, match=r"8 clusters, from 90.*a smaller n_clusters"):
        merged.fit(rows)
    OnlineKMeans(7, encode="local", random_state=0).fit(rows)
