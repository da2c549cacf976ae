"""The package's kernels as usual, and set so that small streams meet them all."""

from contextlib import contextmanager

from onlinekmeans_sklearn import (
    _centers_base,
    _centers_dense,
    _centers_sparse,
    _features,
    _merge,
    _nearest,
    _screen,
    _stream,
    _threads,
    _tree,
)

_TINY = {
    (_stream, "_FIRST_BLOCK"): 3,
    (_stream, "_LARGEST_BLOCK"): 8,
    (_stream, "_OPENINGS"): 3,
    (_stream, "_CANDIDATES"): 2,
    (_nearest, "_FEWEST_ROWS"): 2,
    (_nearest, "_PANEL_BYTES"): 64,
    (_nearest, "_STRIP_BYTES"): 64,
    (_nearest, "_FEW_PAIRS"): 3,
    (_nearest, "_WORK_PER_THREAD"): 30,
    (_centers_base, "_BOUNDS_AT_ONCE"): 16,
    (_centers_dense, "_PAIR_ELEMENTS"): 40,
    (_centers_dense, "_ASSIGNED_ELEMENTS"): 12,
    (_centers_dense.DenseCenters, "wide"): 1,
    (_centers_sparse, "_PAIR_ELEMENTS"): 40,
    (_centers_sparse, "_FACTOR_ELEMENTS"): 200,
    (_centers_sparse.SparseCenters, "wide"): 1,
    (_features, "_PANEL_ELEMENTS"): 24,
    (_merge, "_PANEL_ELEMENTS"): 24,
}
_TREE = {
    (_tree, "_FEWEST_CENTERS"): 0,
    (_tree, "_FEWEST_FOR_THREADS"): 0,
    (_tree, "_CENTERS_PER_ROW"): 10**6,
}
_SCREEN = {
    (_screen, "_FEWEST_ROWS"): 1,
    (_screen, "_FEWEST_CENTERS"): 1,
    (_screen, "_FEWEST_FEATURES"): 2,
    (_screen, "_SHARE"): 2,
    (_screen, "_PAIR_COST"): 0,
    (_screen, "_PAIR_ELEMENTS"): 20,
}

KERNELS = {
    "usual": {},
    "tiny blocks": _TINY,
    "tiny blocks, threads": {**_TINY, (_threads, "_FEW_ROWS"): 2},
    "k-d tree": _TREE,
    "tiny blocks, k-d tree": {**_TINY, **_TREE},
    "screen": _SCREEN,
    "tiny blocks, screen": {**_TINY, **_SCREEN},
    "lone rows in blocks": {(_stream, "_ROW_ELEMENTS"): 0},
}


@contextmanager
def kernels(name):
    """Let the package use the named kernels meanwhile."""
    usual = {(module, key): getattr(module, key) for module, key in KERNELS[name]}
    try:
        _set(KERNELS[name])
        yield
    finally:
        _set(usual)


def _set(values):
    for (module, key), value in values.items():
        setattr(module, key, value)
