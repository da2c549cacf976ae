"""Calls interrupted by real signals at random moments, compared with an undisturbed stream.

A history is a list of calls of an estimator. An undisturbed twin makes them first, and says
how long they take and what they give. Then each call is interrupted several times by a
timer. An exception from its handler must leave the estimator as it was, and the call is
repeated; or the rows were taken already, `n_samples_seen_` says so, and it is not. A
handler may save the estimator instead: the checkpoint must continue as the twin.

The moments are real, so a case that fails need not fail again: it says where it was struck.
"""

import copy
import faulthandler
import pickle
import random
import signal
import tempfile
import time
import warnings
from collections import Counter, deque
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from at_once import blas_threads, told_by_process
from checkpoints import fingerprint, through_file
from engines import THREADS, TINY, tuned
from scipy.sparse import csr_array
from streams import blobs

import onlinekmeans_sklearn
from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    SemiOnlineKMeans,
    load,
    save,
)

from .state import changes, plain, state

SIGNALS = 250  # of a case, that strike within calls
STEPS, ATTEMPTS = 12, 6  # calls of a history, and attempts to interrupt each of them
PATIENCE = 100  # seconds until a history is said to hang
HAS_TIMER = hasattr(signal, "setitimer")  # not on Windows
PACKAGE = str(Path(onlinekmeans_sklearn.__file__).parent)
CLASSES = [False, True]

LEARNING = ["partial_fit", "partial_fit", "partial_fit_predict", "partial_fit_transform"]
STARTING = ["fit", "fit_predict", "fit_transform"]
ASKING = ["predict", "transform", "score", "last step", "checkpoint", "pickle", "copy"]
OF_CLASSIFIER = ["partial_fit", "partial_fit", "fit", "predict", "score", "pickle"]
MODELS = {
    "practical": lambda: OnlineKMeans(k=20),
    "theoretical": lambda: OnlineKMeans(k=3, algorithm="theoretical", max_clusters=60),
    "semi-online": lambda: SemiOnlineKMeans(k=4, n_samples=300, encode="triangle"),
    "merged": lambda: OnlineKMeans(4, k=20, centers="means"),
    "forgets": lambda: OnlineKMeans(k=20, half_life=25),
    "classifier": lambda: ClusterFeaturesClassifier(clusterer=OnlineKMeans(k=20)),
}
STORAGES = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": lambda X: csr_array(np.maximum(X, 0)),
}


class Interrupted(BaseException):
    """What the handler of a signal raises, as that of Ctrl+C does."""


class Step(NamedTuple):
    """A call of an estimator."""

    method: str
    X: object
    y: np.ndarray


class Expected(NamedTuple):
    """What the undisturbed twin had before and after a call."""

    before: dict
    n_before: int
    result: object
    after: dict
    n_after: int
    seconds: float


class History:
    """Calls of an estimator, all drawn from a seed."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.name, self.storage = rng.choice([*MODELS]), rng.choice([*STORAGES])
        self.n_jobs, self.seed = rng.choice([1, 2]), rng.randrange(1000)
        self.is_shared = rng.random() < 0.5
        self.is_tiny = rng.random() < 0.5
        X = blobs(self.seed, 60 * STEPS)
        y = (X[:, 0] > 0) ^ (np.arange(len(X)) % 5 == 0)
        X = STORAGES[self.storage](X)
        self.steps, n_seen = [], 0
        for i in range(STEPS):
            methods = OF_CLASSIFIER
            if self.name != "classifier":
                methods = rng.choice([LEARNING, LEARNING, ASKING, STARTING])
            method = rng.choice(methods)
            if i == 0:
                method = rng.choice(["partial_fit", "fit"])
            if method == "partial_fit_transform" and self.name == "merged":
                method = "partial_fit_predict"
            size = rng.choice([1, 20, 60])
            if method in STARTING:  # such that the number of samples tells of it
                size, n_seen = 30 + (n_seen == 30), 0
            self.steps.append(Step(method, X[n_seen : n_seen + size], y[n_seen:][:size]))
            if method in STARTING + LEARNING:
                n_seen += size

    def __str__(self):
        methods = ", ".join(f"{step.method} {step.X.shape[0]}" for step in self.steps)
        kind = f"{self.name}, {self.storage}, n_jobs={self.n_jobs}, seed={self.seed}"
        return f"{kind}, shared={self.is_shared}, tiny={self.is_tiny}: {methods}"

    @property
    def not_saved(self):
        """What checkpoints have instead: a RandomState of the estimator is not in them."""
        is_saved = self.name == "classifier" or not self.is_shared  # that is pickled
        return {} if is_saved else {"random_state": plain(None)}

    def model(self):
        """Return the unfitted estimator."""
        model, name = MODELS[self.name](), "n_jobs"
        if self.name == "classifier":
            name = "clusterer__n_jobs"
        numbers = np.random.RandomState(self.seed) if self.is_shared else self.seed
        return model.set_params(random_state=numbers, **{name: self.n_jobs})

    def tuning(self):
        """Return a context in which threads share few rows, in small blocks or not."""
        return tuned(**THREADS, **(TINY if self.is_tiny else {}))


def clusterer_of(model):
    """Return the clusterer of a classifier, or the model itself."""
    is_classifier = isinstance(model, ClusterFeaturesClassifier)
    return vars(model).get("clusterer_") if is_classifier else model


def n_seen(model):
    """Return the number of samples of a stream, 0 if there is none."""
    return getattr(clusterer_of(model), "n_samples_seen_", 0)


def known(model):
    """Return what must be equal for a model and its twin."""
    if not isinstance(model, ClusterFeaturesClassifier):
        return state(model)
    found = {"random_state": plain(model.random_state)}
    if hasattr(model, "classifier_"):
        classifier = model.classifier_
        weights = [classifier.coef_, classifier.intercept_, classifier.t_]
        found.update(weights=plain(weights), clusterer=state(model.clusterer_))
    return found


def perform(model, step, path):
    """Make a call, and return its result as plain values."""
    method, X, y = step
    if method == "last step":
        return known(model.partial_fit())
    if method == "checkpoint":
        return known(through_file(model, path))
    if method == "pickle":
        return known(pickle.loads(pickle.dumps(model)))
    if method == "copy":
        return known(copy.deepcopy(model))
    if not isinstance(model, ClusterFeaturesClassifier):
        result = getattr(model, method)(X)
    elif method == "partial_fit":
        result = model.partial_fit(X, y, classes=CLASSES)
    else:
        result = getattr(model, method)(*([X] if method == "predict" else [X, y]))
    return None if result is model else plain(result)


def undisturbed(history, path):
    """Return what is expected of each call, and the model in the end."""
    model, expected = history.model(), []
    for step in history.steps:
        before, n_before, start = known(model), n_seen(model), time.perf_counter()
        result = perform(model, step, path)
        seconds = time.perf_counter() - start
        after = known(model), n_seen(model)
        expected.append(Expected(before, n_before, result, *after, seconds))
    return expected, model


class Timer:
    """A timer whose signals strike calls."""

    def __init__(self, rng):
        self.rng, self.action = rng, None
        self.n_sent, self.location = 0, None
        signal.signal(signal.SIGALRM, self.strike)

    def strike(self, _, frame):
        """Handle a signal: note what it has interrupted, and do what is to be done."""
        self.n_sent += 1
        locations = []
        while frame is not None:
            locations.append((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        ours = [location for location in locations if location[0].startswith(PACKAGE)]
        if ours:
            both = locations[:1] + ours[:1]
            self.location = " in ".join(f"{path}:{line}" for path, line in both)
        self.action()

    def call(self, function, seconds, action):
        """Return the result of a function that a signal strikes, perhaps."""
        self.location, self.action = None, action
        try:
            signal.setitimer(signal.ITIMER_REAL, self.rng.uniform(1e-6, 1.1 * seconds))
            return function()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def interrupt():
    """Raise what Ctrl+C would."""
    raise Interrupted


class Disturbed:
    """A model whose calls are struck by signals, and what came of them."""

    def __init__(self, history, path, timer, counts):
        self.history, self.path, self.timer, self.counts = history, path, timer, counts
        self.limits = blas_threads()
        self.expected, twin = undisturbed(history, path)
        path.unlink(missing_ok=True)
        self.fingerprint = fingerprint(clusterer_of(twin))
        self.model = history.model()
        self.keeps_errors, self.errors = timer.rng.random() < 0.5, deque(maxlen=3)

    def run(self, attempt):
        """Make all calls, each by `attempt` until it says that it is done."""
        pairs = zip(self.history.steps, self.expected)
        for self.index, (self.step, expected) in enumerate(pairs):
            step = self.step
            is_done = any(attempt(step, expected) for _ in range(ATTEMPTS))
            if not is_done:
                self.expect(perform(self.model, step, self.path) == expected.result)
            self.expect_equal(known(self.model), expected.after)
        self.expect(fingerprint(clusterer_of(self.model)) == self.fingerprint)
        self.errors.clear()
        self.expect(blas_threads() == self.limits, "other limits of BLAS")

    def expect(self, is_right, message="another result"):
        """Raise an error that says where a signal has struck."""
        if not is_right:
            where = f"{self.step.method}, struck at {self.timer.location}"
            raise AssertionError(f"{message} of {where}, in {self.history}")

    def expect_equal(self, found, expected):
        """Raise an error that names what differs."""
        names = changes(expected, found)
        self.expect(not names, f"another {names}")

    def struck(self, step, expected, action):
        """Return the result of a call that a signal strikes, perhaps."""
        call = partial(perform, self.model, step, self.path)
        return self.timer.call(call, expected.seconds, action)

    def interrupted(self, step, expected):
        """Interrupt a call, and return whether it is done."""
        model, before = self.model, known(self.model)
        try:
            result = self.struck(step, expected, interrupt)
        except Interrupted as error:
            after, n_after = known(model), n_seen(model)
            if self.keeps_errors:  # with their tracebacks, as debuggers do
                self.errors.append(error)
        else:
            self.expect(result == expected.result)
            self.counts["lost"] += self.timer.location is not None
            return True
        self.counts["inside"] += self.timer.location is not None
        self.expect_equal(known(model), after)  # also when the traceback is gone
        if not self.errors:  # which may hold what would restore the limits
            self.expect(blas_threads() == self.limits, "other limits of BLAS")
        left = {path.name for path in self.path.parent.iterdir()} - {self.path.name}
        self.expect(not left, "files left behind")
        if step.method == "checkpoint" and self.path.exists():  # an older one, or the new
            not_saved = self.history.not_saved
            earlier = [past.before for past in self.expected[: self.index + 1]]
            states = [{**before, **not_saved} for before in earlier]
            self.expect(known(load(self.path)) in states, "another file")
        is_taken = n_after != expected.n_before
        self.expect_equal(after, expected.after if is_taken else before)
        self.counts["taken" if is_taken else "repeated"] += 1
        return is_taken

    def saved(self, step, expected):
        """Let the handler save the model in a call, and continue what it has saved."""
        is_classifier = self.history.name == "classifier"
        path, model = self.path.with_name("saved"), self.model

        def save_model():
            if is_classifier:
                path.write_bytes(pickle.dumps(model))
            else:
                save(model, path)

        self.expect(self.struck(step, expected, save_model) == expected.result)
        if self.timer.location is not None:
            self.counts["inside"] += 1
            checkpoint = pickle.loads(path.read_bytes()) if is_classifier else load(path)
            self.check_saved(checkpoint, expected)
        return True

    def check_saved(self, checkpoint, expected):
        """Continue a checkpoint that was saved in a call, and compare it with the twin."""
        is_taken = n_seen(checkpoint) != expected.n_before
        wanted = expected.after if is_taken else expected.before
        starts = self.step.method in STARTING or expected.n_before == 0
        if starts and not is_taken and self.history.is_shared:
            # a RandomState that has drawn the seed of the new stream cannot be resumed
            numbers = plain(checkpoint.random_state)
            if numbers != wanted["random_state"]:
                self.expect_equal(known(checkpoint), {**wanted, "random_state": numbers})
                return
        not_saved = self.history.not_saved
        self.expect_equal(known(checkpoint), {**wanted, **not_saved})
        self.counts["resumed"] += 1
        start = self.index + is_taken
        for step, later in [*zip(self.history.steps, self.expected)][start : start + 4]:
            if not_saved and (step.method in STARTING or not n_seen(checkpoint)):
                return  # a new stream, which has another seed
            perform(checkpoint, step, self.path)
            self.expect_equal(known(checkpoint), {**later.after, **not_saved})


def run_history(seed, saves, timer, counts):
    """Go through a history, and return what went wrong, or None."""
    history = History(seed)
    with tempfile.TemporaryDirectory() as folder, history.tuning():
        disturbed = Disturbed(history, Path(folder) / "stream.npz", timer, counts)
        try:
            disturbed.run(disturbed.saved if saves else disturbed.interrupted)
        except Exception as error:
            return f"{error!r}, struck at {timer.location}"


def strike_calls(seed, saves, n_signals):
    """Return how many signals struck, what came of them, and what went wrong."""
    warnings.simplefilter("ignore")
    counts, wrong, index = Counter(), [], 0
    timer = Timer(random.Random(seed))
    while counts["inside"] < n_signals and len(wrong) < 20:
        faulthandler.dump_traceback_later(PATIENCE, exit=True)  # says where it hangs
        failure = run_history(f"{seed} {index}", saves, timer, counts)
        wrong += [] if failure is None else [failure]
        index += 1
    counts.update(sent=timer.n_sent, histories=index)
    faulthandler.cancel_dump_traceback_later()
    return counts, wrong


def run_signals(seed, index, saves=False):
    """Strike calls by signals, and return how many of them came to what."""
    case = f"{seed} {index}", saves, SIGNALS
    try:
        counts, wrong = told_by_process("spawn", strike_calls, *case)
    except EOFError:
        raise AssertionError("a hang, or a crash") from None
    assert not wrong, "\n".join(wrong)
    return counts


def run_saves(seed, index):
    """Let signal handlers save models; return how many did so, and in how many calls."""
    return run_signals(seed, index, saves=True)
