"""Files from their public homes: tries and pauses, checksums, and the cache."""

import hashlib
import socket
import warnings
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from time import sleep
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
from sklearn.datasets import fetch_openml, get_data_home

from .formats import one_hot, write_npz
from .homes import OPENML
from .unix_compress import uncompress

PAUSES = (1, 4, 16)  # seconds between the tries
TIMEOUT = 30  # seconds that a server may be silent


class DatasetMissing(Exception):
    """A dataset is not found, and may not or cannot be downloaded."""


class DatasetBroken(Exception):
    """A dataset is found, but its files are damaged or are not what they should be."""


def cache_folder():
    """Return the folder for downloads in scikit-learn's data home, made if need be."""
    try:
        folder = Path(get_data_home()) / "onlinekmeans"
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise DatasetMissing(
            f"There is no folder for downloads: scikit-learn's data home cannot be made "
            f"({error}). Set the environment variable SCIKIT_LEARN_DATA to a folder that "
            "can be written."
        ) from error
    return folder


def shown(path):
    """Return a path as people write it, with ~ for their home."""
    home = Path.home()
    return str(Path("~") / path.relative_to(home) if path.is_relative_to(home) else path)


def checksum_of(path, algorithm):
    """Return algorithm:hexadecimal of a file; of the text in it if it is compressed, .Z."""
    data = path.read_bytes()
    if path.suffix == ".Z":
        data = uncompress(data)
    return f"{algorithm}:{hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()}"


def is_intact(path, expected):
    """Return whether a file has the checksum; any will do if there is none to expect."""
    if expected is None:
        return True
    try:
        return checksum_of(path, expected.partition(":")[0]) == expected
    except ValueError:  # it cannot even be uncompressed
        return False


def obtain(file, folder, download):
    """Return the path of a file in the cache, downloaded if it is missing or damaged."""
    path, record = folder / file.name, folder / f"{file.name}.checksum"
    try:
        expected = file.checksum
        if expected is None and record.exists():
            expected = record.read_text(encoding="utf-8", errors="replace")
        if not (path.exists() and is_intact(path, expected)):
            if not download:
                raise refused(file, path)
            renew(file, path, expected)
        if expected is None:
            record.write_text(checksum_of(path, "sha256"), encoding="utf-8")
    except OSError as error:
        raise DatasetMissing(
            f"{shown(path)} cannot be read or written ({error}). Fix that, or set the "
            "environment variable SCIKIT_LEARN_DATA to another folder."
        ) from error
    return path


def refused(file, path):
    """Return the error for a file that should be downloaded, but may not be."""
    if path.exists():
        return DatasetBroken(
            f"{shown(path)} is damaged: its checksum is not the expected one. Allow it "
            f"to be downloaded again, or {by_hand(file, path)}."
        )
    return DatasetMissing(
        f"There is no {shown(path)}, and downloading was not allowed. Allow it, or "
        f"{by_hand(file, path)}."
    )


def renew(file, path, expected):
    """Download a file beside the old one, and replace that once the new one is checked."""
    with TemporaryDirectory(dir=path.parent) as temporary:
        part = Path(temporary) / file.name
        insist(file, part, path)
        if not is_intact(part, expected):
            old = (
                f"delete {shown(path)}.checksum to trust it"
                if file.checksum is None
                else ""
            )
            raise DatasetBroken(
                f"What {file.url} now serves is not the file that is expected: its "
                f"checksum is not {expected}. If it was damaged in transit, try again; if "
                f"it was changed, {old or by_hand(file, path)}."
            )
        part.replace(path)


def insist(file, part, path):
    """Save a file, with several tries and ever longer pauses between them."""
    save = save_openml if file.url.startswith(OPENML) else save_url
    host = urlsplit(file.url).hostname
    for pause in (*PAUSES, None):
        try:
            return save(file.url, part)
        except HTTPError as error:
            error.close()
            problem = f"{host} answers {error.code} ({error.reason}) to {file.url}"
            pause = pause if error.code >= 500 else None
        except URLError as error:
            problem = f"there is no connection to {host} ({error.reason})"
            if isinstance(error.reason, socket.gaierror) and pause != PAUSES[0]:
                pause = None  # a name that is not found twice: there is no network
        except (OSError, HTTPException) as error:
            problem = f"the download of {file.url} failed ({error})"
        if pause is None:
            raise failed(file, path, problem)
        sleep(pause)


def failed(file, path, problem):
    """Return the error for a file that could not be downloaded."""
    kind, state = (
        (DatasetBroken, f"{shown(path)} is damaged")
        if path.exists()
        else (DatasetMissing, f"There is no {shown(path)}")
    )
    return kind(f"{state}, and {problem}. Try again later, or {by_hand(file, path)}.")


def by_hand(file, path):
    """Return how to do by hand what the download did not."""
    if file.url.startswith(OPENML):
        return f"copy {file.name} into {shown(path.parent)} from a machine that has it"
    return f"put {file.url} by hand into {shown(path.parent)} under the name {file.name}"


def save_url(url, path):
    """Save what a server gives, all of it."""
    with urlopen(url, timeout=TIMEOUT) as answer, path.open("wb") as file:
        length = answer.headers.get("Content-Length", "")
        copyfileobj(answer, file)
    size = path.stat().st_size
    if length.isdecimal() and size != int(length):
        raise ConnectionError(f"it broke off after {size:,} of {int(length):,} bytes")


def save_openml(url, path):
    """Save a dataset of OpenML, its categorical features one-hot and before the others."""
    try:
        with warnings.catch_warnings(), default_timeout(TIMEOUT):
            warnings.simplefilter("ignore")  # every try is a warning
            bunch = fetch_openml(
                data_id=int(url.rpartition("/")[2]),
                data_home=path.parent,
                as_frame=False,
                parser="liac-arff",
                n_retries=1,
                delay=0.1,
            )
        categorical = [bunch.feature_names.index(name) for name in bunch.categories]
        X = one_hot(bunch.data, categorical, np.isnan(bunch.data))
        write_npz(path, X, bunch.target.astype(np.float64))
    except (OSError, HTTPException):
        raise
    except Exception as error:
        raise DatasetBroken(
            f"What {url} now serves cannot be used: {error}. It may be damaged in transit: "
            "try again later."
        ) from error


@contextmanager
def default_timeout(seconds):
    """Let no socket wait for longer, for `fetch_openml` has no timeout of its own."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
