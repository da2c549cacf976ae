"""scikit-learn's own checks, for every configuration, with no expected failures."""

import pytest
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    ClusterFeaturesRegressor,
    OnlineKMeans,
    SemiOnlineKMeans,
)


@parametrize_with_checks(
    [
        OnlineKMeans(),
        OnlineKMeans(algorithm="theoretical"),
        OnlineKMeans(k=1),
        OnlineKMeans(k=30, n_clusters=3),
        OnlineKMeans(n_clusters=2, encode="onehot-dense", n_jobs=2),
        OnlineKMeans(algorithm="theoretical", n_clusters=3, encode="onehot-dense"),
        OnlineKMeans(max_clusters=5, encode="ordinal"),
        OnlineKMeans(n_clusters=3, max_clusters=40, encode="distance", n_jobs=2),
        OnlineKMeans(encode="distance"),
        OnlineKMeans(encode="local"),
        OnlineKMeans(n_clusters=3, encode="local"),
        SemiOnlineKMeans(encode="triangle"),
        SemiOnlineKMeans(),
        SemiOnlineKMeans(encode="onehot-dense", n_samples=1000),
        SemiOnlineKMeans(k=2, lower_bound=1.0),
        SemiOnlineKMeans(n_clusters=3, lower_bound=1e-3, n_samples=100, n_jobs=2),
        ClusterFeaturesClassifier(),
        ClusterFeaturesClassifier(
            SGDClassifier("log_loss", learning_rate="constant", eta0=1e-3, random_state=0),
            SemiOnlineKMeans(max_clusters=50, encode="triangle", random_state=0),
            passthrough=False,
        ),
        ClusterFeaturesClassifier(clusterer=OnlineKMeans(encode="local")),
        ClusterFeaturesRegressor(),
        ClusterFeaturesRegressor(
            LinearRegression(), OnlineKMeans(encode="triangle"), scale_clusters=False
        ),
    ]
)
@pytest.mark.filterwarnings(  # what these parameters and the data of the checks ask for
    "ignore:The 'k' parameter of OnlineKMeans is 1, but",
    "ignore:The 'n_samples' parameter of SemiOnlineKMeans is None in a stream started",
    "ignore:The stream of SemiOnlineKMeans now has",
    "ignore:encode='local' gives",
)
def test_estimator_is_scikit_learn_compatible(estimator, check):
    check(estimator)
