"""A regressor with cluster features, for batches and on a stream."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge, SGDRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer

from onlinekmeans_sklearn import ClusterFeaturesRegressor, OnlineKMeans

random = np.random.RandomState(0)
X = random.uniform(-3, 3, size=(1500, 2))
y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.05 * random.normal(size=1500)


def learn(model, X, y, size):
    for start in range(0, len(y), size):
        model.partial_fit(X[start : start + size], y[start : start + size])
    return model


def test_clusters_follow_a_curve_that_a_plane_cannot():
    plane = Ridge().fit(X[:1000], y[:1000])
    model = ClusterFeaturesRegressor(random_state=0).fit(X[:1000], y[:1000])
    assert plane.score(X[1000:], y[1000:]) < 0.1
    assert model.score(X[1000:], y[1000:]) > 0.85


def test_on_a_stream_it_learns_before_the_end():
    model, errors = ClusterFeaturesRegressor(random_state=0), []
    for start in range(0, 1500, 50):
        part = slice(start, start + 50)
        if start:
            errors.append(np.mean((model.predict(X[part]) - y[part]) ** 2))
        model.partial_fit(X[part], y[part])
    assert np.mean(errors[-5:]) < 0.6 * y.var()  # a plane has all of it
    assert model.clusterer_.n_samples_seen_ == 1500
    assert model.regressor_.t_ == 1501


@pytest.mark.parametrize("encode", ["onehot", "triangle", "local"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix, csr_array])
def test_fit_is_a_pipeline_of_a_union_and_the_regressor(storage, encode):
    rows = storage(X)
    clusterer = OnlineKMeans(k=40, encode=encode, random_state=0)
    model = ClusterFeaturesRegressor(Ridge(), clusterer, scale_clusters=False).fit(rows, y)
    union = make_union(FunctionTransformer(accept_sparse=True), clone(clusterer))
    pipeline = make_pipeline(union, Ridge()).fit(rows, y)
    assert_allclose(model.predict(rows), pipeline.predict(rows), atol=1e-6)


@pytest.mark.parametrize("size", [1, 50])
def test_a_growing_model_is_the_one_that_had_all_columns_from_the_start(size):
    clusterer = OnlineKMeans(k=30, encode="local", random_state=0)
    capped = clone(clusterer).set_params(max_clusters=100)
    descent = SGDRegressor(random_state=0)
    grown, wide = (ClusterFeaturesRegressor(descent, c) for c in (clusterer, capped))
    for model in (grown, wide):
        learn(model, X[:200], y[:200], size)
    n_columns = grown.regressor_.n_features_in_
    assert n_columns == 2 + 3 * grown.clusterer_.n_clusters_
    coef = wide.regressor_.coef_
    assert_array_equal(grown.regressor_.coef_, coef[:n_columns])
    assert not coef[n_columns:].any()


def test_weights_count_for_clusters_and_regressor():
    weights = np.where(X[:, 0] > 0, 1.0, 0.25)
    model = ClusterFeaturesRegressor(random_state=0)
    model.partial_fit(X, y, sample_weight=weights)
    assert model.clusterer_.counts_.sum() == pytest.approx(weights.sum())
    again = ClusterFeaturesRegressor(random_state=0).partial_fit(X, y)
    assert (model.regressor_.coef_[:3] != again.regressor_.coef_[:3]).all()
    with pytest.raises(TypeError, match="takes no sample_weight"):
        model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("factor", [2.0**-30, 1.0, 2.0**30])
def test_rows_that_are_far_longer_than_others_do_no_harm(factor):
    random = np.random.RandomState(0)
    rows = random.normal(size=(2000, 8))
    target = np.tanh(rows[:, 0]) + 0.1 * random.normal(size=2000)
    rows[::100] *= 100
    model = learn(ClusterFeaturesRegressor(random_state=0), factor * rows, target, 100)
    ordinary = np.arange(2000) % 100 > 0
    assert model.score(factor * rows[ordinary], target[ordinary]) > 0.6


@pytest.mark.parametrize(
    ("rows", "target", "message"),
    [
        (X[:9], np.full(9, np.nan), "NaN"),
        (np.ones((9, 3)), y[:9], "3 features"),
        (X[:9], np.full(9, "high"), "could not convert string"),
    ],
)
def test_a_failed_call_changes_nothing(rows, target, message):
    model = learn(ClusterFeaturesRegressor(random_state=0), X, y, 300)
    before, twin = joblib.hash(vars(model)), copy.deepcopy(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(rows, target)
    assert joblib.hash(vars(model)) == before
    assert_array_equal(
        model.partial_fit(X, y).predict(X), twin.partial_fit(X, y).predict(X)
    )


def test_what_is_no_regressor_is_refused():
    expected = r"'regressor' parameter.*must be a regressor.*SGDRegressor\(\)"
    for wrong in (LogisticRegression(), Ridge, 3):
        with pytest.raises(ValueError, match=expected):
            ClusterFeaturesRegressor(wrong).fit(X, y)
    assert not hasattr(ClusterFeaturesRegressor(Ridge()), "partial_fit")
    for name in ("predict_proba", "decision_function", "classes_"):
        assert not hasattr(ClusterFeaturesRegressor().fit(X, y), name)


def test_pickles_predict_the_same():
    model = ClusterFeaturesRegressor(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.cluster_scale_ == model.cluster_scale_
