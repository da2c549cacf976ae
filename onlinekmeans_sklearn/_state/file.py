"""A state in a file: an .npz archive with a member for each array, and one of JSON.

In the JSON, ``{"/array": "stream/counts.npy"}`` stands for the array of that member. The
keys of a state have no slash, so nothing else looks like this, and names are unique.
The checksums of the archive reveal damage. Nothing is ever unpickled.
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
from functools import partial

import numpy as np

from .version import FORMAT_VERSION, VERSION, check_version

_TEXT = "onlinekmeans_sklearn.json"
_ARRAY = "/array"
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
    text["state"] = _stored(state, archive)
    archive.writestr(zipfile.ZipInfo(_TEXT), json.dumps(text))
    archive.close()  # no `with`: after a signal its error would replace that of the signal
    data = contents.getvalue()
    if is_path(target, "write"):
        _replace(os.fsdecode(target), data)
    else:
        target.write(data)
    return len(data)


def _stored(value, archive, *keys):
    """Return a part of a state for JSON, with its arrays written to the archive."""
    if isinstance(value, dict):
        if any("/" in key for key in value):
            raise ValueError(f"Got keys {[*value]}, but expected keys without a slash.")
        return {key: _stored(part, archive, *keys, key) for key, part in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in _NUMBERS:
        name = "/".join(keys) + ".npy"
        with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
            np.lib.format.write_array(member, value, allow_pickle=False)
        return {_ARRAY: name}
    return value


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
    except OSError as error:  # which names the temporary file, or none
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

    Of a damaged file zipfile, json and numpy raise exceptions of all kinds.
    """
    if not isinstance(data, bytes) or data[-22:-18] + data[-2:] != b"PK\5\6\0\0":
        raise ValueError(
            "It is not a checkpoint, or bytes are missing or were appended. Use an earlier "
            "one, or call seek(0) on a file object that is at its end."
        )
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = archive.infolist()
    unread = {member.filename for member in members}
    if (
        members[0].header_offset > 0
        or len(unread) < len(members)
        or any(member.compress_type != zipfile.ZIP_STORED for member in members)
        or sum(member.file_size for member in members) > len(data)
    ):
        raise ValueError("Expected uncompressed members of different names, and no more.")
    text = archive.read(_TEXT)
    head = json.loads(text)
    name = head["state"].get("class")
    check_version(head["version"], head["package"], name)
    state = json.loads(text, object_hook=partial(_restored, archive, unread))["state"]
    if unread != {_TEXT}:
        raise ValueError(f"Got {min(unread - {_TEXT})!r}, which is not part of the state.")
    return state


def _restored(archive, unread, value):
    """Return a dict of the JSON, or the array that it stands for, which is read once."""
    if value.keys() != {_ARRAY}:
        return value
    name = value[_ARRAY]
    unread.remove(name)
    with archive.open(name) as member:
        np.lib.format.read_magic(member)
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(member)
        content = member.read()  # to the end, where zipfile compares the checksum
    if dtype.kind not in _NUMBERS or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"{name!r} is not an array of numbers.")
    array = np.frombuffer(content, dtype).reshape(shape, order="F" if is_fortran else "C")
    return np.array(array, dtype.newbyteorder("="), order="C")
