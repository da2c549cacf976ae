"""What came, as partitions in stream order, and results back in collections like it."""

import copy
import math

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from distributed import Future

from .lazy import each

_NAME = "online-kmeans"


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

    def first(self, number):
        """Return the first partitions."""
        first = copy.copy(self)
        first.delayed, first.sizes = self.delayed[:number], self.sizes[:number]
        return first

    def column(self, parts, dtype, name):
        """Return a lazy collection of delayed labels, or distances, of the partitions."""
        return self._array(parts, np.empty(0, dtype=dtype))

    def features(self, parts, meta, names):
        """Return a lazy collection of delayed features of the partitions."""
        return self._array(parts, meta)

    def _array(self, parts, meta):
        """Return an array whose blocks of rows are the parts."""
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
        super().__init__(X.to_delayed())
        self._meta, self._divisions = X._meta, X.divisions

    def lazy(self):
        # others each time: arrays and frames are not optimized alike
        return each("part", _itself, _for_arrays(self.delayed))

    def without_rows(self, compute):
        return self._meta

    def column(self, parts, dtype, name):
        meta = pd.Series(np.empty(0, dtype=dtype), index=self._meta.index[:0], name=name)
        return self._like_index(_as_series, parts, meta, name)

    def features(self, parts, meta, names):
        if not isinstance(meta, np.ndarray):
            return super().features(parts, meta, names)
        meta = pd.DataFrame(meta, columns=names, index=self._meta.index[:0])
        return self._like_index(_as_frame, parts, meta, names)

    def _like_index(self, wrap, parts, meta, names):
        """Return the parts in pandas, with the index of their partitions."""
        wrap = dask.delayed(wrap, pure=False)
        parts = [wrap(part, x, names) for part, x in zip(parts, self.lazy())]
        name = f"{_NAME}-partitions-{dask.base.tokenize([part.key for part in parts])}"
        layer = {(name, i): part.key for i, part in enumerate(parts)}
        graph = HighLevelGraph.from_collections(name, layer, dependencies=parts)
        divisions = self._divisions[: len(self) + 1]
        return dd.from_graph(graph, meta, divisions, list(layer), name)


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
    advice = "for data in memory use the estimator of the same name of onlinekmeans_sklearn"
    if isinstance(X, (Delayed, Future)):
        advice = "put it into a list"
    elif isinstance(X, dd.Series):
        advice = "make it a frame with X.to_frame()"
    elif isinstance(X, (list, tuple)):
        got = f"a {got} of {len(X)} other objects" if X else "no partition"
        advice = "pass one or more, each made by dask.delayed"
    raise TypeError(
        "Expected a Dask array, a Dask dataframe or a list of delayed partitions. Got "
        f"{got} instead: {advice}."
    )


def _itself(part):
    return part


def _without_rows(part):
    return part[:0]


def _as_series(values, part, name):
    return pd.Series(values, index=part.index, name=name)  # Dask shuffles none without


def _as_frame(values, part, names):
    return pd.DataFrame(values, columns=names, index=part.index)
