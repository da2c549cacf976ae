"""Threads for the rows of a call, no more than there are cores for this process."""

import multiprocessing
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

from .tuning import TUNING

_MOST_PER_CORE = 4  # threads


@cache
def _controller():
    """Return the controller of BLAS and OpenMP threads, which is slow to make."""
    return ThreadpoolController()


def _n_given():
    """Return the number of threads that this process has cores for.

    That is what scikit-learn's OpenMP code would use: the cores, or less where
    `threadpool_limits`, OMP_NUM_THREADS or a joblib worker says so. A daemonic process is
    the worker of a pool, and the other workers have the other cores.
    """
    if multiprocessing.current_process().daemon:
        return 1
    pools = [pool for pool in _controller().lib_controllers if pool.user_api == "openmp"]
    return min([cpu_count(), *(pool.num_threads for pool in pools)])


def n_threads_for(n_jobs):
    """Return the number of threads that `n_jobs` stands for.

    None and -1 are all that have a core, -2 is one less, and so on. More than a few per
    core would only wait for each other. A backend of joblib can restrict it to one; the
    number of its workers, perhaps on other machines, does not matter for our threads.
    """
    if n_jobs is None:
        return _n_given()
    if n_jobs < 0:
        return max(1, _n_given() + 1 + n_jobs)
    is_single = effective_n_jobs(n_jobs) == 1
    return 1 if is_single else min(n_jobs, _MOST_PER_CORE * cpu_count())


@cache
def _blas_of_process_and_thread():
    """Return controllers of BLAS that has a limit per process, and per thread (OpenMP)."""
    paths = {False: [], True: []}
    for pool in _controller().select(user_api="blas").lib_controllers:
        paths[getattr(pool, "threading_layer", None) == "openmp"].append(pool.filepath)
    return [_controller().select(filepath=paths[key]) for key in (False, True)]


class _ActiveCalls:
    """The calls that are running at once in this process."""

    def __init__(self):
        self.number = 0
        self.lock = threading.Lock()
        self.limit = None  # of BLAS, with what it was before the first of them


_calls = _ActiveCalls()


@contextmanager
def one_blas_thread():
    """Keep BLAS to one thread.

    BLAS would start threads of its own, which go on spinning for a while after each
    product and take the cores from ours. It has one limit for the whole process. So the
    first of the calls that run at once sets it, and the last one that ends sets it back.
    """
    blas, blas_of_thread = _blas_of_process_and_thread()
    with _calls.lock:
        if _calls.number == 0:
            _calls.limit = blas.limit(limits=1)
            _release_blas_control(blas)
        _calls.number += 1
    try:
        with blas_of_thread.limit(limits=1):
            yield
    finally:
        with _calls.lock:
            _calls.number -= 1
            if _calls.number == 0:
                _calls.limit.restore_original_limits()
                _release_blas_control(blas)


def _release_blas_control(blas):
    """Let any thread change the limit of BLAS.

    threadpoolctl from 3.8 on listens only to the one that did so first.
    """
    for pool in blas.lib_controllers:
        if hasattr(pool, "clear_controlling_thread"):
            pool.clear_controlling_thread()


@cache
def _shared_pool(number):
    """Return a pool of ``number - 1`` threads, and a lock for the caller that works, too.

    All calls share them, and only one caller at a time works beside the pool. The threads
    stay until the process ends: threads started for each call would each time get memory
    of their own from the C library.
    """
    pool = ThreadPoolExecutor(number - 1, thread_name_prefix="onlinekmeans_sklearn")
    return pool, threading.Lock()


def _forget_threads():
    """Reset everything in a forked process, which has none of the threads."""
    _calls.__init__()
    _shared_pool.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_threads)


class Threads:
    """A number of threads, shared with other calls that use as many."""

    def __init__(self, number=1):
        self.number = number

    def map(self, function, items):
        """Return the function's results for the items, in order.

        The caller works, too: it already has a core, and waking up a thread takes a while.
        """
        if self.number == 1 or len(items) == 1:
            return [function(item) for item in items]
        left = deque(enumerate(items))
        results = [None] * len(items)

        def work():
            while left:
                try:
                    place, item = left.popleft()
                except IndexError:  # another thread was faster
                    return
                try:
                    results[place] = function(item)
                except BaseException:
                    left.clear()
                    raise

        pool, caller_lock = _shared_pool(self.number)
        others = [pool.submit(work) for _ in range(min(self.number, len(items)) - 1)]
        try:
            if caller_lock.acquire(blocking=False):
                try:
                    work()
                finally:
                    caller_lock.release()
                    others = [other for other in others if not other.cancel()]
        finally:
            wait(others)
        for other in others:
            other.result()
        return results


SINGLE_THREAD = Threads()


@contextmanager
def own_threads(n_jobs, work):
    """Yield the threads for `work` multiplications, and keep BLAS to one thread meanwhile.

    For little work threads do not pay, and BLAS does not start any of its own.
    """
    if work < TUNING.min_work_for_threads:
        yield SINGLE_THREAD
        return
    with one_blas_thread():
        yield Threads(n_threads_for(n_jobs))
