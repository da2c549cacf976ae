"""The package's engine as usual, set so that small streams meet all of it, and failing.

Tests that need no more of the inside of the package than this have it from here.
"""

from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from onlinekmeans_sklearn import _base, _fitted
from onlinekmeans_sklearn._algorithm import block
from onlinekmeans_sklearn._nearest import heart
from onlinekmeans_sklearn._utils.tuning import tuned

TINY = {
    "first_block_rows": 3,
    "most_block_rows": 8,
    "openings_in_block": 0.0,
    "most_index_columns": 1,
    "product_elements": 40,
    "pair_elements": 40,
    "distance_elements": 24,
}
THREADS = {
    "min_work_for_threads": 1,
    "min_work_per_share": 1,
    "min_sum_elements": 1,
}
_SIZES = {"usual": {}, "tiny blocks": TINY, "tiny blocks, threads": {**TINY, **THREADS}}

# name: kernels, None as usual, and what is tuned
ENGINES = {
    **{name: (None, values) for name, values in _SIZES.items()},
    **{
        f"{kernels}, {size}": (kernels, _SIZES[size])
        for kernels in heart.names()
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
            stack.enter_context(heart.using(kernels))
        stack.enter_context(tuned(**values))
        yield


# step of a call: where it is called from, and by which name
STEPS = {
    "look up": (block, "look_up"),
    "open": (block, "open_centers"),
    "label": (block, "label"),
    "add up": (block, "add_up"),
    "encode labels": (_base, "encode_labels"),
    "encode distances": (_base, "encode_distances"),
    "merge": (_fitted, "merge"),
}


@contextmanager
def before_step(step, function):
    """Call a function, which may raise, each time before a step of the package."""
    module, name = STEPS[step]
    usual = getattr(module, name)

    def call(*args, **kwargs):
        function()
        return usual(*args, **kwargs)

    with patch.object(module, name, call):
        yield
