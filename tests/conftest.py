"""Settings that must be there before scipy is imported, and common fixtures."""

import os

# Without it scikit-learn skips the check that array API dispatch changes nothing.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Threads of OpenMP that wait leave the cores to the other processes of pytest-xdist.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import pytest
from engines import engine
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests on a cluster of processes as slow."""
    for item in items:
        if "module_client" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


@pytest.fixture(params=["usual", "tiny blocks", "numpy, tiny blocks"])
def engines(request):
    """Run a test with blocks and kernels as usual, with tiny blocks, and in numpy."""
    with engine(request.param):
        yield request.param


@pytest.fixture
def path(tmp_path):
    """Return where to write a checkpoint."""
    return tmp_path / "stream.npz"


@pytest.fixture(scope="module")
def module_client():
    """Return the client of a Dask cluster of processes."""
    from dask_clusters import cluster

    with cluster() as client:
        yield client


@pytest.fixture
def client(module_client):
    """Return the client of a cluster that is set for small streams and left as it was."""
    from dask_clusters import SMALL, tuned_everywhere, wait_until_forgotten

    with tuned_everywhere(module_client, **SMALL):
        yield module_client
    wait_until_forgotten(module_client)


IN_PARALLEL = [pytest.param(p, marks=pytest.mark.slow) for p in ("cluster", "threads")]


@pytest.fixture(params=[*IN_PARALLEL, "synchronous"])
def where(request):
    """Read on a cluster, whose client this is, or by a scheduler here: then it is None."""
    if request.param == "cluster":
        yield request.getfixturevalue("client")
    else:
        import dask

        with dask.config.set(scheduler=request.param):
            yield None
