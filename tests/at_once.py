"""Functions in threads at once or in a process, and how many threads BLAS may use."""

import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from threadpoolctl import ThreadpoolController

# Seconds until something is said to hang. No outcome depends on it: a slow machine may take
# a minute where a quiet one takes a second.
PATIENCE = 300


# Those of numpy and scipy; others may be loaded later, by what the benchmarks try.
BLAS = ThreadpoolController().select(user_api="blas")


def blas_threads():
    """Return the numbers of threads that BLAS may use, one for each that is loaded."""
    return {pool.num_threads for pool in BLAS.lib_controllers}


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


def send_result(connection, function, args):
    connection.send(function(*args))


def told_by_process(method, function, *args):
    """Return the result of a function in a process that must end."""
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=send_result, args=(theirs, function, args))
    with mock.patch.dict(os.environ):
        # a signal can leave a lock of coverage locked, which is not what is tested
        for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
            os.environ.pop(name, None)
        process.start()
    theirs.close()
    try:
        assert ours.poll(PATIENCE), "the process hangs"
        told = ours.recv()
        process.join(PATIENCE)
        assert process.exitcode == 0
        return told
    finally:
        process.kill()
        process.join()
        ours.close()
