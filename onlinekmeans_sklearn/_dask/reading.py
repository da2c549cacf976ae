"""How an estimator on Dask reads partitions: by the local estimator inside."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import dask
import numpy as np
from distributed import Client
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from .._reading import known_features
from .._utils.callbacks import CallbackSupportMixin
from .._utils.calls import lock_of, shallow_copy, unchanged_on_error
from .._utils.validation import parameter_error, validate_X
from . import worker
from .driver import read_on_workers
from .partitions import computed, partitions_of, with_shared_results, with_weights

NO_ROWS = np.empty(0, dtype=np.int32), np.empty(0)  # labels, and squared distances
# scikit-learn is to accept any dtype, and a partition without rows
_SHAPE_ALONE = {"accept_sparse": "csr", "dtype": None, "ensure_min_samples": 0}


class DaskFitted(NamedTuple):
    """What a call has learned; the next call replaces it as a whole.

    A pickle has the local estimator alone, and no graph.
    """

    local: BaseEstimator
    partitions: object = None  # of the last call; None if the local one has its rows
    firsts: list = None  # the position in the stream of the first row of each partition
    labeled: tuple = NO_ROWS  # labels and d2 of its first rows, if centers moved
    figures: dict = None  # what the last call took, if it was on a cluster

    def __reduce__(self):
        return DaskFitted, (self.local,)

    def __deepcopy__(self, memo):
        return self


class DaskReader(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """An estimator that has a local one inside, and can read partitions."""

    def _local(self, fitted):
        """Return a local estimator that has read the same, with the current parameters."""
        local = self._local_class() if fitted is None else shallow_copy(fitted.local)
        params = self.get_params(deep=False)
        del params["client"]
        return local.set_params(**params)

    def _client(self):
        """Return the client whose workers read, or None: then this process does."""
        if self.client is None:
            client = getattr(dask.base.get_scheduler(), "__self__", None)
            return client if isinstance(client, Client) else None
        if not isinstance(self.client, Client) or self.client.asynchronous:
            expected = "a distributed.Client that is not asynchronous, or None"
            raise parameter_error("client", self.client, expected, self)
        return self.client

    def _validated(self, X):
        """Return a merged estimator for workers, the partitions, and the client."""
        local, partitions, client = self.to_local(), partitions_of(X), self._client()
        _check_features(local, partitions, client, reset=False)
        local._fitted.final_clusters(self.n_jobs, warns=True)  # not by every worker
        return local.set_params(n_jobs=1), partitions, client

    def _partial_fit(self, X, weights):
        """Continue the stream, or start one, and return what is known then."""
        with lock_of(self), unchanged_on_error(self):
            return self._read(partitions_of(X), is_partial=True, weights=weights)

    def _read(self, partitions, is_partial, reporter=None, weights=None):
        """Let the stream, or a new one, read partitions; take over what is known then."""
        before = vars(self).get("_fitted") if is_partial else None
        local, client, is_start = self._local(before), self._client(), before is None
        local._check_params()
        _check_features(local, partitions, client, reset=is_start)
        delayed, sizes = with_shared_results(partitions.delayed, client), partitions.sizes
        if None in sizes and is_start and getattr(self, "n_samples", 0) is None:
            sizes = computed(worker.count_rows, delayed, client)
        n_rows = None if None in sizes else sum(sizes)
        stream = local._new_stream(n_rows) if is_start else local._stream
        if weights is not None:
            stream, delayed = stream.weighted(), with_weights(delayed, weights)
        if n_rows is not None:
            local._warn_before_reading(stream, n_rows, is_partial)

        def known(so_far, sizes, labeled, figures=None):
            fitted_local, known_before = shallow_copy(local), vars(local).get("_fitted")
            fitted_local._fitted = local._new_fitted(known_before, so_far, NO_ROWS)
            *firsts, _ = itertools.accumulate(sizes, initial=stream.n_seen)
            labeled = tuple(map(np.concatenate, zip(NO_ROWS, *labeled)))
            read = partitions.first(len(firsts))
            return DaskFitted(fitted_local, read, firsts, labeled, figures)

        def report(*so_far):
            if reporter and so_far[0].n_seen:
                reporter.update(len(so_far[1]), lambda: {"_fitted": known(*so_far)})

        checker = type(local)(n_jobs=1)
        vars(checker).update(known_features(local))
        read, using = (read_on_workers, client) if client else (read_here, self.n_jobs)
        extended, sizes, *more = read(using, stream, delayed, sizes, checker, report)
        if not sum(sizes):
            validate_X(local, partitions.empty, reset=False)  # which raises
        if n_rows is None:
            local._warn_before_reading(stream, sum(sizes), is_partial)
        local._log_phases(stream, extended)
        self._fitted = known(extended, sizes, *more)
        return self._fitted


def read_here(n_jobs, stream, delayed, _, checker, report):
    """Return the stream that this process has extended, and what else is known.

    That is the sizes of partitions, and labels and squared distances of rows read while
    centers moved. Dask's own scheduler loads the next partition meanwhile.
    """
    sizes, labeled = [], []
    with ThreadPoolExecutor(1) as pool:
        # lazy, and looked at in pairs: so the next one is loading while one is read
        loads = (pool.submit(part.compute) for part in delayed)
        for coming, _ in itertools.pairwise(itertools.chain(loads, [None])):
            args = [coming.result()], checker, stream, (len(sizes), 0), False, n_jobs
            stream, size, *_, decided = worker.read_serially(*args)
            sizes, labeled = sizes + size, labeled + decided
            report(stream, sizes, labeled)
    return stream, sizes, labeled


def _check_features(local, partitions, client, reset):
    """Check the number and names of features, or take them over."""
    if partitions.empty is None:
        (partitions.empty,) = computed(_without_rows, partitions.delayed[:1], client)
    validate_data(local, partitions.empty, reset=reset, **_SHAPE_ALONE)


def _without_rows(part):
    if not hasattr(part, "columns"):
        part = check_array(part, ensure_all_finite=False, **_SHAPE_ALONE)
    return part[:0]


def features_of(model, partitions, function, firsts=None):
    """Return a collection of the features that a function returns for each partition."""
    meta = worker.transform_rows(partitions.empty, model)
    names = model.get_feature_names_out()
    return partitions.mapped(function, model, meta, names, firsts)
