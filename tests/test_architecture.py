"""Who may import whom: the rooms of the package, and one direction of calls."""

import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest

import onlinekmeans_sklearn
from onlinekmeans_sklearn import OnlineKMeans

ROOT = Path(onlinekmeans_sklearn.__file__).parent
# room: the rooms that it may import from, beside itself
ALLOWED = {
    "_utils": set(),
    "_nearest": {"_utils"},
    "_algorithm": {"_nearest", "_utils"},
    "_display": {"_utils"},
    "_encoding": {"_algorithm", "_nearest", "_utils"},
    "_fitted": {"_algorithm", "_encoding", "_state", "_utils"},
    "_reading": {"_algorithm", "_fitted", "_nearest", "_state", "_utils"},
    "_base": {"_encoding", "_nearest", "_reading", "_utils"},
    "_online_kmeans": {"_algorithm", "_base", "_utils"},
    "_cluster_features": {"_base", "_online_kmeans", "_state", "_utils"},
    "_classifier": {"_cluster_features", "_utils"},
    "_regressor": {"_classifier", "_cluster_features", "_utils"},
    "_state": {"_algorithm", "_nearest", "_online_kmeans", "_utils"},
    "_show_versions": {"_nearest"},
    "_dask": {"_algorithm", "_fitted", "_nearest", "_reading", "_utils"},
    "dask": {"_dask", "_online_kmeans", "_utils"},
    "onnx": {
        *["_classifier", "_cluster_features", "_encoding", "_online_kmeans", "_regressor"]
    },
}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in [*ROOT.rglob("*.py"), *ROOT.rglob("*.pyx")]
}


def imported(name):
    """Return the modules of the package that a module imports, at any depth of its code."""
    path = MODULES[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    package = [] if name == "__init__" else package
    lines = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":  # not quite Python: its imports are
        lines = "\n".join(x for x in lines.splitlines() if x.startswith("from ."))
    found = set()
    for node in ast.walk(ast.parse(lines)):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = [*package[: len(package) - node.level + 1]]
            start += node.module.split(".") if node.module else []
            found |= {".".join([*start, alias.name]) for alias in node.names}
            found.add(".".join(start))
    return {other for other in found if other in MODULES} - {name}


@pytest.mark.parametrize("name", sorted(set(MODULES) - {"__init__"}))
def test_a_module_imports_only_from_rooms_below_its_own(name):
    room = name.split(".")[0]
    rooms = {other.split(".")[0] for other in imported(name)} - {room}
    assert rooms <= ALLOWED[room]


def test_no_import_leads_back():
    TopologicalSorter({name: imported(name) for name in MODULES}).prepare()


def test_files_can_be_read_in_one_go():
    for path in [*MODULES.values(), *ROOT.rglob("*.h"), *ROOT.rglob("*.pxi")]:
        assert path.read_text(encoding="utf-8").count("\n") <= 400, path.name


PICTURE = Path(__file__).resolve().parent.parent / "doc/development/life_of_a_batch.svg"


def test_a_batch_lives_as_in_the_picture():
    picture = PICTURE.read_text(encoding="utf-8")
    drawn = re.findall(r'class="call"[^>]*>([\w.]+)<', picture)
    made = []

    def note(frame, event, argument):
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_name
        if event == "call" and ROOT in path.parents:
            module = path.parent.name if path.stem == "__init__" else path.stem
            made.append(name if module == "_nearest" else f"{module}.{name}")

    X = np.random.RandomState(0).normal(size=(3000, 4))
    model = OnlineKMeans(20, random_state=0).partial_fit(X[:2000])
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        model.partial_fit(X[2000:] * 3)  # so that some open a center
        model.predict(X)
    finally:
        sys.setprofile(before)
    calls = [call for call in drawn if not call.startswith("search.")]  # compiled, or not
    assert len(calls) >= 10
    assert {*calls} <= {*made}
    at = 0
    for call in [call for call in calls if call.startswith(("block.", "merge."))]:
        at = made.index(call, at)  # in this order


def test_the_picture_names_files_that_there_are():
    named = re.findall(r">(\w+\.py)<", PICTURE.read_text(encoding="utf-8"))
    assert {*named} <= {path.name for path in MODULES.values()}
    assert len(named) >= 2
