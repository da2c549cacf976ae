"""What scikit-learn users do by habit works."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from streams import blobs, dense

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    SemiOnlineKMeans,
)

ESTIMATORS = [
    OnlineKMeans(k=40, random_state=0),
    OnlineKMeans(k=3, algorithm="theoretical", random_state=0),
    OnlineKMeans(n_clusters=8, random_state=0),
    SemiOnlineKMeans(k=3, lower_bound=1.0, n_samples=1000, random_state=0),
]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.RandomState(0).permutation(len(X))
    return X.iloc[order], y.iloc[order]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_in_a_column_transformer(estimator, iris):
    X, _ = iris
    petals = [name for name in X if name.startswith("petal")]
    clusters = clone(estimator).set_params(encode="onehot-dense")
    columns = make_column_transformer((clusters, petals), remainder="passthrough")
    out = columns.set_output(transform="pandas").fit_transform(X)
    fitted = columns.transformers_[0][1]
    assert list(fitted.feature_names_in_) == petals
    assert out.shape == (len(X), fitted.n_clusters_ + 2)
    assert isinstance(columns, ColumnTransformer)
    assert out.columns[0].endswith("onlinekmeans0")


def test_in_a_grid_search(iris):
    parts = StandardScaler(), OnlineKMeans(random_state=0), SGDClassifier(random_state=0)
    grid = {
        "onlinekmeans__k": [20, 60],
        "onlinekmeans__algorithm": ["practical", "theoretical"],
        "onlinekmeans__encode": ["onehot", "onehot-dense"],
    }
    search = GridSearchCV(make_pipeline(*parts), grid, cv=3, error_score="raise").fit(*iris)
    assert search.best_score_ > 0.8
    assert len(search.cv_results_["mean_test_score"]) == 8


def test_a_grid_search_of_the_clustering_alone(iris):
    X, _ = iris
    search = GridSearchCV(OnlineKMeans(random_state=0), {"n_clusters": [2, 8]}, cv=3)
    assert search.fit(X).best_params_ == {"n_clusters": 8}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_metadata_routing_may_be_enabled(estimator, iris):
    X, y = iris
    with sklearn.config_context(enable_metadata_routing=True):
        linear = SGDClassifier(random_state=0).set_fit_request(sample_weight=True)
        linear.set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = make_pipeline(scaler, clone(estimator), linear)
        model.fit(X, y, sample_weight=np.ones(len(y)))
        assert model.score(X, y) > 0.8
        search = GridSearchCV(model, {"sgdclassifier__alpha": [1e-4, 1e-3]}, cv=3)
        assert search.fit(X, y).best_score_ > 0.8


X = blobs(0, 600)
y = (X[:, 0] > X[:, 0].mean()).astype(int)


# Whatever users do with results, the estimator stays as it is


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
@pytest.mark.parametrize("n_clusters", [None, 5])
def test_results_that_are_spoiled_do_not_spoil_the_estimator(storage, n_clusters):
    rows = storage(np.round(X))
    models = [OnlineKMeans(n_clusters, k=30, random_state=0) for _ in range(2)]
    for model in models:
        model.partial_fit(rows[:300])
    names = "cluster_centers_", "online_centers_", "cluster_means_", "online_labels_"
    names += "counts_", "opened_at_", "online_distances_"
    for name in names:
        result = getattr(models[0], name)
        arrays = (result.data, result.indices) if hasattr(result, "indices") else [result]
        for array in arrays:
            if array.flags.writeable:
                array[:] = 0
    for _ in range(2):
        for name in names:
            first, second = (dense(getattr(model, name)) for model in models)
            np.testing.assert_array_equal(first, second)
        for model in models:
            model.partial_fit(rows[300:])


# A cap, and fewer clusters than asked for


@pytest.mark.parametrize(("n_clusters", "cap"), [(50, 100), (50, 60), (20, 30), (100, 150)])
def test_a_cap_leaves_enough_online_clusters_to_merge(n_clusters, cap):
    for seed in range(5):
        model = OnlineKMeans(n_clusters, max_clusters=cap, random_state=seed).fit(X)
        assert model.n_clusters_ == n_clusters


def test_too_few_clusters_come_with_advice_that_helps():
    advice = rf"{len(X)} samples .*, increase k or read more distinct samples\."
    with pytest.warns(ConvergenceWarning, match=advice):
        OnlineKMeans(300, k=16, random_state=0).fit(X)


def test_a_cap_that_is_reached_is_named():
    model = OnlineKMeans(k=30, max_clusters=7, random_state=0).fit(X)
    model.set_params(n_clusters=9, max_clusters=None)
    with (
        pytest.warns(ConvergenceWarning, match="increase max_clusters"),
        pytest.warns(UserWarning, match="max_clusters changed"),
    ):
        model.partial_fit()


# Parts of other kinds


def test_a_classifier_whose_third_argument_is_another_one_learns_on_a_stream():
    parts = MLPClassifier(random_state=0), OnlineKMeans(max_clusters=50)
    model = ClusterFeaturesClassifier(*parts, random_state=0)
    for part in (slice(0, 200), slice(200, 600)):
        model.partial_fit(X[part], y[part], classes=[0, 1])
    np.testing.assert_array_equal(model.classes_, [0, 1])


# Words


def test_warnings_name_the_line_of_the_user_in_a_pipeline():
    pipeline = make_pipeline(OnlineKMeans(k=5, random_state=0), MaxAbsScaler())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipeline.fit(X)
    assert [warning.filename for warning in caught] == [__file__]


def test_nan_is_called_so_even_where_all_is_assumed_to_be_finite():
    bad = X.copy()
    bad[3, 0] = np.nan
    with (
        sklearn.config_context(assume_finite=True),
        pytest.raises(ValueError, match="s NaN"),
    ):
        OnlineKMeans().fit(bad)


def test_the_warning_about_a_small_k_keeps_to_the_n_clusters_that_was_given():
    with pytest.warns(UserWarning, match="For exactly 3 clusters pass n_clusters=3"):
        OnlineKMeans(3, k=8, random_state=0).fit(X)


def test_an_unknown_container_is_refused_in_scikit_learns_words():
    model = OnlineKMeans(random_state=0).fit(X)
    with pytest.raises(ValueError, match="output config must be in"):
        model.set_output(transform="numpy").transform(X)
