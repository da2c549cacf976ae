"""What the two estimators on Dask share: the local estimator around partitions."""

import copy
import math

import dask
import numpy as np
from distributed import Client
from sklearn.utils.validation import validate_data

from .._fitted import fitted
from .._reading import known_features
from .._utils.callbacks import CALLBACK_ATTRIBUTES, Reporter, with_callbacks
from .._utils.calls import lock_of, shallow_copy, unchanged_on_error
from .._utils.docstrings import named_for_users
from .._utils.validation import parameter_error, validate_X
from . import worker
from .driver import ClusterReader
from .lazy import KnownRows, LazyRows, each, node
from .local import LocalReader
from .partitions import NO_ROWS, partitions_of


@named_for_users
class DaskClusters:
    """The methods that take, or return, Dask collections; a subclass has a local class."""

    @with_callbacks
    def _fit(self, X, y):
        partitions = partitions_of(X)
        has_callbacks = vars(self).keys() & CALLBACK_ATTRIBUTES
        reporter = Reporter(self, X, y, len(partitions)) if has_callbacks else None
        self._read_partitions(partitions, None, is_partial=False, reporter=reporter)
        self._merge(self._fitted)  # now, so that warnings belong to fit
        if reporter:
            reporter.end()

    def fit(self, X, y=None):
        """Cluster the rows of `X` as a stream of its own, in one pass.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The stream, in the order of the rows and partitions. The chunks of an array
            may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().fit(X, y)

    def partial_fit(self, X=None, y=None):
        """Update the clustering with the next batch of the stream.

        However a stream is cut into batches and partitions, the result is the same.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions.
            If None, only the last step is done again, to merge the online clusters into
            `n_clusters`.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().partial_fit(X, y)

    def partial_fit_predict(self, X, y=None):
        """Update the clustering and return the clusters decided online.

        The clustering is updated at once; the clusters are looked up when they are
        computed.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        labels : dask Array or Series
            The online cluster of each sample, decided before the next sample was seen.
        """
        self._partial_fit(X)
        return self.online_labels_

    def partial_fit_transform(self, X, y=None):
        """Update the clustering and return the features decided online.

        Only for ``n_clusters=None``: the columns of merged clusters would change their
        meaning as the stream goes on.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a frame for a frame, but with
            ``encode="onehot"`` an array with chunks in CSR.
        """
        self._check_columns_stay()
        rows = self._partial_fit(X).last_rows
        return self._features(rows.partitions, worker.transform_online, rows.firsts)

    def predict(self, X):
        """Predict the nearest of the final centers for each sample.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.

        Returns
        -------
        labels : dask Array or Series
            Index of the nearest row of `cluster_centers_`, the lowest if there are several.
        """
        partitions, _ = self._validated(X)
        args = (self._model(),)
        return partitions.column(worker.predict_rows, args, np.int32, "cluster")

    def score(self, X, y=None):
        """Return the negative k-means cost of `X` for the final centers.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        score : float
            Minus the sum of squared distances to the nearest of `cluster_centers_`, equal
            to that of the local estimator up to rounding.
        """
        partitions, reader = self._validated(X)
        prepared = partitions.prepared(reader.persist)
        parts = each(worker.cost_of_rows, prepared.delayed, self._model())
        return -math.fsum(reader.compute(parts))

    def transform(self, X):
        """Encode each sample's cluster as features for another model.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a frame for a frame, but with
            ``encode="onehot"`` an array with chunks in CSR.
        """
        partitions, _ = self._validated(X)
        return self._features(partitions, worker.transform_rows)

    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The stream, in the order of the rows and partitions. The chunks of an array
            may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a frame for a frame, but with
            ``encode="onehot"`` an array with chunks in CSR.
        """
        with lock_of(self), unchanged_on_error(self):
            return self.fit(X, y).transform(X)

    def to_local(self):
        """Return the local estimator, which goes on, is saved and serves without Dask.

        Returns
        -------
        model : OnlineKMeans or SemiOnlineKMeans
            As after a local `fit` of the same stream. It has no `labels_` of single
            samples: these stay on the workers.
        """
        fitted = copy.copy(self._check_call())
        fitted.last_rows = np.empty(0, dtype=np.int32), np.empty(0)
        params = self.get_params(deep=False)
        del params["client"]
        local = self._local_class(**params)
        local._fitted = fitted
        vars(local).update(known_features(self))
        return local

    @classmethod
    def from_local(cls, model, client=None):
        """Return an estimator on Dask that goes on with the stream of a local one.

        Parameters
        ----------
        model : OnlineKMeans or SemiOnlineKMeans
            The local estimator; it stays as it is.
        client : distributed.Client or None, default=None
            As the parameter of the class.

        Returns
        -------
        model : object
            The estimator on Dask.
        """
        if type(model) is not cls._local_class:
            raise TypeError(
                f"Expected an {cls._local_class.__name__} of onlinekmeans_sklearn. Got "
                f"{type(model).__name__} of {type(model).__module__} instead."
            )
        taken_over = cls(**model.get_params(deep=False), client=client)
        if "_fitted" in vars(model):
            taken_over._fitted = fitted = copy.copy(model._fitted)
            fitted.last_rows = KnownRows(*fitted.last_rows)
            vars(taken_over).update(known_features(model))
        return taken_over

    def __getstate__(self):
        bare = shallow_copy(self)
        bare.client = None  # which no other process has
        if "_fitted" in vars(self):
            bare._fitted = copy.copy(self._fitted)
            bare._fitted.last_rows = np.empty(0, dtype=np.int32), np.empty(0)
            bare._rows = self._fitted.last_rows
        return super(DaskClusters, bare).__getstate__()

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_fitted" in state:
            self._fitted.last_rows = vars(self).pop("_rows")

    def __sklearn_clone__(self):
        bare = shallow_copy(self)
        bare.client = None  # it cannot be copied, and need not be
        other = super(DaskClusters, bare).__sklearn_clone__()
        other.client = self.client
        return other

    @fitted
    def labels_(self):
        """Cluster of each sample of the last call, lazy, of the final clusters."""
        fitted, of_online = self._fitted, self._final_clusters().of_online
        return fitted.last_rows.labels(fitted.stream, self._checker(), of_online)

    @fitted
    def online_labels_(self):
        """Cluster of each sample of the last call, lazy, as decided online."""
        return self._fitted.last_rows.labels(self._stream, self._checker())

    @fitted
    def online_distances_(self):
        """Distance of each sample of the last call to its center at arrival, lazy."""
        return self._fitted.last_rows.distances(self._stream, self._checker())

    def _reader(self):
        """Return who reads: a client's workers, or this process."""
        client = self.client
        if client is None:
            get = dask.base.get_scheduler()
            client = getattr(get, "__self__", None)
            if not isinstance(client, Client):
                return LocalReader()
        if not isinstance(client, Client):
            raise parameter_error("client", client, "a distributed.Client or None", self)
        if client.asynchronous:
            expected = "a client that is not asynchronous: fit waits for the workers"
            raise parameter_error("client", client, expected, self)
        return ClusterReader(client)

    def _validated(self, X):
        """Return the partitions of rows for a fitted estimator, and who reads them."""
        self._check_call()
        partitions, reader = partitions_of(X), self._reader()
        self._check_features(partitions, reader, reset=False)
        return partitions, reader

    def _check_features(self, partitions, reader, reset):
        """Check the number and names of features, or take them over."""
        partitions.empty = partitions.without_rows(reader.compute)
        validate_data(self, partitions.empty, reset=reset, **NO_ROWS)

    def _checker(self):
        """Return a local estimator that knows the features, and nothing else."""
        checker = self._local_class(n_jobs=1)
        vars(checker).update(known_features(self))
        return checker

    def _model(self):
        """Return the local estimator, delayed."""
        self._merge(self._fitted)
        return node("model", self.to_local().set_params(n_jobs=1))

    def _features(self, partitions, function, firsts=None):
        """Return a collection of the features that a function gives of each partition."""
        args = (self._model(),)
        local, no_rows = self.to_local(), worker.rows_of(partitions.empty, self._checker())
        meta = local._encode(no_rows, local._fitted)
        names = self.get_feature_names_out()
        return partitions.features(function, args, meta, names, firsts)

    def _partial_fit(self, X):
        """Go on with the stream, or start it, and return what is known then."""
        partitions = partitions_of(X)
        with lock_of(self), unchanged_on_error(self):
            self._read_partitions(partitions, vars(self).get("_fitted"), is_partial=True)
            return self._fitted

    def _read_partitions(self, partitions, before, is_partial, reporter=None):
        """Let the stream, or a new one, read partitions; take over what is known then."""
        self._check_params()
        reader = self._reader()
        self._check_features(partitions, reader, reset=before is None)
        sizes, prepared = partitions.sizes, partitions.prepared(reader.persist)
        if None in sizes and before is None and getattr(self, "n_samples", 0) is None:
            sizes = reader.compute(each(worker.count_rows, prepared.delayed))
        is_known = None not in sizes
        n_rows = sum(sizes) if is_known else None
        stream = self._new_stream(n_rows) if before is None else before.stream
        if is_known:
            self._warn_before_reading(stream, sum(sizes), is_partial)

        def report(so_far, sizes_so_far):
            def attributes():
                rows = LazyRows(partitions.first(len(sizes_so_far)), sizes_so_far, first)
                return {"_fitted": self._new_fitted(before, so_far, rows)}

            reporter.update(len(sizes_so_far), attributes)

        first = stream.n_seen
        extended, sizes = reader.extend(
            stream, prepared, self._checker(), self.n_jobs, report if reporter else None
        )
        if not sum(sizes):
            validate_X(self, partitions.empty, reset=False)  # which raises
        if not is_known:
            self._warn_before_reading(stream, sum(sizes), is_partial)
        rows = LazyRows(partitions, sizes, first)
        self._log_phases(stream, extended)
        fitted = self._new_fitted(before, extended, rows)
        vars(self).update(_fitted=fitted, _figures=reader.figures)
