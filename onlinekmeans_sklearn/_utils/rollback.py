"""Calls that change nothing if they fail."""

from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace

import numpy as np
from sklearn.utils import check_random_state


@contextmanager
def unchanged_on_error(estimator):
    """Restore the attributes of the estimator if the block fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def shallow_copy(instance):
    """Return another instance with the same attributes, faster than copy.copy."""
    other = object.__new__(type(instance))
    other.__dict__.update(instance.__dict__)
    return other


class restore_rng_on_error(AbstractContextManager):
    """Restore the state of a source of random numbers if the block fails.

    A seed needs no restoring. For a RandomState the memory is copied: `get_state` takes as
    long as reading a hundred rows. None and the module `numpy.random` stand for the source
    that numpy's own functions use.
    """

    def __init__(self, random_state):
        is_global = random_state is None or random_state is np.random
        self._source = check_random_state(None) if is_global else random_state
        if not isinstance(self._source, np.random.RandomState):
            self._before = None
        elif _MEMORY_IS_KNOWN and type(self._source._bit_generator) is np.random.MT19937:
            self._before = _memory(self._source)
        else:
            self._before = self._source.get_state(legacy=False)

    def __exit__(self, kind, error, traceback):
        before = self._before
        if kind is None or before is None:
            return
        if isinstance(before, np.ndarray):
            *key, position = before.tolist()
            before = self._source.get_state(legacy=False)
            before["state"] = {"key": key, "pos": position}
        self._source.set_state(before)


def _memory(source):
    """Return the key of a Mersenne Twister and the position in it from numpy's memory."""
    address = source._bit_generator.ctypes.state_address
    kind = {"shape": (625,), "typestr": np.dtype(np.uint32).str, "version": 3}
    return np.array(SimpleNamespace(__array_interface__={"data": (address, True), **kind}))


def _memory_is_known(source):
    """Return whether the memory of this numpy is laid out as `_memory` expects."""
    state = source.get_state(legacy=False)["state"]
    return np.array_equal(_memory(source), [*state["key"], state["pos"]])


_MEMORY_IS_KNOWN = _memory_is_known(np.random.RandomState(0))
