"""Cluster features: what `transform` makes of labels or distances."""

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import get_config
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._rows import index_dtype, rows_between
from ._threads import own_threads
from ._validation import unchanged_on_error, validated

OF_LABELS = ("onehot", "onehot-dense", "ordinal")
OF_DISTANCES = ("distance", "triangle")
ENCODINGS = OF_LABELS + OF_DISTANCES
_PANEL_ELEMENTS = 2**18  # distances that are encoded at once


class ClusterFeaturesMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """The public methods of a transformer, for an estimator that has read a stream."""

    def transform(self, X):
        """Return each sample's cluster as features for another model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            The nearest final centre, or the distances to all of them, encoded as `encode`
            says, in the dtype of `X`.
        """
        check_is_fitted(self)
        self._check_output()
        X = validated(self, X, reset=False)
        self._check_params()
        if self.encode in OF_LABELS:
            return self._encoded_labels(X, self._nearest(X))
        return self._encoded_distances(X)

    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            The features of the rows, by the final centres.
        """
        with unchanged_on_error(self), self._unchanged_numbers():
            return self.fit(X, y).transform(X)

    def set_output(self, *, transform=None):
        """Set the container that `transform` and `fit_transform` return.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            A data frame needs a dense encoding: any but ``encode="onehot"``. None leaves
            the setting as it is.

        Returns
        -------
        self : object
            The estimator.
        """
        if not (transform is None or isinstance(transform, str)):
            raise ValueError(
                f"Got transform={transform!r}, but expected 'default', 'pandas', 'polars' "
                "or None."
            )
        super().set_output(transform=transform)
        if transform is not None:
            self._output = transform
        return self

    def __sklearn_clone__(self):
        clone = super().__sklearn_clone__()
        if hasattr(self, "_output"):
            clone._output = self._output
        return clone

    def partial_fit_transform(self, X, y=None):
        """Go on with the stream and return the features decided online.

        The features of a sample know of the centres up to and including its own, not of
        those that open later. Only for ``n_clusters=None``: the columns of merged
        clusters would change their meaning as the stream goes on.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            As `transform` returns them, with a column for every cluster opened so far. An
            array or CSR, whatever `set_output` says.
        """
        if self.n_clusters is not None:
            raise ValueError(
                f"Got n_clusters={self.n_clusters!r}, but expected None: merged clusters "
                "change as the stream goes on, and with them what a column means. For "
                "columns that stay, leave n_clusters at None, with max_clusters for a "
                "fixed number of them."
            )
        if hasattr(self, "_stream"):
            numbers = self._stream.unchanged_numbers()
        else:
            numbers = self._unchanged_numbers()
        with unchanged_on_error(self), numbers:
            X = self._partial_fit(X)
            if self.encode in OF_LABELS:
                return self._encoded_labels(X, self.online_labels_)
            stop = self.n_samples_seen_
            positions = np.arange(stop - X.shape[0], stop)
            return self._encoded_distances(X, positions)

    @property
    def _n_features_out(self):
        """The width of `transform`, for `get_feature_names_out`."""
        self._check_params()
        return n_columns(self.encode, self._most_clusters())

    def _check_output(self):
        """Raise ValueError if `transform` is to put CSR into a data frame."""
        output = getattr(self, "_output", get_config()["transform_output"])
        if self.encode == "onehot" and output != "default":
            raise ValueError(
                f"{str(output).capitalize()} output does not support sparse data. Got "
                "encode='onehot', which is CSR, but expected a dense encoding: set "
                "encode='onehot-dense' (or 'ordinal', 'distance', 'triangle'), or keep CSR "
                "by set_output(transform='default')."
            )

    def _most_clusters(self):
        """Return for how many clusters `transform` has columns."""
        cap = self._stream.max_clusters
        if cap == np.inf:
            return self.n_clusters_
        return cap if self.n_clusters is None else int(self.n_clusters)

    def _encoded_labels(self, X, labels):
        """Return the features of rows with these labels."""
        return encode_labels(labels, self.encode, self._most_clusters(), X.dtype)

    def _encoded_distances(self, X, positions=None):
        """Return the features of rows, by distances to the centres.

        If positions in the stream are given, rows know no centre that opened later.
        """
        centers, n_clusters = self._answer()[0], self._most_clusters()
        centers.prepare()
        features = np.empty((X.shape[0], n_clusters), dtype=X.dtype)
        step = max(1, _PANEL_ELEMENTS // n_clusters)
        panels = [slice(a, a + step) for a in range(0, X.shape[0], step)]

        def encode(rows):
            part = centers.as_rows(rows_between(X, rows.start, rows.stop))
            hidden = None
            if positions is not None:
                hidden = self.opened_at_ > positions[rows, None]
            features[rows] = encode_distances(
                centers.distances(part), self.encode, n_clusters, X.dtype, hidden
            )

        with own_threads(self.n_jobs, X.shape[0]) as threads:
            threads.map(encode, panels)
        return features


def n_columns(encode, n_clusters):
    """Return the width of the features of so many clusters."""
    return 1 if encode == "ordinal" else n_clusters


def encode_labels(labels, encode, n_clusters, dtype):
    """Return the features of samples whose cluster is known."""
    if encode == "ordinal":
        return labels[:, None].astype(dtype)
    ones = np.ones(len(labels), dtype=dtype)
    row_ends = np.arange(len(labels) + 1, dtype=index_dtype(len(labels)))
    arrays = (ones, labels, row_ends)
    onehot = csr_array(arrays, shape=(len(labels), n_clusters))
    return onehot.toarray() if encode == "onehot-dense" else as_configured(onehot)


def encode_distances(distances, encode, n_clusters, dtype, hidden=None):
    """Return the features of samples whose distances to the centres are known.

    `hidden` says of which centres a sample knew nothing; their features, and those of
    centres that are still to come, are 0.
    """
    if encode == "triangle":
        known = np.ones_like(distances) if hidden is None else ~hidden
        mean = np.average(distances, axis=1, weights=known, keepdims=True)
        distances = np.maximum(mean - distances, 0)
    if distances.max() > np.finfo(dtype).max:
        raise ValueError(
            f"Got distances up to {distances.max():.3g}, which {np.dtype(dtype)} has no "
            "numbers for: pass X in float64, or scale it."
        )
    features = np.zeros((len(distances), n_clusters), dtype=dtype)
    features[:, : distances.shape[1]] = distances
    if hidden is not None:
        features[:, : distances.shape[1]][hidden] = 0
    return features


def as_configured(X):
    """Return sparse `X` as the kind of CSR that scikit-learn is configured to return."""
    if not issparse(X):
        return X
    interface = get_config().get("sparse_interface", "spmatrix")
    return csr_array(X) if interface == "sparray" else csr_matrix(X)
