"""Without what is optional results are the same; a warning says what is slow.

That is without the compiled kernels, and without scikit-learn's callbacks.
"""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from checkpoints import FITTED
from scipy.sparse import csr_array
from streams import blobs, dense, grid

import onlinekmeans_sklearn
from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans, show_versions
from onlinekmeans_sklearn._nearest import backend

MODELS = {
    "practical": OnlineKMeans(k=40, encode="distance", random_state=0),
    "theoretical": OnlineKMeans(k=2, algorithm="theoretical", random_state=0),
    "merged": OnlineKMeans(4, encode="triangle", random_state=0),
    "semi-online": SemiOnlineKMeans(k=3, n_samples=700, encode="distance", random_state=0),
}
STREAMS = {
    "blobs": blobs(0, 700),
    "float32": blobs(1, 700, d=20).astype(np.float32),
    "far grid": 2.0**30 + grid(2, 700, d=3),
    "CSR": csr_array(np.maximum(blobs(3, 700, d=12), 0)),
    "CSR of counts": csr_array(np.maximum(grid(4, 700, d=30, side=9) - 6, 0)),
}
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from onlinekmeans_sklearn._nearest.backend import active
warns = active.warns
import test_fallback  # which silences it
active.warns = warns
test_fallback.show_versions()
test_fallback.np.savez(sys.argv[2], **dict(test_fallback.everything()))
"""
WORKER = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from onlinekmeans_sklearn import OnlineKMeans
with ProcessPoolExecutor(1, get_context("spawn")) as pool:
    for _ in range(3):
        pool.submit(OnlineKMeans().fit, [[1], [2]]).result()
"""
# as where it was not built, or was built for another Python
BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("onlinekmeans_sklearn.") and name.endswith(".kernels"):
            raise ImportError("no compiler was there")
sys.meta_path.insert(0, Blocker())
"""


def process(code, *arguments, **variables):
    """Run code in another process, and return what it printed."""
    command, environment = [sys.executable, "-c", code, *arguments], os.environ | variables
    how = {"capture_output": True, "text": True, "timeout": 300, "env": environment}
    done = subprocess.run(command, **how)
    assert done.returncode == 0, done.stderr
    return done


def everything():
    """Yield all that models of all streams say, by name."""
    for (name, model), (kind, X) in product(MODELS.items(), STREAMS.items()):
        model.fit(X[:500]).partial_fit(X[500:699]).partial_fit(X[699:])
        values = {attribute: getattr(model, attribute) for attribute in FITTED}
        values |= {"predict": model.predict(X), "transform": model.transform(X)}
        values["score"] = model.score(X)
        if name != "merged":
            values["online"] = model.partial_fit_transform(X[:50])
        for value_name, value in values.items():
            yield f"{name}, {kind}, {value_name}", np.asarray(dense(value))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "variable", "reason", "n_warnings"),
    [
        ("", "1", "ONLINEKMEANS_FALLBACK is set\n", 0),
        (BLOCKER, "0", "the compiled ones cannot be imported: no compiler", 1),  # of many
    ],
)
def test_numpy_changes_nothing_else(before, variable, reason, n_warnings, tmp_path):
    path = tmp_path / "values.npz"
    arguments = os.path.dirname(__file__), str(path)
    done = process(before + SCRIPT, *arguments, ONLINEKMEANS_FALLBACK=variable)
    assert f"kernels: numpy, because {reason}" in done.stdout
    assert done.stderr.count("Slow kernels in use: numpy, because ") == n_warnings
    with np.load(path, allow_pickle=False) as values:
        found, expected = dict(values), dict(everything())
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == value.dtype, name
        assert found[name].tobytes() == value.tobytes(), name


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_transform"])
def test_the_first_stream_of_a_process_warns_of_missing_kernels(method, monkeypatch):
    reason = "numpy, because the compiled ones cannot be imported: no compiler was there"
    monkeypatch.setattr(backend, "reason", reason)
    monkeypatch.setattr(backend.active, "warns", True)
    X = blobs(0, 50)
    with pytest.warns(UserWarning, match=f"{reason}.* 3 to 25 times .*C compiler") as given:
        getattr(OnlineKMeans(random_state=0), method)(X)
    assert [warning.filename for warning in given] == [__file__]
    getattr(OnlineKMeans(random_state=0), method)(X)  # does not warn again


@pytest.mark.slow
def test_a_worker_process_warns_once(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = process(WORKER, PYTHONPATH=path, ONLINEKMEANS_FALLBACK="")
    assert done.stderr.count("UserWarning: Slow kernels in use") == 1


def test_show_versions_prints_what_to_tell(capsys):
    show_versions()
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["onlinekmeans_sklearn"] == onlinekmeans_sklearn.__version__
    assert lines["numpy"] == np.__version__
    assert lines["python"].startswith(sys.version.split()[0])
    assert {"scipy", "scikit-learn", "joblib", "threadpoolctl"} <= lines.keys()
    kernels = lines["kernels"]
    assert kernels.startswith(("compiled, with ", "numpy, because "))
    if kernels.startswith("compiled"):
        assert kernels.endswith(" instructions")


WITHOUT = """
import sys
import sklearn.cluster
sys.modules["sklearn.callback"] = None  # as before scikit-learn 1.9
import numpy as np
from onlinekmeans_sklearn import OnlineKMeans
rows = np.random.RandomState(0).normal(size=(300, 3))
print(OnlineKMeans(k=40, random_state=0).fit(rows).n_clusters_)
"""


@pytest.mark.slow
def test_without_callbacks_there_is_nobody_to_tell():
    rows = np.random.RandomState(0).normal(size=(300, 3))
    expected = OnlineKMeans(k=40, random_state=0).fit(rows).n_clusters_
    assert int(process(WITHOUT).stdout) == expected
