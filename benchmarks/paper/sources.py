"""What the experiments run on: the paper's datasets, or data that everybody has."""

from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_moons,
)

from ..data import fetch


class Source(NamedTuple):
    """A dataset by name, how to load its (X, y), and how its classes become two."""

    load: callable
    task: str


def cut_in_two(y):
    """Return y as 0 and 1: the classes in their order, cut where the parts differ least.

    So two classes stay what they are, and of more the first ones become 0.
    """
    classes, counts = np.unique(y, return_counts=True)
    differences = np.abs(2 * np.cumsum(counts)[:-1] - len(y))
    return (y > classes[np.argmin(differences)]).astype(int)


TASKS = {
    "20news": "newsgroups in alphabetical order, cut in the middle",
    "adult": "income above 50K",
    "ijcnn1": "the two classes of the file",
    "letter": "A to M against N to Z",
    "magic04": "gamma against hadron",
    "maptaskcoref": "the two classes of the file",
    "nomao": "the two classes of the file",
    "poker": "nothing against anything in the hand",
    "shuttle": "class 1 against the others",
    "skin": "skin against other colors",
    "vehv2binary": "the two classes of the file",
    "w8a": "the two classes of the file",
}


def paper_rows(name, folder, download):
    """Return the rows of one of the paper's datasets, and its classes as 0 and 1."""
    X, y = fetch(name, folder, download)
    return X, cut_in_two(y)


def paper_sources(names, folder, download):
    """Return name -> source of the paper's datasets."""
    return {
        name: Source(partial(paper_rows, name, folder, download), TASKS[name])
        for name in names
    }


def bundled_rows(load):
    """Return the rows of a dataset of scikit-learn, shuffled, and its two classes."""
    X, y = load()
    order = np.random.RandomState(0).permutation(len(y))  # some are sorted by class
    return X[order].astype(float), cut_in_two(y)[order]


def odd_digits():
    """Return the digits, and whether they are odd: no line separates those."""
    X, y = load_digits(return_X_y=True)
    return X, y % 2


def rings():
    """Return five rings around each other, of two classes in turn."""
    random = np.random.RandomState(0)
    ring = random.randint(5, size=20_000)
    angle = random.uniform(0, 2 * np.pi, len(ring))
    radius = ring + 1 + random.normal(0, 0.15, len(ring))
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, ring % 2


BUNDLED = {
    "digits": (partial(load_digits, return_X_y=True), "0 to 4 against 5 to 9"),
    "odd digits": (odd_digits, "even against odd"),
    "breast cancer": (partial(load_breast_cancer, return_X_y=True), "malignant or benign"),
    "wine": (partial(load_wine, return_X_y=True), "the first cultivar or another"),
    "iris": (partial(load_iris, return_X_y=True), "setosa or another"),
    "two moons*": (partial(make_moons, 5000, noise=0.2, random_state=0), "which moon"),
    "rings*": (rings, "odd or even rings"),
}


def bundled_sources():
    """Return name -> source of data that come with scikit-learn or are generated (*)."""
    return {
        name: Source(partial(bundled_rows, load), task)
        for name, (load, task) in BUNDLED.items()
    }
