"""What the two estimators share: scikit-learn's conventions around one stream."""

from functools import partial

import numpy as np
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)

from ._encoding import LABEL_ENCODINGS, check_output, encode_labels, encode_rows
from ._nearest import nearest_shared
from ._reading import StreamReader, known_features
from ._utils.callbacks import CallbackSupportMixin, reporter_for, with_callbacks
from ._utils.calls import all_or_nothing, lock_of, shallow_copy
from ._utils.docstrings import named_for_users
from ._utils.validation import check_parameters, parameter_error, validate_X


@named_for_users
class BaseOnlineKMeans(
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    StreamReader,
):
    """The public methods, and the parameters that both estimators have."""

    def __init__(self, n_clusters, k, centers, max_clusters, encode, n_jobs, random_state):
        self.n_clusters = n_clusters
        self.k = k
        self.centers = centers
        self.max_clusters = max_clusters
        self.encode = encode
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y=None):
        """Cluster the rows of `X` as a new stream, in one pass.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_params()
        X, known, stream = self._begin(X)
        reporter = reporter_for(self, X, y, X.shape[0])

        def report(stream, *rows):
            fitted = self._new_fitted(None, shallow_copy(stream), rows)
            attributes = {**known_features(known), "_fitted": fitted}
            reporter.update(len(rows[0]), lambda: attributes)

        fitted = self._read(None, stream, X, report=report if reporter else None)
        fitted.final_clusters(self.n_jobs, warns=True)  # here, and not when it is used
        self._warn_after_fit(fitted)
        self._publish(fitted, known)
        if reporter:
            reporter.end()
        return self

    def partial_fit(self, X=None, y=None, sample_weight=None):
        """Update the clustering with the next batch of the stream.

        However a stream is cut into batches, the result is the same.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            The next samples of the stream, in the order of the rows. If None, read nothing
            and only merge the online clusters into `n_clusters` again.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample: one of weight 3 counts as much as three of weight 1.
            A sample of weight 0 gets a cluster and changes nothing. If None, all weigh 1.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if X is not None:
            self._partial_fit(X, sample_weight)
            return self
        self._check_call()
        with lock_of(self):
            fitted = self._new_fitted(self._fitted, self._stream, self._fitted.last_rows)
            fitted.final_clusters(self.n_jobs, warns=True)
            self._fitted = fitted
        return self

    def partial_fit_predict(self, X, y=None, sample_weight=None):
        """Update the clustering and return the clusters decided online.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample: one of weight 3 counts as much as three of weight 1.
            A sample of weight 0 gets a cluster and changes nothing. If None, all weigh 1.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The online cluster of each sample, decided before the next sample was seen.
            An id never changes its meaning. With an int `n_clusters` these are still the
            online clusters; `online_to_merged_` maps them to merged clusters.
        """
        return self._partial_fit(
            X, sample_weight, lambda X, fitted: fitted.last_rows[0].copy()
        )

    def partial_fit_transform(self, X, y=None, sample_weight=None):
        """Update the clustering and return the features decided online.

        The features of a sample use only centers opened up to and including that sample.
        Only for ``n_clusters=None``: the columns of merged clusters would change their
        meaning as the stream goes on.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weight of each sample: one of weight 3 counts as much as three of weight 1.
            A sample of weight 0 gets a cluster and changes nothing. If None, all weigh 1.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            As returned by `transform`, with a column for every cluster opened so far.
            Always an array or CSR, even if `set_output` asks for a data frame.
        """
        self._check_columns_stay()
        return self._partial_fit(X, sample_weight, partial(self._encode, is_online=True))

    def predict(self, X):
        """Predict the nearest of the final centers for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the nearest row of `cluster_centers_`; of several, the lowest.
        """
        fitted = self._check_call()
        X = validate_X(self, X, reset=False)
        final = fitted.final_clusters(self.n_jobs, warns=True)
        return final.nearest(X, self.n_jobs, labels_only=True)[0]

    def score(self, X, y=None):
        """Return the negative k-means cost of `X` for the final centers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        score : float
            Minus the sum of squared distances to the nearest of `cluster_centers_`;
            infinite if it is larger than any float.
        """
        fitted = self._check_call()
        with np.errstate(over="ignore"):
            X = validate_X(self, X, reset=False)
            final = fitted.final_clusters(self.n_jobs, warns=True)
            return -float(final.nearest(X, self.n_jobs)[1].sum())

    def transform(self, X):
        """Encode each sample's cluster as features for another model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            The nearest final center, or the distances to all of them, encoded as `encode`
            says, in the dtype of `X`.
        """
        fitted = self._check_call()
        check_output(self)
        return self._encode(validate_X(self, X, reset=False), fitted)

    @all_or_nothing
    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            The features of the rows, by the final centers.
        """
        return self.fit(X, y).transform(X)

    @all_or_nothing
    def fit_predict(self, X, y=None):
        """Cluster the rows of `X` and return the clusters decided online.

        The same as ``fit(X).labels_``. With an int `n_clusters` these are the merged
        clusters. `predict` looks at the final centers instead, so it may differ.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The cluster of each sample, `labels_`, of dtype int32.
        """
        return self.fit(X, y).labels_.copy()

    def set_output(self, *, transform=None):
        """Set the container that `transform` and `fit_transform` return.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            A data frame needs a dense encoding: not "onehot" or "local". None leaves
            the setting as it is.

        Returns
        -------
        self : object
            The estimator.
        """
        super().set_output(transform=transform)
        if transform is not None:
            self._output = transform
        return self

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of `transform`.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only checked against `feature_names_in_`, as scikit-learn does.

        Returns
        -------
        names : ndarray of str
            The name of the class in lower case and a number, such as "onlinekmeans0": one
            for each cluster, or a single one for ``encode="ordinal"``. With
            ``encode="local"`` each is followed by one name per feature, such as
            "onlinekmeans0_x0".
        """
        fitted = self._check_call()
        names = super().get_feature_names_out(input_features)
        if self.encode != "local":
            return names
        features = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        ends = ["", *(f"_{feature}" for feature in features)]
        clusters = names[: fitted.n_columns]
        return np.array([name + end for name in clusters for end in ends], dtype=object)

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

    def _resolved_k(self, default, for_merge):
        """Return `k`, or for "auto" the default, or the one for a merge into `n_clusters`.

        For "auto" it is at most half of `max_clusters`, or twice `n_clusters` if larger.
        """
        if self.k != "auto":
            return int(self.k)
        k = default if self.n_clusters is None else for_merge(int(self.n_clusters))
        if self.max_clusters is None:
            return k
        return min(k, max((int(self.max_clusters) + 1) // 2, 2 * int(self.n_clusters or 0)))

    def _check_params(self):
        """Raise ValueError for an invalid parameter."""
        check_parameters(vars(self), owner=self)
        if self.max_clusters is None:
            return
        if self.n_clusters is not None and self.n_clusters > self.max_clusters:
            expected = (
                f"no smaller than n_clusters={self.n_clusters}: n_clusters are merged from "
                "online clusters, of which at most max_clusters open"
            )
            raise parameter_error("max_clusters", self.max_clusters, expected, owner=self)
        half_life = getattr(self, "half_life", None)
        if half_life is not None:
            expected = "None with max_clusters: retired clusters would use it up"
            raise parameter_error("half_life", half_life, expected, owner=self)

    def _check_call(self):
        """Return what was learned; raise if not fitted, or if a parameter is invalid."""
        fitted = self._fitted
        self._check_params()
        return fitted

    def _check_columns_stay(self):
        """Raise ValueError if columns decided online would change their meaning."""
        if self.n_clusters is not None:
            expected = (
                "None in partial_fit_transform, since columns of merged clusters change "
                "their meaning (max_clusters gives a fixed number of columns)"
            )
            raise parameter_error("n_clusters", self.n_clusters, expected, owner=self)
        if "_fitted" in vars(self) and self._stream.moves:
            raise ValueError(
                "This stream started with an int n_clusters, so its online centers move, "
                "and features decided online would change with them. Start another one "
                "with n_clusters=None for partial_fit_transform, or call transform."
            )

    @property
    def _n_features_out(self):
        """The width of `transform`, for `get_feature_names_out`."""
        if self.encode == "ordinal":
            return 1
        n_each = 1 + self.n_features_in_ if self.encode == "local" else 1
        return n_each * self._fitted.n_columns

    def _encode(self, X, fitted, is_online=False):
        """Return the features of rows: if `is_online`, of the last ones, as decided."""
        final, n_columns = fitted.final_clusters(self.n_jobs, warns=True), fitted.n_columns
        if self.encode not in LABEL_ENCODINGS:
            how, stream = (self.encode, n_columns, self.n_jobs), fitted.stream
            return encode_rows(X, final, *how, stream if is_online else None)
        labels, ids = fitted.last_rows[0], final.ids
        if not is_online:
            labels = nearest_shared(final.centers, X, self.n_jobs, labels_only=True)[0]
            labels = labels if ids is None else ids[labels]
        return encode_labels(labels, self.encode, n_columns, X.dtype)
