"""Many threads and processes at once: the answers of one, and no more cores than given."""

import copy
import sys
import threading

import numpy as np
import pytest
from at_once import PATIENCE, at_once, blas_threads
from checkpoints import fingerprint
from engines import THREADS, tuned
from scipy.sparse import csr_array
from sklearn.base import clone
from streams import blobs, dense

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans

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
    """Return the answers of a fitted model, to the last bit."""
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


class SlowToCopy(np.random.RandomState):
    """Random numbers that the merge, which copies them, has to wait for."""

    def __init__(self, seed):
        super().__init__(seed)
        self.inside, self.go_on = threading.Event(), threading.Event()

    def __deepcopy__(self, memo):
        self.inside.set()
        self.go_on.wait(PATIENCE)
        other = np.random.RandomState()
        other.set_state(self.get_state())
        return other


def test_a_merge_that_is_overtaken_by_the_stream_is_not_kept():
    X = blobs(0, 400)
    expected = OnlineKMeans(k=40, n_clusters=4, random_state=0).fit(X)
    numbers = SlowToCopy(0)
    model = OnlineKMeans(k=40, n_clusters=4, random_state=numbers).partial_fit(X[:200])
    thread = threading.Thread(target=model.predict, args=(X,))
    thread.start()
    assert numbers.inside.wait(PATIENCE)
    model.partial_fit(X[200:])
    numbers.go_on.set()
    thread.join(PATIENCE)
    np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
