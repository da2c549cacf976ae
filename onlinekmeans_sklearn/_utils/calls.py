"""Calls that change nothing if they fail, and that wait for each other."""

import os
import threading
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils import check_random_state


def shallow_copy(instance):
    """Return another instance with the same attributes, faster than copy.copy."""
    other = object.__new__(type(instance))
    other.__dict__.update(instance.__dict__)
    return other


@contextmanager
def unchanged_on_error(estimator):
    """Restore the attributes of an estimator, and its random state, if the block fails.

    None and the module `numpy.random` stand for the RandomState of numpy's own functions. A
    seed needs no restoring.
    """
    attributes, source = vars(estimator).copy(), estimator.random_state
    if source is None or source is np.random:
        source = check_random_state(None)
    is_source = isinstance(source, np.random.RandomState)
    numbers = source.get_state(legacy=False) if is_source else None
    try:
        yield
    except BaseException:
        estimator.__dict__ = attributes
        if is_source:
            source.set_state(numbers)
        raise


_locks = WeakKeyDictionary()

if hasattr(os, "register_at_fork"):  # a thread that holds one is not in the child
    os.register_at_fork(after_in_child=_locks.clear)


def lock_of(estimator):
    """Return the lock for calls that change an estimator.

    It is not an attribute, so it is in no copy, pickle or checkpoint. The thread that holds
    it can take it again: a signal handler must not wait for the call that it interrupts.
    """
    return _locks.setdefault(estimator, threading.RLock())
