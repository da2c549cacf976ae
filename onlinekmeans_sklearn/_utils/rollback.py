"""Calls that change nothing if they fail."""

from contextlib import AbstractContextManager, contextmanager
from ctypes import c_char
from functools import cache

import numpy as np
from sklearn.utils import check_random_state

_Words = c_char * (4 * (624 + 1))  # the key of a Mersenne Twister and the position in it


@contextmanager
def unchanged_on_error(estimator):
    """Give the estimator back the attributes it had, if what follows fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def shallow_copy(instance):
    """Return another instance with the same attributes; what copy.copy does is slow."""
    other = object.__new__(type(instance))
    other.__dict__.update(instance.__dict__)
    return other


class restore_rng_on_error(AbstractContextManager):
    """Give a source of random numbers back those it had, if what follows fails.

    A seed has the same numbers every time. Of a RandomState the memory is copied, as that
    takes 1/50 of the time of `get_state`, which is that of reading hundreds of rows.
    """

    def __init__(self, random_state):
        self._source = check_random_state(None) if random_state is None else random_state
        self._before = _state_of(self._source)

    def __exit__(self, kind, error, traceback):
        if kind is None or self._before is None:
            return
        before = self._before
        if type(before) is bytes:
            words = np.frombuffer(before, dtype=np.uint32)
            before = self._source.get_state(legacy=False)
            before["state"] = {"key": words[:-1], "pos": int(words[-1])}
        self._source.set_state(before)


def _state_of(source):
    """Return the memory of a RandomState if that says all, else its state, None if not."""
    if not isinstance(source, np.random.RandomState):
        return None
    if type(source._bit_generator) is np.random.MT19937 and _memory_is_known():
        return _words_of(source)
    return source.get_state(legacy=False)


def _words_of(source):
    """Return the memory of a Mersenne Twister, which is where numpy says."""
    return _Words.from_address(source._bit_generator.ctypes.state_address).raw


@cache
def _memory_is_known():
    """Return whether this numpy has the key in memory, and then the position in it."""
    source = np.random.RandomState(0)
    source.random_sample(7)
    state = source.get_state(legacy=False)["state"]
    return _words_of(source) == np.append(state["key"], np.uint32(state["pos"])).tobytes()
