"""Where the time of our ``fit`` goes, step by step, with one thread."""

import time
from contextlib import ExitStack, contextmanager
from importlib import import_module
from unittest.mock import patch

# heading: the module that a step is called from, and its name; none is part of another
STEPS = {
    "check": ("_reading", "validate_X"),
    "look up": ("_algorithm.block", "look_up"),
    "open": ("_algorithm.block", "open_centers"),
    "label": ("_algorithm.block", "label"),
    "add up": ("_algorithm.block", "accumulate"),
}


@contextmanager
def timed_steps():
    """Give a dict to which every step adds the seconds that it takes."""
    seconds = {}

    def timed(heading, step):
        def call(*args, **kwargs):
            start = time.perf_counter()
            try:
                result = step(*args, **kwargs)
            finally:
                taken = time.perf_counter() - start
                seconds[heading] = seconds.get(heading, 0.0) + taken
            if isinstance(result, list):  # of what is still to be done
                return [timed(heading, part) for part in result]
            return result

        return call

    with ExitStack() as patches:
        for heading, (path, name) in STEPS.items():
            module = import_module(f"onlinekmeans_sklearn.{path}")
            call = timed(heading, getattr(module, name))
            patches.enter_context(patch.object(module, name, call))
        yield seconds
