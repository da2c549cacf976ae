"""Results that are computed when they are asked for, partition by partition.

Nothing that is as long as the stream is kept after a call, neither here nor on workers: it
would be lost with its worker. The label of a sample is that of the nearest center that had
opened by then. So the centers, when they opened, and the sample are all it takes to look it
up again, whenever it is asked for and on whatever worker is there.
"""

import itertools
import uuid

import dask
import dask.array as da
import numpy as np

from . import worker


def node(name, value):
    """Return a value as a part of graphs, of which each worker gets one copy."""
    name = f"online-kmeans-{name}-{uuid.uuid4().hex}"
    return dask.delayed(value, name=name, traverse=False)


def key_name(function):
    """Return what the keys of the tasks of a function begin with."""
    return f"online-kmeans-{function.__name__.strip('_').replace('_', '-')}"


def each(function, parts, *args, by_part=None):
    """Return the delayed results of a function for each of the parts.

    Arguments that differ by part come in a list.
    """
    name = f"{key_name(function)}-{uuid.uuid4().hex}"
    function = dask.delayed(function, pure=False, traverse=False)
    by_part = [()] * len(parts) if by_part is None else [(value,) for value in by_part]
    return [
        function(part, *args, *more, dask_key_name=f"{name}-{i}")
        for i, (part, more) in enumerate(zip(parts, by_part))
    ]


class LazyRows:
    """What became of the rows of a call, looked up when it is asked for.

    Attributes
    ----------
    partitions : Partitions
    firsts : list of int
        The position in the stream of the first row of each partition.
    """

    def __init__(self, partitions, sizes, first):
        self.partitions = partitions
        self.firsts = list(itertools.accumulate(sizes, initial=first))[:-1]

    def labels(self, stream, checker, of_online=None):
        """Return the labels, those of merged clusters if `of_online` says which."""
        args = *_known(stream, checker), node("merged", of_online)
        result = np.int32, "cluster"
        return self.partitions.column(worker.labels_again, args, *result, self.firsts)

    def distances(self, stream, checker):
        """Return the distances at arrival."""
        args, result = _known(stream, checker), (np.float64, "distance")
        return self.partitions.column(worker.distances_again, args, *result, self.firsts)


class KnownRows:
    """What became of the rows of the last call of a local estimator that was taken over."""

    def __init__(self, labels, d2):
        self._labels, self._d2 = labels, d2

    def labels(self, stream, checker, of_online=None):
        """Return the labels, those of merged clusters if `of_online` says which."""
        labels = self._labels if of_online is None else of_online[self._labels]
        return da.from_array(labels)

    def distances(self, stream, checker):
        """Return the distances at arrival."""
        return da.from_array(np.sqrt(self._d2))


def _known(stream, checker):
    """Return what it takes to look rows up again."""
    centers = node("centers", stream.centers), node("opened-at", stream.opened_at)
    return node("checker", checker), *centers
