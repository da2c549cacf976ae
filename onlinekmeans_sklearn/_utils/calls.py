"""Calls that change nothing if they fail, and that wait for each other."""

import os
import threading
from functools import wraps
from weakref import ref

from sklearn.utils import check_random_state


def shallow_copy(instance):
    """Return another instance with the same attributes, faster than copy.copy."""
    other = object.__new__(type(instance))
    other.__dict__ = instance.__dict__.copy()
    return other


class unchanged_on_error:
    """Restore the attributes of an estimator, and its random state, if the block fails.

    It is a class, not a generator: a generator that a signal leaves unfinished would
    restore them when it is garbage-collected, perhaps after other calls.
    """

    def __init__(self, estimator):
        self._estimator, self._attributes = estimator, vars(estimator).copy()
        seed = estimator.random_state  # an int cannot change
        self._numbers = None if isinstance(seed, int) else check_random_state(seed)
        self._state = self._numbers and self._numbers.get_state(legacy=False)

    def __enter__(self):
        return self._estimator

    def __exit__(self, error, *_):
        if error is not None:
            self._estimator.__dict__ = self._attributes
            if self._numbers is not None:
                self._numbers.set_state(self._state)


def all_or_nothing(method):
    """Let a method that fits wait for other calls, and change nothing if it fails.

    It says why it does not take `sample_weight`, a parameter that must not be in its
    signature, which scikit-learn inspects.
    """

    @wraps(method)
    def call(self, *args, **kwargs):
        if "sample_weight" in kwargs:
            raise TypeError(
                f"{method.__name__}() takes no sample_weight: in scikit-learn's fit a "
                "weight stands for repeated samples in any order, and here the order "
                "matters. Use partial_fit(X, sample_weight=...) of a new estimator."
            )
        with lock_of(self), unchanged_on_error(self):
            return method(self, *args, **kwargs)

    return call


_locks = {}  # by weak references

if hasattr(os, "register_at_fork"):  # a thread that holds one is not in the child
    os.register_at_fork(after_in_child=_locks.clear)


def lock_of(estimator):
    """Return the lock for calls that change an estimator.

    It is not an attribute, so it is in no copy, pickle or checkpoint. The thread that holds
    it can take it again: a signal handler must not wait for the call that it interrupts.
    """
    # Python code that runs when an estimator dies, such as a WeakKeyDictionary's, would
    # lose the exception of a signal that arrives then; `dict.pop` is C code.
    lock = _locks.get(ref(estimator))
    return lock or _locks.setdefault(ref(estimator, _locks.pop), threading.RLock())
