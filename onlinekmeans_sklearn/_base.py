"""What the two estimators share: scikit-learn's conventions around one stream."""

import copy
from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._centers import centers_from
from ._features import ENCODINGS, ClusterFeaturesMixin, as_configured
from ._merge import merge
from ._progress import CallbackSupportMixin, Reporter, with_callbacks
from ._rows import rows_between
from ._stream import Stream, blocks
from ._sums import total
from ._threads import own_threads
from ._validation import (
    MOST_CLUSTERS,
    check_integer,
    check_one_of,
    unchanged_numbers,
    unchanged_on_error,
    validated,
)


class BaseOnlineKMeans(
    CallbackSupportMixin, ClusterFeaturesMixin, ClusterMixin, BaseEstimator
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
        with unchanged_on_error(self), self._unchanged_numbers():
            self._fit(X, y)
        return self

    @with_callbacks
    def _fit(self, X, y):
        X, stream = self._started(X)
        reporter = Reporter(self, X, y, fitted_attributes)
        self._extend(stream, X, reporter.read)
        self._answer()  # merge now, so that warnings belong to fit
        reporter.end()

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
        with unchanged_on_error(self):
            self._partial_fit(X)
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
        return self._nearest(validated(self, X, reset=False))

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
            Minus the sum of squared distances to the nearest of `cluster_centers_`;
            infinite if it is larger than any float.
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        centers = self._answer()[0]
        labels = self._nearest(X)
        cost = 0.0
        for rows in blocks(X, centers):
            part = centers.as_rows(rows_between(X, rows.start, rows.stop))
            every = np.arange(part.shape[0])
            cost += total(centers.squared_distances(part, every, labels[rows]))
        return -float(cost)

    @property
    def cluster_centers_(self):
        """The final centres: samples, or means of merged clusters if `n_clusters` is set.

        CSR if the stream is sparse.
        """
        return as_configured(self._fitted("cluster_centers_")[0].rows)

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
        self._check_has("online_centers_")
        return as_configured(self._stream.centers.rows)

    @property
    def cluster_means_(self):
        """The mean of each online cluster's members."""
        self._check_has("cluster_means_")
        return as_configured(self._stream.means.astype(self._stream.centers.dtype))

    @property
    def phase_starts_(self):
        """How many samples came before each phase."""
        self._check_has("phase_starts_")
        starts = [start for start, _ in self._stream.schedule.phases]
        return np.array(starts, dtype=np.int64)

    @property
    def facility_costs_(self):
        """What opening a centre cost in each phase."""
        self._check_has("facility_costs_")
        return np.array([cost for _, cost in self._stream.schedule.phases])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @abstractmethod
    def _schedule(self, n_rows):
        """Return the schedule of a stream whose first call has so many rows."""

    def _resolved_k(self, default, per_cluster):
        """Return `k`, or what "auto" stands for: with a cap, at most half of it."""
        if self.k != "auto":
            return int(self.k)
        k = default if self.n_clusters is None else per_cluster * int(self.n_clusters)
        return k if self.max_clusters is None else min(k, (int(self.max_clusters) + 1) // 2)

    def _check_params(self):
        """Raise ValueError for a parameter that cannot be."""
        check_integer("k", self.k, or_one_of=["auto"])
        for name in ("n_clusters", "max_clusters"):
            check_integer(name, getattr(self, name), [None], most=MOST_CLUSTERS)
        check_one_of("encode", self.encode, ENCODINGS)
        caps = self.n_clusters, self.max_clusters
        if None not in caps and self.n_clusters > self.max_clusters:
            raise ValueError(
                f"Got n_clusters={self.n_clusters} and max_clusters={self.max_clusters}, "
                "but expected max_clusters to be no smaller: the online clusters, at most "
                "max_clusters, are merged into n_clusters."
            )

    def _started(self, X):
        """Return the validated rows and a new stream for them."""
        self._check_params()
        X = validated(self, X, reset=True)
        random_state = check_random_state(self.random_state)
        cap = np.inf if self.max_clusters is None else int(self.max_clusters)
        return X, Stream(X, self._schedule(X.shape[0]), random_state, cap)

    def _unchanged_numbers(self):
        """Return a context that gives back the random numbers of a stream that fails."""
        return unchanged_numbers(check_random_state(self.random_state))

    def _partial_fit(self, X):
        """Go on with the stream, or start it, and return the validated rows."""
        if hasattr(self, "_stream"):
            self._check_params()
            X, stream = validated(self, X, reset=False), self._stream
        else:
            X, stream = self._started(X)
        self._extend(stream, X)
        return X

    def _extend(self, stream, X, report=None):
        """Let the stream read rows, and take over what is known then."""
        stream, labels = stream.extended(X, self.n_jobs, report)
        vars(self).update(fitted_attributes(stream, labels))

    def _answer(self):
        """Return the final centres and the final cluster of each online cluster."""
        self._check_params()
        answers, stream = self._answers, self._stream  # never an old stream's in new ones
        if self.n_clusters is None:
            return stream.centers, np.arange(len(stream.centers), dtype=np.int32)
        n_clusters = int(self.n_clusters)
        if n_clusters not in answers:
            random_state = copy.deepcopy(stream.random_state)
            points = stream.centers.means_from_fullest(stream.sums, stream.counts)
            centers, merged = merge(
                stream.means, stream.counts, n_clusters, random_state, points
            )
            centers = centers_from(centers.astype(stream.centers.dtype))
            answers[n_clusters] = centers, merged.astype(np.int32)
        return answers[n_clusters]

    def _fitted(self, name):
        """Return `_answer`, or say that there is no attribute `name` before `fit`."""
        self._check_has(name)
        return self._answer()

    def _check_has(self, name):
        """Raise AttributeError if there is no attribute `name` yet."""
        if not hasattr(self, "_stream"):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: call 'fit' or "
                "'partial_fit' first."
            )

    def _nearest(self, X):
        """Return the nearest final centre of each row."""
        centers = self._answer()[0]
        labels = np.empty(X.shape[0], dtype=np.int32)
        with own_threads(self.n_jobs, X.shape[0]) as threads:
            for rows in blocks(X, centers):
                part = centers.as_rows(rows_between(X, rows.start, rows.stop))
                labels[rows] = centers.nearest(part, threads=threads)[0]
        return labels


def fitted_attributes(stream, labels):
    """Return the attributes of an estimator whose last call gave these labels."""
    return {
        "_stream": stream,
        "_answers": {},
        "online_labels_": labels,
        "counts_": stream.counts.copy(),
        "opened_at_": stream.opened_at.copy(),
        "inertia_": stream.inertia,
        "facility_cost_": stream.schedule.facility_cost,
        "n_phases_": stream.schedule.phase,
        "n_samples_seen_": stream.n_seen,
    }
