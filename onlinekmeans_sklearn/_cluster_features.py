"""What the classifier and the regressor share: raw features beside those of clusters."""

import copy
import math

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from ._base import BaseOnlineKMeans
from ._online_kmeans import OnlineKMeans
from ._state.version import VersionedStateMixin
from ._utils.calls import all_or_nothing, lock_of, unchanged_on_error
from ._utils.docstrings import named_for_users
from ._utils.rows import beside, scaled_rows, squared_norms
from ._utils.validation import as_floats, needs_no_validation, parameter_error

_NO_ROWS = 0, 0.0, 0.0, 1.0  # number of rows, squares of raw and cluster features, scale
_CONSTANT = 0.5  # beside the cluster features, if they have constants of their own
# limits of the default clusterer
_MOST_CLUSTERS, _LEAST_CLUSTERS = 300, 16
_MOST_COLUMNS, _MOST_FEATURES = 5000, 100  # of local features, and raw ones for them
_SAMPLES_PER_COLUMN = 4
# squared length of cluster features / that of n raw ones: 3 n / (n + 32 features)
_MOST_SQUARED, _ROWS_PER_FEATURE = 3, 32


def model_has(name):
    """Return a check that the model, fitted or not, has a method."""

    def check(self):
        getattr(self._parts_in_use()[1], name)  # its AttributeError says why not
        return True

    return check


def can_learn_online(self):
    """Check that the model has `partial_fit`, and the clusterer features for it."""
    clusterer, _ = self._parts_in_use()
    if not isinstance(clusterer, BaseOnlineKMeans) or clusterer.n_clusters is not None:
        raise AttributeError(
            "partial_fit needs features that are decided online. The 'clusterer' parameter "
            f"of {type(self).__name__} must be an OnlineKMeans or SemiOnlineKMeans with "
            f"n_clusters=None. Got {clusterer!r} instead."
        )
    return model_has("partial_fit")(self)


@named_for_users
class ClusterFeatures(VersionedStateMixin, MetaEstimatorMixin, BaseEstimator):
    """A clusterer, and a model that learns from raw and cluster features.

    A subclass says by `_model_name` which parameter the model is, by `_is_model` what it
    must be, and by `_default` what None stands for: a linear model trained by gradient
    descent with normalized steps, so that neither the scale of the features nor a long row
    matters.
    """

    def __init__(self, clusterer, passthrough, scale_clusters, random_state):
        self.clusterer = clusterer
        self.passthrough = passthrough
        self.scale_clusters = scale_clusters
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y):
        """Cluster the rows of `X`, then fit the model with the cluster features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : array-like of shape (n_samples,)
            The target of each sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._validated(X, y, reset=True)
        clusterer, model = self._unfitted_parts(*X.shape, y)
        clusters = clusterer.fit(X).transform(X)
        lengths, scales, means = self._measured(_NO_ROWS, X, clusters, clusterer)
        features = self._with_raw(X, clusters, scales[-1], clusterer)
        model.fit(features, y, **self._weighted(features, means[-1]))
        self._publish(clusterer, model, lengths)
        return self

    def _partial_fit(self, X, y, weights, **classes):
        with lock_of(self), unchanged_on_error(self):
            is_first = not hasattr(self, "clusterer_")
            X, y = self._validated(X, y, reset=is_first)
            self._check_targets(y, is_first, **classes)
            if is_first:
                clusterer, model = self._unfitted_parts(math.inf, X.shape[1], **classes)
            else:
                clusterer, model = self._parts_in_use()
                clusterer, model = copy.copy(clusterer), copy.deepcopy(model)
            if clusterer.encode == "distance" and clusterer.max_clusters is None:
                raise ValueError(
                    "Got a clusterer with encode='distance' and max_clusters=None, whose "
                    "new columns cannot start at 0. Set max_clusters or encode='triangle'."
                )
            clusters = clusterer.partial_fit_transform(X, sample_weight=weights)
            lengths = getattr(self, "_lengths", _NO_ROWS)
            lengths, scales, means = self._measured(lengths, X, clusters, clusterer)
            features = self._with_raw(X, clusters, scales, clusterer)
            if not is_first:
                _widen(model, features.shape[1])
                dtype = getattr(model, "coef_", features).dtype  # of the first rows
                features = features.astype(dtype, copy=False)
            weighted = self._weighted(features, means, weights)
            model.partial_fit(features, y, **classes, **weighted)
            self._publish(clusterer, model, lengths)
        return self

    def predict(self, X):
        """Return what the model predicts for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted targets.
        """
        return self._delegate("predict", X)

    def set_params(self, **params):
        """Set parameters of this estimator, or of its parts as in ``clusterer__k``.

        Parameters
        ----------
        **params : dict
            The parameters.

        Returns
        -------
        self : object
            The estimator.
        """
        for name in params:
            part, _, nested = name.partition("__")
            if nested and params.get(part, getattr(self, part, part)) is None:
                raise ValueError(
                    f"Cannot set {name}: {part}=None stands for what suits the data. Pass "
                    f"an estimator that has {nested!r}, such as clusterer=OnlineKMeans()."
                )
        return super().set_params(**params)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        clusterer, model = map(get_tags, self._parts())
        tags.input_tags.sparse = clusterer.input_tags.sparse and model.input_tags.sparse
        name = f"{self._model_name}_tags"
        setattr(tags, name, copy.copy(getattr(model, name)))
        return tags

    def _parts(self, n_samples=math.inf, n_features=1, classes=()):
        """Return clusterer and model, or what None stands for with such data."""
        clusterer, model = self.clusterer, getattr(self, self._model_name)
        if clusterer is None:
            n_columns = min(_MOST_COLUMNS, n_samples // _SAMPLES_PER_COLUMN)
            k = min(n_columns // (n_features + 1), _MOST_CLUSTERS)
            is_local = k >= _LEAST_CLUSTERS and n_features <= _MOST_FEATURES
            clusterer = OnlineKMeans(k=k, encode="local") if is_local else OnlineKMeans()
        if model is None:  # a stream is learned in its own order, however it is cut
            model = self._default(classes).set_params(shuffle=n_samples < math.inf)
        return clusterer, model

    def _parts_in_use(self):
        """Return the fitted clusterer and model, or those to be fitted."""
        if not hasattr(self, "clusterer_"):
            return self._parts()
        return self.clusterer_, getattr(self, f"{self._model_name}_")

    def _check_parts(self):
        """Raise ValueError for an invalid parameter."""
        clusterer, model = self._parts()
        if isinstance(clusterer, type) or not hasattr(clusterer, "transform"):
            expected = "an estimator with fit and transform, for example OnlineKMeans()"
            raise parameter_error("clusterer", clusterer, expected, owner=self)
        is_object = hasattr(model, "predict") and not isinstance(model, type)
        if not (is_object and self._is_model(model)):
            name, example = self._model_name, type(self._default(())).__name__
            expected = f"a {name} with fit and predict, for example {example}()"
            raise parameter_error(name, model, expected, owner=self)
        for name in ("passthrough", "scale_clusters"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise parameter_error(name, getattr(self, name), "a bool", owner=self)

    def _unfitted_parts(self, *data, **classes):
        """Return an unfitted clusterer and model, seeded by `random_state`."""
        clusterer, model = map(clone, self._parts(*data, **classes))
        if hasattr(clusterer, "set_output"):
            clusterer.set_output(transform="default")
        if self.random_state is not None:
            random_state = check_random_state(self.random_state)
            _seed(clusterer, random_state)
            _seed(model, random_state)
        return clusterer, model

    def _check_targets(self, y, is_first):
        """Raise ValueError for targets that cannot be learned."""

    @np.errstate(all="ignore")
    def _measured(self, lengths, X, clusters, clusterer):
        """Return the sums of squares with more rows added, and two figures for each row.

        The figures are the scale of its cluster features, decided anew at positions that
        are powers of two, and the mean squared length of the rows so far, scaled that way.
        Neither depends on how the stream is cut. The raw features are learned first, as
        they need the fewest rows, and then the cluster features may be longer, as a row has
        few of them.
        """
        n = lengths[0] + np.arange(1, X.shape[0] + 1, dtype=np.int64)
        norms = np.column_stack([squared_norms(X), squared_norms(clusters)])
        raw, squares = np.cumsum(np.vstack([lengths[1:3], norms]), axis=0)[1:].T
        shares = _MOST_SQUARED * n / (n + _ROWS_PER_FEATURE * X.shape[1])
        is_power, ratios = n & (n - 1) == 0, np.sqrt(shares * raw / squares)
        is_on = self.passthrough and self.scale_clusters and not self._is_wide(clusterer)
        ratios = np.where(is_on & np.isfinite(ratios) & (ratios > 0), ratios, 1.0)
        scales = np.append(lengths[-1], ratios[is_power])[is_power.cumsum()]
        lengths = int(n[-1]), *(float(each[-1]) for each in (raw, squares, scales))
        return lengths, scales, (self.passthrough * raw + scales**2 * squares) / n

    def _weighted(self, features, means, weights=None):
        """Return the argument `sample_weight` for the model, if it needs one.

        The default model takes normalized steps, as normalized least mean squares does: a
        row as long as the mean one, or longer, moves its own prediction by a share of the
        error that does not depend on its length.
        """
        if getattr(self, self._model_name) is None:
            squares, most = squared_norms(features), np.finfo(features.dtype).max
            steps = 1 / np.clip(np.fmax(squares, means), 1 / most, most)
            weights = steps if weights is None else np.multiply(weights, steps)
        return {} if weights is None else {"sample_weight": weights}

    def _publish(self, clusterer, model, lengths):
        """Store the fitted parts and what follows from them, all at once."""
        learned = {"clusterer_": clusterer, f"{self._model_name}_": model}
        if hasattr(model, "classes_"):
            learned["classes_"] = model.classes_
        vars(self).update(learned, cluster_scale_=lengths[-1], _lengths=lengths)

    def _is_wide(self, clusterer):
        """Return whether the clusterer is the default one with one-hot features."""
        return self.clusterer is None and clusterer.encode == "onehot"

    def _constant(self, clusterer):
        """Return the constant for the default model, its intercept.

        Beside one-hot features it is as long as one of them: with half of that, the share
        of each class was learned late.
        """
        return 1.0 if self._is_wide(clusterer) else _CONSTANT

    def _with_raw(self, X, clusters, scales, clusterer):
        """Return the features for the model: CSR if one of the parts is sparse.

        The default model gets a constant instead of an intercept, which scikit-learn's
        gradient descent would learn a hundred times as slowly from CSR as other weights.
        """
        if getattr(self, self._model_name) is None:
            constant = self._constant(clusterer)
            clusters = beside(np.full((X.shape[0], 1), constant, X.dtype), clusters)
        if not self.passthrough:
            return clusters
        scales = np.broadcast_to(scales, X.shape[0]).astype(X.dtype)
        return beside(X, scaled_rows(clusters, scales))

    def _delegate(self, method, X):
        """Return the result of a method of the model."""
        self._check_parts()
        check_is_fitted(self)
        if not needs_no_validation(self, X):
            X = as_floats(self, X, reset=False)
        clusters = self.clusterer_.transform(X)
        features = self._with_raw(X, clusters, self.cluster_scale_, self.clusterer_)
        return getattr(self._parts_in_use()[1], method)(features)


def _seed(estimator, random_state):
    """Give a seed to every `random_state` of the estimator that is None."""
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and (f"__{name}").endswith("__random_state"):
            estimator.set_params(**{name: random_state.randint(2**31 - 1)})


def _widen(model, n_features):
    """Add features with weight 0 to a linear model."""
    missing = n_features - model.n_features_in_
    if missing == 0:
        return
    more = [name for name in vars(model) if "coef" in name and name != "coef_"]
    if more or not isinstance(getattr(model, "coef_", None), np.ndarray):
        raise ValueError(
            f"There are {missing} new columns, as clusters have opened, but only models "
            f"whose weights are all in coef_ can gain columns. Got {model!r}. Give the "
            "clusterer a max_clusters, for a fixed number of columns from the start."
        )
    new = np.zeros((*model.coef_.shape[:-1], missing), model.coef_.dtype)
    model.coef_ = np.concatenate([model.coef_, new], axis=-1)
    model.n_features_in_ = n_features
