"""The version of the format of a state, which checkpoints and pickles share."""

from importlib.metadata import version

from sklearn.exceptions import InconsistentVersionWarning

from .._utils.validation import warn_user

FORMAT_VERSION = 1  # to be incremented with any change of the state
VERSION = version("onlinekmeans_sklearn")
_KEY = "_onlinekmeans_sklearn_state"  # of a pickled estimator


def check_version(format_version, origin, name):
    """Raise ValueError for a state in another format; warn if another version wrote it.

    `origin` is the version of the package that wrote it, and `name` the class of the
    estimator.
    """
    if type(format_version) is not int or format_version != FORMAT_VERSION:
        raise ValueError(
            f"Got {name} in format version {format_version!r}, written by "
            f"onlinekmeans_sklearn {origin}, but {VERSION} expects format version "
            f"{FORMAT_VERSION}. Use the version that wrote it, or a newer one."
        )
    if origin != VERSION:
        versions = {"current_sklearn_version": VERSION, "original_sklearn_version": origin}
        warn_user(InconsistentVersionWarning(estimator_name=name, **versions))


class VersionedStateMixin:
    """Pickles that say which version wrote them, as those of scikit-learn do."""

    def __getstate__(self):
        return {**super().__getstate__(), _KEY: [FORMAT_VERSION, VERSION]}

    def __setstate__(self, state):
        state = dict(state)
        check_version(*state.pop(_KEY, [None, "unknown"]), type(self).__name__)
        super().__setstate__(state)
