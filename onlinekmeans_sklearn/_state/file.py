"""A state in a file: arrays in numpy's .npz format, the rest as JSON in one of them.

The checksums of the archive reveal damage. Nothing is ever unpickled.
"""

import io
import json
import math
import os
import secrets
import shutil
import zipfile
from contextlib import suppress
from importlib.metadata import version

import numpy as np

_FORMAT = "onlinekmeans_sklearn checkpoint"
_VERSION = 1  # of the format; to be incremented with any change of the state
_TEXT = "checkpoint"  # the array that holds the JSON


def write(path, state):
    """Write a state to a file, completely or not at all."""
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    text = {
        "format": _FORMAT,
        "version": _VERSION,
        "package": version("onlinekmeans_sklearn"),
        "state": {name: state[name] for name in state if name not in arrays},
    }
    arrays[_TEXT] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    contents = io.BytesIO()  # numpy would not clean up if the disk were full
    np.savez(contents, **arrays)
    target = os.path.realpath(os.fsdecode(path))  # a symbolic link stays one
    temporary = f"{target}.{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as file:
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            file.write(contents.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename is not None:
            given = os.fsdecode(path)  # the caller does not know the temporary name
            raise OSError(error.errno, error.strerror, given) from error
        raise
    _sync_folder(os.path.dirname(target))


def _sync_folder(folder):
    """Make sure that the new name of a file is on disk, too, where the system can."""
    with suppress(OSError):  # not on Windows, nor on some file systems
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read(data):
    """Return the state in the bytes of a file, still unchecked."""
    arrays = _read_arrays(data)
    if _TEXT not in arrays:
        raise ValueError(f"it is not a checkpoint: it has no array {_TEXT!r}.")
    try:
        text = json.loads(arrays.pop(_TEXT).tobytes())
        found, number = text["format"], text["version"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"it is not a checkpoint ({error!r}).") from error
    if found != _FORMAT:
        raise ValueError(f"it is not a checkpoint: its format is {found!r}.")
    if type(number) is not int or number != _VERSION:
        raise ValueError(
            f"its format version is {number!r}, written by onlinekmeans_sklearn "
            f"{text.get('package')}, but {version('onlinekmeans_sklearn')} reads version "
            f"{_VERSION}. Load it with the version that wrote it, or update."
        )
    plain = text.get("state")
    if not isinstance(plain, dict):
        raise ValueError("it is not a checkpoint: there is no state in its JSON.")
    if plain.keys() & arrays.keys():
        both = ", ".join(map(repr, plain.keys() & arrays.keys()))
        raise ValueError(f"{both} must be in its JSON or an array of its own, not both.")
    return {**plain, **arrays}


def _read_arrays(data):
    """Return the arrays of an .npz file, in the byte order of this machine."""
    if not data.startswith(b"PK\x03\x04"):
        raise ValueError("it is not a checkpoint, which is an .npz file.")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            _check_archive(archive.zip, len(data))
            return {
                name: np.array(array, array.dtype.newbyteorder("="), order="C")
                for name, array in archive.items()
            }
    except MemoryError:
        raise
    except Exception as error:  # zipfile and numpy raise many kinds
        raise ValueError(
            f"it is damaged or incomplete ({error}). Use an earlier checkpoint."
        ) from error


def _check_archive(archive, n_bytes):
    """Raise ValueError for a damaged archive, or for contents larger than the file."""
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("it is compressed")
    if sum(member.file_size for member in members) > n_bytes:
        raise ValueError("its contents are larger than the file")
    damaged = archive.testzip()
    if damaged is not None:
        raise ValueError(f"{damaged!r} does not match its checksum")
    for member in members:
        with archive.open(member) as file:
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            n_expected = math.prod(shape) * dtype.itemsize
            if dtype.kind not in "fiu" or n_expected != member.file_size - file.tell():
                raise ValueError(f"{member.filename!r} is not an array of numbers")
