"""The paper's datasets, from a folder of .npz files."""

import os
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

DATASETS = [
    "20news",
    "adult",
    "ijcnn1",
    "letter",
    "magic04",
    "poker",
    "shuttle",
    "skin",
    "w8a",
]


def add_data_argument(parser):
    """Let the command line say where the data are."""
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("ONLINEKMEANS_DATA"),
        help="folder with the paper's datasets as .npz (default: $ONLINEKMEANS_DATA)",
    )


def available(folder):
    """Return the names of the datasets that the folder has; none if there is no folder."""
    if folder is None:
        return []
    return [name for name in DATASETS if (Path(folder) / f"{name}.npz").exists()]


def load(folder, name):
    """Return the samples of a dataset as floats, in an array or in CSR."""
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as arrays:
        if "X" in arrays:
            X = arrays["X"]
            return X if X.dtype == np.float32 else X.astype(np.float64)
        parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
        return csr_matrix(parts, shape=tuple(arrays["shape"]))


def load_labels(folder, name):
    """Return the classes of the samples of a dataset."""
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as arrays:
        return arrays["y"]
