"""The rows that contestants run on: generated ones, and the paper's datasets."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..data import available, load

K_OF_DATASETS = 200


class Shape(NamedTuple):
    """How to make the rows, and the number of clusters to aim at."""

    make: callable
    k: int


def blobs(n, d, dtype=np.float64):
    """Return Gaussian blobs, 100 of them, in random order."""
    rng = np.random.RandomState(0)
    means = rng.normal(scale=4.0, size=(100, d))
    X = np.empty((n, d), dtype=dtype)
    for start in range(0, n, 65536):
        stop = min(n, start + 65536)
        X[start:stop] = means[rng.randint(100, size=stop - start)]
        X[start:stop] += rng.normal(size=(stop - start, d))
    return X


def texts(n, d, words_per_row):
    """Return rows of ones whose columns are as frequent as words: Zipf's law."""
    rng = np.random.RandomState(0)
    frequency = 1 / np.arange(1, d + 1)
    columns = rng.choice(d, size=n * words_per_row, p=frequency / frequency.sum())
    rows = np.repeat(np.arange(n), words_per_row)
    X = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, d))
    X.data[:] = 1  # a word counts once
    return X


GENERATED = {
    "A": Shape(partial(blobs, 200_000, 10), 200),
    "B": Shape(partial(blobs, 200_000, 50), 500),
    "C": Shape(partial(blobs, 100_000, 3), 1000),
    "D": Shape(partial(blobs, 50_000, 784, np.float32), 300),
    "E": Shape(partial(texts, 18_800, 61_200, 210), 400),
    "F": Shape(partial(blobs, 1_000_000, 20), 1000),
    "G": Shape(partial(blobs, 500_000, 2), 5000),
}

LABELS = {"E": "texts*"}
LABELS |= {name: f"blobs*, d={d}" for name, d in zip("ABCDFG", (10, 50, 3, 784, 20, 2))}


def label(name):
    """Return what readers are told of a shape: the generated ones have but a letter."""
    return LABELS.get(name, name)


def shapes(folder):
    """Return all shapes by name: the generated ones, and the datasets of the folder."""
    real = {
        name: Shape(partial(load, folder, name), K_OF_DATASETS)
        for name in available(folder)
    }
    return {**GENERATED, **real}
