"""What came, as partitions in stream order, and results back in collections like it."""

import copy
import math
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from distributed import Future
from sklearn.utils import check_array

from .lazy import each, key_name
from .shared import with_shared_results

_NAME = "online-kmeans"

# how scikit-learn checks the shape alone, and no value
NO_ROWS = {
    "accept_sparse": "csr",
    "dtype": None,
    "ensure_all_finite": False,
    "ensure_min_samples": 0,
}


class Partitions:
    """The rows of a stream, a delayed partition after the other.

    Attributes
    ----------
    delayed : list of Delayed
        The partitions, in stream order, to be computed as they are.
    sizes : list of int or None
        The number of rows of each, None where only reading it tells.
    empty : ndarray, CSR or frame
        Without rows, but with the number and names of the features.
    """

    empty = None

    def __init__(self, delayed, sizes=None):
        self.delayed = delayed
        self.sizes = [None] * len(delayed) if sizes is None else sizes

    def __len__(self):
        return len(self.delayed)

    def lazy(self):
        """Return the partitions for a graph that Dask will optimize as a whole.

        A task must be the same whenever it is computed. To optimize it twice, in another
        way, or not at all, would give another one with the same key, and a scheduler that
        knows the first gets confused.
        """
        return self.delayed

    def without_rows(self, compute):
        """Return a container without rows that has the number and names of features."""
        first = dask.delayed(_without_rows)(self.delayed[0])
        return compute([first])[0]

    def prepared(self, persist):
        """Return the partitions, with what all of them need computed once."""
        prepared = copy.copy(self)
        prepared.delayed = with_shared_results(self.delayed, persist)
        return prepared

    def first(self, number):
        """Return the first partitions."""
        first = copy.copy(self)
        first.delayed, first.sizes = self.delayed[:number], self.sizes[:number]
        return first

    def column(self, function, model, dtype, name, firsts=None):
        """Return a lazy collection of what a function gives of each partition.

        It gets the partition, the delayed model and, if they are given, the position in the
        stream of its first row.
        """
        return self._array(function, model, np.empty(0, dtype=dtype), firsts)

    def features(self, function, model, meta, names, firsts=None):
        """Return a lazy collection, as `column`, of features."""
        return self._array(function, model, meta, firsts)

    def _array(self, function, model, meta, firsts):
        """Return an array whose blocks of rows are what a function gives."""
        parts = each(function, self.lazy(), model, by_part=firsts)
        name = f"{_NAME}-blocks-{dask.base.tokenize([part.key for part in parts])}"
        rest = tuple((width,) for width in meta.shape[1:])
        zeros = (0,) * len(rest)
        layer = {(name, i, *zeros): part.key for i, part in enumerate(parts)}
        graph = HighLevelGraph.from_collections(name, layer, dependencies=parts)
        return da.Array(graph, name, chunks=(self._row_chunks(), *rest), meta=meta)

    def _row_chunks(self):
        return tuple(math.nan if size is None else size for size in self.sizes)


class ArrayPartitions(Partitions):
    """The blocks of rows of a Dask array."""

    def __init__(self, X):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        sizes = [None if math.isnan(size) else int(size) for size in X.chunks[0]]
        super().__init__(X.to_delayed().ravel().tolist(), sizes)
        self._X = X

    def lazy(self):
        return self._X.to_delayed(optimize_graph=False).ravel().tolist()[: len(self)]

    def without_rows(self, compute):
        if math.isnan(self._X.shape[1]):
            return super().without_rows(compute)
        return np.empty((0, self._X.shape[1]), dtype=self._X.dtype)


class FramePartitions(Partitions):
    """The partitions of a Dask dataframe."""

    def __init__(self, X):
        for column, dtype in X.dtypes.items():
            if isinstance(dtype, pd.StringDtype):
                raise ValueError(
                    f"Expected columns of numbers. Got column {column!r} of strings "
                    f"({dtype}) instead: encode it as numbers, or leave it out."
                )
        super().__init__(X.to_delayed())
        self._X = X

    def lazy(self):
        # others each time: arrays and frames are not optimized alike
        return each(_part, _for_arrays(self.delayed))

    def without_rows(self, compute):
        return self._X._meta

    def first(self, number):
        first = super().first(number)
        first._X = self._X.optimize().partitions[:number]  # the delayed ones are of it
        return first

    def column(self, function, model, dtype, name, firsts=None):
        meta = pd.Series(np.empty(0, dtype=dtype), index=self._no_rows, name=name)
        return self._mapped(function, model, meta, firsts)

    def features(self, function, model, meta, names, firsts=None):
        if not isinstance(meta, np.ndarray):
            return super().features(function, model, meta, names, firsts)
        meta = pd.DataFrame(meta, columns=names, index=self._no_rows)
        return self._mapped(function, model, meta, firsts)

    @property
    def _no_rows(self):
        """The index of a partition without rows."""
        return self._X._meta.index[:0]

    def _mapped(self, function, model, meta, firsts):
        """Return what a function gives of each partition in pandas, with its index.

        Dask knows that rows of the result belong to those of the frame only if it is mapped
        from the frame. Else it joins them by the index, whose values may be there twice.
        """
        args = [model]
        if firsts is not None:
            # not by the number of a partition: Dask puts some together, or picks others
            ones = self._X.map_partitions(_ones, meta=pd.Series(1, index=self._no_rows))
            args.append(ones.cumsum() + (firsts[0] - 1))
        mapped = partial(_in_pandas, function, meta)
        return self._X.map_partitions(mapped, *args, meta=meta, token=key_name(function))


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
        return Partitions([dask.delayed(part) for part in X])
    got = type(X).__name__
    advice = (
        "for data in memory use to_local() of a fitted estimator, or the estimator of the "
        "same name of onlinekmeans_sklearn"
    )
    if isinstance(X, (Delayed, Future)):
        advice = "put it into a list"
    elif isinstance(X, np.ndarray) and X.size and isinstance(X.flat[0], Delayed):
        advice = "pass the Dask array itself, or put them into a list"
    elif isinstance(X, dd.Series):
        advice = "make it a frame with X.to_frame()"
    elif isinstance(X, (list, tuple)):
        got = f"a {got} of {len(X)} other objects" if X else "no partition"
        advice = "pass one or more, each made by dask.delayed"
    raise TypeError(
        "Expected a Dask array, a Dask dataframe or a list of delayed partitions. Got "
        f"{got} instead: {advice}."
    )


def _part(part):
    return part


def _without_rows(part):
    return (part if hasattr(part, "columns") else check_array(part, **NO_ROWS))[:0]


def _ones(part):
    return pd.Series(1, index=part.index)


def _in_pandas(function, meta, part, *args):
    """Return what a function gives of a partition as pandas, with the partition's index.

    A Series among the arguments has the position of each row: the function gets the first.
    """
    if not len(part):
        return meta
    firsts = [arg.iloc[0] if isinstance(arg, pd.Series) else arg for arg in args]
    values = function(part, *firsts)
    if meta.ndim == 1:
        return pd.Series(values, index=part.index, name=meta.name)
    return pd.DataFrame(values, columns=meta.columns, index=part.index)
