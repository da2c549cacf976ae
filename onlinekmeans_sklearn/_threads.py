"""How many threads to use, without asking for more cores than we are given.

threadpoolctl is there wherever scikit-learn is.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import lru_cache

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

_FEW_ROWS = 64
_MOST_PER_CORE = 4  # threads; more would only wait for each other


@lru_cache(maxsize=1)
def _controller():
    """Return what controls the thread pools of BLAS and OpenMP; slow to make."""
    return ThreadpoolController()


def n_threads_for(n_jobs):
    """Return the number of threads that `n_jobs` stands for.

    None is what scikit-learn's OpenMP code would use: the cores, or less where
    `threadpool_limits`, OMP_NUM_THREADS or a joblib worker says so.
    """
    if n_jobs is not None:
        return min(effective_n_jobs(n_jobs), _MOST_PER_CORE * cpu_count())
    pools = [pool for pool in _controller().lib_controllers if pool.user_api == "openmp"]
    return min([cpu_count(), *(pool.num_threads for pool in pools)])


class Threads:
    """So many threads, started when there is first something to share."""

    def __init__(self, number=1):
        self.number = number
        self._pool = None

    def map(self, function, items):
        """Return the function's results for the items, in order."""
        if self.number == 1 or len(items) == 1:
            return [function(item) for item in items]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.number)
        return list(self._pool.map(function, items))

    def close(self):
        """Wait until all threads have ended."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


ALONE = Threads()


def one_blas_thread():
    """Return a context in which BLAS keeps to one thread.

    BLAS would start threads of its own, which go on spinning for a while after each
    product and take the cores from ours.
    """
    return _controller().limit(limits=1, user_api="blas")


@contextmanager
def own_threads(n_jobs, n_rows):
    """Give the threads to use for so many rows, and keep BLAS to one meanwhile.

    For a few rows BLAS does not start threads of its own.
    """
    if n_rows < _FEW_ROWS:
        yield ALONE
        return
    threads = Threads(min(n_threads_for(n_jobs), n_rows))
    with one_blas_thread(), closing(threads):
        yield threads
