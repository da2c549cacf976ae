"""Every example in the README, the guide and the docstrings gives the output it shows."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest
from dask_here import skip_without_dask

import onlinekmeans_sklearn

ROOT = Path(__file__).resolve().parent.parent
MADE = {"_build", "gallery", "generated"}  # by a build of the pages
PAGES = [
    ROOT / "README.rst",
    *sorted(
        page
        for page in (ROOT / "doc").rglob("*.rst")
        if MADE.isdisjoint(page.relative_to(ROOT).parts)
    ),
]
PACKAGE = Path(onlinekmeans_sklearn.__file__).parent
FILES = [path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.py")]
MODULES = sorted(".".join(path.parts).removesuffix(".__init__") for path in FILES)


SLOW = {"embeddings.rst", "features.rst"}


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=[pytest.mark.slow] * (p.name in SLOW)) for p in PAGES],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_examples_of_pages(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0
    if page == ROOT / "README.rst":
        assert result.attempted > 5


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    if "dask" in name:
        skip_without_dask()
    if name == "onlinekmeans_sklearn.onnx":
        pytest.importorskip("skl2onnx")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


PUBLIC = [getattr(onlinekmeans_sklearn, name) for name in onlinekmeans_sklearn.__all__]


@pytest.mark.parametrize("estimator", [p for p in PUBLIC if hasattr(p, "fit")])
def test_every_estimator_documents_its_attributes(estimator):
    attributes = inspect.getdoc(estimator).split("Attributes\n")[1]
    fitted = estimator().fit([[0.0], [1.0]], [0, 1])
    for name in dir(fitted):
        if name.endswith("_") and not name.startswith("_"):
            assert f"\n{name} : " in attributes
