"""Every public name is documented as numpydoc wants it, with no exception for any name."""

import contextlib
import importlib
import inspect
import pkgutil
import re

import pytest

import onlinekmeans_sklearn

# What the project does not follow, as a whole:
NOT_FOLLOWED = {
    "RT02": "results have names, as in scikit-learn: `labels : ndarray of shape ...`"
}
NOT_FOLLOWED_BY_MEMBERS = {  # of a class, whose own docstring has these
    **NOT_FOLLOWED,
    "ES01": "a line that says all needs no second one",
    "SA01": "the class says what to see also",
    "EX01": "the class has the examples",
}


def members(public):
    """Return the public methods and properties of a class that are not scikit-learn's."""
    names = [name for name in dir(public) if not name.startswith("_")]
    owners = {
        name: next(kind for kind in public.__mro__ if name in vars(kind)) for name in names
    }
    return [
        name
        for name, kind in owners.items()
        if kind.__module__.startswith("onlinekmeans_sklearn")
        and type(vars(kind)[name]).__name__ != "RequestMethod"  # of metadata routing
    ]


def public_names():
    """Return all that is public, by name: of the package and of its public modules."""
    found = {name: getattr(onlinekmeans_sklearn, name) for name in NAMES}
    for module in pkgutil.iter_modules(onlinekmeans_sklearn.__path__):
        if not module.name.startswith("_"):
            with contextlib.suppress(ImportError):  # of what need not be installed
                public = importlib.import_module(f"onlinekmeans_sklearn.{module.name}")
                found |= {f"{module.name}.{n}": getattr(public, n) for n in public.__all__}
    return found


NAMES = onlinekmeans_sklearn.__all__
PUBLIC = public_names()
MEMBERS = [
    f"{name}.{member}"
    for name, public in PUBLIC.items()
    if inspect.isclass(public)
    for member in members(public)
]


def faults(name, not_followed):
    """Return what numpydoc says against a docstring."""
    numpydoc = pytest.importorskip("numpydoc.validate")
    found = numpydoc.validate(f"onlinekmeans_sklearn.{name}")["errors"]
    return [fault for fault in found if fault[0] not in not_followed]


@pytest.mark.parametrize("name", [*PUBLIC, *MEMBERS])
def test_public_names_are_documented(name):
    assert faults(name, NOT_FOLLOWED if name in PUBLIC else NOT_FOLLOWED_BY_MEMBERS) == []


def test_members_are_found():
    assert {"OnlineKMeans.fit", "OnlineKMeans.labels_", "CentersDisplay.plot"} <= {*MEMBERS}
    assert "OnlineKMeans.fit_predict" in MEMBERS  # whose text in scikit-learn is not ours
    assert "ClusterFeaturesClassifier.score" in MEMBERS
    assert len(MEMBERS) > 60


@pytest.mark.parametrize("name", [*PUBLIC, *MEMBERS])
def test_nothing_is_said_of_versions_of_scikit_learn(name):
    public = onlinekmeans_sklearn
    for part in name.split("."):
        public = getattr(public, part)
    text = inspect.getdoc(public)
    assert "versionadded" not in text
    assert "int64" not in text
    assert not re.search(r"%\(\w+\)s", text)  # a shared text that was not put in
