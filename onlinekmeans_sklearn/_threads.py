"""How many threads to use, without asking for more cores than we are given."""

from functools import lru_cache

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController


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
        return effective_n_jobs(n_jobs)
    pools = [pool for pool in _controller().lib_controllers if pool.user_api == "openmp"]
    return min([cpu_count(), *(pool.num_threads for pool in pools)])


def one_blas_thread():
    """Return a context in which BLAS uses one thread: ours share the rows."""
    return _controller().limit(limits=1, user_api="blas")
