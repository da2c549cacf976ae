"""Threads: as many as scikit-learn would use, and no more than we are given."""

import threading

import joblib
import numpy as np
import pytest
from streams import blobs
from threadpoolctl import threadpool_info, threadpool_limits

from onlinekmeans_sklearn import OnlineKMeans, _nearest, _threads
from onlinekmeans_sklearn._threads import Threads, n_threads_for, own_threads


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_n_jobs_none_is_what_openmp_code_would_use():
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads_for(None) == 1
    assert 1 <= n_threads_for(None) <= joblib.cpu_count()


def test_n_jobs_counts_as_joblib_does():
    assert n_threads_for(1) == 1
    assert n_threads_for(3) == 3
    assert n_threads_for(-1) == n_threads_for(None)
    assert n_threads_for(-10_000) == 1
    assert n_threads_for(10**6) == 4 * joblib.cpu_count()


def test_blas_keeps_to_one_thread_meanwhile():
    before = blas_threads()
    with own_threads(2, n_rows=10_000) as threads:
        assert threads.number == 2
        assert blas_threads() <= {1}
    assert blas_threads() == before


def test_a_few_rows_are_not_worth_a_thread():
    before = blas_threads()
    with own_threads(8, n_rows=3) as threads:
        assert threads.number == 1
        assert blas_threads() == before


@pytest.mark.parametrize("number", [1, 3])
def test_results_come_in_order(number):
    seen = set()

    def square(x):
        seen.add(threading.get_ident())
        return x * x

    assert Threads(number).map(square, range(50)) == [x * x for x in range(50)]
    if number == 1:  # else the caller may have been so fast that it was alone
        assert seen == {threading.get_ident()}


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        Threads(2).map(lambda x: 1 / x, [1, 0, 2])


def test_the_caller_works_too():
    barrier = threading.Barrier(2)

    def worker(_):
        barrier.wait(60)  # both must be there
        return threading.get_ident()

    assert threading.get_ident() in Threads(2).map(worker, range(2))


def test_a_caller_does_not_wait_for_busy_threads():
    pool, _ = _threads._crew(2)
    go_on = threading.Event()
    busy = pool.submit(go_on.wait, 60)
    try:
        workers = Threads(2).map(lambda _: threading.get_ident(), range(5))
        assert set(workers) == {threading.get_ident()}
        assert not busy.done()
    finally:
        go_on.set()


def test_after_an_error_nothing_more_is_begun():
    seen = []

    def fail(item):
        seen.append(item)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"[01]"):
        Threads(2).map(fail, range(100))
    assert len(seen) <= 2
    assert _threads._crew(2)[1].acquire(blocking=False)  # the seat is free again
    _threads._crew(2)[1].release()


def test_rows_are_really_shared_by_threads(monkeypatch):
    workers, caller = set(), threading.get_ident()
    another_came = threading.Event()
    search = _nearest._search_strip

    def noting_search(*args):
        workers.add(threading.get_ident())
        if threading.get_ident() != caller:
            another_came.set()
        another_came.wait(0.2)  # or the caller may be so fast that it is alone
        return search(*args)

    monkeypatch.setattr(_nearest, "_search_strip", noting_search)
    monkeypatch.setattr(_nearest, "_WORK_PER_THREAD", 1000)
    X = blobs(0, 5000)
    shared = OnlineKMeans(50, n_jobs=2, random_state=0).fit(X)
    assert len(workers) > 1
    workers.clear()
    alone = OnlineKMeans(50, n_jobs=1, random_state=0).fit(X)
    assert workers == {caller}
    np.testing.assert_array_equal(shared.labels_, alone.labels_)


def test_estimators_work_in_joblib_workers():
    X = blobs(1, 2000)
    expected = OnlineKMeans(50, random_state=0).fit(X).labels_

    def labels():
        return OnlineKMeans(50, random_state=0).fit(X).labels_

    for backend in ("loky", "threading"):
        parallel = joblib.Parallel(n_jobs=2, backend=backend)
        for result in parallel(joblib.delayed(labels)() for _ in range(3)):
            np.testing.assert_array_equal(result, expected)
