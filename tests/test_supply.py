"""The package talks to nobody, starts nothing, and imports only what it declares."""

import ast
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

import onlinekmeans_sklearn

PACKAGE = Path(onlinekmeans_sklearn.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
OF_DASK = [PACKAGE / "dask.py", *sorted((PACKAGE / "_dask").glob("*.py"))]
OF_ONNX = PACKAGE / "onnx.py"
OF_ALL = [path for path in MODULES if path not in (*OF_DASK, OF_ONNX)]  # of all users
FORBIDDEN_MODULES = {
    *("ctypes", "ftplib", "http", "marshal", "pickle", "requests", "shelve", "smtplib"),
    *("socket", "ssl", "subprocess", "urllib", "webbrowser", "xmlrpc"),
}
FORBIDDEN_NAMES = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
# the sources of the compiled kernels may know numbers, memory and Python's own objects
KNOWN_TO_CYTHON = {"cpython", "cython", "libc", "numpy", "scipy"}
KNOWN_HEADERS = re.compile(
    r"Python|float|limits|math|std(bool|def|int|io|lib)|string|[a-z]+intrin|arm_neon|cpuid"
)
FORBIDDEN_ATTRIBUTES = {"system", "popen", "import_module", "execv", "spawnv"}

# What the package does for a living, in a process in which nothing may leave the process.
WORK = """
import sys
{imports}
threadpoolctl.threadpool_info()  # of which 3.1 looks for the C library by a process
import socket
forbidden = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "subprocess.", "os.exec")
forbidden += ("os.system", "os.posix_spawn", "os.fork", "pickle.")
noticed = []

def listen(event, args):
    if event.startswith(forbidden):
        noticed.append(event)
        raise PermissionError(event)

sys.addaudithook(listen)
try:
    socket.socket()
except PermissionError:
    noticed.clear()
else:
    raise SystemExit("a socket was not noticed")

before = set(sys.modules)
import onlinekmeans_sklearn
imported = set(sys.modules) - before

import numpy as np
from scipy.sparse import csr_array
from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, load, save
X = np.random.RandomState(0).normal(size=(300, 4))
for rows in (X, csr_array(X)):
    model = OnlineKMeans(k=30, n_clusters=3, n_jobs=2, random_state=0)
    model.fit(rows).partial_fit(rows).score(rows)
    save(model, sys.argv[1])
    load(sys.argv[1]).transform(rows)
ClusterFeaturesClassifier(random_state=0).fit(X, X[:, 0] > 0).predict(X)
if noticed:
    raise SystemExit(f"noticed {{noticed}}")
print(*sorted(imported))
"""


def imports_of(tree):
    """Yield the modules that a module imports, by their full names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def imports_at_import(tree):
    """Return what importing a module imports for certain."""
    is_import = (ast.Import, ast.ImportFrom)
    return imports_of(ast.Module([n for n in tree.body if isinstance(n, is_import)], []))


def tops(names):
    return {name.partition(".")[0] for name in names}


def found_in(source):
    """Return what must not be in a module of the package."""
    tree = ast.parse(source)
    found = tops(imports_of(tree)) & FORBIDDEN_MODULES
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found |= {node.id} & FORBIDDEN_NAMES
        if isinstance(node, ast.Attribute):
            found |= {node.attr} & FORBIDDEN_ATTRIBUTES
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            is_off = isinstance(node.value, ast.Constant) and node.value.value is False
            found |= set() if is_off else {"allow_pickle"}
    return found


def declared(extra=None):
    """Return the import names of the requirements, of all users or of an extra."""
    names = set()
    for requirement in requires("onlinekmeans_sklearn"):
        marker = re.search(r"extra == ['\"](.*)['\"]", requirement)
        if (marker and marker[1]) == extra:
            name = re.match(r"[\w-]+", requirement)[0]
            names.add({"scikit-learn": "sklearn"}.get(name, name))
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_can_execute_what_it_reads_or_talk_to_anybody(path):
    assert found_in(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "source",
    [
        *("import urllib.request", "def f():\n    from subprocess import run"),
        *("import pickle as p", "eval('1')", "import os\nos.system('ls')"),
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=is_trusted)",
    ],
)
def test_what_must_not_be_in_a_module_is_found(source):
    assert found_in(source)


def test_the_compiled_kernels_know_numbers_only():
    sources = [*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxi")]
    assert sources or not any(PACKAGE.rglob("*.h"))
    for path in sources:
        source = path.read_text(encoding="utf-8")
        imported = re.findall(r"^\s*(?:from|c?import)\s+(\w+)", source, re.MULTILINE)
        assert set(imported) <= KNOWN_TO_CYTHON
        assert not re.search(rf"\b({'|'.join(FORBIDDEN_NAMES - {'input'})})\s*\(", source)
    for path in PACKAGE.rglob("*.h"):
        source = path.read_text(encoding="utf-8")
        for header in re.findall(r"#\s*include\s*<(\w+)\.h>", source):
            assert KNOWN_HEADERS.fullmatch(header)


def test_the_kernels_are_built_again_when_one_of_their_parts_changes():
    if not (PACKAGE.parent / "pyproject.toml").exists():
        pytest.skip("an installed package: it is not built here")
    build = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    parts = [*PACKAGE.rglob("*.h"), *PACKAGE.rglob("*.pxi")]
    parts = [path.relative_to(PACKAGE.parent).as_posix() for path in parts]
    listed = re.findall(r'^ +"(onlinekmeans_sklearn/.*\.(?:h|pxi))",$', build, re.MULTILINE)
    assert listed == sorted(parts) or not parts


def test_only_declared_dependencies_are_imported():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in OF_ALL]
    always = tops(name for tree in trees for name in imports_at_import(tree))
    ever = tops(name for tree in trees for name in imports_of(tree))
    assert always - sys.stdlib_module_names == declared()
    assert ever - sys.stdlib_module_names == declared() | declared("plots")


def test_dask_and_what_comes_with_it_is_imported_by_its_own_modules_only():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in OF_DASK]
    imported = tops(name for tree in trees for name in imports_of(tree))
    allowed = declared() | declared("dask") | {"pandas"}
    assert declared("dask") <= imported - sys.stdlib_module_names <= allowed


def test_onnx_and_what_comes_with_it_is_imported_by_its_own_module_only():
    imported = tops(imports_of(ast.parse(OF_ONNX.read_text(encoding="utf-8"))))
    needed = declared("onnx") | {"onnx"}  # which skl2onnx requires
    assert needed <= imported - sys.stdlib_module_names <= declared() | needed


@pytest.mark.slow
def test_nothing_leaves_the_process(tmp_path):
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in OF_ALL]
    imports = {name for tree in trees for name in imports_at_import(tree)}
    lines = "\n".join(f"import {name}" for name in sorted(imports))
    command = [sys.executable, "-c", WORK.format(imports=lines), str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    of_cython = re.compile(r"_cython_\w+|cython_runtime")  # of which compiled modules are
    imported = {name for name in tops(done.stdout.split()) if not of_cython.match(name)}
    assert imported - sys.stdlib_module_names == {"onlinekmeans_sklearn"}
    assert not imported & FORBIDDEN_MODULES
