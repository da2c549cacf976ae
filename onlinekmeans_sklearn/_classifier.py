"""A classifier on raw features plus cluster features, which can learn on a stream."""

import copy

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    clone,
    is_classifier,
)
from sklearn.linear_model import SGDClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._base import BaseOnlineKMeans
from ._online_kmeans import OnlineKMeans
from ._state.version import VersionedStateMixin
from ._utils.calls import lock_of, takes_no_weights, unchanged_on_error
from ._utils.rows import side_by_side
from ._utils.validation import as_floats, needs_no_validation, parameter_error


def _classifier_has(name):
    """Return a check that the classifier, fitted or not, has a method."""

    def check(self):
        classifier = getattr(self, "classifier_", self._parts()[1])
        getattr(classifier, name)  # its AttributeError says why not
        return True

    return check


def _can_learn_online(self):
    """Check that the classifier has `partial_fit`, and the clusterer features for it."""
    clusterer = getattr(self, "clusterer_", self._parts()[0])
    if not isinstance(clusterer, BaseOnlineKMeans) or clusterer.n_clusters is not None:
        raise AttributeError(
            "partial_fit needs features that are decided online. The 'clusterer' parameter "
            f"of {type(self).__name__} must be an OnlineKMeans or SemiOnlineKMeans with "
            f"n_clusters=None. Got {clusterer!r} instead."
        )
    return _classifier_has("partial_fit")(self)


class ClusterFeaturesClassifier(
    VersionedStateMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator
):
    """Classifier on raw features plus cluster features, also on a stream.

    With both, a linear model can separate classes that no hyperplane could. `fit` works as
    a pipeline of a FeatureUnion and a classifier does. With `partial_fit`, clusters and
    classifier learn from one stream, while the number of clusters grows.

    Parameters
    ----------
    classifier : estimator or None, default=None
        The classifier. None is that of the paper's experiments:
        ``SGDClassifier(loss="squared_error", learning_rate="invscaling", eta0=0.01,
        power_t=0.25)``. Scale features to roughly unit variance.
    clusterer : estimator or None, default=None
        What makes the cluster features; its `encode` says which. None is
        ``OnlineKMeans()``. For `partial_fit` it must be an :class:`OnlineKMeans` or
        :class:`SemiOnlineKMeans` whose `n_clusters` is None. It gets the samples without
        the names of their features, so a `ColumnTransformer` must select columns by number.
    passthrough : bool, default=True
        Whether the classifier sees the raw features, too, before those of the clusters.
    random_state : int, RandomState instance or None, default=None
        Seeds the classifier and the clusterer where their `random_state` is None. Pass
        an int for the same result every time.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier.
    clusterer_ : estimator
        The fitted clustering.
    classes_ : ndarray of shape (n_classes,)
        The labels of the classes.
    n_features_in_ : int
        The number of raw features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` has string names for all of them.

    See Also
    --------
    OnlineKMeans : The clusters.
    sklearn.pipeline.FeatureUnion : The same for batches, as steps of a pipeline.

    Notes
    -----
    In `partial_fit` the classifier learns from the features decided online. When a cluster
    opens, it gets one more column, with weight 0. Only classifiers whose weights are all
    in `coef_` can gain columns, such as `SGDClassifier` without averaging. For others, and
    for ``encode="distance"``, give the clusterer a `max_clusters`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_circles
    >>> from onlinekmeans_sklearn import ClusterFeaturesClassifier
    >>> X, y = make_circles(2000, factor=0.5, noise=0.05, random_state=0)
    >>> model = ClusterFeaturesClassifier(random_state=0)
    >>> for rows in np.split(np.arange(1000), 20):  # 1000 samples, in pieces of 50
    ...     model = model.partial_fit(X[rows], y[rows], classes=[0, 1])
    >>> model.score(X[1000:], y[1000:]) > 0.95
    True
    """

    def __init__(
        self, classifier=None, clusterer=None, *, passthrough=True, random_state=None
    ):
        self.classifier = classifier
        self.clusterer = clusterer
        self.passthrough = passthrough
        self.random_state = random_state

    @takes_no_weights
    def fit(self, X, y):
        """Cluster the rows of `X`, then fit the classifier with the cluster features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : array-like of shape (n_samples,)
            The classes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with lock_of(self), unchanged_on_error(self):
            X, y = self._validated(X, y, reset=True)
            clusterer, classifier = self._unfitted_parts()
            features = self._with_raw(X, clusterer.fit(X).transform(X))
            self._publish(clusterer, classifier.fit(features, y))
        return self

    @available_if(_can_learn_online)
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
            What each sample counts, for the clusters and for the classifier. If None, all
            count 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with lock_of(self):
            if hasattr(self, "classifier_"):
                self._partial_fit(X, y, classes, sample_weight, is_first=False)
            else:
                with unchanged_on_error(self):
                    self._partial_fit(X, y, classes, sample_weight, is_first=True)
        return self

    def _partial_fit(self, X, y, classes, weights, is_first):
        X, y = self._validated(X, y, reset=is_first)
        self._check_classes(y, classes, is_first)
        if is_first:
            clusterer, classifier = self._unfitted_parts()
        else:
            clusterer = copy.copy(self.clusterer_)
            classifier = copy.deepcopy(self.classifier_)
        if clusterer.encode == "distance" and clusterer.max_clusters is None:
            raise ValueError(
                "Got a clusterer with encode='distance' and max_clusters=None, whose new "
                "columns would not have been 0 so far: for partial_fit pass max_clusters "
                "to the clusterer, or encode='triangle'."
            )
        weighted = {} if weights is None else {"sample_weight": weights}
        features = self._with_raw(X, clusterer.partial_fit_transform(X, **weighted))
        if not is_first:
            _widen(classifier, features.shape[1])
        classifier.partial_fit(features, y, classes=classes, **weighted)
        self._publish(clusterer, classifier)

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted classes.
        """
        return self._delegate("predict", X)

    def score(self, X, y, sample_weight=None):
        """Return the share of samples whose class is predicted, the accuracy.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            What each sample counts. If None, all count the same.

        Returns
        -------
        score : float
            The accuracy of `predict`, from 0 to 1.
        """
        return super().score(X, y, sample_weight)

    @available_if(_classifier_has("decision_function"))
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

    @available_if(_classifier_has("predict_proba"))
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

    @available_if(_classifier_has("predict_log_proba"))
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [get_tags(part) for part in self._parts()]
        tags.input_tags.sparse = all(part.input_tags.sparse for part in inner)
        tags.classifier_tags = copy.copy(inner[1].classifier_tags)
        return tags

    def _parts(self):
        """Return `clusterer` and `classifier`, or what None stands for."""
        clusterer, classifier = self.clusterer, self.classifier
        if clusterer is None:
            clusterer = OnlineKMeans()
        if classifier is None:
            rate = {"learning_rate": "invscaling", "eta0": 0.01, "power_t": 0.25}
            classifier = SGDClassifier(loss="squared_error", **rate)
        return clusterer, classifier

    def _validated(self, X, y, reset):
        """Return `X` and `y`, checked as scikit-learn does, unless they are known to pass.

        `_check_classes` is enough for labels of the same kind as `classes_`.
        """
        self._check_parts()
        if not reset and type(y) is np.ndarray and needs_no_validation(self, X):
            kind = y.dtype.kind
            if kind == self.classes_.dtype.kind != "O" and y.shape == X.shape[:1]:
                return X, y
        X, y = as_floats(self, X, y, reset=reset)
        check_classification_targets(y)
        return X, y

    def _check_parts(self):
        """Raise ValueError for an invalid parameter."""
        clusterer, classifier = self._parts()
        if isinstance(clusterer, type) or not hasattr(clusterer, "transform"):
            expected = "an estimator with fit and transform, for example OnlineKMeans()"
            raise parameter_error("clusterer", clusterer, expected, owner=self)
        is_object = hasattr(classifier, "predict") and not isinstance(classifier, type)
        if not (is_object and is_classifier(classifier)):
            expected = "a classifier with fit and predict, for example SGDClassifier()"
            raise parameter_error("classifier", classifier, expected, owner=self)
        if not isinstance(self.passthrough, (bool, np.bool_)):
            raise parameter_error("passthrough", self.passthrough, "a bool", owner=self)

    def _check_classes(self, y, classes, is_first):
        """Raise ValueError for labels that are not among the classes, or for no classes."""
        if is_first and classes is None:
            expected = (
                "array-like, every class label that may occur, in the first call of "
                "partial_fit, for example np.unique(all_y)"
            )
            raise parameter_error("classes", classes, expected, owner=self)
        known = np.asarray(classes if is_first else self.classes_).tolist()
        unknown = set(y.tolist()).difference(known)
        if unknown:
            raise ValueError(
                f"Got y with labels {sorted(unknown)}, but expected some of the classes "
                f"given in the first call of partial_fit: {known}."
            )

    def _unfitted_parts(self):
        """Return an unfitted clusterer and classifier, seeded by `random_state`."""
        clusterer, classifier = map(clone, self._parts())
        if hasattr(clusterer, "set_output"):
            clusterer.set_output(transform="default")
        if self.random_state is not None:
            random_state = check_random_state(self.random_state)
            _seed(clusterer, random_state)
            _seed(classifier, random_state)
        return clusterer, classifier

    def _publish(self, clusterer, classifier):
        """Take over the fitted parts, at once."""
        parts = {"clusterer_": clusterer, "classifier_": classifier}
        vars(self).update(parts, classes_=classifier.classes_)

    def _with_raw(self, X, clusters):
        """Return the features for the classifier: CSR if one of the parts is sparse."""
        if not self.passthrough:
            return clusters
        if issparse(X) or issparse(clusters):
            if X.shape[0] == 1:
                return side_by_side(X, clusters)
            return csr_matrix(hstack([X, clusters], format="csr"))
        return np.hstack([X, clusters])

    def _delegate(self, method, X):
        """Return the result of a method of the classifier."""
        self._check_parts()
        check_is_fitted(self)
        if not needs_no_validation(self, X):
            X = as_floats(self, X, reset=False)
        features = self._with_raw(X, self.clusterer_.transform(X))
        return getattr(self.classifier_, method)(features)


def _seed(estimator, random_state):
    """Give a seed to every `random_state` of the estimator that is None."""
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and (f"__{name}").endswith("__random_state"):
            estimator.set_params(**{name: random_state.randint(2**31 - 1)})


def _widen(classifier, n_features):
    """Add features with weight 0 to a linear classifier."""
    missing = n_features - classifier.n_features_in_
    if missing == 0:
        return
    others = [name for name in vars(classifier) if "coef" in name and name != "coef_"]
    if others or not isinstance(getattr(classifier, "coef_", None), np.ndarray):
        raise ValueError(
            f"{missing} clusters have opened since the last call, but only classifiers "
            f"whose weights are all in coef_ can gain columns, not {classifier!r}. Give "
            "the clusterer a max_clusters, for as many columns from the start."
        )
    classifier.coef_ = np.pad(classifier.coef_, ((0, 0), (0, missing)))
    classifier.n_features_in_ = n_features
