"""The tasks of one call on a cluster: submitted, waited for, and all released at the end.

They are released, never canceled: a partition may be the user's own. A task that failed is
tried again a few times, and one that was lost with its worker is computed again.
"""

import itertools
import time
import uuid
import warnings
from concurrent.futures import CancelledError
from contextlib import contextmanager

from distributed import as_completed

from .._utils.tuning import TUNING

RETRIES = 3
# what others wait for comes first
_PRIORITY = {"add-up": 4, "label": 3, "candidates": 2, "count": 2, "centers": 2, "read": 2}


class Tasks:
    """Futures of a client that this call holds."""

    def __init__(self, client):
        self._client = client
        self._held = {}
        self._awaited = {}
        self._done = as_completed(with_results=True, raise_errors=False)
        self._call = uuid.uuid4().hex
        self._numbers, self._loads = itertools.count(), itertools.count()
        self._counted, self._n_threads = -float("inf"), 1

    def load(self, delayed):
        """Return the futures of delayed partitions; those of an earlier call come first."""
        priority = -next(self._loads)
        with _any_size():
            futures = self._client.compute(delayed, retries=RETRIES, priority=priority)
        self._held.update((id(future), future) for future in futures)
        return futures

    def submit(self, step, function, *args, workers=None):
        """Return the future of a step of the algorithm, near to these workers."""
        with _any_size():
            future = self._client.submit(
                function,
                *args,
                key=f"online-kmeans-{step}-{self._call}-{next(self._numbers)}",
                workers=workers or None,
                allow_other_workers=bool(workers),
                priority=_PRIORITY.get(step, 1),
                retries=RETRIES,
                pure=False,
            )
        self._held[id(future)] = future
        return future

    def expect(self, future, receive):
        """Let a function receive the result, which is small, when it is there."""
        self._awaited[future.key] = receive
        self._done.add(future)

    def wait(self):
        """Wait for the next of the expected results, and hand it over."""
        future, result = next(self._done)
        receive = self._awaited.pop(future.key, None)
        if receive is None:
            return  # nobody wants it any more
        if future.status == "error":
            _, error, traceback = result
            raise error.with_traceback(traceback)
        if future.status != "finished":
            raise CancelledError(f"The task {future.key!r} was {future.status}.")
        self.release(future)
        receive(result)

    def release(self, future):
        """Let go of a future; a task nobody else wants is forgotten."""
        self._awaited.pop(future.key, None)
        self._held.pop(id(future), None)
        future.release()

    def release_all(self):
        """Let go of everything."""
        for future in list(self._held.values()):
            self.release(future)

    def workers_with(self, futures):
        """Return the addresses of the workers that have each of the results, so far."""
        done = [future for future in futures if future.done()]
        found = self._client.who_has(done) if done else {}
        return [list(found.get(future.key, ())) for future in futures]

    def n_threads(self):
        """Return how many threads the workers have by now."""
        now = time.monotonic()
        if now - self._counted > TUNING.seconds_between_counts:
            self._counted = now
            self._n_threads = max(1, sum(self._client.nthreads().values()))
        return self._n_threads


@contextmanager
def _any_size():
    """Keep Dask from warning of large arguments: centers and sums may be large."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        yield
