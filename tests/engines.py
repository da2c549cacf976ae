"""The package's engine as usual, and set so that small streams meet all of it.

Tests that need no more of the inside of the package than this have it from here.
"""

from contextlib import ExitStack, contextmanager
from unittest import mock

from onlinekmeans_sklearn._nearest import backend
from onlinekmeans_sklearn._utils.tuning import TUNING

backend.active.warns = False  # where they are not compiled, tests need not hear of it
KERNELS = [*(backend.compiled.instruction_sets() if backend.compiled else []), "numpy"]


def tuned(**values):
    """Let block sizes and thresholds be others meanwhile."""
    assert all(hasattr(TUNING, name) for name in values)
    return mock.patch.dict(vars(TUNING), values)


@contextmanager
def using(name):
    """Use numpy's kernels meanwhile, or the compiled ones with some instruction set."""
    compiled = backend.compiled
    instructions = compiled and compiled.instruction_set_in_use()
    before = backend.active.kernels
    try:
        backend.active.kernels = backend.fallback if name == "numpy" else compiled
        if name != "numpy":
            compiled.use_instruction_set(name)
        yield
    finally:
        backend.active.kernels = before
        if compiled:
            compiled.use_instruction_set(instructions)


TINY = {
    "first_block_rows": 3,
    "most_block_rows": 8,
    "openings_in_block": 0.1,
    "min_boxes": 1,
    "box_work": 10**9,
    "most_index_columns": 1,
    "product_elements": 100,
    "pair_elements": 40,
    "distance_elements": 24,
}
THREADS = {"min_work_for_threads": 1, "min_work_per_share": 1, "threads_per_sum": 1}
_SIZES = {"usual": {}, "tiny blocks": TINY, "tiny blocks, threads": {**TINY, **THREADS}}

# name: kernels, None as usual, and what is tuned
ENGINES = {
    **{name: (None, values) for name, values in _SIZES.items()},
    **{
        f"{kernels}, {size}": (kernels, _SIZES[size])
        for kernels in KERNELS
        for size in ("usual", "tiny blocks, threads")
    },
    "numpy, tiny blocks": ("numpy", TINY),
}


@contextmanager
def engine(name):
    """Let the package work as the name says meanwhile."""
    kernels, values = ENGINES[name]
    with ExitStack() as stack:
        if kernels is not None:
            stack.enter_context(using(kernels))
        stack.enter_context(tuned(**values))
        yield
