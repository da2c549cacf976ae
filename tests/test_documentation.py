"""Every example in the README, the guide and the docstrings gives the output it shows."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import onlinekmeans_sklearn

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.rst", *sorted((ROOT / "doc").glob("*.rst"))]
MODULES = [
    f"onlinekmeans_sklearn.{module.name}"
    for module in pkgutil.iter_modules(onlinekmeans_sklearn.__path__)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_pages(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0
    if page.name in ("README.rst", "user_guide.rst"):
        assert result.attempted > 5


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("estimator", onlinekmeans_sklearn.__all__)
def test_every_estimator_has_examples_and_documents_its_parameters(estimator):
    estimator = getattr(onlinekmeans_sklearn, estimator)
    parameters, attributes = inspect.getdoc(estimator).split("Attributes\n")
    assert ">>>" in attributes
    for name in estimator().get_params():
        assert f"\n{name} : " in parameters
    fitted = estimator().fit([[0.0], [1.0]])
    for name in dir(fitted):
        if name.endswith("_") and not name.startswith("_"):
            assert f"\n{name} : " in attributes
