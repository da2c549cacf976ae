"""Reading on a cluster: one worker after the other, or all at once, as the stream allows.

The first rows of a stream open many centers, and so do those of a burst: they are read in
turn, and likewise partitions so small that it takes longer to ask for them than to read
them. Of others many are under way at once, by a `pipeline`.
"""

import math
import time
from collections import Counter

import dask

from .._algorithm.moving import is_moving
from . import worker
from .loading import LoadedPartitions
from .pipeline import Pipeline
from .tasks import RETRIES, Tasks


class ClusterReader:
    """Reads partitions on the workers of a client.

    Attributes
    ----------
    figures : Counter
        What reading took: "n_candidates" and, of these, "n_openings", "n_serial_rows",
        "n_bursts", and "driver_seconds" in which the driver computed.
    labeled : list
        Labels and squared distances of rows while centers moved.
    """

    def __init__(self, client):
        self._client, self.figures, self.labeled = client, Counter(), []

    def compute(self, delayed):
        """Return the values of delayed objects, which are small."""
        return dask.compute(*delayed, scheduler=self._client.get, retries=RETRIES)

    def persist(self, delayed):
        """Return delayed objects whose values the workers have, or will have."""
        return self._client.persist(delayed, retries=RETRIES)

    def extend(self, stream, delayed, sizes, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        start, tasks = time.thread_time(), Tasks(self._client)
        loaded = LoadedPartitions(tasks, delayed, sizes)
        try:
            stream = Reading(tasks, loaded, checker, self, report).read(stream)
        finally:
            tasks.release_all()
        self.figures["driver_seconds"] = time.thread_time() - start
        return stream, loaded.sizes


class Reading:
    """The way of a stream through the partitions of one call."""

    def __init__(self, tasks, partitions, checker, reader, report):
        self.tasks, self.partitions, self.checker = tasks, partitions, checker
        self.figures, self._labeled, self._report = reader.figures, reader.labeled, report

    def read(self, stream):
        """Return the stream that has read all partitions."""
        start = 0, 0  # index of a partition, and of a row in it
        while start[0] < len(self.partitions):
            stream, start, is_calm = self._read_serially(stream, start)
            if is_calm:
                stream, start = Pipeline(self, stream, start).run()
        return stream

    def workers_may_go_ahead(self, stream, index):
        """Return whether workers may read partitions from this one on at the same time.

        Otherwise they read one after the other, whether many centers open or not. So they
        do if centers move, if the stream forgets, or if it is weighted: proposals would
        need to know more.
        """
        if index == len(self.partitions) or self.tasks.n_threads() == 1:
            return False
        needs_all = is_moving(stream) or stream.half_life < math.inf or stream.is_weighted
        return not needs_all and not self.partitions.are_small(index, stream)

    def report(self, stream, index):
        """Report that the stream has read rows up to this partition."""
        self._report(stream, self.partitions.sizes[: index + 1])

    def _read_serially(self, stream, start):
        """Let a worker read, until few centers open if others could propose meanwhile.

        Return the stream, with which partition and row it goes on, and whether few open.
        """
        index, n_before = start[0], stream.n_seen
        until_calm = self.workers_may_go_ahead(stream, index)
        parts = self.partitions.together(index, stream)
        args = parts, self.checker, stream, start, until_calm
        done = self.tasks.result("read", worker.read_serially, *args)
        stream, sizes, start, is_calm, labeled = done
        self._labeled += labeled
        self.figures["n_serial_rows"] += stream.n_seen - n_before
        self.partitions.sizes[index : index + len(sizes)] = sizes
        for i in range(index, start[0]):
            self.partitions.release(i)
        self.report(stream, index + len(sizes) - 1)
        return stream, start, is_calm
