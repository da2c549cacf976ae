"""What the two estimators share: scikit-learn's conventions around one stream."""

import logging
from abc import abstractmethod
from functools import partial

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._algorithm.merge import for_more_clusters
from ._algorithm.random_numbers import draw_seed
from ._algorithm.stream import Stream
from ._encoding import ENCODINGS, check_output, encode_rows
from ._fitted import FittedStream
from ._nearest import nearest_shared
from ._nearest.backend import warn_once_if_slow
from ._state.fitted import Fitted
from ._utils.callbacks import (
    CALLBACK_ATTRIBUTES,
    CallbackSupportMixin,
    Reporter,
    with_callbacks,
)
from ._utils.calls import lock_of, shallow_copy, unchanged_on_error
from ._utils.docstrings import with_shared_documentation
from ._utils.validation import (
    MOST_CLUSTERS,
    check_integer,
    check_n_jobs,
    check_one_of,
    parameter_error,
    plain_parameters,
    validate_X,
    warn_of_ignored,
    warn_user,
)

_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_FEATURES = ("n_features_in_", "feature_names_in_")


@with_shared_documentation
class BaseOnlineKMeans(
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    FittedStream,
):
    """The public methods; a subclass says which schedule its parameters ask for."""

    def fit(self, X, y=None):
        """Cluster the rows of `X` as a stream of its own, in one pass.

        %(stream)s
        %(y)s

        %(self)s
        """
        with lock_of(self), unchanged_on_error(self):
            self._fit(X, y)
        return self

    @with_callbacks
    def _fit(self, X, y):
        X, start, stream = self._start_stream(X)
        has_callbacks = vars(self).keys() & CALLBACK_ATTRIBUTES
        reporter = Reporter(self, X, y, X.shape[0]) if has_callbacks else None

        def report(stream, *rows):
            fitted = self._new_fitted(None, shallow_copy(stream), rows)
            reporter.update(len(rows[0]), lambda: {**_features(start), "_fitted": fitted})

        fitted = self._read(None, stream, X, report=report if reporter else None)
        self._merge(fitted)  # now, so that warnings belong to fit
        self._publish(fitted, start)
        if reporter:
            reporter.end()

    def partial_fit(self, X=None, y=None):
        """Update the clustering with the next batch of the stream.

        However a stream is cut into batches, the result is the same.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            The next samples of the stream, in the order of the rows. If None, only the
            last step is done again, to merge the online clusters into `n_clusters`.
        %(y)s

        %(self)s
        """
        if X is not None:
            self._partial_fit(X)
            return self
        self._check_call()
        with lock_of(self):
            fitted = self._new_fitted(self._fitted, self._stream, self._fitted.last_rows)
            self._merge(fitted)
            self._fitted = fitted
        return self

    def partial_fit_predict(self, X, y=None):
        """Update the clustering and return the clusters decided online.

        %(batch)s
        %(y)s

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The online cluster of each sample, decided before the next sample was seen.
            An id never changes its meaning. With an int `n_clusters` these are still the
            online clusters; `online_to_merged_` says where they went.
        """
        return self._partial_fit(X, lambda X, fitted: fitted.last_rows[0].copy())

    def partial_fit_transform(self, X, y=None):
        """Update the clustering and return the features decided online.

        The features of a sample know of the centers up to and including its own, not of
        those that open later. Only for ``n_clusters=None``: the columns of merged
        clusters would change their meaning as the stream goes on.

        %(batch)s
        %(y)s

        %(X_new)s
            As `transform` returns them, with a column for every cluster opened so far. An
            array or CSR, whatever `set_output` says.
        """
        self._check_columns_stay()
        return self._partial_fit(X, partial(self._encode, is_online=True))

    def predict(self, X):
        """Predict the nearest of the final centers for each sample.

        %(samples)s

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the nearest row of `cluster_centers_`, the lowest if there are several.
        """
        fitted = self._check_call()
        X = validate_X(self, X, reset=False)
        return nearest_shared(self._merge(fitted).centers, X, self.n_jobs, True)[0]

    def score(self, X, y=None):
        """Return the negative k-means cost of `X` for the final centers.

        %(samples)s
        %(y)s

        Returns
        -------
        score : float
            Minus the sum of squared distances to the nearest of `cluster_centers_`;
            infinite if it is larger than any float.
        """
        fitted = self._check_call()
        with np.errstate(over="ignore"):
            X = validate_X(self, X, reset=False)
            centers = self._merge(fitted).centers
            return -float(nearest_shared(centers, X, self.n_jobs)[1].sum())

    def transform(self, X):
        """Encode each sample's cluster as features for another model.

        %(samples)s

        %(X_new)s
            The nearest final center, or the distances to all of them, encoded as `encode`
            says, in the dtype of `X`.
        """
        fitted = self._check_call()
        check_output(self)
        return self._encode(validate_X(self, X, reset=False), fitted)

    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        %(stream)s
        %(y)s

        %(X_new)s
            The features of the rows, by the final centers.
        """
        with lock_of(self), unchanged_on_error(self):
            return self.fit(X, y).transform(X)

    def fit_predict(self, X, y=None):
        """Cluster the rows of `X` and return the clusters decided online.

        The same as ``fit(X).labels_``. With an int `n_clusters` these are the merged
        clusters. `predict` looks at the final centers instead, so it may differ.

        %(stream)s
        %(y)s

        %(labels)s
        """
        with lock_of(self):
            return self.fit(X, y).labels_

    def set_output(self, *, transform=None):
        """Set the container that `transform` and `fit_transform` return.

        %(output)s
        """
        if not (transform is None or isinstance(transform, str)):
            expected = "a str among {'default', 'pandas', 'polars'} or None"
            raise parameter_error("transform", transform, expected, owner=self)
        super().set_output(transform=transform)
        if transform is not None:
            self._output = transform
        return self

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of `transform`.

        %(names)s
        """
        self._check_call()
        return super().get_feature_names_out(input_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_clone__(self):
        clone = super().__sklearn_clone__()
        if hasattr(self, "_output"):
            clone._output = self._output
        return clone

    @abstractmethod
    def _schedule(self, n_rows):
        """Return the schedule of a stream whose first call has `n_rows` rows."""

    @abstractmethod
    def _warn_before_reading(self, stream, n_rows, is_partial):
        """Warn if the parameters do not suit the rows of a `fit` or `partial_fit`."""

    def _resolved_k(self, default, for_merge):
        """Return `k`, or for "auto" the default, or the one for a merge into `n_clusters`.

        With `max_clusters` it is at most half of that, or twice `n_clusters` if larger.
        """
        if self.k != "auto":
            return int(self.k)
        k = default if self.n_clusters is None else for_merge(int(self.n_clusters))
        if self.max_clusters is None:
            return k
        return min(k, max((int(self.max_clusters) + 1) // 2, 2 * int(self.n_clusters or 0)))

    def _check_params(self):
        """Raise ValueError for an invalid parameter."""
        check_integer("n_clusters", self.n_clusters, [None], MOST_CLUSTERS, owner=self)
        check_integer("k", self.k, ["auto"], owner=self)
        check_integer("max_clusters", self.max_clusters, [None], MOST_CLUSTERS, owner=self)
        check_one_of("centers", self.centers, ("samples", "means"), owner=self)
        check_one_of("encode", self.encode, ENCODINGS, owner=self)
        check_n_jobs(self.n_jobs, owner=self)
        caps = self.n_clusters, self.max_clusters
        if None not in caps and self.n_clusters > self.max_clusters:
            expected = (
                f"no smaller than n_clusters={self.n_clusters}: the online clusters, at "
                "most max_clusters, are merged into n_clusters"
            )
            raise parameter_error("max_clusters", self.max_clusters, expected, owner=self)

    def _check_call(self):
        """Return what was learned; raise an error if that, or a parameter, is not there."""
        if "_fitted" not in vars(self):  # else skip the check, which is slow
            check_is_fitted(self)
        self._check_params()
        return self._fitted

    def _check_columns_stay(self):
        """Raise ValueError if columns decided online would change their meaning."""
        if self.n_clusters is not None:
            expected = (
                "None in partial_fit_transform, since columns of merged clusters change "
                "their meaning (max_clusters gives a fixed number of columns)"
            )
            raise parameter_error("n_clusters", self.n_clusters, expected, owner=self)

    def _start_stream(self, X):
        """Return the validated rows, a copy that knows their features, and a new stream."""
        self._check_params()
        start = shallow_copy(self)  # nothing of this estimator changes before it has read
        X = validate_X(start, X, reset=True)
        return X, start, self._new_stream(X.shape[0])

    def _new_stream(self, n_rows):
        """Return a new stream whose first call has `n_rows` rows."""
        warn_once_if_slow()
        cap = np.inf if self.max_clusters is None else int(self.max_clusters)
        return Stream(self._schedule(n_rows), draw_seed(self.random_state), cap)

    def _partial_fit(self, X, result=lambda X, fitted: fitted):
        """Continue the stream, or start one, and return a result.

        That is a function of the validated rows and of what is known then, and is called
        before anything changes.
        """
        with lock_of(self):
            before = vars(self).get("_fitted")
            if before is None:
                with unchanged_on_error(self):
                    X, start, stream = self._start_stream(X)
                    fitted = self._read(None, stream, X, is_partial=True)
                    returned = result(X, fitted)
                    self._publish(fitted, start)
                return returned
            self._check_params()
            X = validate_X(self, X, reset=False)
            fitted = self._read(before, before.stream, X, is_partial=True)
            returned = result(X, fitted)
            if self._fitted is not before:
                raise RuntimeError(
                    f"This {type(self).__name__} has read other rows while partial_fit was "
                    "reading, so these rows were not taken: do not call fit or partial_fit "
                    "in a signal handler or callback during such a call."
                )
            self._fitted = fitted
            return returned

    def _read(self, before, stream, X, is_partial=False, report=None):
        """Let the stream read rows, and return what is known then."""
        self._warn_before_reading(stream, X.shape[0], is_partial)
        extended, labels, d2 = stream.extend(X, self.n_jobs, report)
        self._log_phases(stream, extended)
        labels.flags.writeable = False  # users see them
        return self._new_fitted(before, extended, (labels, d2))

    def _log_phases(self, before, after):
        for phase in after.schedule.phases[len(before.schedule.phases) :]:
            _LOGGER.info("New phase after %d samples, with facility cost %g", *phase)

    def _new_fitted(self, before, stream, last_rows):
        """Return what a call has learned, by its parameters at that time."""
        parameters = {name: getattr(self, name) for name in self._read_at_start}
        if before is not None and parameters != before.start_parameters:
            warn_of_ignored(parameters, before.start_parameters)
        n_clusters = None if self.n_clusters is None else int(self.n_clusters)
        parameters = before.start_parameters if before else plain_parameters(parameters)
        return Fitted(stream, n_clusters, self.centers, parameters, last_rows)

    def _publish(self, fitted, start):
        """Take over what was learned and the features, in one assignment.

        So neither a signal handler nor another thread sees a mixture.
        """
        kept = {name: vars(self)[name] for name in vars(self) if name not in _FEATURES}
        self.__dict__ = {**kept, **_features(start), "_fitted": fitted}

    def _merge(self, fitted):
        """Return the final clusters, and warn the first time if they are too few."""
        n_clusters, is_new = fitted.n_clusters, fitted.final is None
        final = fitted.final_clusters(self.n_jobs)
        if is_new and n_clusters is not None and len(final.centers) < n_clusters:
            warn_user(
                f"{fitted.stream.n_seen} samples opened only {len(final.centers)} online "
                f"cluster(s), fewer than {n_clusters=}: returning them unmerged. For more, "
                f"{for_more_clusters(fitted.stream)}.",
                ConvergenceWarning,
            )
        return final

    @property
    def _n_features_out(self):
        """The width of `transform`, for `get_feature_names_out`."""
        return 1 if self.encode == "ordinal" else self._n_columns(self._fitted)

    def _n_columns(self, fitted):
        """Return the number of clusters that `transform` has columns for."""
        n_online, cap = len(fitted.stream.centers), fitted.stream.max_clusters
        if cap == np.inf:
            return min(n_online, fitted.n_clusters or n_online)
        return fitted.n_clusters or cap

    def _encode(self, X, fitted, is_online=False):
        """Return the features of rows, or, of the last ones, those decided online."""
        centers, n_columns = self._merge(fitted).centers, self._n_columns(fitted)
        decided = (fitted.stream, fitted.last_rows[0]) if is_online else None
        return encode_rows(X, centers, self.encode, n_columns, self.n_jobs, decided)


def _features(estimator):
    """Return the attributes about features that an estimator has."""
    return {name: vars(estimator)[name] for name in _FEATURES if name in vars(estimator)}
