"""What came, as partitions in stream order, and results back in collections like it.

Results are computed when they are asked for, partition by partition. Nothing that is as
long as the stream is kept after a call, neither here nor on workers: it would be lost with
its worker. The label of a sample is that of the nearest center that had opened by then. So
the centers, when they opened, and the sample are all it takes to look it up again.
"""

import math
import uuid
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from distributed import Future
from sklearn.utils import check_array

from .worker import Weighted

# how scikit-learn checks the shape alone, and no value
NO_ROWS = {
    "accept_sparse": "csr",
    "dtype": None,
    "ensure_all_finite": False,
    "ensure_min_samples": 0,
}


class ArrayPartitions:
    """The blocks of rows of a Dask array, in stream order.

    Attributes
    ----------
    delayed : list of Delayed
        The partitions, to be computed as they are.
    sizes : list of int or None
        The number of rows of each, None where only reading it tells.
    """

    def __init__(self, X):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
        self._X = X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        self.delayed = X.to_delayed().ravel().tolist()
        self.sizes = [None if math.isnan(size) else int(size) for size in X.chunks[0]]

    def __len__(self):
        return len(self.delayed)

    def without_rows(self, compute):
        """Return a container without rows that has the number and names of features."""
        if math.isnan(self._X.shape[1]):
            return compute([dask.delayed(_without_rows)(self.delayed[0])])[0]
        return np.empty((0, self._X.shape[1]), dtype=self._X.dtype)

    def first(self, number):
        """Return the first partitions."""
        return self if number == len(self) else type(self)(self._X.partitions[:number])

    def mapped(self, function, value, meta, names, firsts=None):
        """Return a lazy collection of what a function gives of each partition.

        It gets the partition, the value and, if they are given, the position in the stream
        of its first row. `meta` is what it gives of no rows. In pandas, columns have these
        names.
        """
        args = [self._X, "ij", delayed_value(value), None]
        if firsts is not None:
            args += [da.from_array(np.array(firsts), chunks=1), "i"]
        return da.blockwise(
            partial(_of_block, function),
            "ik"[: meta.ndim],
            *args,
            new_axes=dict(zip("k", meta.shape[1:])),
            align_arrays=False,
            meta=meta,
            token=_key_name(function),
        )


class FramePartitions(ArrayPartitions):
    """The partitions of a Dask dataframe."""

    def __init__(self, X):
        for column, dtype in X.dtypes.items():
            if isinstance(dtype, pd.StringDtype):
                raise ValueError(
                    f"Expected columns of numbers. Got column {column!r} of strings "
                    f"({dtype}) instead: encode it as numbers, or leave it out."
                )
        self._X, self.delayed = X, X.to_delayed()
        self.sizes = [None] * len(self.delayed)

    def without_rows(self, compute):
        return self._X._meta

    def mapped(self, function, value, meta, names, firsts=None):
        """Return a lazy collection: pandas with the index of the frame, or CSR.

        Dask knows that rows of the result belong to those of the frame only if it is mapped
        from the frame. Else it joins them by the index, whose values may be there twice.
        """
        if not isinstance(meta, np.ndarray):
            parts = [dask.delayed(_same)(part) for part in _for_arrays(self.delayed)]
            return _array_of(parts).mapped(function, value, meta, names, firsts)
        args = [delayed_value(value)]
        if firsts is not None:
            # a scalar for each partition: if Dask picks some of them, it picks theirs
            args.append(dd.from_map(_same, firsts, meta=0))
        make = partial(pd.Series, name=names)
        if meta.ndim == 2:
            make = partial(pd.DataFrame, columns=names)
        mapped, token = partial(_in_pandas, function, make), _key_name(function)
        meta = make(meta, index=self._X._meta.index[:0])
        return self._X.map_partitions(mapped, *args, meta=meta, token=token)


def _array_of(delayed):
    """Return the partitions of an array that is made of delayed ones."""
    unknown = {"shape": (math.nan, math.nan), "dtype": float}
    parts = [da.from_delayed(dask.delayed(part), **unknown) for part in delayed]
    return ArrayPartitions(da.concatenate(parts, allow_unknown_chunksizes=True))


def _for_arrays(parts):
    """Return the partitions of a frame, with graphs of which arrays can be made.

    For a frame `from_delayed` Dask writes aliases under keys that are not their own, and
    needs those to fuse the tasks of an array.
    """
    graph = dict(parts[0].dask)
    for key, task in parts[0].dask.items():
        if getattr(task, "key", key) != key:
            (graph[key],) = task.dependencies
    return [Delayed(part.key, graph) for part in parts]


def partitions_of(X):
    """Return the partitions of a Dask array or dataframe, or of a list of delayed ones."""
    if isinstance(X, da.Array):
        return ArrayPartitions(X)
    if isinstance(X, dd.DataFrame):
        return FramePartitions(X)
    is_list = isinstance(X, (list, tuple)) and len(X)
    if is_list and all(isinstance(part, (Delayed, Future)) for part in X):
        return _array_of(X)
    got = "an empty list" if isinstance(X, (list, tuple)) and not X else type(X).__name__
    raise TypeError(
        "Expected a Dask array, a Dask dataframe or a list of one or more partitions, each "
        f"made by dask.delayed. Got {got} instead. Put a single delayed partition into a "
        "list, make a series a frame with X.to_frame(), and instead of an array of delayed "
        "blocks pass the Dask array itself. For data in memory use to_local() of a fitted "
        "estimator, or the estimator of the same name of onlinekmeans_sklearn."
    )


def with_weights(delayed, weights):
    """Return delayed partitions with the weights of their rows."""
    if isinstance(weights, (da.Array, dd.Series)):
        weights = np.ravel(weights.to_delayed()).tolist()
    are_lazy = isinstance(weights, list) and all(map(dask.is_dask_collection, weights))
    if not are_lazy or len(weights) != len(delayed):
        raise ValueError(
            "Expected sample_weight as a Dask array, a Dask series or a list of delayed "
            f"objects with the {len(delayed)} partition(s) of X."
        )
    return [dask.delayed(Weighted)(*pair) for pair in zip(delayed, weights)]


def delayed_value(value):
    """Return a value as a part of graphs, of which each worker gets one copy."""
    # of the graph that dask.delayed makes, Dask cannot always make one of an array
    name = f"online-kmeans-model-{uuid.uuid4().hex}"
    return Delayed(name, {name: value})


def _key_name(function):
    """Return what the keys of the tasks of a function begin with."""
    return f"online-kmeans-{function.__name__.replace('_', '-')}"


def _same(value):
    return value


def _without_rows(part):
    return (part if hasattr(part, "columns") else check_array(part, **NO_ROWS))[:0]


def _of_block(function, parts, *args):
    """Return what a function gives of the only block of a row of blocks.

    An array among the arguments has the position of the first row.
    """
    args = [arg.item() if isinstance(arg, np.ndarray) else arg for arg in args]
    return function(parts[0], *args)


def _in_pandas(function, make, part, *args):
    """Return what a function gives of a partition in pandas, with the partition's index."""
    return make(function(part, *args), index=part.index)
