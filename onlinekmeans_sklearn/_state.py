"""What objects are made of, as arrays and plain values, and checks when these come back.

A state is a dict of arrays, None, numbers, strings, lists of strings and such dicts. When
an object is made from one again, it may come from anywhere: `State` and `check_state` make
whatever cannot be a ValueError at once, not a surprise later.
"""

import math

import numpy as np

FLOATS = (np.float64, np.float32)
INTEGERS = (np.int64, np.int32)
MOST_SAMPLES = 2**62  # positions in a stream are int64
_KEY_LENGTH = 624  # of the Mersenne Twister


class State:
    """A dict of arrays, plain values and such dicts, each checked when it is taken."""

    def __init__(self, items, name="the state"):
        if not isinstance(items, dict):
            raise ValueError(f"Got {name}={items!r}, but expected something with parts.")
        self._items = items
        self._name = name

    def __contains__(self, name):
        return name in self._items

    def __iter__(self):
        return iter(self._items)

    def take(self, name):
        """Return what has this name, whatever it is."""
        if name not in self._items:
            raise ValueError(f"Got {self._name} without {name!r}, which is always there.")
        return self._items[name]

    def part(self, name):
        """Return the state of a part."""
        return State(self.take(name), name)

    def integer(self, name, least=0, most=math.inf):
        """Return an int between these."""
        value = self.take(name)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(
                f"Got {name}={value!r}, but expected {least} <= int <= {most}."
            )
        return value

    def number(self, name, least=0.0, most=math.inf):
        """Return a float between these."""
        value = self.take(name)
        if type(value) is not float or not least <= value <= most:
            raise ValueError(
                f"Got {name}={value!r}, but expected {least} <= float <= {most}."
            )
        return value

    def text(self, name):
        """Return a string."""
        value = self.take(name)
        if not isinstance(value, str):
            raise ValueError(f"Got {name}={value!r}, but expected a string.")
        return value

    def array(self, name, dtypes, ndim=1):
        """Return a copy of an array of one of these types, in the machine's byte order."""
        value = self.take(name)
        if not isinstance(value, np.ndarray) or value.ndim != ndim:
            raise ValueError(f"Got {name}={value!r}, but expected an array with {ndim=}.")
        dtype = value.dtype.newbyteorder("=")
        if dtype not in dtypes:
            names = " or ".join(np.dtype(kind).name for kind in dtypes)
            raise ValueError(f"Got {name} of type {dtype}, but expected {names}.")
        return np.array(value, dtype=dtype, order="C")


def check_state(is_right, expected):
    """Raise ValueError unless the parts of a state fit together."""
    if not is_right:
        raise ValueError(
            f"Got a state whose parts do not fit together, but expected that {expected}."
        )


def state_of_random(random_state):
    """Return the state of a RandomState."""
    state = random_state.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(
            f"Got a RandomState with {state['bit_generator']}, but expected one with "
            "MT19937: make it by numpy.random.RandomState(seed)."
        )
    return {
        "key": state["state"]["key"],
        "position": int(state["state"]["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def random_from(state):
    """Return a RandomState that goes on with the numbers of another one."""
    key = state.array("key", (np.uint32,))
    check_state(len(key) == _KEY_LENGTH, f"a key has {_KEY_LENGTH} numbers")
    position = state.integer("position", most=_KEY_LENGTH)
    has_gauss = state.integer("has_gauss", most=1)
    gauss = state.number("gauss", least=-math.inf)
    random_state = np.random.RandomState()
    random_state.set_state(("MT19937", key, position, has_gauss, gauss))
    return random_state
