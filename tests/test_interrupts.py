"""An exception at a moment when a signal may raise one, each found by random signals."""

import gc
import os
import random
import signal
import sys
from contextlib import contextmanager, suppress
from types import BuiltinMethodType
from unittest import mock
from weakref import getweakrefs

import numpy as np
import pytest
from at_once import blas_threads, reached, told_by_process
from checkpoints import fingerprint
from engines import THREADS, tuned
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, save
from onlinekmeans_sklearn._utils.threads import Threads


class Interrupted(BaseException):
    """What the handler of a signal raises."""


@contextmanager
def interrupted(is_moment):
    """Raise an exception when an event of Python's profiler is the moment."""

    def strike(frame, event, _):
        if is_moment(event, frame.f_code.co_name):
            sys.setprofile(None)
            raise Interrupted

    before = sys.getprofile()
    sys.setprofile(strike)
    try:
        yield
    finally:
        sys.setprofile(before)


def test_rows_taken_are_not_lost_when_the_traceback_is():
    X, model = blobs(0, 100), OnlineKMeans(k=20, random_state=0)
    published = []

    def is_next_call(event, name):
        published.extend([name] * (event == "return" and name == "_publish"))
        return event == "call" and published

    errors = []
    try:
        with interrupted(is_next_call):
            model.partial_fit(X)
    except Interrupted as error:
        errors.append(error)
    model.partial_fit(X)
    n_seen = model.n_samples_seen_
    errors.clear()
    assert model.n_samples_seen_ == n_seen == 200


def test_no_python_code_runs_when_an_estimator_dies():
    model = OnlineKMeans(k=20).fit(blobs(0, 30))  # an exception in it would be lost
    references = getweakrefs(model)
    assert references
    assert all(isinstance(ref.__callback__, BuiltinMethodType) for ref in references)


def test_save_raises_what_the_handler_raised(tmp_path):
    model = OnlineKMeans(k=20).fit(blobs(0, 30))

    def is_member(event, name):
        return event == "return" and name == "_open_to_write"

    with mock.patch.object(sys, "unraisablehook"):  # zipfile complains as it is collected
        with interrupted(is_member), pytest.raises(Interrupted):
            save(model, tmp_path / "stream.npz")
        gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_save_leaves_no_file_open(tmp_path):
    model = OnlineKMeans(k=20).fit(blobs(0, 30))
    first_free = os.open(tmp_path, os.O_RDONLY)
    os.close(first_free)

    def is_opened(event, name):
        return event == "return" and name == "<lambda>"

    with suppress(Interrupted), interrupted(is_opened):
        save(model, tmp_path / "stream.npz")
    again = os.open(tmp_path, os.O_RDONLY)
    os.close(again)
    assert again == first_free


@pytest.mark.parametrize("method", ["fit_predict", "fit_transform"])
def test_an_interrupt_after_the_fit_takes_no_rows(method):
    numbers = np.random.RandomState(0)
    before = numbers.get_state()[2]
    model = OnlineKMeans(k=20, random_state=numbers)
    step = {"fit_predict": "labels_", "fit_transform": "transform"}[method]
    failing = mock.PropertyMock(side_effect=Interrupted)
    with mock.patch.object(OnlineKMeans, step, failing), pytest.raises(Interrupted):
        getattr(model, method)(blobs(0, 30))
    assert not hasattr(model, "n_samples_seen_")
    assert numbers.get_state()[2] == before


def interrupt_calls(n_signals):
    """Interrupt calls by one signal or two, at random moments.

    Return results and the limits of BLAS before and after, how often a single signal
    changed the limits, and whether there is only one thread beside this one.
    """
    rng, X = random.Random(0), blobs(0, 200)
    struck, again = [], []  # signals so far, and seconds until the next one of a call

    def strike(*_):
        struck.append(None)
        if again:
            signal.setitimer(signal.ITIMER_REAL, again.pop())
        raise Interrupted

    def share():
        return Threads(2).map(lambda x: x * x, range(20))

    def learn():
        return fingerprint(OnlineKMeans(k=50, n_jobs=2, random_state=0).partial_fit(X))

    def interrupt(call, seconds):
        again.extend([rng.uniform(1e-6, 1e-4)] * (rng.random() < 0.3))
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, seconds))
                call()
            finally:
                again.clear()
                signal.setitimer(signal.ITIMER_REAL, 0)
        except (Interrupted, SystemError):  # Python 3.10 raises that from within os.stat
            pass

    signal.signal(signal.SIGALRM, strike)
    with tuned(**THREADS):
        usual, n_changed = (share(), learn(), blas_threads()), 0
        while len(struck) < n_signals:
            for call, seconds in [(share, 1e-4), (learn, 2e-3)]:
                limits, n_struck = blas_threads(), len(struck)
                interrupt(call, seconds)
                if len(struck) == n_struck + 1:
                    n_changed += limits == usual[-1] != blas_threads()
        after = share(), learn(), blas_threads()
    return usual, after, n_changed, reached(lambda: len(sys._current_frames()) == 2)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer here")
def test_an_interrupt_at_any_moment_leaves_nothing_behind():
    usual, after, n_changed, is_tidy = told_by_process("spawn", interrupt_calls, 2000)
    assert after == usual
    assert n_changed == 0
    assert is_tidy
