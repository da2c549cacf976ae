"""Checkpoints: estimators in files that are written whole and never execute anything."""

import logging
from contextlib import nullcontext

import numpy as np

from .._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from .._utils.validation import plain_parameters
from .fields import expect
from .file import is_path, read, write
from .fitted import fitted_from, plain_fitted

__all__ = ["load", "save"]
_LOGGER = logging.getLogger("onlinekmeans_sklearn")
_ESTIMATORS = {kind.__name__: kind for kind in (OnlineKMeans, SemiOnlineKMeans)}
_FIELDS = {"class", "parameters", "output", "feature_names", "fitted"}
_PLAIN = (type(None), bool, int, float, str)


def save(model, path):
    """Write an estimator to a file, from which `load` restores it.

    The file is written completely or not at all, and an older file of that name is
    replaced only when the new one has reached the disk: whatever happens meanwhile, there
    is one to resume from. If the process is killed while it writes, it leaves a file named
    ``.onlinekmeans-<random>.tmp`` in the same folder, which may be deleted.

    Parameters
    ----------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator, fitted or not.
    path : str, path-like or binary file object
        Where to write it. By convention the name ends with ``.npz``. If a file is replaced,
        its permissions are kept. A file object is just written to: nothing is replaced or
        flushed to disk, and an error may leave an incomplete checkpoint.

    Raises
    ------
    TypeError
        If the estimator, or the value of a parameter, is of a type that cannot be saved,
        or the file object is a text file.
    OSError
        If the file cannot be written. A directory, FIFO or device is never replaced.

    See Also
    --------
    load : Read the file.

    Notes
    -----
    The file holds the parameters, the state of the stream with its seed, the labels of the
    last call, merged clusters and the setting of `set_output`. It does not hold callbacks.
    A `random_state` that is a RandomState instance is saved as None: the stream has already
    drawn its seed, so only a new `fit` would need the instance. Save other estimators,
    pipelines and :class:`ClusterFeaturesClassifier` with skops or pickle.

    Examples
    --------
    >>> import os, tempfile
    >>> from onlinekmeans_sklearn import OnlineKMeans, load, save
    >>> model = OnlineKMeans(random_state=0).partial_fit([[0.0], [1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "stream.npz"))
    ...     model = load(os.path.join(folder, "stream.npz"))
    >>> model.partial_fit([[7.0]]).n_samples_seen_
    3
    """
    if type(model) not in _ESTIMATORS.values():
        raise TypeError(
            f"Got a model of type {type(model)}, but expected an OnlineKMeans or "
            "SemiOnlineKMeans of onlinekmeans_sklearn. For a Dask estimator, save "
            "model.to_local(); save others with skops.io.dump, or with pickle."
        )
    attributes = vars(model).copy()  # at one moment: another thread may call partial_fit
    parameters = {name: attributes[name] for name in model.get_params(deep=False)}
    if isinstance(parameters["random_state"], np.random.RandomState):
        parameters["random_state"] = None
    parameters = plain_parameters(parameters)
    _check_plain(parameters)
    fitted, names = attributes.get("_fitted"), attributes.get("feature_names_in_")
    state = {
        "class": type(model).__name__,
        "parameters": parameters,
        "output": attributes.get("_output"),
        "feature_names": None if names is None else list(map(str, names)),
        "fitted": None if fitted is None else plain_fitted(fitted),
    }
    n_bytes = write(path, state)
    _LOGGER.info("Saved %s to %s: %d bytes", type(model).__name__, path, n_bytes)


def load(path):
    """Return the estimator that `save` wrote to a file.

    It continues exactly as the saved one would have: `partial_fit` with the rest of the
    stream gives the same centers, labels, counts, means and costs, bit for bit.

    Parameters
    ----------
    path : str, path-like or binary file object
        The file. Nothing in it is executed, wherever it comes from. A file object is read
        from its position to its end.

    Returns
    -------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator. Its `random_state` is None where that of the saved one was a
        RandomState instance, which matters only if it is fitted anew.

    Raises
    ------
    TypeError
        If the file object is a text file.
    ValueError
        If the file is not a checkpoint, is damaged or incomplete, has a format that this
        version does not know, or holds what cannot be the state of an estimator.

    Warns
    -----
    InconsistentVersionWarning
        If another version of onlinekmeans_sklearn wrote the file, in the same format.

    See Also
    --------
    save : Write the file.

    Notes
    -----
    `save` and `load` report to the logger ``"onlinekmeans_sklearn"`` at level INFO.

    Examples
    --------
    >>> import os, tempfile
    >>> from onlinekmeans_sklearn import SemiOnlineKMeans, load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(SemiOnlineKMeans(k=3), os.path.join(folder, "model.npz"))
    ...     load(os.path.join(folder, "model.npz"))
    SemiOnlineKMeans(k=3)
    """
    is_file = not is_path(path, "read")
    try:
        with nullcontext(path) if is_file else open(path, "rb") as file:
            model = model_from(read(file.read()))
    except (OSError, Warning):
        raise
    except MemoryError as error:
        raise MemoryError(f"Cannot load {path}: it does not fit into memory.") from error
    except Exception as error:
        raise ValueError(f"Cannot load {path} ({type(error).__name__}): {error}") from error
    n_samples = getattr(model, "n_samples_seen_", 0)
    _LOGGER.info("Loaded %s from %s: %d samples", type(model).__name__, path, n_samples)
    return model


def model_from(state):
    """Return the estimator with a state, which is checked."""
    parameters, names = state["parameters"], state["feature_names"]
    _check_plain(parameters)
    model = _ESTIMATORS[state["class"]](**parameters)
    expect(
        known_fields=state.keys() == _FIELDS,
        values_of_all_parameters=parameters.keys() == model.get_params(deep=False).keys(),
        a_known_output=state["output"] in (None, "default", "pandas", "polars"),
    )
    if state["output"] is not None:
        model.set_output(transform=state["output"])
    if state["fitted"] is not None:
        model._fitted = fitted_from(state["fitted"])
        model.n_features_in_ = model._fitted.stream.centers.n_features
        if names is not None:
            is_right = len(names) == model.n_features_in_ and names == [*map(str, names)]
            expect(a_name_for_each_feature=is_right)
            model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _check_plain(parameters):
    """Raise TypeError for the value of a parameter that JSON cannot represent."""
    for name, value in parameters.items():
        if type(value) not in _PLAIN:
            raise TypeError(
                f"Got {name}={value!r}, but expected None, a number, a string or a "
                "RandomState: other parameter values cannot be saved."
            )
