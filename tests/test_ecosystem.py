"""What scikit-learn users do by habit works."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

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
