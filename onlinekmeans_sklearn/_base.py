"""What the two estimators share: scikit-learn's conventions around one stream."""

import copy
from abc import abstractmethod

import numpy as np
from sklearn import get_config
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._algorithm.merge import FinalClusters, final_clusters, for_more_clusters
from ._algorithm.stream import Stream
from ._encoding import ENCODINGS, OF_LABELS, encode_distances, encode_labels
from ._fitted import FittedStream
from ._nearest import each_panel_of_distances, nearest_shared
from ._utils.callbacks import LISTENERS, CallbackSupportMixin, Reporter, with_callbacks
from ._utils.docstrings import with_shared_documentation
from ._utils.pickling import VersionedPickleMixin
from ._utils.rollback import restore_rng_on_error, unchanged_on_error
from ._utils.validation import (
    MOST_CLUSTERS,
    check_integer,
    check_n_jobs,
    check_one_of,
    parameter_error,
    validate_X,
    warn_user,
)


@with_shared_documentation
class BaseOnlineKMeans(
    VersionedPickleMixin,
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
        with unchanged_on_error(self), restore_rng_on_error(self.random_state):
            self._fit(X, y)
        return self

    @with_callbacks
    def _fit(self, X, y):
        X, stream = self._start_stream(X)
        has_callbacks = vars(self).keys() & LISTENERS
        reporter = Reporter(self, X, y, X.shape[0]) if has_callbacks else None

        def report(stream, *rows):
            reporter.tell(
                len(rows[0]), lambda: self._fitted_attributes(copy.deepcopy(stream), *rows)
            )

        self._extend(stream, X, report=report if reporter else None)
        self._merge()  # now, so that warnings belong to fit
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
        if X is None:
            self._check_call()
            attributes = self._fitted_attributes(self._stream, *self._last_rows())
            with unchanged_on_error(self):
                vars(self).update(attributes)
                self._merge()
        else:
            self._partial_fit(X)
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
        self._partial_fit(X)
        return self.online_labels_.copy()

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
        random_state = getattr(self, "_stream", self).random_state
        with unchanged_on_error(self), restore_rng_on_error(random_state):
            X = self._partial_fit(X)
            stop = self.n_samples_seen_
            return self._encode(X, positions=np.arange(stop - X.shape[0], stop))

    def predict(self, X):
        """Predict the nearest of the final centers for each sample.

        %(samples)s

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the nearest row of `cluster_centers_`, the lowest if there are several.
        """
        self._check_call()
        X = validate_X(self, X, reset=False)
        return nearest_shared(self._merge().centers, X, self.n_jobs, labels_only=True)[0]

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
        self._check_call()
        with np.errstate(over="ignore"):
            X = validate_X(self, X, reset=False)
            return -float(nearest_shared(self._merge().centers, X, self.n_jobs)[1].sum())

    def transform(self, X):
        """Encode each sample's cluster as features for another model.

        %(samples)s

        %(X_new)s
            The nearest final center, or the distances to all of them, encoded as `encode`
            says, in the dtype of `X`.
        """
        self._check_call()
        self._check_output()
        return self._encode(validate_X(self, X, reset=False))

    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        %(stream)s
        %(y)s

        %(X_new)s
            The features of the rows, by the final centers.
        """
        with unchanged_on_error(self), restore_rng_on_error(self.random_state):
            return self.fit(X, y).transform(X)

    def fit_predict(self, X, y=None):
        """Cluster the rows of `X` and return the clusters decided online.

        The same as ``fit(X).labels_``. With an int `n_clusters` these are the merged
        clusters. `predict` looks at the final centers instead, so it may differ.

        %(stream)s
        %(y)s

        %(labels)s
        """
        return super().fit_predict(X, y)

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
        """Raise an error if the estimator is not fitted or has an invalid parameter."""
        if "_stream" not in vars(self):  # else skip the check, which is slow
            check_is_fitted(self)
        self._check_params()

    def _check_columns_stay(self):
        """Raise ValueError if columns decided online would change their meaning."""
        if self.n_clusters is not None:
            expected = (
                "None in partial_fit_transform, since columns of merged clusters change "
                "their meaning (max_clusters gives a fixed number of columns)"
            )
            raise parameter_error("n_clusters", self.n_clusters, expected, owner=self)

    def _check_output(self):
        """Raise ValueError if `transform` would have to put CSR into a data frame."""
        output = getattr(self, "_output", get_config()["transform_output"])
        if self.encode == "onehot" and output in ("pandas", "polars"):
            raise ValueError(
                f"{str(output).capitalize()} output does not support sparse data, which "
                "encode='onehot' gives. Set encode='onehot-dense', or keep sparse data by "
                "set_output(transform='default')."
            )

    def _start_stream(self, X):
        """Return the validated rows and a new stream for them."""
        self._check_params()
        X = validate_X(self, X, reset=True)
        return X, self._new_stream(X.shape[0])

    def _new_stream(self, n_rows):
        """Return a new stream whose first call has `n_rows` rows."""
        cap = np.inf if self.max_clusters is None else int(self.max_clusters)
        return Stream(self._schedule(n_rows), check_random_state(self.random_state), cap)

    def _partial_fit(self, X):
        """Continue the stream, or start one, and return the validated rows."""
        if "_stream" in vars(self):
            self._check_params()
            X = validate_X(self, X, reset=False)
            self._extend(self._stream, X, is_partial=True)
            return X
        with unchanged_on_error(self):
            X, stream = self._start_stream(X)
            self._extend(stream, X, is_partial=True)
            return X

    def _extend(self, stream, X, is_partial=False, report=None):
        """Let the stream read rows, and set the fitted attributes."""
        self._warn_before_reading(stream, X.shape[0], is_partial)
        stream, labels, d2 = stream.extended(X, self.n_jobs, report)
        labels.flags.writeable = False  # users see them
        vars(self).update(self._fitted_attributes(stream, labels, d2))

    def _fitted_attributes(self, stream, labels, d2):
        """Return the attributes that a call sets, by its parameters at that time."""
        return {
            "_stream": stream,
            "_n_clusters": None if self.n_clusters is None else int(self.n_clusters),
            "_centers": self.centers,
            "_final": {},  # final clusters by `n_clusters`, computed on first use
            "online_labels_": labels,
            "_online_d2": d2,
        }

    def _last_rows(self):
        """Return the results for the rows of the last call, for `_fitted_attributes`."""
        return self.online_labels_, self._online_d2

    def _merge(self):
        """Return the final clusters, and warn the first time if they are too few."""
        n_clusters, is_new = self._n_clusters, self._n_clusters not in self._final
        final = self._final_clusters()
        if is_new and n_clusters is not None and len(final.centers) < n_clusters:
            warn_user(
                f"{self.n_samples_seen_} samples opened only {len(final.centers)} online "
                f"cluster(s), fewer than {n_clusters=}: returning them unmerged. For more, "
                f"{for_more_clusters(self._stream)}.",
                ConvergenceWarning,
            )
        return final

    def _final_clusters(self):
        """Return the final clusters, computed on first use."""
        final = self._final  # first, lest those of an old stream are kept for a new one
        if self._n_clusters is None and self._centers == "samples":
            return final_clusters(self._stream, None, "samples")
        if self._n_clusters not in final:
            made = final_clusters(
                self._stream, self._n_clusters, self._centers, self.n_jobs
            )
            final[self._n_clusters] = tuple(made)  # a plain type for pickles
        return FinalClusters(*final[self._n_clusters])

    @property
    def _n_features_out(self):
        """The width of `transform`, for `get_feature_names_out`."""
        return 1 if self.encode == "ordinal" else self._n_columns()

    def _n_columns(self):
        """Return the number of clusters that `transform` has columns for."""
        cap = self._stream.max_clusters
        if cap == np.inf:
            return self.n_clusters_
        return cap if self._n_clusters is None else self._n_clusters

    def _encode(self, X, positions=None):
        """Return the features of rows by the final centers.

        With `positions`, those of the last rows of the stream, return the features decided
        online, which do not depend on centers that opened after a row.
        """
        centers = self._merge().centers  # first: there may be more columns, but not fewer
        n_columns, opened_at = self._n_columns(), self._stream.opened_at
        if self.encode in OF_LABELS:
            labels = self.online_labels_
            if positions is None:
                labels, _ = nearest_shared(centers, X, self.n_jobs, labels_only=True)
            return encode_labels(labels, self.encode, n_columns, X.dtype)
        features = np.empty((X.shape[0], n_columns), dtype=X.dtype)

        def encode(rows, distances):
            hidden = None if positions is None else opened_at > positions[rows, None]
            features[rows] = encode_distances(
                distances, self.encode, n_columns, X.dtype, hidden
            )

        each_panel_of_distances(centers, X, encode, self.n_jobs)
        return features
