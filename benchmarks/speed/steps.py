"""Where the time of our ``fit`` goes, step by step."""

import functools
import time
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from onlinekmeans_sklearn import _base, _stream
from onlinekmeans_sklearn._centers_base import Centers

# heading: where the step is called from, and its name; none is part of another
STEPS = {
    "check": (_base, "validated"),
    "look up": (_stream, "propose"),
    "decide": (_stream, "decide"),
    "label": (_stream, "_labels"),
    "add up": (Centers, "assign"),
}


@contextmanager
def timed_steps():
    """Give a dict to which every step adds the seconds that it takes."""
    seconds = {}

    def timed(heading, step):
        @functools.wraps(step)
        def call(*args, **kwargs):
            start = time.perf_counter()
            try:
                return step(*args, **kwargs)
            finally:
                taken = time.perf_counter() - start
                seconds[heading] = seconds.get(heading, 0.0) + taken

        return call

    with ExitStack() as patches:
        for heading, (place, name) in STEPS.items():
            call = timed(heading, getattr(place, name))
            patches.enter_context(patch.object(place, name, call))
        yield seconds
