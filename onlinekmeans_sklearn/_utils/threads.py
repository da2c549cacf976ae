"""Threads for the rows of a call, no more than there are cores for this process.

A signal can raise an error at any moment in the main thread, as Ctrl-C does. So no call
waits for what an interrupted one may have left undone, and the next one cleans up.
"""

import multiprocessing
import os
import threading
from _thread import start_new_thread
from collections import deque
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from .tuning import TUNING

_cpu_count = cache(cpu_count)  # which reads files


@cache
def _libraries(user_api):
    """Return controllers of the libraries for BLAS or OpenMP, which are slow to find."""
    return ThreadpoolController().select(user_api=user_api).lib_controllers


def _n_given():
    """Return the number of threads that this process has cores for.

    That is what scikit-learn's OpenMP code would use: the cores, or fewer where
    `threadpool_limits`, OMP_NUM_THREADS or a joblib worker says so. A daemonic process is
    the worker of a pool, and the other workers have the other cores.
    """
    cores = 1 if multiprocessing.current_process().daemon else _cpu_count()
    return min([cores, *(library.num_threads for library in _libraries("openmp"))])


def n_threads_for(n_jobs):
    """Return the number of threads that `n_jobs` stands for.

    None means the n_jobs of `joblib.parallel_config`. None there, too, and -1 mean one
    thread for each core that is given, -2 one fewer, and so on. More than four per core
    would only wait for each other. A joblib backend can restrict the number to one; how
    many workers it has, perhaps on other machines, does not matter for our threads.
    """
    if n_jobs is None:
        _, n_jobs = get_active_backend()
    if n_jobs is None or n_jobs < 0:
        return max(1, _n_given() + 1 + (n_jobs or -1))
    return 1 if effective_n_jobs(n_jobs) == 1 else min(n_jobs, 4 * _cpu_count())


class _Shared:
    """What the calls of a process share; a forked process has none of its threads.

    Attributes
    ----------
    calls : dict
        The calls that are running, and where they limit BLAS: None is the whole process.
    blas_lock : RLock
        A signal handler may make a call of its own.
    pools : dict
        Seats for helpers, and the queue of their jobs, by the number of threads.
    """

    def __init__(self):
        self.calls, self.blas_lock, self.pools = {}, threading.RLock(), {}


_shared = _Shared()
_blas_before = {}  # its limits before the calls, which a forked process must restore, too
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_shared.__init__)


@contextmanager
def one_blas_thread():
    """Keep BLAS to one thread.

    BLAS would start threads of its own, which go on spinning for a while after each
    product and take the cores from ours. It has one limit for the whole process. So the
    first of the calls that run at once sets it, and the last one that ends restores it.
    """
    call = object()
    try:
        _shared.calls[call] = None, threading.get_ident()
        _settle_blas()
        yield
    finally:
        try:
            _shared.calls.pop(call, None)
            _settle_blas()
        finally:
            _settle_blas()  # again, as a signal may have interrupted it


def _settle_blas():
    """Limit BLAS if there are calls that need it, else restore what was before them."""
    with _shared.blas_lock:
        limited = set().union(*_shared.calls.values())
        for blas in _libraries("blas"):
            is_openmp = getattr(blas, "threading_layer", None) == "openmp"
            key = blas, threading.get_ident() if is_openmp else None
            if key[1] in limited and key not in _blas_before:
                _blas_before[key] = blas.num_threads
                blas.set_num_threads(1)
            elif key[1] not in limited and key in _blas_before:
                blas.set_num_threads(_blas_before[key])
                del _blas_before[key]
            if hasattr(blas, "clear_controlling_thread"):
                blas.clear_controlling_thread()  # else threadpoolctl obeys only this thread


def _help(seats, jobs):
    """Do jobs until the process ends, unless other helpers have taken all seats.

    Calls that begin at once, or are interrupted, may start too many of them.
    """
    with suppress(IndexError):
        seats.pop()
        while True:
            jobs.get()()


class Threads:
    """A number of threads, shared with other calls that use as many.

    They stay until the process ends: threads started for each call would each time get
    memory of their own from the C library.
    """

    def __init__(self, n_threads=1):
        self.n_threads = n_threads

    def map(self, function, items):
        """Return the function's results for the items, in order.

        The caller works, too: it already has a core, and waking up a thread takes a while.
        It waits only for helpers that have begun; others may be busy with other calls.
        Each other call that is running takes the core of a helper.
        """
        if self.n_threads == 1 or len(items) == 1:
            return [function(item) for item in items]
        left, results, begun, errors = deque(enumerate(items)), [None] * len(items), [], []

        def work():
            while left and not errors:
                try:
                    index, item = left.popleft()
                except IndexError:  # another thread was faster
                    return
                results[index] = function(item)

        def help_caller():
            busy = threading.Lock()
            with busy:
                begun.append(busy)  # before looking at what is left
                try:
                    work()
                except BaseException as error:
                    errors.append(error)

        new_pool = deque(range(self.n_threads - 1)), SimpleQueue()
        seats, jobs = _shared.pools.setdefault(self.n_threads, new_pool)
        try:
            for _ in range(min(self.n_threads, len(items)) - max(1, len(_shared.calls))):
                if seats:
                    start_new_thread(_help, (seats, jobs))
                jobs.put(help_caller)
            work()
        finally:
            left.clear()  # so that helpers that have not begun by now will do nothing
            for busy in begun:
                busy.acquire()
        if errors:
            raise errors.pop(0)
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
