"""Many threads and processes at once: the answers of one, and no more cores than given."""

import copy
import multiprocessing
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from checkpoints import fingerprint
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from streams import blobs, dense
from threadpoolctl import threadpool_info, threadpool_limits

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    _base,
    _nearest,
    _threads,
    _tree,
)
from onlinekmeans_sklearn._growing import GrowingArray
from onlinekmeans_sklearn._threads import Threads, n_threads_for, own_threads

N_THREADS, N_ROWS = 16, 200
PATIENCE = 60  # seconds until a process is said to hang

MODELS = {
    "onehot": OnlineKMeans(40, n_jobs=2),
    "onehot-dense, merged": OnlineKMeans(40, encode="onehot-dense", n_clusters=4),
    "ordinal, k-d tree": OnlineKMeans(40, encode="ordinal", n_jobs=2),
    "distance, float32": OnlineKMeans(40, encode="distance", max_clusters=90),
    "triangle, CSR": OnlineKMeans(40, encode="triangle", n_jobs=2),
    "CSR, merged": OnlineKMeans(40, n_clusters=4),
    "classifier": ClusterFeaturesClassifier(clusterer=OnlineKMeans(40)),
}
ATTRIBUTES = ["cluster_centers_", "cluster_means_", "labels_", "online_to_merged_"]
# A fork of a process that has threads, be they those of BLAS, is a warning since 3.12.
FORKS = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
NEEDS_FORK = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here"
)


@pytest.fixture
def hasty():
    """Let threads take turns as often as possible, so that races show."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def rows_for(name, seed=0, n=N_ROWS):
    X = blobs(seed, n).astype(np.float32 if "float32" in name else np.float64)
    return csr_array(np.maximum(X, 0)) if "CSR" in name else X


def fitted(name):
    """Return a model that has answered nothing yet."""
    model, X = clone(MODELS[name]).set_params(random_state=0), rows_for(name)
    if name == "classifier":
        return model.partial_fit(X, X[:, 0] > 0, classes=[False, True])
    return model.partial_fit(X)


def answers(model, X):
    """Return the answers of a fitted model, to the last bit."""
    if hasattr(model, "classes_"):
        found = [model.predict(X), model.decision_function(X)]
    else:
        found = [model.predict(X), model.transform(X), model.predict(X[:1]), model.score(X)]
        found += [getattr(model, name) for name in ATTRIBUTES]
    return [(dense(values).dtype, dense(values).tobytes()) for values in found]


def at_once(functions):
    """Return the results of functions that start at the same moment in threads."""
    barrier = threading.Barrier(len(functions))

    def started(function):
        barrier.wait(PATIENCE)
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(started, functions))


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("name", MODELS)
def test_threads_at_once_get_the_answers_of_one(name, hasty, monkeypatch):
    if "k-d tree" in name:
        monkeypatch.setattr(_tree, "_FEWEST_CENTERS", 0)
    monkeypatch.setattr(_nearest, "_WORK_PER_THREAD", 1000)
    X = rows_for(name, seed=1)
    expected = answers(fitted(name), X)
    before = blas_threads()
    model = fitted(name)
    others = [copy.deepcopy(model), clone(model)]

    def ask():
        return [answers(model, X) for _ in range(3)]

    def extend():
        for other in others:
            for _ in range(2):
                if name == "classifier":
                    other.partial_fit(X, X[:, 1] > 0, classes=[False, True])
                else:
                    other.partial_fit(X)
        return []

    results = at_once([ask] * N_THREADS + [extend])
    assert all(answer == expected for result in results for answer in result)
    assert blas_threads() == before


def test_copies_that_go_on_in_threads_are_as_if_alone(hasty):
    model = OnlineKMeans(300, random_state=0).fit(blobs(0, 300, d=40))
    parts = [blobs(seed, 300, d=40) for seed in range(1, 5)]

    def of(part):
        other = copy.deepcopy(model)
        return lambda: fingerprint(other.partial_fit(part))

    assert at_once([of(part) for part in parts]) == [of(part)() for part in parts]


def test_a_copy_does_not_append_where_another_is_appending():
    inside, go_on = threading.Event(), threading.Event()

    class Slow(np.ndarray):
        def __setitem__(self, key, rows):
            if not inside.is_set():
                inside.set()
                go_on.wait(PATIENCE)
            super().__setitem__(key, rows)

    first = GrowingArray(np.zeros((1, 2)))
    first.append(np.zeros((1, 2)))  # in a buffer with room for more
    first._buffer = first._buffer.view(Slow)
    second = copy.copy(first)
    thread = threading.Thread(target=first.append, args=(np.full((1, 2), 1.0),))
    thread.start()
    assert inside.wait(PATIENCE)
    second.append(np.full((1, 2), 2.0))
    go_on.set()
    thread.join(PATIENCE)
    np.testing.assert_array_equal(first.rows, [[0, 0], [0, 0], [1, 1]])
    np.testing.assert_array_equal(second.rows, [[0, 0], [0, 0], [2, 2]])


def test_a_merge_that_is_overtaken_by_the_stream_is_not_kept(monkeypatch):
    inside, go_on = threading.Event(), threading.Event()
    merge = _base.merge

    def slow_merge(*args):
        inside.set()
        go_on.wait(PATIENCE)
        return merge(*args)

    X = blobs(0, 400)
    expected = OnlineKMeans(40, n_clusters=4, random_state=0).fit(X)
    model = OnlineKMeans(40, n_clusters=4, random_state=0).partial_fit(X[:200])
    monkeypatch.setattr(_base, "merge", slow_merge)
    thread = threading.Thread(target=model.predict, args=(X,))
    thread.start()
    assert inside.wait(PATIENCE)
    model.partial_fit(X[200:])
    go_on.set()
    thread.join(PATIENCE)
    np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)


@pytest.mark.parametrize("n_jobs", [None, -1])
def test_calls_at_once_share_the_cores(n_jobs, monkeypatch):
    monkeypatch.setattr(_threads, "_n_given", lambda: 3)
    running, most = [], []

    def work(item):
        running.append(item)
        most.append(len(running))
        time.sleep(0.001)
        running.pop()

    def call():
        with own_threads(n_jobs, n_rows=1000) as threads:
            threads.map(work, range(10))

    at_once([call] * 4)
    assert len(most) == 40
    assert max(most) <= 3


def test_threads_do_run_at_once():
    barrier = threading.Barrier(3)
    assert sorted(Threads(3).map(lambda _: barrier.wait(PATIENCE), range(3))) == [0, 1, 2]


def test_threads_stay_and_are_used_again():
    def names(_):
        return threading.current_thread().name

    first, again = (set(Threads(3).map(names, range(50))) for _ in range(2))
    of_pool = {f"onlinekmeans_sklearn_{i}" for i in range(2)}
    assert first | again <= {threading.current_thread().name, *of_pool}


def test_blas_gets_its_threads_back_after_the_last_call():
    before = blas_threads()
    inside, go_on, outside, end = (threading.Event() for _ in range(4))

    def call():
        with own_threads(None, n_rows=1000):
            inside.set()
            go_on.wait(PATIENCE)
        outside.set()
        end.wait(PATIENCE)  # a thread that has ended has no hold of BLAS any more

    thread = threading.Thread(target=call)
    thread.start()
    try:
        assert inside.wait(PATIENCE)
        with own_threads(None, n_rows=1000):
            go_on.set()
            assert outside.wait(PATIENCE)
            assert blas_threads() <= {1}
        assert blas_threads() == before
    finally:
        go_on.set()
        end.set()
        thread.join(PATIENCE)


def n_threads_used(estimator, X, y=None):
    """Return among how many threads the rows of X are shared, though they are few."""
    numbers, share = [], Threads.map

    def noting_share(threads, function, items):
        numbers.append(min(threads.number, len(items)))
        return share(threads, function, items)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Threads, "map", noting_share)
        patch.setattr(_nearest, "_WORK_PER_THREAD", 1)
        estimator.predict(X)
    return max(numbers)


def test_workers_of_joblib_share_the_cores():
    X = blobs(0, 500)
    model = OnlineKMeans(40, n_jobs=-1, random_state=0).fit(X)
    assert n_threads_used(model, X) == n_threads_for(-1)
    ask = joblib.delayed(n_threads_used)
    used = joblib.Parallel(n_jobs=2)(ask(model, X) for _ in range(2))
    assert sum(used) <= max(2, joblib.cpu_count())
    search = GridSearchCV(
        model, {"k": [30, 40]}, scoring=n_threads_used, cv=2, n_jobs=2, error_score="raise"
    )
    used = search.fit(X).cv_results_["mean_test_score"]
    assert 2 * max(used) <= max(2, joblib.cpu_count())


def test_a_limit_holds_for_n_jobs_minus_one():
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads_for(-1) == n_threads_for(-2) == 1


def test_a_model_goes_on_after_a_way_through_joblib():
    X = blobs(0, 600)
    model = OnlineKMeans(40, n_clusters=4, random_state=0).fit(X[:200])
    there = joblib.delayed(model.partial_fit)
    copies = joblib.Parallel(n_jobs=2)(there(X[200:400]) for _ in range(2))
    expected = fingerprint(model.partial_fit(X[200:400]).partial_fit(X[400:]))
    for other in copies:
        assert fingerprint(other.partial_fit(X[400:])) == expected


def go_on_and_tell(connection, model, X):
    """Go on with a model in a process of its own."""
    numbers = n_threads_for(None), n_threads_for(-1)
    connection.send((fingerprint(model.partial_fit(X)), model.predict(X), numbers))


def told_by_process(method, *args):
    """Return what `go_on_and_tell` says in a process that must end."""
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=go_on_and_tell, args=(theirs, *args))
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


@FORKS
@pytest.mark.parametrize("method", ["spawn", pytest.param("fork", marks=NEEDS_FORK)])
def test_a_model_goes_on_in_another_process(method, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # for those who read it yet
    X = blobs(0, 3000, d=8)
    model = OnlineKMeans(40, n_jobs=2, random_state=0).fit(X)  # threads, and those of BLAS
    found, labels, numbers = told_by_process(method, model, X)
    assert found == fingerprint(model.partial_fit(X))
    np.testing.assert_array_equal(labels, model.predict(X))
    if method == "spawn":
        assert numbers == (1, 1)


@FORKS
@NEEDS_FORK
def test_a_fork_in_the_middle_of_a_call_does_not_wait_for_it():
    X = blobs(0, 1000)
    model = OnlineKMeans(40, random_state=0).fit(X)
    before = n_threads_for(None)
    with own_threads(None, n_rows=1000), _threads._calls._lock:
        found, _, numbers = told_by_process("fork", model, X)
    assert found == fingerprint(model.partial_fit(X))
    assert numbers == (before, before)


@FORKS
@NEEDS_FORK
def test_a_worker_of_a_multiprocessing_pool_has_one_core():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        asked = pool.map_async(n_threads_for, [None, -1, 1])
        assert asked.get(PATIENCE) == [1, 1, 1]
