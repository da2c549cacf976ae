"""Values for the parameters of the estimators: good ones, and ones of every wrong sort."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.preprocessing import StandardScaler

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

HUGE = (10**12, 10**18, 10**30)  # more columns than there is memory for
SMALL_INTEGERS = (np.uint8(5), np.uint8(200), np.int8(100), np.int16(30))
NUMBERS_BUT_NO_INTEGERS = (2.5, np.nan, np.inf, -np.inf, 3 + 0j, Fraction(7, 2), Decimal(3))
NO_NUMBERS = (
    *("many", "", b"auto", True, np.True_, [3], (3,), {}, np.array(3), np.array([1, 2])),
    *(object, len, ..., NotImplemented, np.datetime64("2020-01-01"), np.ma.masked),
)

_INTEGERS = (1, 2, 3, 20, np.int64(5), np.uint64(7))
_ODD_INTEGERS = (
    *(0, -1, -(10**30), np.int64(-3), 10**400),
    *SMALL_INTEGERS,
    *NUMBERS_BUT_NO_INTEGERS,
    *NO_NUMBERS,
)
_ENCODINGS = ("onehot", "onehot-dense", "ordinal", "distance", "triangle")

GOOD_PARAMETERS = {
    "k": ("auto", *_INTEGERS),
    "algorithm": ("practical", "theoretical"),
    "n_clusters": (None, None, None, 1, 3, np.int64(2)),
    "max_clusters": (None, None, None, 3, 40, np.int64(9)),
    "half_life": (None, None, None, 1, 7, 500, np.int64(30)),
    "encode": _ENCODINGS,
    "n_jobs": (None, 1, 2, -1, np.int64(2)),
    "random_state": (None, 0, 7, np.int64(3), np.random.RandomState),
    "lower_bound": (None, None, 1, 0.5, 1e-300, 1e300, Fraction(1, 3), np.float64(2)),
    "n_samples": (None, None, 1, 1000, 10**400),
}
ODD_PARAMETERS = {
    "k": (None, *HUGE, *_ODD_INTEGERS),
    "algorithm": ("Practical", None, 3, ["practical"], np.str_("practical"), b"practical"),
    "n_clusters": (*HUGE, *_ODD_INTEGERS),
    "max_clusters": (*HUGE, *_ODD_INTEGERS),
    "half_life": (*HUGE, *_ODD_INTEGERS),
    "encode": ("one-hot", None, 3, ["onehot"], np.str_("ordinal"), b"onehot", True),
    "n_jobs": (0, -(10**9), 10**6, *NUMBERS_BUT_NO_INTEGERS, *NO_NUMBERS),
    "random_state": (
        *(-1, 2**32, 2**70, 10**400, np.random, np.random.default_rng(0)),
        *NUMBERS_BUT_NO_INTEGERS,
        *NO_NUMBERS,
    ),
    "lower_bound": (
        *(0, -1.0, 5e-324, 10**400, Fraction(1, 10**400), Fraction(10**400)),
        *(np.float16(0.1), np.float16(60000), np.float32(0.1), np.longdouble("1e-4000")),
        *NUMBERS_BUT_NO_INTEGERS,
        *NO_NUMBERS,
    ),
    "n_samples": (*HUGE, *_ODD_INTEGERS),
}
CLASSIFIERS = (
    *(None, None, SGDClassifier(), SGDClassifier(average=True), Perceptron()),
    *(LogisticRegression(), DummyClassifier()),
)
CLUSTERERS = (
    *(None, None, StandardScaler(), OnlineKMeans(k=20, encode="distance")),
    *(OnlineKMeans(max_clusters=12), OnlineKMeans(k=20, half_life=30)),
    SemiOnlineKMeans(k=2, encode="onehot-dense"),
)
_NO_PARTS = (3, "svm", OnlineKMeans, OnlineKMeans(k=-1), OnlineKMeans(n_clusters=2), [])
GOOD_PARTS = {
    "classifier": CLASSIFIERS,
    "clusterer": CLUSTERERS,
    "passthrough": (True, False),
    "random_state": (None, 0, np.random.RandomState),
}
ODD_PARTS = {
    "classifier": _NO_PARTS,
    "clusterer": _NO_PARTS,
    "passthrough": (None, "no", 3, [], np.array([1, 2])),
    "random_state": ODD_PARAMETERS["random_state"],
}
ODD_OUTPUTS = ("default", "pandas", "polars", None, "nonsense", 3, [1], True)


def draw(rng, values):
    """Return one of the values; of a class of random states, a new one."""
    value = values[rng.randint(len(values))]
    is_seeded = value is np.random.RandomState
    return value(rng.randint(100)) if is_seeded else value
