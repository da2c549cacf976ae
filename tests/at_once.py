"""Functions that run at once in threads, and how many threads BLAS may use."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import ThreadpoolController

PATIENCE = 60  # seconds until a thread or a process is said to hang


# Those of numpy and scipy; others may be loaded later, by what the benchmarks try.
_BLAS = ThreadpoolController().select(user_api="blas")


def blas_threads():
    """Return the numbers of threads that BLAS may use, one for each that is loaded."""
    return {pool.num_threads for pool in _BLAS.lib_controllers}


def at_once(functions):
    """Return the results of functions that start at the same moment in threads."""
    barrier = threading.Barrier(len(functions))

    def started(function):
        barrier.wait(PATIENCE)
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(started, functions))


def reached(condition):
    """Return whether a condition is true, or soon becomes true."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()
