"""The version of the plain state, in files and in pickles."""

import warnings
from importlib.metadata import version

from sklearn.exceptions import InconsistentVersionWarning

FORMAT_VERSION = 1  # to be incremented with any change of the state
PACKAGE_VERSION = version("onlinekmeans_sklearn")
_KEY = "_onlinekmeans_sklearn_state"


def check_version(found, name):
    """Raise ValueError for a format that is not known; warn of another package version."""
    number, package = found.get("format_version"), found.get("package_version")
    if type(number) is not int or number != FORMAT_VERSION:
        raise ValueError(
            f"Got the state of {name} in format version {number!r}, written by "
            f"onlinekmeans_sklearn {package}, but {PACKAGE_VERSION} reads version "
            f"{FORMAT_VERSION}. Load it with the version that wrote it, or update."
        )
    if package != PACKAGE_VERSION:
        warning = InconsistentVersionWarning(
            estimator_name=name,
            current_sklearn_version=PACKAGE_VERSION,
            original_sklearn_version=package,
        )
        warnings.warn(warning, stacklevel=3)


class VersionedStateMixin:
    """Pickles that say which version wrote them. scikit-learn warns of its own classes only."""

    def __getstate__(self):
        written_by = {"format_version": FORMAT_VERSION, "package_version": PACKAGE_VERSION}
        return {**super().__getstate__(), _KEY: written_by}

    def __setstate__(self, state):
        state = dict(state)
        check_version(state.pop(_KEY, {}), type(self).__name__)
        super().__setstate__(state)
