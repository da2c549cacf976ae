"""A state in a file: an .npz archive with a member for each array, and a JSON member.

The names of members say where in the state their arrays are: ``stream/counts.npy``. The
JSON has all the rest. The keys of a state have no slash, so names are unique. The checksums
of the archive reveal damage. Nothing is ever unpickled.
"""

import errno
import io
import json
import math
import os
import secrets
import shutil
import zipfile
from contextlib import ExitStack, suppress
from functools import partial, reduce
from operator import getitem

import numpy as np

from .version import FORMAT_VERSION, VERSION, check_version

_TEXT = "onlinekmeans_sklearn.json"
_NUMBERS = "fiub"  # kinds of dtypes


def is_path(target, method):
    """Return whether this is a path, and not a binary file object with a method."""
    has_path = isinstance(target, (str, bytes, os.PathLike))
    is_text = hasattr(target, "encoding")
    if not has_path and (is_text or not hasattr(target, method)):
        raise TypeError(f"Got {target!r}, but expected a path or a binary file object.")
    return has_path


def write(target, state):
    """Write a state to a path or a binary file object, and return the number of bytes."""
    contents = io.BytesIO()
    archive = zipfile.ZipFile(contents, "w")
    text = {"version": FORMAT_VERSION, "package": VERSION}
    text["state"] = _without_arrays(state, archive)
    archive.writestr(zipfile.ZipInfo(_TEXT), json.dumps(text))
    archive.close()  # no `with`: after a signal its error would replace that of the signal
    data = contents.getvalue()
    if is_path(target, "write"):
        _replace(os.fsdecode(target), data)
    else:
        target.write(data)
    return len(data)


def _without_arrays(state, archive, folder=""):
    """Return the part of a state that fits into JSON; write its arrays to the archive."""
    text = {}
    for key, value in state.items():
        if isinstance(value, dict):
            text[key] = _without_arrays(value, archive, f"{folder}{key}/")
        elif isinstance(value, np.ndarray) and value.dtype.kind in _NUMBERS:
            member = zipfile.ZipInfo(f"{folder}{key}.npy")
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, value, allow_pickle=False)
        else:
            text[key] = value
    return text


def _replace(path, data):
    """Write a file completely or not at all, and only then replace the old one."""
    exists = os.path.exists(path)
    if exists and not os.path.isfile(path):
        message = "Not a regular file: pass one, or an open binary file object"
        raise FileExistsError(errno.EEXIST, message, path)
    target = os.path.realpath(path)  # a symbolic link stays one
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".onlinekmeans-{secrets.token_hex(8)}.tmp")
    mode = 0o600 if exists else 0o666  # a private file is private while it is written
    try:
        with open(temporary, "xb", opener=partial(os.open, mode=mode)) as file:
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:  # it names the temporary file, or none
        raise OSError(error.errno, error.strerror or str(error), path) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    with suppress(OSError), ExitStack() as stack:  # not on Windows or some file systems
        descriptor = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        os.fsync(descriptor)  # the new name must reach the disk, too


def read(data):
    """Return the state in the bytes of a file, still unchecked.

    For a damaged file, zipfile, json and numpy raise exceptions of all kinds.
    """
    if not isinstance(data, bytes) or data[-22:-18] + data[-2:] != b"PK\5\6\0\0":
        raise ValueError(
            "It is not a checkpoint, or bytes are missing or were appended. Use an earlier "
            "one, or call seek(0) on a file object that is at its end."
        )
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = archive.infolist()
    names = {member.filename for member in members}
    if (
        members[0].header_offset > 0
        or len(names) < len(members)
        or any(member.compress_type != zipfile.ZIP_STORED for member in members)
        or sum(member.file_size for member in members) > len(data)
    ):
        raise ValueError("Expected uncompressed members of different names, and no more.")
    text = json.loads(archive.read(_TEXT))
    state = text["state"]
    check_version(text["version"], text["package"], state.get("class"))
    for name in sorted(names - {_TEXT}):
        *groups, key = name.removesuffix(".npy").split("/")
        fields = reduce(getitem, groups, state)
        if key in fields or not name.endswith(".npy"):
            raise ValueError(f"Got {name!r}, which is not part of the state.")
        fields[key] = _array(archive, name)
    return state


def _array(archive, name):
    """Return the array of a member."""
    with archive.open(name) as member:
        np.lib.format.read_magic(member)
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(member)
        content = member.read()  # to the end, where zipfile compares the checksum
    if dtype.kind not in _NUMBERS or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"{name!r} is not an array of numbers.")
    array = np.frombuffer(content, dtype).reshape(shape, order="F" if is_fortran else "C")
    return np.array(array, dtype.newbyteorder("="), order="C")
