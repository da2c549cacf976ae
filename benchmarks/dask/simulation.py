"""Larger data on more workers than there are here: the real driver, pretended workers.

The driver is the one of the package, and really decides and adds totals; the processor time
that this takes counts. Its workers only wait, on a virtual clock, for as long as the same
step of as many rows took on two real workers. What the client and the scheduler take for a
task, and for each byte of arguments and results, was measured as well, and counts as time
of the driver: here they share a process.

It assumes that rows, clusters and machines stay as they were measured, that the rows lie on
the workers, and that no centers open any more.
"""

import heapq
import itertools
import time
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from onlinekmeans_sklearn import OnlineKMeans
from onlinekmeans_sklearn._algorithm.cluster_sums import Totals, rows_left
from onlinekmeans_sklearn._algorithm.partition import Candidates
from onlinekmeans_sklearn._dask.driver import Reading
from onlinekmeans_sklearn._dask.loading import LoadedPartitions
from onlinekmeans_sklearn._dask.tasks import PRIORITY, Tasks
from onlinekmeans_sklearn._dask.worker import Proposal
from onlinekmeans_sklearn._utils.calls import shallow_copy

from .measure import rows_of_partition


class Costs(NamedTuple):
    """Seconds: per row of each step, per task, and per byte that comes or goes."""

    k: int
    n_features: int
    n_serial_rows: int
    read: float
    propose: float
    add_up: float
    task: float  # of the client and the scheduler
    byte: float
    latency: float  # between a submission and its result, if nothing else is under way

    @classmethod
    def of(cls, setting, found):
        """Return the costs that were measured on two workers."""
        steps, n_serial = found["steps"], found["n_serial_rows"]
        n_rows = setting["n_rows"] - n_serial
        return cls(
            setting["k"],
            setting["n_features"],
            n_serial,
            steps["read"] / n_serial,
            steps["propose"] / n_rows,
            steps["add-up"] / n_rows,
            *(found["task_costs"][name] for name in ("task", "byte", "latency")),
        )


class VirtualFuture:
    """A task of a virtual worker: its result, its seconds, and the size of the result."""

    def __init__(self, worker, result, priority=0.0, seconds=0.0, n_bytes=0):
        self.worker, self.result, self.priority = worker, result, priority
        self.seconds, self.n_bytes = seconds, n_bytes
        self.is_released = False


class VirtualTasks:
    """What the driver needs of a cluster, on a virtual clock."""

    result = Tasks.result

    def __init__(self, costs, n_workers, block):
        self._costs, self._block = costs, block
        self._block_bytes = 8 * len(block.counts) * (1 + costs.n_features)
        self._n_workers = n_workers
        self.clock = self.driver_seconds = self.worker_seconds = 0.0
        self._events, self._receivers = [], {}
        self._queues, self._busy = [[] for _ in range(n_workers)], set()
        self._order, self._turn = itertools.count(), itertools.cycle(range(n_workers))
        self._mark = time.thread_time()

    def n_threads(self):
        """Return the number of workers, of a thread each."""
        return self._n_workers

    def load(self, sizes):
        """Return partitions of these sizes, which lie on the workers."""
        return [VirtualFuture(next(self._turn), size) for size in sizes]

    def submit(self, step, receive, function, *args):
        """Return a task, which the worker of its partition does when its turn comes."""
        pretend = getattr(self, f"_{function.__name__}")
        worker = (args[0] if step != "read" else args[0][0]).worker
        result, seconds, n_bytes = pretend(*args)
        future = VirtualFuture(worker, result, PRIORITY.get(step, 1), seconds, n_bytes)
        self._receivers[future] = receive
        n_sent = sum(arg.nbytes for arg in args if isinstance(arg, np.ndarray))
        n_sent += self._block_bytes * sum(isinstance(arg, Totals) for arg in args)
        self._drive(self._costs.task + self._costs.byte * n_sent)
        self._happens(self.clock + self._costs.latency / 2, "arrive", future)
        self._mark = time.thread_time()
        return future

    def release(self, futures):
        """Forget tasks."""
        for future in futures:
            future.is_released = True
            self._receivers.pop(future, None)

    def wait(self):
        """Go on to the next result that is expected, and hand it over."""
        self._drive(0.0)
        while True:
            now, _, event, future = heapq.heappop(self._events)
            if event == "result":
                receive = self._receivers.pop(future, None)
                if receive is not None:
                    break
            elif event == "arrive":
                entry = -future.priority, next(self._order), future
                heapq.heappush(self._queues[future.worker], entry)
            else:
                self._busy.remove(future.worker)
                self._happens(now + self._costs.latency / 2, "result", future)
            self._start(future.worker, now)
        self.clock = max(self.clock, now)
        self._mark = time.thread_time()
        self._drive(self._costs.byte * future.n_bytes)
        receive(future.result)

    def _happens(self, when, event, future):
        heapq.heappush(self._events, (when, next(self._order), event, future))

    def _start(self, worker, now):
        """Let a worker begin the most urgent task that it has, if it is free."""
        while self._queues[worker] and worker not in self._busy:
            _, _, future = heapq.heappop(self._queues[worker])
            if not future.is_released:
                self._busy.add(worker)
                self.worker_seconds += future.seconds
                self._happens(now + future.seconds, "finish", future)

    def _drive(self, seconds):
        """Let time pass for the driver: what it has really taken, and these seconds."""
        seconds += time.thread_time() - self._mark
        self.clock += seconds
        self.driver_seconds += seconds
        self._mark = time.thread_time()

    # what the functions of workers return, how long they take, and how many bytes that is

    def _read_serially(self, parts, checker, stream, start, until_calm):
        n_rows = min(self._costs.n_serial_rows, parts[0].result)
        stream = shallow_copy(stream)
        stream.totals, stream.n_seen = shallow_copy(stream.totals), stream.n_seen + n_rows
        stream.totals.n_rows = stream.n_seen
        start = (0, n_rows) if n_rows < parts[0].result else (1, 0)
        result = stream, [parts[0].result], start, True, []
        return result, n_rows * self._costs.read, 2 * self._block_bytes

    def _propose_rows(self, part, checker, start, position, centers, cost, numbers):
        n_rows, nothing = part.result - start[1], np.empty(0)
        rows = nothing.astype(np.int64), centers[:0], nothing, nothing
        found = Candidates(n_rows, *rows, np.dtype(float))
        return Proposal(start[1], len(centers), found), n_rows * self._costs.propose, 0

    def _add_up_rows(self, part, checker, span, proposal, centers, opened, block):
        blocks, n_rows, position = [], span[1] - span[0], block.n_rows
        end = position + n_rows
        while position < end:
            position = min(end, position + rows_left(position))
            blocks.append(shallow_copy(self._block))
            blocks[-1].n_rows = position
        return blocks, n_rows * self._costs.add_up, len(blocks) * self._block_bytes


class Simulated(NamedTuple):
    """What a fit takes, and how much of that time driver and workers compute."""

    seconds: float
    driver_share: float
    worker_share: float


def simulate(costs, n_rows, n_workers, partition_rows):
    """Return what a fit takes.

    Of many partitions only the first are read; the others take as long as these, each.
    """
    stream = _stream(costs)
    n_partitions = -(-n_rows // partition_rows)
    n_read = min(n_partitions, 6 * n_workers + 100)
    sizes = [partition_rows] * n_read
    tasks = VirtualTasks(costs, n_workers, stream.totals)
    partitions = LoadedPartitions(tasks, sizes, sizes)
    times = []

    def report(*_):
        times.append(tasks.clock)

    Reading(tasks, partitions, stream, None, report).read()
    more = (n_partitions - n_read) * (times[-1] - times[0]) / (len(times) - 1)
    busy = tasks.driver_seconds, tasks.worker_seconds / n_workers
    return Simulated(tasks.clock + more, *(seconds / tasks.clock for seconds in busy))


def useful_workers(costs, partition_rows, most=1000):
    """Return up to how many workers ten more save half of what they should, or more."""
    n_rows, n_workers = 20 * most * partition_rows, 10
    seconds = simulate(costs, n_rows, n_workers, partition_rows).seconds
    while n_workers < most:
        fewer = simulate(costs, n_rows, n_workers + 10, partition_rows).seconds
        if seconds - fewer < 0.5 * seconds * 10 / (n_workers + 10):
            break
        n_workers, seconds = n_workers + 10, fewer
    return n_workers


@lru_cache
def _stream(costs):
    """Return a stream that has read some rows, with as many clusters as there would be."""
    X = rows_of_partition(0, 2 * costs.n_serial_rows, costs.n_features)
    stream = OnlineKMeans(k=costs.k, random_state=0).fit(X)._fitted.stream
    fresh = shallow_copy(stream)
    fresh.n_seen, fresh.totals = 0, shallow_copy(stream.totals)
    fresh.totals.n_rows = 0
    return fresh
