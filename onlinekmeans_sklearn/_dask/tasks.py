"""The tasks of one call on a cluster: submitted, waited for, and all released at the end.

They are released, never canceled: a partition may be the user's own. A task that failed is
tried again a few times, and one that was lost with its worker is computed again. Dask does
a task where its largest argument is, and forgets its result when no future of it is left.
"""

import itertools
import threading
import time
import uuid
from concurrent.futures import CancelledError
from weakref import WeakSet

import dask
from distributed import as_completed

from .._utils.tuning import TUNING
from .partitions import RETRIES, by_itself

# what others wait for comes first
PRIORITY = {"add-up": 3, "count": 2, "read": 2}
# centers and sums may be large, so Dask should not warn of large arguments. The settings
# belong to all threads: two calls must not change them at once.
_ANY_SIZE = {"distributed.admin.large-graph-warning-threshold": "1 PB"}
_one_at_a_time = threading.Lock()


class Tasks:
    """The tasks of a call, whose results come one after the other."""

    def __init__(self, client):
        if client.status in ("closing", "closed"):
            raise ValueError(f"Got a client that is closed, {client}: connect another one.")
        self._client, self._futures = client, WeakSet()
        self._expected = {}  # who receives results, by future
        self._done = self._completed()
        self._numbers = itertools.count()
        # when threads of the workers were counted, how many, and if there was none lately
        self._counted, self._n_threads, self._are_gone = -float("inf"), 0, False

    def load(self, delayed):
        """Return the futures of delayed partitions; those of an earlier call come first."""
        priority, parts = -next(self._numbers), [by_itself(part) for part in delayed]
        with _one_at_a_time, dask.config.set(_ANY_SIZE):
            futures = self._client.compute(parts, retries=RETRIES, priority=priority)
        self._futures.update(futures)
        return futures

    def submit(self, step, receive, function, *args):
        """Return the future of a step of the algorithm; a function receives its result."""
        # by itself Dask keeps no order within 0.1 s, and holds back tasks of large groups
        number, group = next(self._numbers), f"online-kmeans-{step}-{uuid.uuid4().hex}"
        priority = PRIORITY.get(step, 1) - 1e-9 * number
        options = {"retries": RETRIES, "priority": priority, "pure": False}
        with _one_at_a_time, dask.config.set(_ANY_SIZE):
            future = self._client.submit(function, *args, key=(group, number), **options)
        self._futures.add(future)
        self._expected[future] = receive
        self._done.add(future)
        return future

    def wait(self):
        """Wait for the next result, and hand it over; but after a while go on anyway."""
        try:
            future, result = next(self._done)
        except TimeoutError:
            self._give_up_if_all_are_gone()
            self._done = self._completed()
            return
        receive = self._expected.pop(future, None)
        # not by its status: it is "lost" if the worker died after the result had come
        if receive and isinstance(result, CancelledError):
            raise result
        if receive:  # else it is no longer wanted
            receive(result)

    def result(self, step, function, *args):
        """Return the result of a step, and hand over others that come before it."""
        results = []
        self.submit(step, results.append, function, *args)
        while not results:
            self.wait()
        return results[0]

    def _give_up_if_all_are_gone(self):
        """Raise an error if there are no workers, and were none the last time."""
        were_gone, self._are_gone = self._are_gone, not self._client.nthreads()
        if were_gone and self._are_gone and self._n_threads:
            raise RuntimeError(
                f"All workers of {self._client} are gone, and none has come for "
                f"{TUNING.seconds_without_workers:g} seconds. The estimator is as it was "
                "before the call: start workers and call it again."
            ) from None

    def _completed(self):
        """Return an iterator over results, which times out now and then."""
        options = {"with_results": True, "timeout": TUNING.seconds_without_workers}
        return as_completed(self._expected, loop=self._client.loop, **options)

    def release(self, futures):
        """Release futures now, even if something still refers to them."""
        for future in futures:
            self._expected.pop(future, None)
            future.release()

    def release_all(self):
        """Release all futures of the call."""
        self.release(list(self._futures))

    def n_threads(self):
        """Return how many threads the workers have by now, or had if all are gone."""
        now = time.monotonic()
        if now - self._counted > TUNING.seconds_between_counts:
            self._counted, found = now, sum(self._client.nthreads().values())
            self._n_threads = found or self._n_threads
        return max(1, self._n_threads)
