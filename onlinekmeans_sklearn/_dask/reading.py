"""How an estimator on Dask reads partitions: by the local estimator inside."""

import copy
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import dask
import numpy as np
from distributed import Client
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from .._reading import known_features
from .._utils.callbacks import CallbackSupportMixin
from .._utils.calls import lock_of, unchanged_on_error
from .._utils.validation import parameter_error, validate_X
from . import worker
from .driver import ClusterReader
from .partitions import NO_ROWS, ArrayPartitions, partitions_of, with_weights
from .shared import with_shared_results

_NO_ROWS = np.empty(0, dtype=np.int32), np.empty(0)


class DaskFitted(NamedTuple):
    """What a call has learned; the next call replaces it as a whole.

    A pickle has the local estimator alone, and no graph.
    """

    local: BaseEstimator
    partitions: ArrayPartitions = None  # of the last call; None if the local one has them
    firsts: list = None  # the position in the stream of the first row of each partition
    labeled: tuple = _NO_ROWS  # labels and d2 of its first rows, if centers moved
    figures: dict = None  # what the last call took, if it was on a cluster

    def __reduce__(self):
        return DaskFitted, (self.local,)

    def __deepcopy__(self, memo):
        return self


class LocalReader:
    """Reads partitions in this process, as Dask's own scheduler loads them."""

    figures = None  # which are those of a cluster

    def __init__(self):
        self.labeled = []

    def compute(self, delayed):
        """Return the values of delayed objects, one after the other."""
        return [part.compute() for part in delayed]

    def persist(self, delayed):
        """Return delayed objects whose values are there."""
        return dask.persist(*delayed)

    def extend(self, stream, delayed, sizes, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        sizes = []
        with ThreadPoolExecutor(1) as pool:
            # lazy, and looked at in pairs: so the next one is loading while one is read
            loads = (pool.submit(part.compute) for part in delayed)
            for coming, _ in itertools.pairwise(itertools.chain(loads, [None])):
                args = [coming.result()], checker, stream, (len(sizes), 0), False, n_jobs
                stream, size, *_, labeled = worker.read_serially(*args)
                sizes += size
                self.labeled += labeled
                report(stream, sizes)
        return stream, sizes


class DaskReader(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """An estimator that has a local one inside, and can read partitions."""

    def _local(self, fitted):
        """Return a local estimator that has read the same, with the parameters of now."""
        local = self._local_class() if fitted is None else copy.copy(fitted.local)
        params = self.get_params(deep=False)
        del params["client"]
        return local.set_params(**params)

    def _reader(self):
        """Return who reads: a client's workers, or this process."""
        client = self.client
        if client is None:
            client = getattr(dask.base.get_scheduler(), "__self__", None)
            if not isinstance(client, Client):
                return LocalReader()
        if not isinstance(client, Client) or client.asynchronous:
            expected = "a distributed.Client that is not asynchronous, or None"
            raise parameter_error("client", client, expected, self)
        return ClusterReader(client)

    def _validated(self, X):
        """Return a merged estimator for workers, the partitions, and who reads them."""
        local, partitions, reader = self.to_local(), partitions_of(X), self._reader()
        _check_features(local, partitions, reader, reset=False)
        local._merge(local._fitted)  # here, and not by every worker
        return local.set_params(n_jobs=1), partitions, reader

    def _partial_fit(self, X, weights):
        """Continue the stream, or start one, and return what is known then."""
        partitions = partitions_of(X)
        with lock_of(self), unchanged_on_error(self):
            before = vars(self).get("_fitted")
            return self._read(partitions, before, is_partial=True, weights=weights)

    def _read(self, partitions, before, is_partial, reporter=None, weights=None):
        """Let the stream, or a new one, read partitions; take over what is known then."""
        local, is_start = self._local(before), before is None
        local._check_params()
        reader = self._reader()
        _check_features(local, partitions, reader, reset=is_start)
        delayed = with_shared_results(partitions.delayed, reader.persist)
        sizes = partitions.sizes
        if None in sizes and is_start and getattr(self, "n_samples", 0) is None:
            count = dask.delayed(worker.count_rows)
            sizes = reader.compute([count(part) for part in delayed])
        n_rows = None if None in sizes else sum(sizes)
        stream = local._new_stream(n_rows) if is_start else local._stream
        if weights is not None:
            stream, delayed = stream.weighted(), with_weights(delayed, weights)
        if n_rows is not None:
            local._warn_before_reading(stream, n_rows, is_partial)

        def known(so_far, sizes_so_far):
            fitted_local, known_before = copy.copy(local), vars(local).get("_fitted")
            fitted_local._fitted = local._new_fitted(known_before, so_far, _NO_ROWS)
            *firsts, _ = itertools.accumulate(sizes_so_far, initial=stream.n_seen)
            read = partitions.first(len(firsts))
            labeled = tuple(map(np.concatenate, zip(_NO_ROWS, *reader.labeled)))
            return DaskFitted(fitted_local, read, firsts, labeled, reader.figures)

        def report(so_far, sizes):
            if reporter and so_far.n_seen:
                reporter.update(len(sizes), lambda: {"_fitted": known(so_far, sizes)})

        checker = type(local)(n_jobs=1)
        vars(checker).update(known_features(local))
        extended, sizes = reader.extend(
            stream, delayed, sizes, checker, self.n_jobs, report
        )
        if not sum(sizes):
            validate_X(local, partitions.empty, reset=False)  # which raises
        if n_rows is None:
            local._warn_before_reading(stream, sum(sizes), is_partial)
        local._log_phases(stream, extended)
        self._fitted = known(extended, sizes)
        return self._fitted


def _check_features(local, partitions, reader, reset):
    """Check the number and names of features, or take them over."""
    partitions.empty = partitions.without_rows(reader.compute)
    validate_data(local, partitions.empty, reset=reset, **NO_ROWS)


def features_of(model, partitions, function, firsts=None):
    """Return a collection of the features that a function gives of each partition."""
    meta = model._encode(worker.rows_of(partitions.empty, model), model._fitted)
    names = model.get_feature_names_out()
    return partitions.mapped(function, model, meta, names, firsts)
