"""Pickles that know which version of the package wrote them."""

import copy
import warnings
from importlib.metadata import version

import numpy as np
from sklearn.base import is_clusterer
from sklearn.exceptions import InconsistentVersionWarning

_KEY = "_onlinekmeans_sklearn_version"
_VERSION = version("onlinekmeans_sklearn")


class VersionedPickleMixin:
    """Warn of an estimator that another version pickled, or refuse it if it is of no use.

    scikit-learn warns, too, but only of its own classes.
    """

    def __getstate__(self):
        return {**super().__getstate__(), _KEY: _VERSION}

    def __setstate__(self, state):
        state = dict(state)
        origin = state.pop(_KEY, "unknown")
        super().__setstate__(state)
        if origin == _VERSION:
            return
        name = type(self).__name__
        try:
            _try_out(self)
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(
                f"Cannot unpickle this {name}: it was written by onlinekmeans_sklearn "
                f"{origin}, and {_VERSION} cannot use it ({error!r}). Unpickle it with the "
                "version that wrote it, or fit the model again."
            ) from error
        except ValueError:
            pass  # of a parameter that was set since `fit`; the next call says so
        versions = {"current_sklearn_version": _VERSION, "original_sklearn_version": origin}
        warning = InconsistentVersionWarning(estimator_name=name, **versions)
        warnings.warn(warning, stacklevel=2)


def _try_out(estimator):
    """Let a copy of a fitted estimator read a sample, for which it needs all it has."""
    if hasattr(estimator, "n_features_in_"):
        X = np.zeros((1, estimator.n_features_in_))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = copy.deepcopy(estimator)
            trial.predict(X)
            if is_clusterer(trial):
                trial.partial_fit(X)
