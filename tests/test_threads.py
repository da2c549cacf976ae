"""Threads: as many as scikit-learn would use; many at once give the answers of one."""

import copy
import multiprocessing
import sys
import threading
import time
from contextlib import contextmanager

import joblib
import numpy as np
import pytest
from at_once import BLAS, PATIENCE, at_once, blas_threads, reached, told_by_process
from checkpoints import fingerprint
from engines import THREADS, tuned
from inside import before_step
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from streams import blobs, dense
from threadpoolctl import threadpool_limits

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans
from onlinekmeans_sklearn._utils import threads as _threads
from onlinekmeans_sklearn._utils.threads import Threads, n_threads_for, own_threads

# A fork of a process that has threads, be they those of BLAS, is a warning since 3.12.
FORKS = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
NEEDS_FORK = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here"
)


def test_n_jobs_none_is_what_openmp_code_would_use():
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads_for(None) == n_threads_for(-1) == n_threads_for(-2) == 1
    assert 1 <= n_threads_for(None) <= joblib.cpu_count()


def test_n_jobs_counts_as_joblib_does():
    assert n_threads_for(1) == 1
    assert n_threads_for(3) == 3
    assert n_threads_for(-1) == n_threads_for(None)
    assert n_threads_for(-10_000) == 1
    assert n_threads_for(10**6) == 4 * joblib.cpu_count()


@pytest.mark.parametrize("n_jobs", [1, 3, -1, -2])
def test_n_jobs_none_is_what_joblib_was_configured_to(n_jobs):
    expected = n_threads_for(n_jobs)
    with joblib.parallel_config(n_jobs=n_jobs):
        assert n_threads_for(None) == expected
        assert n_threads_for(2) == 2
    with joblib.parallel_config(backend="threading"):  # and nothing said about n_jobs
        assert n_threads_for(None) == n_threads_for(-1)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_what_joblib_was_configured_to_is_not_for_its_workers(backend):
    def ask_workers():
        parallel = joblib.Parallel(n_jobs=2, backend=backend)
        return parallel(joblib.delayed(n_threads_for)(None) for _ in range(2))

    expected = ask_workers()
    with joblib.parallel_config(n_jobs=4 * joblib.cpu_count()):
        assert ask_workers() == expected


def test_a_few_rows_are_not_worth_a_thread():
    before = blas_threads()
    with own_threads(8, work=3) as threads:
        assert threads.n_threads == 1
        assert blas_threads() == before


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_order(n_threads):
    seen = set()

    def square(x):
        seen.add(threading.get_ident())
        return x * x

    assert Threads(n_threads).map(square, range(50)) == [x * x for x in range(50)]
    assert n_threads > 1 or seen == {threading.get_ident()}


@pytest.mark.parametrize("error", [ZeroDivisionError, IndexError, SystemExit])
@pytest.mark.parametrize("raised_in", ["caller", "helper"])
def test_an_error_in_a_thread_is_raised(error, raised_in):
    barrier, caller = threading.Barrier(2), threading.get_ident()

    def fail(_):
        barrier.wait(PATIENCE)  # both must be there
        if (threading.get_ident() == caller) == (raised_in == "caller"):
            raise error

    with pytest.raises(error):
        Threads(2).map(fail, range(2))


@contextmanager
def running(call, *events):
    """Let a call run in another thread, and in the end set the events it may wait for."""
    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield thread
    finally:
        for event in events:
            event.set()
        thread.join(PATIENCE)


def test_a_caller_does_not_wait_for_busy_threads():
    inside, go_on = threading.Barrier(3), threading.Event()

    def work(_):
        inside.wait(PATIENCE)
        return go_on.wait(PATIENCE)

    with running(lambda: Threads(2).map(work, range(2)), go_on) as other:
        inside.wait(PATIENCE)
        workers = Threads(2).map(lambda _: threading.get_ident(), range(5))
        assert set(workers) == {threading.get_ident()}
        assert other.is_alive()


def test_after_an_error_nothing_more_is_begun():
    seen = []

    def fail(item):
        seen.append(item)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"[01]"):
        Threads(2).map(fail, range(100))
    assert len(seen) <= 2


def n_threads_used(estimator, X, y=None):
    """Return among how many threads the rows of X are shared, though they are few."""
    numbers, share = [], Threads.map

    def noting_share(threads, function, items):
        numbers.append(min(threads.n_threads, len(items)))
        return share(threads, function, items)

    with pytest.MonkeyPatch.context() as patch, tuned(**THREADS):
        patch.setattr(Threads, "map", noting_share)
        estimator.predict(X)
    return max(numbers, default=1)


def test_rows_are_really_shared_by_threads():
    X = blobs(0, 5000)
    with tuned(**THREADS):
        shared = OnlineKMeans(k=50, n_jobs=2, random_state=0).fit(X)
        alone = OnlineKMeans(k=50, n_jobs=1, random_state=0).fit(X)
    assert n_threads_used(shared, X) == 2
    assert n_threads_used(alone, X) == 1
    np.testing.assert_array_equal(shared.labels_, alone.labels_)
    np.testing.assert_array_equal(shared.cluster_means_, alone.cluster_means_)


@pytest.mark.parametrize("n_jobs", [None, -1])
@pytest.mark.parametrize(("n_calls", "n_threads"), [(1, 3), (2, 2), (3, 1), (5, 1)])
def test_calls_at_once_share_the_cores(n_jobs, n_calls, n_threads, monkeypatch):
    monkeypatch.setattr(_threads, "_n_given", lambda: 3)
    barrier = threading.Barrier(n_calls)

    def work(_):
        time.sleep(0.001)
        return threading.get_ident()

    def call():
        with own_threads(n_jobs, work=10**9) as threads:
            barrier.wait(PATIENCE)  # all calls are running
            workers = set(threads.map(work, range(10)))
            barrier.wait(PATIENCE)
        return len(workers)

    assert max(at_once([call] * n_calls)) <= n_threads


def test_threads_stay_and_are_used_again(monkeypatch):
    barrier = threading.Barrier(3)

    def places():
        return sorted(Threads(3).map(lambda _: barrier.wait(PATIENCE), range(3)))

    assert places() == [0, 1, 2]  # all three run at once
    monkeypatch.setattr(_threads, "start_new_thread", None)
    assert places() == [0, 1, 2]


def test_calls_at_once_do_not_start_too_many_threads():
    before = len(sys._current_frames())
    at_once([lambda: Threads(4).map(time.sleep, [0.001] * 8)] * 16)
    assert reached(lambda: len(sys._current_frames()) <= before + 3)


def test_blas_gets_its_threads_back_after_the_last_call():
    before = blas_threads()
    inside, go_on, outside, end = (threading.Event() for _ in range(4))

    def call():
        with own_threads(None, work=10**9):
            inside.set()
            go_on.wait(PATIENCE)
        outside.set()
        end.wait(PATIENCE)  # a thread that has ended has no hold of BLAS any more

    with running(call, go_on, end):
        assert inside.wait(PATIENCE)
        with own_threads(None, work=10**9):
            go_on.set()
            assert outside.wait(PATIENCE)
            assert blas_threads() <= {1}
        assert blas_threads() == before


@pytest.mark.slow
def test_workers_of_joblib_share_the_cores():
    X = blobs(0, 500)
    model = OnlineKMeans(k=40, n_jobs=-1, random_state=0).fit(X)
    assert n_threads_used(model, X) == n_threads_for(-1)
    ask = joblib.delayed(n_threads_used)
    used = joblib.Parallel(n_jobs=2)(ask(model, X) for _ in range(2))
    assert sum(used) <= max(2, joblib.cpu_count())
    search = GridSearchCV(
        model, {"k": [30, 40]}, scoring=n_threads_used, cv=2, n_jobs=2, error_score="raise"
    )
    used = search.fit(X).cv_results_["mean_test_score"]
    assert 2 * max(used) <= max(2, joblib.cpu_count())


def go_on(model, X):
    """Return what a model learns and predicts, and the numbers of threads."""
    numbers = n_threads_for(None), n_threads_for(-1)
    return fingerprint(model.partial_fit(X)), model.predict(X), numbers


@pytest.mark.slow
@FORKS
@pytest.mark.parametrize("method", ["spawn", pytest.param("fork", marks=NEEDS_FORK)])
def test_a_model_goes_on_in_another_process(method, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # for those who read it yet
    X = blobs(0, 3000, d=8)
    with tuned(**THREADS):  # there are threads, and those of BLAS
        model = OnlineKMeans(k=40, n_jobs=2, random_state=0).fit(X)
    found, labels, numbers = told_by_process(method, go_on, model, X)
    assert found == fingerprint(model.partial_fit(X))
    np.testing.assert_array_equal(labels, model.predict(X))
    if method == "spawn":
        assert numbers == (1, 1)


def call_and_count():
    """Return how many threads BLAS may use during and after a call, and its results."""
    with own_threads(2, work=10**9) as threads:
        during, squares = blas_threads(), threads.map(lambda x: x * x, range(9))
    return during, blas_threads(), squares


@FORKS
@NEEDS_FORK
def test_a_fork_in_the_middle_of_a_call_does_not_wait_for_it():
    before = blas_threads()
    inside, go_on = threading.Event(), threading.Event()

    def call():
        with own_threads(2, work=10**9), _threads._shared.blas_lock:
            inside.set()
            go_on.wait(PATIENCE)

    with running(call, go_on):
        assert inside.wait(PATIENCE)
        during, after, squares = told_by_process("fork", call_and_count)
    assert during <= {1}
    assert after == before
    assert squares == [x * x for x in range(9)]


@FORKS
@NEEDS_FORK
def test_a_worker_of_a_multiprocessing_pool_has_one_core():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        asked = pool.map_async(n_threads_for, [None, -1, 1])
        assert asked.get(PATIENCE) == [1, 1, 1]


N_THREADS, N_ROWS = 16, 200

MODELS = {
    "onehot": OnlineKMeans(k=40, n_jobs=2),
    "onehot-dense, merged": OnlineKMeans(k=40, encode="onehot-dense", n_clusters=4),
    "ordinal": OnlineKMeans(k=40, encode="ordinal", n_jobs=2),
    "distance, float32": OnlineKMeans(k=40, encode="distance", max_clusters=90),
    "triangle, CSR": OnlineKMeans(k=40, encode="triangle", n_jobs=2),
    "CSR, merged": OnlineKMeans(k=40, n_clusters=4),
    "classifier": ClusterFeaturesClassifier(clusterer=OnlineKMeans(k=40)),
}
ATTRIBUTES = ["cluster_centers_", "cluster_means_", "labels_", "online_to_merged_"]


@pytest.fixture
def hasty():
    """Let threads take turns as often as possible, so that races show."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture
def few_are_shared():
    """Let threads share few rows, too."""
    with tuned(**THREADS):
        yield


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
    """Return the answers of a fitted model, bit for bit."""
    if hasattr(model, "classes_"):
        found = [model.predict(X), model.decision_function(X)]
    else:
        found = [model.predict(X), model.transform(X), model.predict(X[:1]), model.score(X)]
        found += [getattr(model, name) for name in ATTRIBUTES]
    return [(dense(values).dtype, dense(values).tobytes()) for values in found]


@pytest.mark.parametrize("name", MODELS)
def test_threads_at_once_get_the_answers_of_one(name, hasty, few_are_shared):
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
    model = OnlineKMeans(k=300, random_state=0).fit(blobs(0, 300, d=40))
    parts = [blobs(seed, 300, d=40) for seed in range(1, 5)]

    def of(part):
        other = copy.deepcopy(model)
        return lambda: fingerprint(other.partial_fit(part))

    assert at_once([of(part) for part in parts]) == [of(part)() for part in parts]


def test_a_merge_overtaken_by_the_stream_is_not_kept():
    X = blobs(0, 400)
    first, expected = (OnlineKMeans(4, k=40, random_state=0).fit(X[:n]) for n in (200, 400))
    model, answers = OnlineKMeans(4, k=40, random_state=0).partial_fit(X[:200]), []
    inside, go_on = threading.Event(), threading.Event()

    def wait():
        inside.set()
        go_on.wait(PATIENCE)

    with before_step("merge", wait):
        thread = threading.Thread(target=lambda: answers.append(model.predict(X)))
        thread.start()
        assert inside.wait(PATIENCE)
        model.partial_fit(X[200:])
        go_on.set()
        thread.join(PATIENCE)
    np.testing.assert_array_equal(answers[0], first.predict(X))  # of where it began
    np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_threads_that_extend_one_estimator_lose_no_row(storage, hasty):
    X = storage(blobs(0, 200))
    model = OnlineKMeans(k=40, random_state=0)
    starts = range(0, 200, 10)

    def extend():
        return [model.partial_fit_predict(X[start : start + 10]) for start in starts]

    learned = at_once([extend] * 8)
    assert model.n_samples_seen_ == model.counts_.sum() == 8 * 200
    # whatever their order, each call got the labels of its own rows
    np.testing.assert_array_equal(np.bincount(np.ravel(learned)), model.counts_)


def test_threads_that_teach_one_classifier_lose_no_row(hasty):
    X = blobs(0, 200)
    model = ClusterFeaturesClassifier(random_state=0)

    def extend():
        for start in range(0, 200, 20):
            rows = X[start : start + 20]
            model.partial_fit(rows, rows[:, 0] > 0, classes=[False, True])

    at_once([extend] * 4)
    assert model.clusterer_.n_samples_seen_ == 4 * 200
    assert model.classifier_.t_ == 4 * 200 + 1


def test_who_looks_while_others_extend_sees_no_mixture(hasty):
    X, model = blobs(0, 400), OnlineKMeans(k=60, random_state=0)
    grown, seen = model.partial_fit(blobs(0, 40)), []

    def looks(model):
        return model.predict(X).tobytes(), model.score(X), model.cluster_centers_.tobytes()

    copied = copy.copy(grown)
    states = [looks(copied)]
    for part in np.split(X, 10):
        states.append(looks(copied.partial_fit(part)))

    extend_while(grown, X, lambda: seen.append(looks(grown)))
    for found, expected in zip(zip(*seen), zip(*states)):
        assert {*found} <= {*expected}
    assert looks(grown) == states[-1]


def extend_while(model, X, look):
    """Let a model of 40 rows read 400 more, while threads look at it all the time."""

    def extend():
        for part in np.split(X, 10):
            model.partial_fit(part)

    def look_often():
        while model.n_samples_seen_ < 440:
            look()

    at_once([look_often] * 3 + [extend])
    assert model.n_samples_seen_ == 440


def test_who_looks_at_merged_clusters_sees_those_of_one_state(hasty):
    """Which they are depends on who looked before."""
    X, model = blobs(0, 400), OnlineKMeans(4, k=60, random_state=0)
    model.partial_fit(blobs(0, 40))

    def look():
        now = copy.copy(model)
        one, other = now.cluster_centers_, copy.copy(now).cluster_centers_
        np.testing.assert_array_equal(one, other)
        d2 = ((X[:, None] - one) ** 2).sum(axis=2)
        np.testing.assert_array_equal(now.predict(X), d2.argmin(axis=1))
        assert now.score(X) == pytest.approx(-d2.min(axis=1).sum())

    extend_while(model, X, look)


@pytest.mark.parametrize("n_before", [0, 100])
def test_a_call_within_a_call_loses_no_row(n_before):
    X = blobs(0, 100)
    model, nested = OnlineKMeans(k=40, random_state=0), []
    if n_before:
        model.partial_fit(X)

    def call_again():
        nested.append(len(nested))
        if len(nested) == 1:
            model.partial_fit(X[:7])

    with before_step("look_up", call_again), pytest.raises(RuntimeError, match="not taken"):
        model.partial_fit(X)
    assert model.n_samples_seen_ == n_before + 7


def test_an_interrupt_of_the_limit_of_blas_leaves_it_as_it_was(monkeypatch):
    before, countdown = blas_threads(), []

    def interrupted(set_limit):
        def set_and_count(self, n_threads):
            set_limit(self, n_threads)
            if countdown and countdown.pop() == 0:
                raise KeyboardInterrupt

        return set_and_count

    for kind in {type(library) for library in BLAS.lib_controllers}:
        monkeypatch.setattr(kind, "set_num_threads", interrupted(kind.set_num_threads))
    for n_sets in range(2 * len(BLAS.lib_controllers)):  # to one, and back
        countdown[:] = range(n_sets + 1)
        with pytest.raises(KeyboardInterrupt), own_threads(2, work=10**9):
            pass
        assert blas_threads() == before
