"""Many threads and processes at once, or interrupted: the answers of one, and no traces."""

import copy
import sys
import threading

import numpy as np
import pytest
from at_once import BLAS, PATIENCE, at_once, blas_threads
from checkpoints import fingerprint
from engines import THREADS, tuned
from inside import before_step
from scipy.sparse import csr_array
from sklearn.base import clone
from streams import blobs, dense

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans
from onlinekmeans_sklearn._utils.threads import own_threads

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


def test_a_merge_that_is_overtaken_by_the_stream_is_not_kept():
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
