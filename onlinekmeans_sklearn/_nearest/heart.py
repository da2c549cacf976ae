"""Which kernels are in use: the compiled ones, or numpy's where these are not there.

The environment variable ``ONLINEKMEANS_FALLBACK=1`` chooses numpy's.
"""

import os
from contextlib import contextmanager
from importlib import import_module

FALLBACK_VARIABLE = "ONLINEKMEANS_FALLBACK"


def _compiled_and_reason():
    """Return the compiled kernels, None if they are not used, and a sentence about it."""
    if os.environ.get(FALLBACK_VARIABLE, "") not in ("", "0"):
        return None, f"numpy, because {FALLBACK_VARIABLE} is set"
    try:
        kernels = import_module(".kernels", __package__)
    except ImportError as error:
        return None, f"numpy, because the compiled ones cannot be imported: {error}"
    return kernels, f"compiled, with {kernels.instruction_set_in_use()} instructions"


fallback = import_module(".fallback", __package__)
compiled, reason = _compiled_and_reason()
_in_use = compiled or fallback


def kernels():
    """Return the module of the kernels in use."""
    return _in_use


def names():
    """Return the names that `using` knows on this machine."""
    return [*(compiled.instruction_sets() if compiled else []), "numpy"]


@contextmanager
def using(name):
    """Use numpy's kernels meanwhile, or the compiled ones with some instruction set."""
    global _in_use
    before, instructions = _in_use, compiled and compiled.instruction_set_in_use()
    try:
        _in_use = fallback if name == "numpy" else compiled
        if name != "numpy":
            compiled.use_instruction_set(name)
        yield
    finally:
        _in_use = before
        if compiled:
            compiled.use_instruction_set(instructions)
