"""Checkpoints: estimators in files that are never half written and never execute anything."""

import os

from .estimator import model_from, state_of
from .file import read, write

__all__ = ["load", "save"]


def save(model, path):
    """Write an estimator to a file, from which `load` restores it.

    The file is written completely or not at all, and an older file of that name is
    replaced only when the new one has reached the disk: whatever happens meanwhile, there
    is one to resume from. If the process is killed while it writes, it leaves a file named
    ``<path>.<random>.tmp``, which may be deleted.

    Parameters
    ----------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator, fitted or not.
    path : str or path-like
        Where to write it. By convention the name ends with ``.npz``. A file that is
        replaced passes on its permissions.

    Raises
    ------
    TypeError
        If the estimator, or the value of a parameter, is of a type that cannot be saved.
    ValueError
        If the state of the estimator is inconsistent, so that `load` would refuse it.

    See Also
    --------
    load : Read the file.

    Notes
    -----
    The file holds the parameters, the state of the stream with its random numbers, the
    labels of the last call, merged clusters and the setting of `set_output`. It does not
    hold callbacks. Save other estimators, pipelines and :class:`ClusterFeaturesClassifier`
    with skops or pickle.

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
    state = state_of(model)
    try:
        model_from(state)  # what `load` would refuse must not replace a good file
    except ValueError as error:
        raise ValueError(f"Cannot save this {type(model).__name__}: {error}") from error
    write(path, state)


def load(path):
    """Return the estimator that `save` wrote to a file.

    It continues exactly as the saved one would have: `partial_fit` with the rest of the
    stream gives the same centers, labels, counts, means and costs, to the last bit.

    Parameters
    ----------
    path : str or path-like
        The file. Nothing in it is executed, wherever it comes from.

    Returns
    -------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator. A `random_state` that is a RandomState instance, or numpy's global
        one if it was None, becomes an instance of its own with the same numbers to come.

    Raises
    ------
    ValueError
        If the file is not a checkpoint, is damaged or incomplete, has a format that this
        version does not know, or holds what cannot be the state of an estimator.

    See Also
    --------
    save : Write the file.

    Examples
    --------
    >>> import os, tempfile
    >>> from onlinekmeans_sklearn import SemiOnlineKMeans, load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(SemiOnlineKMeans(k=3), os.path.join(folder, "model.npz"))
    ...     load(os.path.join(folder, "model.npz"))
    SemiOnlineKMeans(k=3)
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        return model_from(read(data))
    except ValueError as error:
        raise ValueError(f"Cannot load {os.fsdecode(path)!r}: {error}") from error
