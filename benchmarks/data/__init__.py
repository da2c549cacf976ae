"""The paper's datasets: from the data folder, or else from their public homes.

`fetch` looks for ``<name>.npz`` in the data folder, then in the cache (``onlinekmeans`` in
scikit-learn's data home), then downloads the files that `homes` lists into the cache. All
are checked, by what `homes` says, whenever they are read; nothing is ever unpickled.

Every dataset is as its source gives it: nothing is shuffled, scaled or made binary. adult
and nomao have their categorical features one-hot, 20news is a binary bag of words. nomao is
OpenML's, in which no value is missing; UCI's ``Nomao.data``, put by hand into the data
folder or the cache, has missing ones, which are left out as in adult.
"""

import os
from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np

from . import formats
from .download import DatasetBroken, DatasetMissing, cache_folder, obtain, shown
from .homes import HOMES

__all__ = [
    "DATASETS",
    "DatasetBroken",
    "DatasetMissing",
    "add_data_argument",
    "available",
    "fetch",
    "load",
    "load_labels",
]

DATASETS = list(HOMES)


def add_data_argument(parser):
    """Let the command line say where the data are."""
    parser.add_argument(
        "--data",
        type=data_folder,
        default=os.environ.get("ONLINEKMEANS_DATA"),
        help="folder with the paper's datasets as .npz (default: $ONLINEKMEANS_DATA)",
    )


def data_folder(text):
    """Return the path that was given, if it exists: without its data a study is empty."""
    if not Path(text).is_dir():
        raise ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def available(folder):
    """Return the names of the datasets that the folder has; none if there is no folder."""
    if folder is None:
        return []
    return [name for name in DATASETS if (Path(folder) / f"{name}.npz").exists()]


def load(folder, name):
    """Return the samples of a dataset as floats, in an array or in CSR."""
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as arrays:
        return formats.samples(arrays)


def load_labels(folder, name):
    """Return the classes of the samples of a dataset."""
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as arrays:
        return arrays["y"]


def fetch(name, folder=None, download=True):
    """Return the samples and labels of a dataset, downloaded if it is not found.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    folder : path or None
        The data folder. A damaged file in it is an error, never a reason to download.
    download : bool
        Whether files that are missing, or damaged in the cache, may be downloaded.

    Returns
    -------
    X : ndarray or csr_matrix of shape (n_samples, n_features)
        float64, or float32 where the data have no more digits.
    y : ndarray of shape (n_samples,)
        The classes, int64.

    Raises
    ------
    DatasetMissing
        The dataset is not found, and may not or cannot be downloaded.
    DatasetBroken
        A file of the dataset is damaged, or not what it should be.
    """
    if name not in HOMES:
        raise ValueError(f"unknown dataset {name!r}; there are {', '.join(DATASETS)}")
    home = HOMES[name]
    by_hand = {f"{name}.npz": formats.read_npz, **home.by_hand}
    looked_in = []
    for directory in folders(folder):
        looked_in.append(shown(directory))
        for file, reader in by_hand.items():
            if os.path.exists(directory / file):
                return read(reader, [directory / file])
    plain = [file for file in by_hand if not file.endswith(formats.PACKED)]
    also = " (.gz and .bz2, too)" if len(plain) < len(by_hand) else ""
    missing = (
        f"The dataset {name} is not in {' nor in '.join(looked_in)} under the name "
        f"{' or '.join(plain)}{also}."
    )
    if not home.files:
        raise DatasetMissing(
            f"{missing} It has no public home that we know of. If you have it, put it "
            "there under that name."
        )
    try:
        paths = [obtain(file, cache_folder(), download) for file in home.files]
    except DatasetMissing as error:
        raise DatasetMissing(f"{missing} {error}") from error
    X, y = read(home.read, paths)
    check(home, X, y, paths)
    return X, y


def folders(folder):
    """Yield where a dataset may be: the data folder, then the cache, made if need be."""
    if folder is not None:
        yield Path(folder)
    yield cache_folder()


def read(reader, paths):
    """Return what the reader makes of the files, or raise an error that names them."""
    try:
        return formats.validated(*reader(*paths))
    except Exception as error:
        names = " and ".join(map(shown, paths))
        raise DatasetBroken(
            f"{names} cannot be used: {error} ({type(error).__name__}). Replace it by a "
            "good copy, or remove it, so that the dataset is looked for elsewhere."
        ) from error


def check(home, X, y, paths):
    """Raise if the rows, columns, classes or contents are not those of the dataset."""
    found = (*X.shape, len(np.unique(y)))
    problem = None
    if any(want not in (None, have) for want, have in zip(home.expected, found)):
        wanted = tuple("any" if want is None else want for want in home.expected)
        problem = f"rows, columns and classes are {found}, but expected {wanted}"
    elif home.digest is not None:
        rows, digest = home.digest
        if formats.content_digest(X, y, rows) != digest:
            problem = f"the first {rows:,} rows do not have the expected digest"
    if problem:
        names = " and ".join(map(shown, paths))
        raise DatasetBroken(
            f"{names} cannot be used: {problem}. Delete it, so that it is downloaded again."
        )
