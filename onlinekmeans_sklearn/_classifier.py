"""A classifier on raw features plus cluster features, which can learn on a stream."""

import numpy as np
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.linear_model import SGDClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from ._cluster_features import ClusterFeatures, can_learn_online, model_has
from ._utils.validation import as_floats, needs_no_validation, parameter_error


class ClusterFeaturesClassifier(ClassifierMixin, ClusterFeatures):
    """Classifier on raw features plus cluster features, also on a stream.

    With both, a linear model can separate classes that no hyperplane could. `fit` works
    like a pipeline of a FeatureUnion and a classifier. With `partial_fit`, clusters and
    classifier learn from one stream, while the number of clusters grows.

    Parameters
    ----------
    classifier : estimator or None, default=None
        The classifier. None is ``SGDClassifier("log_loss", penalty=None,
        fit_intercept=False, learning_rate="invscaling", power_t=0.25)``, for which a
        constant is among the features, with an `eta0` of ``7 * log2(n_classes)``. Each row
        is weighted by 1 / its squared length, or 1 / the mean squared length if that is
        larger. So the scale of the features does not matter, and long rows do no harm.
        `partial_fit` learns in the order of the rows, so how a stream is cut does not
        matter either.
    clusterer : estimator or None, default=None
        The estimator that makes the cluster features, of the kind that its `encode` says.
        None is an :class:`OnlineKMeans` with ``encode="local"`` and the largest `k` up to
        300 that allows for at most 5000 columns and, in `fit`, at least 4 samples for each
        column. If that `k` is below 16, or there are more than 100 raw features, it is
        ``OnlineKMeans()``, with one-hot features. For `partial_fit` the clusterer must be
        an :class:`OnlineKMeans` or :class:`SemiOnlineKMeans` whose `n_clusters` is None. It
        gets the samples without feature names, so a `ColumnTransformer` must select columns
        by position.
    passthrough : bool, default=True
        Whether the model also gets the raw features, before those of the clusters.
    scale_clusters : bool, default=True
        Whether the cluster features are multiplied by `cluster_scale_`. Long features are
        learned fast, and drown short ones. So those of the clusters are short at first, as
        long as the raw ones once there are 16 rows for each raw feature, and finally 1.7
        times as long. Has no effect without `passthrough`, nor on the one-hot features that
        the default clusterer gives for many raw features.
    random_state : int, RandomState instance or None, default=None
        Seeds the model and the clusterer where their `random_state` is None. Pass an int
        for the same result every time.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
        The labels of the classes.
    clusterer_ : estimator
        The fitted clustering.
    cluster_scale_ : float
        The factor of the cluster features. With it, their mean squared length is 3 n /
        (n + 32 d) times that of the raw rows, n rows with d features so far. It is updated
        after 1, 2, 4, 8, ... rows, and 1 without `scale_clusters`.
    n_features_in_ : int
        The number of raw features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    ClusterFeaturesRegressor : The same for numbers instead of classes.
    OnlineKMeans : The default clusterer.
    sklearn.pipeline.FeatureUnion : The same for batches, as steps of a pipeline.

    Notes
    -----
    In `partial_fit` the classifier learns from the features decided online. Whenever a
    cluster opens, it gains columns, with weight 0. Only models whose weights are all in
    `coef_` can gain columns, such as `SGDClassifier` without averaging. For others, and for
    ``encode="distance"``, give the clusterer a `max_clusters`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_circles
    >>> from onlinekmeans_sklearn import ClusterFeaturesClassifier
    >>> X, y = make_circles(2000, factor=0.5, noise=0.05, random_state=0)
    >>> model = ClusterFeaturesClassifier(random_state=0)
    >>> for rows in np.split(np.arange(1000), 20):  # 1000 samples, in batches of 50
    ...     model = model.partial_fit(X[rows], y[rows], classes=[0, 1])
    >>> model.score(X[1000:], y[1000:]) > 0.95
    True
    """

    _model_name, _is_model = "classifier", staticmethod(is_classifier)

    def __init__(
        self,
        classifier=None,
        clusterer=None,
        *,
        passthrough=True,
        scale_clusters=True,
        random_state=None,
    ):
        super().__init__(clusterer, passthrough, scale_clusters, random_state)
        self.classifier = classifier

    @staticmethod
    def _default(classes):
        eta0 = 7 * np.log2(max(len(np.unique(classes)), 2))
        rate = {"learning_rate": "invscaling", "power_t": 0.25, "eta0": eta0}
        return SGDClassifier("log_loss", penalty=None, fit_intercept=False, **rate)

    @available_if(can_learn_online)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the clusters with the next batch of the stream, then the classifier.

        Needs a classifier with `partial_fit`, and ``n_clusters=None`` in the clusterer.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,) or None, default=None
            Every class label that may occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample, for the clusters and for the classifier. If None,
            all weigh 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._partial_fit(X, y, sample_weight, classes=classes)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy, the share of samples whose class is predicted correctly.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample. If None, all weigh the same.

        Returns
        -------
        score : float
            The accuracy of `predict`, from 0 to 1.
        """
        return super().score(X, y, sample_weight)

    @available_if(model_has("decision_function"))
    def decision_function(self, X):
        """Return the classifier's confidence for each sample and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive where the second is predicted.
        """
        return self._delegate("decision_function", X)

    @available_if(model_has("predict_proba"))
    def predict_proba(self, X):
        """Return the probability of each class for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._delegate("predict_proba", X)

    @available_if(model_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._delegate("predict_log_proba", X)

    def _validated(self, X, y, reset):
        """Return `X` and `y`, checked as scikit-learn does, unless they are known to pass.

        `_check_targets` is enough for labels of the same kind as `classes_`.
        """
        self._check_parts()
        if not reset and type(y) is np.ndarray and needs_no_validation(self, X):
            kind = y.dtype.kind
            if kind == self.classes_.dtype.kind != "O" and y.shape == X.shape[:1]:
                return X, y
        X, y = as_floats(self, X, y, reset=reset)
        check_classification_targets(y)
        return X, y

    def _check_targets(self, y, is_first, classes):
        """Raise ValueError for labels that are not among the classes, or for no classes."""
        if is_first and classes is None:
            expected = "array-like, with all labels, in the first call: np.unique(all_y)"
            raise parameter_error("classes", classes, expected, owner=self)
        known = np.asarray(classes if is_first else self.classes_).tolist()
        unknown = set(y.tolist()).difference(known)
        if unknown:
            raise ValueError(
                f"Got y with labels {sorted(unknown)}, but expected only classes "
                f"given in the first call of partial_fit: {known}."
            )
