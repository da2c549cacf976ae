"""Checkpoints: estimators in files that cannot be half written or do harm when read.

A checkpoint is an .npz file: a zip archive of arrays, each in numpy's .npy format and not
compressed, that `numpy.load` can read. What is not an array stands in one of them as JSON.
Another has the SHA-256 of all the others. Nothing is ever unpickled.
"""

import hashlib
import io
import json
import os
import secrets
import zipfile
from contextlib import suppress
from importlib.metadata import version

import numpy as np

from ._model_state import model_from, state_of_model
from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from ._state import State

_FORMAT = "onlinekmeans_sklearn checkpoint"
_VERSION = 1  # of the format; to be raised with any change of the states
_CLASSES = {kind.__name__: kind for kind in (OnlineKMeans, SemiOnlineKMeans)}
_TEXT, _DIGEST = "checkpoint", "sha256"


def save(model, path):
    """Write an estimator to a file, from which `load` gets it back.

    The file is complete or not there at all, and an older file of that name stays until
    the new one has reached the disk: whatever happens meanwhile, there is one to go on
    from. Only if the process is killed while it writes does a file named
    ``<path>.<random>.tmp`` remain, which may be deleted.

    Parameters
    ----------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator, fitted or not.
    path : str or path-like
        Where to write it. By convention the name ends with ``.npz``.

    See Also
    --------
    load : Reads the file.

    Notes
    -----
    The file has the parameters, the state of the stream with its random numbers, the
    labels of the last call, merged clusters and what `set_output` said. It does not have
    callbacks. Other estimators, pipelines and :class:`ClusterFeaturesClassifier` can be
    saved by skops or pickle.

    Examples
    --------
    >>> import os, tempfile
    >>> from onlinekmeans_sklearn import OnlineKMeans, load, save
    >>> model = OnlineKMeans(random_state=0).partial_fit([[0.0], [1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "stream.npz"))
    ...     load(os.path.join(folder, "stream.npz")).partial_fit([[7.0]]).n_samples_seen_
    3
    """
    if type(model) not in _CLASSES.values():
        raise TypeError(
            f"Got a model of type {type(model).__name__}, but expected an OnlineKMeans or "
            "SemiOnlineKMeans: save others by skops.io.dump, or by pickle."
        )
    text, arrays = _split(state_of_model(model))
    text = {
        "format": _FORMAT,
        "version": _VERSION,
        "package": version("onlinekmeans_sklearn"),
        "class": type(model).__name__,
        "state": text,
    }
    arrays[_TEXT] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    data = _archive({name: _encoded(array) for name, array in arrays.items()})
    _model(_members(data))  # what cannot be loaded must not replace what can
    _write(path, data)


def load(path):
    """Return the estimator that `save` wrote to a file.

    It goes on exactly as the saved one would have: `partial_fit` with the rest of the
    stream gives the same centres, labels, counts, means and costs, to the last bit.

    Parameters
    ----------
    path : str or path-like
        The file. Nothing in it is executed, wherever it comes from.

    Returns
    -------
    model : OnlineKMeans or SemiOnlineKMeans
        The estimator. A `random_state` that is a RandomState instance, or numpy's global
        one if it was None, has become one of its own, which goes on with the same numbers.

    Raises
    ------
    ValueError
        If the file is not a checkpoint, is damaged or cut short, has a format that this
        version does not know, or holds what cannot be the state of an estimator.

    See Also
    --------
    save : Writes the file.

    Examples
    --------
    >>> import os, tempfile
    >>> from onlinekmeans_sklearn import SemiOnlineKMeans, load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(SemiOnlineKMeans(3), os.path.join(folder, "model.npz"))
    ...     load(os.path.join(folder, "model.npz"))
    SemiOnlineKMeans(k=3)
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        return _model(_members(data))
    except ValueError as error:
        raise ValueError(f"Cannot load {os.fsdecode(path)!r}: {error}") from error


def _split(state, path=""):
    """Return the plain values of a state, and its arrays and floats by their paths."""
    plain, arrays = {}, {}
    for name, value in state.items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, dict):
            plain[name], inner = _split(value, f"{path}{name}.")
            arrays.update(inner)
        elif isinstance(value, (float, np.ndarray)):
            arrays[path + name] = np.asarray(value)
        else:
            plain[name] = value
    return plain, arrays


def _joined(plain, arrays):
    """Return the state that `_split` took apart."""
    for path, array in arrays.items():
        *parts, name = path.split(".")
        state = plain
        for part in parts:
            state = state.get(part) if isinstance(state, dict) else None
        if not isinstance(state, dict) or name in state:
            raise ValueError(f"Got an array {path!r}, for which there is no place.")
        is_float = array.ndim == 0 and array.dtype.newbyteorder("=") == np.float64
        state[name] = float(array) if is_float else array
    return plain


def _encoded(array):
    """Return an array in numpy's .npy format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getbuffer()


def _decoded(name, data):
    """Return the array of numbers in numpy's .npy format."""
    file = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("the .npy format is not 1.0")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
        if dtype.kind not in "fiu" or min(shape, default=0) < 0:
            raise ValueError("not an array of numbers")
        order = "F" if is_fortran else "C"
        array = np.ndarray(shape, dtype, data, offset=file.tell(), order=order)
        if array.nbytes != len(data) - file.tell():
            raise ValueError("more numbers than fit into the shape")
    except Exception as error:  # numpy promises no particular one
        raise ValueError(
            f"Got {name!r} that is not an array of numbers ({error})."
        ) from error
    return array


def _digest(members):
    """Return the SHA-256 of all names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name} {len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.digest()


def _archive(members):
    """Return a zip archive of these and their digest."""
    digest = np.frombuffer(_digest(members), dtype=np.uint8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in {**members, _DIGEST: _encoded(digest)}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(data)
    return buffer.getvalue()


def _members(data):
    """Return the contents of a zip archive by name."""
    if not data.startswith(b"PK"):
        raise ValueError("it is not a checkpoint, which is a zip archive.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if sum(info.file_size for info in infos) > len(data):
                raise ValueError("contents larger than the file")
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise ValueError("compressed")
            return {
                info.filename.removesuffix(".npy"): archive.read(info) for info in infos
            }
    except MemoryError:
        raise
    except Exception as error:  # zipfile has many, for the many ways of damage
        raise ValueError(
            f"it is damaged or was cut short ({error}). Go back to an earlier one."
        ) from error


def _model(members):
    """Return the estimator whose checkpoint has these contents."""
    text = _text(members)
    digest = members.pop(_DIGEST, b"")
    if not digest.endswith(_digest(members)):
        raise ValueError(
            "it is damaged: its contents differ from what was saved, by their SHA-256. "
            "Go back to an earlier one."
        )
    del members[_TEXT]
    arrays = {name: _decoded(name, data) for name, data in members.items()}
    state = State(_joined(text.take("state"), arrays))
    kind = text.text("class")
    if kind not in _CLASSES:
        raise ValueError(
            f"Got a {kind}, but expected one of {', '.join(_CLASSES)}. If a newer version "
            "of onlinekmeans_sklearn wrote it, update."
        )
    return model_from(_CLASSES[kind], state)


def _text(members):
    """Return what is not an array, if its format is known."""
    if _TEXT not in members:
        raise ValueError(f"it is not a checkpoint: there is no {_TEXT!r} in it.")
    try:
        text = State(json.loads(_decoded(_TEXT, members[_TEXT]).tobytes()))
        is_checkpoint = text.take("format") == _FORMAT
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not a checkpoint ({error}).") from error
    if not is_checkpoint:
        raise ValueError(f"it is not a checkpoint: its format is {text.take('format')!r}.")
    if text.integer("version") != _VERSION:
        raise ValueError(
            f"its format is version {text.take('version')}, written by "
            f"onlinekmeans_sklearn {text.take('package')}, but "
            f"{version('onlinekmeans_sklearn')} reads version {_VERSION}. Load it with the "
            "version that wrote it, or update."
        )
    return text


def _write(path, data):
    """Put data into a file, all or nothing."""
    path = os.path.realpath(os.fsdecode(path))
    temporary = f"{path}.{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(path))


def _sync_folder(folder):
    """Let the new name of a file reach the disk, too, where folders can do that."""
    with suppress(OSError):  # Windows cannot open a folder, some file systems not sync it
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
