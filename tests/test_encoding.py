"""What `transform` and `partial_fit_transform` return, for every encoding."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from inside import before_step
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from streams import blobs, dense, features_in_chunks

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 400, d=3)
DENSE = ["onehot-dense", "ordinal", "distance", "triangle"]
ENCODINGS = ["onehot", *DENSE]
ESTIMATORS = [
    OnlineKMeans(k=40, random_state=0),
    OnlineKMeans(k=2, algorithm="theoretical", random_state=0),
    OnlineKMeans(n_clusters=5, random_state=0),
    OnlineKMeans(max_clusters=300, random_state=0),
    OnlineKMeans(k=40, centers="means", max_clusters=20, random_state=0),
    SemiOnlineKMeans(n_clusters=4, max_clusters=60, random_state=0),
]


def expected_features(encode, z, n_columns):
    """Return the features of samples, from their distances to the centers."""
    n, k = z.shape
    features = np.zeros((n, n_columns))
    if encode == "ordinal":
        return z.argmin(axis=1)[:, None]
    if encode.startswith("onehot"):
        features[np.arange(n), z.argmin(axis=1)] = 1
    elif encode == "distance":
        features[:] = z.max(axis=1, keepdims=True)  # as far as those that are there
        features[:, :k] = z
    else:
        for i, j in np.ndindex(n, k):
            features[i, j] = max(0, z[i].mean() - z[i, j])
    return features


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_features_are_those_of_the_distances(estimator, encode, dtype, storage):
    rows = storage(X.astype(dtype))
    model = clone(estimator).set_params(encode=encode)
    features = model.fit_transform(rows)
    z = cdist(dense(rows).astype(float), dense(model.cluster_centers_))
    width = model.n_clusters or model.max_clusters or model.n_clusters_
    assert issparse(features) == (encode == "onehot")
    assert features.dtype == dtype
    expected = expected_features(encode, z, width)
    tolerance = {np.float64: 1e-9, np.float32: 1e-5}[dtype]
    np.testing.assert_allclose(dense(features), expected, rtol=tolerance, atol=tolerance)
    assert len(model.get_feature_names_out()) == features.shape[1] == expected.shape[1]
    np.testing.assert_array_equal(dense(model.transform(rows)), dense(features))


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e9])
@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_distances_are_right_also_far_from_the_origin(storage, offset):
    rows = storage(X + offset)
    model = OnlineKMeans(k=60, encode="distance", random_state=0).fit(rows)
    centers = model.cluster_centers_
    z = model.transform(centers)
    assert (np.diag(z) == 0).all()
    np.testing.assert_allclose(z, cdist(dense(centers), dense(centers)), rtol=1e-8)


def test_distances_do_not_depend_on_threads_or_panels():
    rows = blobs(1, 5000, d=5)  # distances in more than one panel
    model = OnlineKMeans(k=100, encode="triangle", random_state=0, n_jobs=1).fit(rows)
    one = model.transform(rows)
    np.testing.assert_allclose(model.set_params(n_jobs=2).transform(rows), one, atol=1e-12)
    parts = [model.transform(part) for part in np.split(rows, 10)]
    np.testing.assert_allclose(np.vstack(parts), one, atol=1e-12)


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


@pytest.mark.parametrize("how", [lambda model: model, clone])
def test_a_frame_of_csr_is_refused_with_what_to_do_and_changes_nothing(how):
    model = OnlineKMeans(k=30, random_state=0).set_output(transform="pandas")
    model = how(model).fit(X)
    before = joblib.hash(vars(model))
    advice = r"Pandas output.*sparse.*encode='onehot-dense'"
    for method in (model.transform, model.fit_transform):
        with pytest.raises(ValueError, match=advice):
            method(X[:100])
        assert joblib.hash(vars(model)) == before
    model.set_params(encode="onehot-dense")
    assert isinstance(model.transform(X), pd.DataFrame)
    model.set_params(encode="onehot").set_output(transform="default")
    assert issparse(model.transform(X))


def test_a_frame_of_csr_by_configuration_is_refused_too():
    model = OnlineKMeans(k=30, random_state=0).fit(X)
    with sklearn.config_context(transform_output="pandas"):
        with pytest.raises(ValueError, match="encode='onehot-dense'"):
            model.transform(X)
        model.set_output(transform=None)
        assert issparse(model.set_output(transform="default").transform(X))


@pytest.mark.parametrize("max_clusters", [1, 9, 64])
@pytest.mark.parametrize("encode", ENCODINGS)
def test_with_a_cap_the_width_is_the_same_from_the_first_row_on(encode, max_clusters):
    model = OnlineKMeans(k=20, max_clusters=max_clusters, encode=encode, random_state=0)
    width = 1 if encode == "ordinal" else max_clusters
    for rows in (X[:1], X[1:5], X[5:]):
        assert model.partial_fit_transform(rows).shape == (len(rows), width)
        assert model.transform(X).shape == (400, width)
        assert len(model.get_feature_names_out()) == width
    assert model.n_clusters_ <= max_clusters


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("sizes", [[1], [150, 3]], ids=str)
@pytest.mark.parametrize("encode", ENCODINGS)
def test_online_features_know_only_the_centers_up_to_their_own(encode, sizes, storage):
    model = OnlineKMeans(k=40, max_clusters=300, encode=encode, random_state=0)
    features = features_in_chunks(model, storage(X), sizes)
    centers = dense(model.online_centers_)
    for t in range(len(X)):
        visible = model.opened_at_ <= t
        z = cdist(X[t : t + 1], centers[visible])
        expected = expected_features(encode, z, 300)
        np.testing.assert_allclose(features[t : t + 1], expected, rtol=1e-9, atol=1e-9)
    if encode == "ordinal":
        whole = OnlineKMeans(k=40, max_clusters=300, random_state=0).fit(X)
        np.testing.assert_array_equal(features[:, 0], whole.labels_)


def test_online_features_of_merged_clusters_are_refused_and_nothing_is_read():
    model = OnlineKMeans(n_clusters=3, random_state=0)
    message = r"'n_clusters' .* must be None.*max_clusters.*Got 3"
    with pytest.raises(ValueError, match=message):
        model.partial_fit_transform(X)
    assert not hasattr(model, "n_samples_seen_")


def test_width_without_a_cap_grows_with_the_clusters():
    model = OnlineKMeans(k=40, random_state=0)
    widths = [model.partial_fit_transform(part).shape[1] for part in np.split(X, 40)]
    assert widths == sorted(widths)
    assert widths[-1] == model.n_clusters_ > widths[0]


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


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
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
