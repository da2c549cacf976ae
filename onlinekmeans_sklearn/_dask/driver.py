"""Reading on a cluster: one worker by itself, or all at once, as the stream allows.

The first rows of a stream open many centers, and so do those of a burst: one worker reads
them by itself, and likewise partitions so small that it takes longer to ask for them than
to read them. Of others many are under way at once, by a `pipeline`.
"""

import math
import time
from contextlib import ExitStack
from dataclasses import dataclass

from . import worker
from .loading import LoadedPartitions
from .pipeline import Pipeline
from .tasks import RETRIES, Tasks


@dataclass
class Figures:
    """What a call on a cluster took."""

    n_candidates: int = 0
    n_openings: int = 0  # among the candidates
    n_serial_rows: int = 0
    n_bursts: int = 0
    driver_seconds: float = 0.0  # in which the driver computed


class ClusterReader:
    """Reads partitions on the workers of a client."""

    def __init__(self, client):
        self._client = client
        self.figures = Figures()

    def compute(self, delayed):
        """Return the values of delayed objects, which are small."""
        tasks, values = Tasks(self._client), {}
        with ExitStack() as stack:
            stack.callback(tasks.release_all)
            for i, future in enumerate(tasks.load(delayed)):
                tasks.expect(future, lambda value, i=i: values.update({i: value}))
            while len(values) < len(delayed):
                tasks.wait()
        return [values[i] for i in range(len(delayed))]

    def persist(self, delayed):
        """Return delayed objects whose values the workers have, or will have."""
        return self._client.persist(delayed, retries=RETRIES)

    def extend(self, stream, partitions, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        start, tasks = time.thread_time(), Tasks(self._client)
        with ExitStack() as stack:
            stack.callback(tasks.release_all)
            loaded = LoadedPartitions(tasks, partitions, stream.n_seen)
            reading = Reading(tasks, loaded, checker, self.figures, report)
            stream = reading.read(stream)
        self.figures.driver_seconds = time.thread_time() - start
        return stream, loaded.sizes


class Reading:
    """The way of a stream through the partitions of one call."""

    def __init__(self, tasks, partitions, checker, figures, report):
        self.tasks = tasks
        self.partitions = partitions
        self.checker = checker
        self.figures = figures
        self._report = report

    def read(self, stream):
        """Return the stream that has read all partitions."""
        start = 0, 0  # index of a partition, and of a row in it
        while start[0] < len(self.partitions):
            stream, start = self._read_serially(stream, *start)
            if start[0] < len(self.partitions):
                stream, start = Pipeline(self, stream, start).run()
        return stream

    def report(self, stream, index):
        """Report that the stream has read rows up to this partition."""
        if self._report is not None:
            self._report(stream, self.partitions.sizes[: index + 1])

    def _read_serially(self, stream, index, first):
        """Let one worker read until few centers open, and return how far it has come.

        If the cluster has but one thread, it reads on: nobody could propose meanwhile.
        """
        partitions, sizes, is_calm = self.partitions, self.partitions.sizes, False
        while index < len(partitions) and not is_calm:
            are_small = partitions.are_small(index, stream)
            partitions.load(index, index, are_small)
            begun, stop = [index], 0  # a partition without rows need not be read
            if sizes[index] != 0:
                n_before = stream.n_seen
                stream, some, read, stop, is_calm = self._serial_read(
                    stream, index, first, are_small
                )
                begun = some[: len(read)]
                for i, size in zip(begun, read):
                    sizes[i] = size
                self.figures.n_serial_rows += stream.n_seen - n_before
                self.report(stream, begun[-1])
            is_partial = stop < sizes[begun[-1]]
            end, first = (begun[-1], stop) if is_partial else (begun[-1] + 1, 0)
            for i in range(index, end):
                partitions.release(i)
            index = end
        return stream, (index, first)

    def _serial_read(self, stream, index, first, are_small):
        """Return what one worker has read, of which partitions, and how far."""
        some = self.partitions.together(index, are_small)
        is_parallel = self.tasks.n_threads() > 1 and stream.half_life == math.inf
        until_calm = is_parallel and not are_small
        parts = [self.partitions[i] for i in some]
        args = parts, self.checker, stream, first, until_calm
        workers = self.partitions.workers_with(index)
        future = self.tasks.submit("read", worker.read_serially, *args, workers=workers)
        results = []
        self.tasks.expect(future, results.append)
        while not results:
            self.tasks.wait()
        stream, sizes, stop, is_calm = results[0]
        if isinstance(stream, ValueError):
            raise worker.refused(stream, some[len(sizes)])
        return stream, some, sizes, stop, is_calm
