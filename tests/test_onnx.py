"""ONNX models give the labels and features of the estimator, by onnxruntime."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from streams import blobs, dense

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    ClusterFeaturesRegressor,
    OnlineKMeans,
    SemiOnlineKMeans,
)

pytestmark = pytest.mark.slow
skl2onnx = pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onlinekmeans_sklearn.onnx")

ENCODINGS = ["onehot", "onehot-dense", "ordinal", "distance", "triangle", "local"]
NO_ZIPMAP = {"options": {"zipmap": False}}
X = blobs(0, 1000)
KIND = np.arange(len(X)) % 3
MODELS = {
    "samples": OnlineKMeans(k=40, random_state=0),
    "means": OnlineKMeans(k=40, centers="means", random_state=0),
    "theoretical": OnlineKMeans(k=3, algorithm="theoretical", random_state=0),
    "merged": OnlineKMeans(7, random_state=0),
    "to come": OnlineKMeans(k=20, max_clusters=500, random_state=0),
    "capped": OnlineKMeans(k=100, max_clusters=17, random_state=0),
    "merged to come": OnlineKMeans(5, max_clusters=60, random_state=0),
    "retired": OnlineKMeans(k=16, half_life=200, random_state=0),
    "merged retired": OnlineKMeans(4, k=16, half_life=200, random_state=0),
    "semi": SemiOnlineKMeans(k=3, random_state=0),
    "alone": OnlineKMeans(max_clusters=1, random_state=0),
    "two": OnlineKMeans(k=20, max_clusters=2, random_state=0),
    "three": OnlineKMeans(3, random_state=0),
}
each_model = pytest.mark.parametrize("name", MODELS)
each_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def moving(X):
    """Return rows that drift, so that clusters retire."""
    return X + np.linspace(0, 100, len(X))[:, None]


def session_of(graph):
    return onnxruntime.InferenceSession(graph.SerializeToString())


def outputs(model, rows, **how):
    """Return what onnxruntime computes for rows, by name."""
    session = session_of(skl2onnx.to_onnx(model, rows[:1], **how))
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": rows})))


def assert_same(model, rows, **how):
    """Check labels and features of all kinds."""
    labels = model.predict(rows)
    tolerance = 1e-9 if rows.dtype == np.float64 else 1e-6
    for encode in ENCODINGS:
        found = outputs(model.set_params(encode=encode), rows, **how)
        assert list(found) == ["label", "features"]
        np.testing.assert_array_equal(found["label"], labels)
        expected = dense(model.transform(rows))
        assert found["features"].dtype == expected.dtype
        np.testing.assert_allclose(found["features"], expected, tolerance, tolerance)


@pytest.mark.parametrize("offset", [0, 1e6])
@each_model
def test_labels_and_features_are_those_of_the_estimator(name, offset):
    rows = offset + (moving(X) if "retired" in name else X)
    model = clone(MODELS[name]).fit(rows)
    if "retired" in name:
        assert (model.counts_ == 0).any()
    assert_same(model, rows)
    assert_same(model, rows.astype(np.float32))


def ties(X):
    return np.random.RandomState(0).randint(2, size=(1000, 12)).astype(float)


def near_ties(X):
    rows = load_iris().data  # in steps of 0.1
    return np.vstack([rows, (rows[:-1] + rows[1:]) / 2])


def tight_groups_far_apart(X):
    centers = np.random.RandomState(0).normal(size=(5, 3)) * 1e6
    return X + centers[np.arange(len(X)) % 5]


@each_dtype
@pytest.mark.parametrize("stream", [ties, near_ties, tight_groups_far_apart])
def test_awkward_rows_are_labeled_alike(stream, dtype):
    rows = stream(X).astype(dtype)
    model = OnlineKMeans(k=200 if stream is ties else 80, random_state=0).fit(rows)
    d2 = np.sort(((rows[:, None] - model.cluster_centers_) ** 2).sum(axis=2))
    assert stream is not ties or (d2[:, 0] == d2[:, 1]).mean() > 0.3
    assert_same(model, rows)


@pytest.mark.parametrize("exponent", [-520, 500])
def test_tiny_and_huge_rows(exponent):
    rows = np.ldexp(X, exponent)
    with np.errstate(all="ignore"):
        model = OnlineKMeans(k=40, encode="ordinal", random_state=0).fit(rows)
        expected = model.predict(rows)
    np.testing.assert_array_equal(outputs(model, rows)["label"], expected)


@each_dtype
def test_a_sample_that_opened_a_cluster_is_at_distance_zero(dtype):
    rows = (X + 1e6).astype(dtype)
    model = OnlineKMeans(k=40, random_state=0, encode="distance").fit(rows)
    found = outputs(model, rows[model.opened_at_])["features"]
    np.testing.assert_array_equal(np.diag(found), 0)


@pytest.mark.parametrize("n_clusters", [None, 6])
def test_of_a_stream_of_other_rows(n_clusters):
    for other in (csr_array(X), X.astype(np.float32), (10 * X).astype(np.int64)):
        model = OnlineKMeans(n_clusters, random_state=0).fit(other)
        rows = dense(other)
        assert_same(model, rows.astype(np.float64))
        found = outputs(model, rows)  # int64 is an input, too, whose features are float32
        np.testing.assert_array_equal(found["label"], model.predict(rows))
        assert found["features"].shape == model.transform(rows).shape


def test_a_batch_may_have_any_number_of_rows():
    model = OnlineKMeans(k=40, random_state=0, encode="local").fit(X)
    run = session_of(skl2onnx.to_onnx(model, X[:1])).run
    for n in (0, 1, 2, 100):
        label, features = run(None, {"X": X[:n]})
        np.testing.assert_array_equal(label, model.predict(X)[:n])
        assert features.shape == (n, model.transform(X).shape[1])


@pytest.mark.parametrize("opset", [11, 13, 18, skl2onnx.get_latest_tested_opset_version()])
def test_the_opset_is_the_one_asked_for(opset):
    model = OnlineKMeans(k=40, random_state=0).fit(X)
    graph = skl2onnx.to_onnx(model, X[:1], target_opset={"": opset, "ai.onnx.ml": 1})
    assert {each.domain: each.version for each in graph.opset_import}[""] == opset
    assert_same(model, X, target_opset=opset)


def assert_classifies_alike(model, rows):
    found = outputs(model, rows, **NO_ZIPMAP)
    assert list(found) == ["label", "probabilities"]
    is_same = found["label"] == model.predict(rows)
    assert is_same.mean() >= (1 if rows.dtype == np.float64 else 0.999)
    expected = model.predict_proba(rows)
    assert np.isclose(found["probabilities"], expected, atol=1e-4).mean() >= 0.999


@each_dtype
@pytest.mark.parametrize("encode", ["onehot", "distance", "local"])
def test_in_a_pipeline_with_a_linear_model(encode, dtype):
    rows = X.astype(dtype)
    clusters = OnlineKMeans(k=40, encode=encode, random_state=0)
    for middle in (clusters, make_union(MinMaxScaler(), clusters)):
        model = make_pipeline(StandardScaler(), middle, LogisticRegression(C=1e-3))
        assert_classifies_alike(model.fit(X, KIND), rows)
    model = make_pipeline(StandardScaler(), clusters.set_params(n_clusters=9)).fit(X)
    found = outputs(model, rows)
    assert list(found) == ["label", "features"]
    is_same = found["label"] == model.predict(rows)
    assert is_same.mean() >= (1 if dtype == np.float64 else 0.999)


CLASSIFIERS = [
    ClusterFeaturesClassifier(),
    ClusterFeaturesClassifier(passthrough=False),
    ClusterFeaturesClassifier(scale_clusters=False),
    ClusterFeaturesClassifier(
        LogisticRegression(C=1e-3), SemiOnlineKMeans(encode="triangle", n_samples=1000)
    ),
    ClusterFeaturesClassifier(clusterer=make_pipeline(StandardScaler(), OnlineKMeans())),
    ClusterFeaturesClassifier(clusterer=KMeans(5)),
]


@pytest.mark.parametrize("model", CLASSIFIERS)
@pytest.mark.parametrize("classes", [KIND, np.array(["no", "yes"])[KIND % 2], KIND > 1])
def test_classifier(model, classes):
    model = model.set_params(random_state=0).fit(X, classes)
    for rows in (X, X.astype(np.float32)):
        assert_classifies_alike(model, rows)


def test_classifier_beside_many_raw_features():
    rows = np.random.RandomState(0).normal(size=(200, 101))
    model = ClusterFeaturesClassifier(random_state=0).fit(rows, KIND[:200])
    assert model.clusterer_.encode == "onehot"
    found = outputs(model, rows, **NO_ZIPMAP)
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=1e-4)


def test_classifier_of_a_stream_in_a_pipeline():
    model = ClusterFeaturesClassifier(random_state=0)
    for rows in np.array_split(np.arange(len(X)), 20):
        model.partial_fit(X[rows], KIND[rows], classes=[0, 1, 2])
    found = outputs(model, X, **NO_ZIPMAP)
    np.testing.assert_array_equal(found["label"], model.predict(X))
    model = make_pipeline(StandardScaler(), model).fit(X, KIND)
    found = outputs(model, X.astype(np.float32))  # with a dict for each row
    assert [*found["output_probability"][0]] == [0, 1, 2]


@each_dtype
@pytest.mark.parametrize("regressor", [None, Ridge()])
def test_regressor(regressor, dtype):
    model = ClusterFeaturesRegressor(regressor, random_state=0).fit(X, X[:, 0] ** 2)
    rows = X.astype(dtype)
    (found,) = outputs(model, rows).values()
    expected = model.predict(rows)
    np.testing.assert_allclose(found[:, 0], expected, 1e-4, 1e-4 * np.ptp(expected))


def test_an_unfitted_estimator_is_refused():
    for model in (OnlineKMeans(), SemiOnlineKMeans(), ClusterFeaturesRegressor()):
        with pytest.raises(NotFittedError, match=type(model).__name__):
            skl2onnx.to_onnx(model, X[:1])


def test_other_inputs_are_refused():
    model = OnlineKMeans(random_state=0).fit(X)
    message = "needs one input of float32, float64 or int64, with"
    many = pd.DataFrame(X[:1], columns=["x0", "x1", "x2"])
    for rows in (X[:1, :2], X[:1].astype(str), X[:1] > 0, many):
        with pytest.raises(ValueError, match=message):
            skl2onnx.to_onnx(model, rows)


@pytest.mark.parametrize("estimator", [OnlineKMeans, ClusterFeaturesRegressor])
def test_an_opset_that_is_too_old_is_refused(estimator):
    model = estimator(random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"needs target_opset=11 or higher\. Got 10"):
        skl2onnx.to_onnx(model, X[:1], target_opset=10)
