"""Cases in processes of their own, so that one that crashes or hangs is only one case.

Each process is watched by a thread, which hands it one case after the other. A process that
dies, or is silent for too long, is replaced: the case that it was at has failed.
"""

import contextlib
import multiprocessing
import queue
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

MOST_MEMORY = 6 * 2**30  # bytes of a process: what asks for more gets a MemoryError


class Report(NamedTuple):
    """What came of a case: how much it tried, or a failure in words."""

    kind: str
    index: int
    amount: int  # or counts
    failure: str | None
    seconds: float


def cases_of(totals):
    """Return (kind, index) of so many cases of each kind, the kinds taking turns."""
    cases = [(kind, index) for kind, total in totals.items() for index in range(total)]
    return sorted(cases, key=lambda case: (case[1] + 1) / totals[case[0]])


def run_cases(cases, run_case, seed, jobs, patience, seconds=float("inf")):
    """Yield a report of every case, or of as many as can be started in so many seconds."""
    waiting, reports = deque(cases), queue.SimpleQueue()
    deadline = time.monotonic() + seconds

    def watch():
        with contextlib.closing(Worker(run_case, seed)) as worker:
            while time.monotonic() < deadline:
                try:
                    case = waiting.popleft()
                except IndexError:
                    return
                reports.put(worker.report(*case, patience))

    with ThreadPoolExecutor(jobs) as pool:
        watches = [pool.submit(watch) for _ in range(min(jobs, len(waiting)))]
        try:
            for each in watches:
                each.add_done_callback(lambda _: reports.put(None))
            for _ in watches:
                yield from iter(reports.get, None)
        finally:
            waiting.clear()
        for each in watches:
            each.result()  # raises what went wrong


class Worker:
    """A process that runs cases, and its successors."""

    def __init__(self, *arguments):
        self.arguments = arguments
        self.start()

    def start(self):
        """Start a process, and wait until it is ready: from then on its cases take time."""
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, *self.arguments))
        self.process.start()
        theirs.close()
        self.connection.recv()

    def report(self, kind, index, patience):
        """Return the report of a case."""
        self.connection.send((kind, index))
        try:
            if self.connection.poll(patience):
                return self.connection.recv()
            failure = f"no end after {patience:g} seconds"
        except (EOFError, OSError):
            self.process.join()
            failure = f"the process died with exit code {self.process.exitcode}"
        self.close()
        self.start()
        return Report(kind, index, 0, failure, 0.0)

    def close(self):
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection, run_case, seed):
    """Run cases until the process is ended, or the other end no longer listens."""
    _limit_memory()
    connection.send("ready")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            kind, index = connection.recv()
            connection.send(_reported(run_case, kind, seed, index))


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
    """Limit the memory of the process to its share, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
