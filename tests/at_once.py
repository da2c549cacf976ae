"""Functions that run at once in threads, and how many threads BLAS may use."""

import threading
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import ThreadpoolController

# Seconds until something is said to hang. No outcome depends on it: a slow machine may take
# a minute where a quiet one takes a second.
PATIENCE = 300


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
