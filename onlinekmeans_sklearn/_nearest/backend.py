"""Which kernels are in use: the compiled ones, or numpy's where there are none.

The environment variable ``ONLINEKMEANS_FALLBACK=1`` chooses numpy's.
"""

import os
from importlib import import_module
from types import SimpleNamespace

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
active = SimpleNamespace(kernels=compiled or fallback)  # the module in use
