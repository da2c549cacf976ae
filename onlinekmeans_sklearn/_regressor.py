"""A regressor on raw features plus cluster features, which can learn on a stream."""

from sklearn.base import RegressorMixin, is_regressor
from sklearn.linear_model import SGDRegressor
from sklearn.utils.metaestimators import available_if

from ._classifier import ClusterFeaturesClassifier
from ._cluster_features import ClusterFeatures, can_learn_online
from ._utils.docstrings import documented_like
from ._utils.validation import as_floats


@documented_like(ClusterFeaturesClassifier)
class ClusterFeaturesRegressor(RegressorMixin, ClusterFeatures):
    """Regressor on raw features plus cluster features, also on a stream.

    With both, a linear model can follow a curve: its slope may differ from cluster to
    cluster. `fit` works like a pipeline of a FeatureUnion and a regressor. With
    `partial_fit`, clusters and regressor learn from one stream, while the number of
    clusters grows.

    Parameters
    ----------
    regressor : estimator or None, default=None
        The regressor. None is ``SGDRegressor(penalty=None, fit_intercept=False, eta0=1)``,
        for which a constant is among the features. Each row is weighted by 1 / its squared
        length, or 1 / the mean squared length if that is larger. So the scale of the
        features does not matter, and long rows do no harm. `partial_fit` learns in the
        order of the rows, so how a stream is cut does not matter either.
    %(clusterer)s
    %(passthrough)s
    %(scale_clusters)s
    %(random_state)s

    Attributes
    ----------
    regressor_ : estimator
        The fitted regressor.
    clusterer_ : estimator
        The fitted clustering.
    cluster_scale_ : float
        As that of :class:`ClusterFeaturesClassifier`.
    n_features_in_ : int
        The number of raw features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    ClusterFeaturesClassifier : The same for classes, with notes for both.
    OnlineKMeans : The default clusterer.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinekmeans_sklearn import ClusterFeaturesRegressor
    >>> X = np.random.RandomState(0).uniform(-3, 3, size=(2000, 1))
    >>> y = np.sin(2 * X[:, 0])
    >>> model = ClusterFeaturesRegressor(random_state=0).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.95
    True
    """

    _model_name, _is_model = "regressor", staticmethod(is_regressor)

    def __init__(
        self,
        regressor=None,
        clusterer=None,
        *,
        passthrough=True,
        scale_clusters=True,
        random_state=None,
    ):
        super().__init__(clusterer, passthrough, scale_clusters, random_state)
        self.regressor = regressor

    @staticmethod
    def _default(_):
        return SGDRegressor(penalty=None, fit_intercept=False, eta0=1.0)

    @available_if(can_learn_online)
    def partial_fit(self, X, y, sample_weight=None):
        """Update the clusters with the next batch of the stream, then the regressor.

        Needs a regressor with `partial_fit`, and ``n_clusters=None`` in the clusterer.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample, for the clusters and for the regressor. If None, all
            weigh 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._partial_fit(X, y, sample_weight)

    def score(self, X, y, sample_weight=None):
        """Return the coefficient of determination, R^2, of the predictions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample. If None, all weigh the same.

        Returns
        -------
        score : float
            At most 1; 0 for a model that always predicts the mean of `y`.
        """
        return super().score(X, y, sample_weight)

    def _validated(self, X, y, reset):
        """Return `X` and `y`, checked as scikit-learn does."""
        self._check_parts()
        return as_floats(self, X, y, reset=reset, y_numeric=True)
