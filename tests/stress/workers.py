"""Cases in processes of their own, so that one that crashes or hangs is only one case.

A process gets cases in batches and tells of every case as it ends. One that dies, or is
silent for too long, is replaced: the case that it was at has failed, the rest of its batch
goes to its successor.
"""

import contextlib
import multiprocessing
import time
import traceback
from collections import deque
from multiprocessing.connection import wait
from typing import NamedTuple

MOST_MEMORY = 6 * 2**30  # bytes of a process: what asks for more gets a MemoryError


class Batch(NamedTuple):
    """Some cases of a kind, to be run one after the other."""

    kind: str
    start: int
    stop: int


class Report(NamedTuple):
    """What came of a case: how much it tried, or a failure in words."""

    kind: str
    index: int
    amount: int  # or counts
    failure: str | None
    seconds: float


def batches(totals, size):
    """Return batches of so many cases of each kind, the kinds taking turns."""
    parts = [
        Batch(kind, start, min(start + size, total))
        for kind, total in totals.items()
        for start in range(0, total, size)
    ]
    return sorted(parts, key=lambda batch: batch.stop / totals[batch.kind])


def run_batches(parts, run_case, seed, jobs, patience, seconds=float("inf")):
    """Yield a report of every case, or of as many as can be started in so many seconds."""
    waiting, deadline = deque(parts), time.monotonic() + seconds
    workers = []
    try:
        while True:
            if time.monotonic() > deadline:
                waiting.clear()
            _hand_out(waiting, workers, jobs, run_case, seed)
            if not workers:
                return
            wait([worker.connection for worker in workers], timeout=0.2)
            for worker in list(workers):
                yield from worker.reports()
                failure = worker.failure(patience)
                if failure is not None:
                    yield Report(*worker.at(), 0, failure, 0.0)
                    waiting.appendleft(worker.rest())
                    worker.end()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def _hand_out(waiting, workers, jobs, run_case, seed):
    """Give batches to workers without one, start workers, and end those without work."""
    while waiting and len(workers) < jobs:
        workers.append(Worker(run_case, seed))
    for worker in list(workers):
        while worker.batch is None and waiting:
            worker.give(waiting.popleft())
        if worker.batch is None:
            worker.end()
            workers.remove(worker)


class Worker:
    """A process, its batch, and how far it is."""

    def __init__(self, run_case, seed):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.batch, self.is_dead = None, False
        self.process = context.Process(target=_work, args=(theirs, run_case, seed))
        self.process.start()
        theirs.close()
        self.connection.recv()  # it has started: from now on its cases take time

    def give(self, batch):
        """Hand over a batch."""
        if batch.start < batch.stop:
            self.batch, self.index = batch, batch.start
            self.silence, self.asked_at = 0.0, time.monotonic()
            self.connection.send(batch)

    def reports(self):
        """Yield the reports that have come."""
        while self.batch is not None and not self.is_dead and self.connection.poll():
            try:
                report = self.connection.recv()
            except (EOFError, OSError):
                self.is_dead = True
            else:
                self.silence = 0.0
                self.index += 1
                if self.index == self.batch.stop:
                    self.batch = None
                yield report

    def failure(self, patience):
        """Return what is wrong with the process, or None."""
        if self.batch is None:
            return None
        if self.is_dead:
            self.process.join()
            return f"the process died with exit code {self.process.exitcode}"
        now = time.monotonic()
        self.silence += min(now - self.asked_at, 1.0)  # no longer, if we slept as well
        self.asked_at = now
        if self.silence > patience:
            return f"no end after {patience:g} seconds"
        return None

    def at(self):
        """Return the kind and the index of the case that is running."""
        return self.batch.kind, self.index

    def rest(self):
        """Return what remains of the batch after that case."""
        return self.batch._replace(start=self.index + 1)

    def end(self):
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection, run_case, seed):
    """Run batches of cases until the process is ended, or nobody listens any more."""
    _limit_memory()
    connection.send("ready")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            batch = connection.recv()
            for index in range(batch.start, batch.stop):
                connection.send(_reported(run_case, batch.kind, seed, index))


def _reported(run_case, kind, seed, index):
    """Return the report of a case."""
    start = time.perf_counter()
    try:
        amount = run_case(kind, seed, index)
    except Exception:
        seconds = time.perf_counter() - start
        return Report(kind, index, 0, traceback.format_exc(limit=-6), seconds)
    return Report(kind, index, amount, None, time.perf_counter() - start)


def _limit_memory():
    """Let the process have no more than its share, where the system knows how."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
