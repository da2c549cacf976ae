"""What the two estimators share: scikit-learn's conventions around one stream."""

import copy
import math
import sys
from abc import abstractmethod
from contextlib import contextmanager
from numbers import Integral

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._centers import centers_from
from ._merge import merge
from ._rows import rows_between
from ._stream import Stream, blocks
from ._threads import own_threads

ENCODINGS = ("onehot", "onehot-dense")
_FEW_VALUES = 1000  # whose largest is found as fast as their squares


class BaseOnlineKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """The public methods; a subclass says which schedule its parameters ask for."""

    def fit(self, X, y=None):
        """Cluster the rows of `X` as a stream of its own, in one pass.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with _unchanged_on_error(self):
            self._extend(X, restart=True)
            self._answer()  # merge now, so that warnings belong to fit
        return self

    def partial_fit(self, X, y=None):
        """Go on with the stream by the rows of `X`.

        However a stream is cut into calls, the result is the same.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with _unchanged_on_error(self):
            self._extend(X, restart=not hasattr(self, "_stream"))
        return self

    def partial_fit_predict(self, X, y=None):
        """Go on with the stream and return the clusters decided online.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream, in the order of the rows.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The online cluster of each sample, decided before the next sample was seen.
            An id never changes its meaning. With an int `n_clusters` these are still the
            online clusters; `online_to_merged_` says where they went.
        """
        return self.partial_fit(X).online_labels_

    def predict(self, X):
        """Return the nearest of the final centres for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the nearest row of `cluster_centers_`, the lowest if there are several.
        """
        check_is_fitted(self)
        return self._nearest(self._validated(X, reset=False))

    def transform(self, X):
        """Return each sample's cluster as features for another model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_clusters)
            The nearest final centre, encoded as `encode` says, in the dtype of `X`.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        labels = self._nearest(X)
        ones = np.ones(len(labels), dtype=X.dtype)
        arrays = (ones, labels, np.arange(len(labels) + 1, dtype=np.int32))
        onehot = csr_array(arrays, shape=(len(labels), self.n_clusters_))
        return onehot.toarray() if self.encode == "onehot-dense" else _public(onehot)

    def score(self, X, y=None):
        """Return the opposite of the k-means cost of `X` for the final centres.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : Ignored
            Not used, present for API consistency.

        Returns
        -------
        score : float
            Minus the sum of squared distances to the nearest of `cluster_centers_`.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        centers = self._answer()[0]
        labels = self._nearest(X)
        cost = 0.0
        for rows in blocks(X, centers):
            part = centers.as_rows(rows_between(X, rows.start, rows.stop))
            every = np.arange(part.shape[0])
            cost += centers.squared_distances(part, every, labels[rows]).sum()
        return -float(cost)

    @property
    def cluster_centers_(self):
        """The final centres: samples, or means of merged clusters if `n_clusters` is set.

        CSR if the stream is sparse.
        """
        return _public(self._fitted("cluster_centers_")[0].rows)

    @property
    def labels_(self):
        """The cluster of each sample of the last `fit` or `partial_fit`.

        It was decided when the sample was read; `predict` looks at the final centres.
        """
        return self._fitted("labels_")[1][self.online_labels_]

    @property
    def n_clusters_(self):
        """The number of final centres, the paper's k_actual."""
        return len(self._fitted("n_clusters_")[0])

    @property
    def online_to_merged_(self):
        """The final cluster of each online cluster."""
        return self._fitted("online_to_merged_")[1]

    @property
    def online_centers_(self):
        """The samples at which the online clusters were opened."""
        self._fitted("online_centers_")
        return _public(self._stream.centers.rows)

    @property
    def cluster_means_(self):
        """The mean of each online cluster's members."""
        self._fitted("cluster_means_")
        return _public(self._stream.means.astype(self._stream.centers.dtype))

    @property
    def _n_features_out(self):
        """The width of `transform`, for `get_feature_names_out`."""
        return self.n_clusters_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @abstractmethod
    def _schedule(self, n_rows):
        """Return the schedule of a stream whose first call has so many rows."""

    def _resolved_k(self, default, per_cluster):
        """Return `k`, or what "auto" stands for."""
        if self.k != "auto":
            return self.k
        return default if self.n_clusters is None else per_cluster * self.n_clusters

    def _check_params(self):
        """Raise ValueError for a parameter that cannot be."""
        check_integer("k", self.k, or_one_of=["auto"])
        check_integer("n_clusters", self.n_clusters, or_one_of=[None])
        check_one_of("encode", self.encode, ENCODINGS)

    def _extend(self, X, restart):
        """Go on with the stream, or with a new one."""
        self._check_params()
        X = self._validated(X, reset=restart)
        if restart:
            random_state = check_random_state(self.random_state)
            stream = Stream(X, self._schedule(X.shape[0]), random_state)
        else:
            stream = self._stream
        self._stream, self.online_labels_ = stream.extended(X, self.n_jobs)
        self._answers = {}
        self.counts_ = self._stream.counts.copy()
        self.opened_at_ = self._stream.opened_at.copy()
        self.inertia_ = self._stream.inertia
        self.facility_cost_ = self._stream.schedule.facility_cost
        self.n_phases_ = self._stream.schedule.phase
        self.n_samples_seen_ = self._stream.n_seen

    def _answer(self):
        """Return the final centres and the final cluster of each online cluster."""
        self._check_params()
        if self.n_clusters not in self._answers:
            stream = self._stream
            if self.n_clusters is None:
                answer = stream.centers, np.arange(len(stream.centers), dtype=np.int32)
            else:
                random_state = copy.deepcopy(stream.random_state)
                centers, merged = merge(
                    stream.means, stream.counts, self.n_clusters, random_state
                )
                centers = centers_from(centers.astype(stream.centers.dtype))
                answer = centers, merged.astype(np.int32)
            self._answers[self.n_clusters] = answer
        return self._answers[self.n_clusters]

    def _fitted(self, name):
        """Return `_answer`, or say that there is no attribute `name` before `fit`."""
        if not hasattr(self, "_answers"):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: call 'fit' or "
                "'partial_fit' first."
            )
        return self._answer()

    def _nearest(self, X):
        """Return the nearest final centre of each row."""
        centers = self._answer()[0]
        labels = np.empty(X.shape[0], dtype=np.int32)
        with own_threads(self.n_jobs, X.shape[0]) as threads:
            for rows in blocks(X, centers):
                part = centers.as_rows(rows_between(X, rows.start, rows.stop))
                labels[rows] = centers.nearest(part, threads=threads)[0]
        return labels

    def _validated(self, X, reset):
        """Return `X` as floats, dense or in canonical CSR, checked as scikit-learn does."""
        if not reset and self._is_plain(X):
            return X
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,  # that comes with the largest value
        )
        values = X
        if issparse(X):
            X = csr_array(X)
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            values = X.data
        largest, limit = _largest(values), _limit(X.shape[1])
        if not largest <= limit:
            assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
            raise ValueError(
                f"Input X has values up to {largest:.3g}, whose squared distances can "
                f"overflow: with {X.shape[1]} features {type(self).__name__} takes "
                f"values up to {limit:.3g}. Scale X, for example by MaxAbsScaler."
            )
        return X

    def _is_plain(self, X):
        """Return whether there is nothing that validation could say or change.

        Validation costs more than all the rest when samples come one at a time.
        """
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in (np.float64, np.float32)
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
            and _largest(X) <= _limit(X.shape[1])
        )


@contextmanager
def _unchanged_on_error(estimator):
    """Give the estimator back the attributes it had, if what follows fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _largest(values):
    """Return a bound of the largest magnitude, NaN or infinite if a value is.

    It is the square root of all squares added up, where that can be: faster to find. Not by
    BLAS, whose threads would keep a core busy for a while.
    """
    if values.size > _FEW_VALUES:
        flat = values.ravel(order="K")
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            norm = math.sqrt(np.einsum("i,i->", flat, flat))
        if norm < 1e15:
            return norm
    return max(-float(values.min()), float(values.max())) if values.size else 0.0


def _limit(n_features):
    """Return the largest magnitude whose squared distances cannot overflow."""
    return math.sqrt(sys.float_info.max / n_features) / 16


def _public(X):
    """Return sparse `X` as the kind of CSR that scikit-learn is configured to return."""
    if not issparse(X):
        return X
    interface = get_config().get("sparse_interface", "spmatrix")
    return csr_array(X) if interface == "sparray" else csr_matrix(X)


def check_integer(name, value, or_one_of=()):
    """Raise ValueError unless `value` is an integer of at least 1 or one of the others."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= 1:
        return
    if (value is None or isinstance(value, str)) and value in or_one_of:
        return
    others = "".join(f" or {other!r}" for other in or_one_of)
    raise ValueError(
        f"Got {name}={value!r}, but expected an integer of at least 1{others}."
    )


def check_one_of(name, value, expected):
    """Raise ValueError unless `value` is one of the expected strings."""
    if not isinstance(value, str) or value not in expected:
        raise ValueError(
            f"Got {name}={value!r}, but expected one of {', '.join(map(repr, expected))}."
        )
