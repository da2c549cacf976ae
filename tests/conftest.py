"""Settings that must be there before scipy is imported, and common fixtures."""

import os

# Without it scikit-learn skips the check that array API dispatch changes nothing.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest
from hypothesis import HealthCheck, settings

from onlinekmeans_sklearn import (
    _centers_dense,
    _centers_sparse,
    _nearest,
    _screen,
    _stream,
    _tree,
)

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("default")


@pytest.fixture(params=["usual blocks", "tiny blocks", "k-d tree", "screen"])
def block_sizes(request, monkeypatch):
    """Run a test with blocks and kernels as usual, tiny blocks, trees, and screens."""
    if request.param == "tiny blocks":
        monkeypatch.setattr(_stream, "_FIRST_BLOCK", 3)
        monkeypatch.setattr(_stream, "_LARGEST_BLOCK", 8)
        monkeypatch.setattr(_stream, "_OPENINGS", 3)
        monkeypatch.setattr(_stream, "_CANDIDATES", 2)
        monkeypatch.setattr(_nearest, "_FEWEST_ROWS", 2)
        monkeypatch.setattr(_nearest, "_PANEL_BYTES", 64)
        monkeypatch.setattr(_nearest, "_STRIP_BYTES", 64)
        monkeypatch.setattr(_nearest, "_FEW_PAIRS", 3)
        monkeypatch.setattr(_nearest, "_WORK_PER_THREAD", 30)
        monkeypatch.setattr(_centers_dense, "_PAIR_ELEMENTS", 40)
        monkeypatch.setattr(_centers_dense, "_ASSIGNED_ELEMENTS", 12)
        monkeypatch.setattr(_centers_dense.DenseCenters, "wide", 1)
        monkeypatch.setattr(_centers_sparse, "_PAIR_ELEMENTS", 40)
        monkeypatch.setattr(_centers_sparse.SparseCenters, "wide", 1)
    if request.param == "k-d tree":
        monkeypatch.setattr(_tree, "_FEWEST_CENTERS", 0)
        monkeypatch.setattr(_tree, "_FEWEST_FOR_THREADS", 0)
        monkeypatch.setattr(_tree, "_CENTERS_PER_ROW", 10**6)
    if request.param == "screen":
        monkeypatch.setattr(_screen, "_FEWEST_ROWS", 1)
        monkeypatch.setattr(_screen, "_FEWEST_CENTERS", 1)
        monkeypatch.setattr(_screen, "_FEWEST_FEATURES", 2)
        monkeypatch.setattr(_screen, "_SHARE", 2)
        monkeypatch.setattr(_screen, "_PAIR_COST", 0)
        monkeypatch.setattr(_screen, "_PAIR_ELEMENTS", 20)
        monkeypatch.setattr(_nearest, "_STRIP_BYTES", 2**10)
    return request.param
