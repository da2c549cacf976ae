"""Pickles that store the version of the package that wrote them."""

import copy
import warnings
from importlib.metadata import version

import numpy as np
from sklearn.base import is_clusterer
from sklearn.exceptions import InconsistentVersionWarning

_KEY = "_onlinekmeans_sklearn_version"
_VERSION = version("onlinekmeans_sklearn")


class VersionedPickleMixin:
    """Warn about an estimator pickled by another version; refuse it if it does not work.

    scikit-learn warns, too, but only about its own classes.
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
            pass  # an invalid parameter set after `fit`; the next call reports it
        versions = {"current_sklearn_version": _VERSION, "original_sklearn_version": origin}
        warning = InconsistentVersionWarning(estimator_name=name, **versions)
        warnings.warn(warning, stacklevel=2)


def _try_out(estimator):
    """Let a copy of a fitted estimator read a sample, which needs all of its state."""
    if hasattr(estimator, "n_features_in_"):
        X = np.zeros((1, estimator.n_features_in_))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = copy.deepcopy(estimator)
            trial.predict(X)
            if is_clusterer(trial):
                trial.partial_fit(X)
