"""The input as partitions in stream order, and results as collections of the same kind.

Results are computed when they are asked for, partition by partition. Nothing that is as
long as the stream is kept after a call, neither here nor on workers: it would be lost with
its worker. The label of a sample is that of the nearest center that had opened by then. So
it can be looked up again from the sample, the centers, and when they opened.
"""

import math
import operator
import uuid
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.core import get_dependencies, istask
from dask.delayed import Delayed
from distributed import Future
from scipy.sparse import issparse

from .worker import Weighted

RETRIES = 3  # of each task


class ArrayPartitions:
    """The blocks of rows of a Dask array, in stream order.

    Attributes
    ----------
    delayed : list of Delayed
        The partitions, to be computed as they are.
    sizes : list of int or None
        The number of rows of each, None where it is not known before reading.
    empty : ndarray, DataFrame or None
        A partition without rows, for the number and names of features; None likewise.
    """

    def __init__(self, X):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
        self._X = X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        self.delayed = X.to_delayed().ravel().tolist()
        self.sizes = [None if math.isnan(size) else int(size) for size in X.chunks[0]]
        self.empty = None if math.isnan(X.shape[1]) else np.empty((0, X.shape[1]), X.dtype)

    def first(self, number):
        """Return the first partitions."""
        is_all = number == len(self.delayed)
        return self if is_all else type(self)(self._X.partitions[:number])

    def mapped(self, function, value, meta, columns=None, firsts=None):
        """Return a lazy collection of a function's results for the partitions.

        It gets the partition, the value and, if `firsts` are given, the position in the
        stream of its first row. `meta` is its result for no rows. In pandas a frame has
        these columns, and a series has clusters or distances.
        """
        args = [self._X, "ij", delayed_value(value), None]
        if firsts is not None:
            args += [da.from_array(np.array(firsts), chunks=1), "i"]
        options = {"align_arrays": False, "meta": meta, "token": _key_name(function)}
        new_axes, call = dict(zip("k", meta.shape[1:])), partial(_of_block, function)
        return da.blockwise(call, "ik"[: meta.ndim], *args, new_axes=new_axes, **options)


class FramePartitions(ArrayPartitions):
    """The partitions of a Dask dataframe."""

    def __init__(self, X):
        for column, dtype in X.dtypes.items():
            if isinstance(dtype, pd.StringDtype):
                raise ValueError(
                    f"Expected columns of numbers. Got column {column!r} of strings "
                    f"({dtype}) instead: encode it as numbers, or leave it out."
                )
        self._X, self.delayed, self.empty = X, X.to_delayed(), X._meta
        self.sizes = [None] * len(self.delayed)

    def mapped(self, function, value, meta, columns=None, firsts=None):
        """Return a lazy collection: pandas with the index of the frame, or CSR.

        Dask knows that rows of the result belong to those of the frame only if it is mapped
        from the frame. Otherwise it joins them by the index, whose values may repeat.
        """
        if issparse(meta):
            # for a frame from_delayed, Dask has aliases under keys that are not their own,
            # which an array cannot have: the keys that they stand for mean the same
            graph = dict(self.delayed[0].dask)
            graph |= {k: t.key for k, t in graph.items() if getattr(t, "key", k) != k}
            parts = [dask.delayed(_same)(Delayed(i.key, graph)) for i in self.delayed]
            return partitions_of(parts).mapped(function, value, meta, columns, firsts)
        args, token = [delayed_value(value)], _key_name(function)
        if firsts is not None:
            # a scalar for each partition: if Dask picks some of them, it picks theirs
            args.append(dd.from_map(operator.index, firsts, meta=0))
        make = partial(pd.Series, name="distance" if meta.dtype.kind == "f" else "cluster")
        if meta.ndim == 2:
            make = partial(pd.DataFrame, columns=columns)
        mapped, meta = partial(_in_pandas, function, make), make(meta, self.empty.index)
        return self._X.map_partitions(mapped, *args, meta=meta, token=token)


def partitions_of(X):
    """Return the partitions of a Dask array or dataframe, or of a list of delayed ones."""
    if isinstance(X, da.Array):
        return ArrayPartitions(X)
    if isinstance(X, dd.DataFrame):
        return FramePartitions(X)
    is_list = isinstance(X, (list, tuple))
    if is_list and X and all(isinstance(part, (Delayed, Future)) for part in X):
        unknown = {"shape": (math.nan, math.nan), "dtype": float}
        parts = [da.from_delayed(dask.delayed(part), **unknown) for part in X]
        return ArrayPartitions(da.concatenate(parts, allow_unknown_chunksizes=True))
    got = "an empty list" if is_list and not X else type(X).__name__
    raise TypeError(
        "Expected a Dask array, a Dask dataframe or a list of one or more partitions, each "
        f"made by dask.delayed. Got {got} instead. Put a single delayed partition into a "
        "list, make a series a frame with X.to_frame(), and instead of an array of delayed "
        "blocks pass the Dask array itself. For data in memory use to_local() of a fitted "
        "estimator, or the estimator of the same name of onlinekmeans_sklearn."
    )


def computed(function, delayed, client, *args):
    """Return a function's results, which are small, for the partitions.

    Without a client Dask's own scheduler computes it, in this process.
    """
    options = {"scheduler": client.get, "retries": RETRIES} if client else {}
    return dask.compute(*(dask.delayed(function)(i, *args) for i in delayed), **options)


def with_shared_results(delayed, client):
    """Return delayed partitions after persisting the results that all of them need.

    These are what both the first and the last one need, apart from plain data. Partitions
    are loaded one after the other, and Dask forgets what none of those under way needs: a
    mean of all rows would be computed again, from all rows, for each of them.
    """
    graphs = {id(part.dask): part.dask for part in delayed}.values()
    graph = {key: task for part in graphs for key, task in part.items()}
    of_first, of_last = ({*by_itself(delayed[i]).dask} for i in (0, -1))
    used = set().union(*(get_dependencies(graph, key) for key in of_first - of_last))
    shared = [Delayed(key, graph) for key in used & of_last if not _is_data(graph, key)]
    if not shared:
        return delayed
    shared = client.persist(shared, retries=RETRIES) if client else dask.persist(*shared)
    for result in shared:
        graph = {**graph, **result.dask}
    return [Delayed(part.key, graph) for part in delayed]


def _is_data(graph, key):
    """Return whether a key stands for a value: it needs no other keys, and no function."""
    is_task = istask(graph[key]) or hasattr(graph[key], "func")
    return not is_task and not get_dependencies(graph, key)


def by_itself(part):
    """Return a delayed object whose graph has only what it needs: Dask sends it whole."""
    graph = part.__dask_optimize__(part.dask, [part.key])
    return Delayed(part.key, graph.to_dict())


def with_weights(delayed, weights):
    """Return delayed partitions with the weights of their rows."""
    if isinstance(weights, (da.Array, dd.Series)):
        weights = np.ravel(weights.to_delayed()).tolist()
    are_lazy = isinstance(weights, list) and all(map(dask.is_dask_collection, weights))
    if not are_lazy or len(weights) != len(delayed):
        raise ValueError(
            "Got sample_weight in another form than X: expected a Dask array or series, or "
            f"a list of delayed objects, with the {len(delayed)} partition(s) of X."
        )
    return [dask.delayed(Weighted)(*pair) for pair in zip(delayed, weights)]


def delayed_value(value):
    """Return a value as a part of graphs, of which each worker gets one copy."""
    # not by dask.delayed, from whose graph Dask cannot always make that of an array
    name = f"online-kmeans-model-{uuid.uuid4().hex}"
    return Delayed(name, {name: value})


def _key_name(function):
    """Return what the keys of the tasks of a function begin with."""
    return f"online-kmeans-{function.__name__.replace('_', '-')}"


def _same(part):
    return part


def _of_block(function, parts, value, *firsts):
    """Return a function's result for the only block of a row of blocks.

    If there is another array, it has the position of the first row.
    """
    return function(parts[0], value, *(first.item() for first in firsts))


def _in_pandas(function, make, part, *args):
    """Return a function's result for a partition in pandas, with the partition's index."""
    return make(function(part, *args), index=part.index)
