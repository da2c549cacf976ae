"""Which kernels are in use: the compiled ones, or those in numpy where there are none.

The environment variable ``ONLINEKMEANS_FALLBACK=1`` selects numpy.
"""

import os
from importlib import import_module
from types import SimpleNamespace

from .._utils.validation import warn_user

FALLBACK_VARIABLE = "ONLINEKMEANS_FALLBACK"
_IS_NUMPY_SELECTED = os.environ.get(FALLBACK_VARIABLE, "") not in ("", "0")


def _compiled_and_reason():
    """Return the compiled kernels, None if they are not used, and a sentence about it."""
    if _IS_NUMPY_SELECTED:
        return None, f"numpy, because {FALLBACK_VARIABLE} is set"
    try:
        kernels = import_module(".kernels", __package__)
    except ImportError as error:
        return None, f"numpy, because the compiled ones cannot be imported: {error}"
    return kernels, f"compiled, with {kernels.instruction_set_in_use()} instructions"


fallback = import_module(".fallback", __package__)
compiled, reason = _compiled_and_reason()
active = SimpleNamespace(
    kernels=compiled or fallback,  # the module in use
    warns=compiled is None and not _IS_NUMPY_SELECTED,
)


def warn_once_if_slow():
    """Warn, once per process, that the compiled kernels are missing."""
    if active.warns:
        active.warns = False
        warn_user(
            f"Slow kernels in use: {reason}. Results are the same, but take 3 to 25 times "
            "as long. Install a C compiler and install onlinekmeans_sklearn again, or set "
            f"the environment variable {FALLBACK_VARIABLE}=1 to silence this warning."
        )
