"""Data to pass to public methods: good ones in every form, and bad ones of every sort."""

import datetime
import warnings
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse

from .sources import STORAGES

FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


def plain_rows(rng, d):
    """Return a few rows without anything odd, in float64."""
    n = rng.choice([1, 2, 5, 70])
    X = rng.normal(size=(n, d)) * rng.choice([1.0, 1e-3, 1e6])
    return np.round(X) if rng.random_sample() < 0.5 else X


def good_rows(rng, d):
    """Return rows that an estimator of so many features takes, in one of many forms."""
    return GOOD[rng.choice(sorted(GOOD))](plain_rows(rng, d))


def odd_rows(rng, d):
    """Return the name of a sort of odd data, and such data."""
    kind = BROKEN if rng.random_sample() < 0.15 else ODD
    name = str(rng.choice(sorted(kind)))
    return name, kind[name](plain_rows(rng, d))


def sparse_as(kind):
    """Return a function that stores rows in a format of scipy."""
    return lambda X: getattr(sparse, kind)(X)


def dtype_as(dtype):
    """Return a function that casts rows."""

    def cast(X):
        return np.clip(np.abs(np.rint(X)), 0, 100).astype(dtype)

    return cast


def frame(X):
    """Return the rows in a data frame with names for its columns."""
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def with_value(X, value):
    """Return the rows with one other value in them."""
    X = np.array(X, dtype=np.result_type(X, value))
    X[-1, -1] = value
    return X


def with_object(X, value):
    """Return the rows as objects, one of them another one."""
    X = X.astype(object)
    X[0, 0] = value
    return X


def matrix(X):
    """Return the rows as numpy's matrix, which warns that it is out of fashion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asmatrix(X)


class Subclass(np.ndarray):
    """An array that is not quite an array."""


GOOD = {
    **STORAGES,
    **{f"{form}_array": sparse_as(f"{form}_array") for form in FORMATS},
    **{f"{form}_matrix": sparse_as(f"{form}_matrix") for form in FORMATS},
    **{name: dtype_as(name) for name in ("bool", "int8", "uint8", "int32", "uint64")},
    **{name: dtype_as(name) for name in ("float16", "float32", "longdouble", ">f8", "<f4")},
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "rows in a list": list,
    "objects": lambda X: X.astype(object),
    "text of numbers": lambda X: X.astype(str),
    "frame": frame,
    "frame of float32": lambda X: frame(X.astype(np.float32)),
    "frame with a number as name": pd.DataFrame,
    "sparse frame": lambda X: frame(X).astype(pd.SparseDtype("float64", 0.0)),
    "nullable frame": lambda X: frame(X).astype("Float64"),
    "subclass": lambda X: X.view(Subclass),
    "masked": lambda X: np.ma.masked_array(X, mask=X > 0),
    "broadcast": lambda X: np.broadcast_to(X[0], X.shape),
    "bool CSR": lambda X: sparse.csr_array(X).astype(bool),
    "longdouble CSR": lambda X: sparse.csr_array(X).astype(np.longdouble),
    "float32 CSR": lambda X: sparse.csr_array(X).astype(np.float32),
    "no numbers in CSR": lambda X: sparse.csr_array(X.shape),
}


def with_number(array, index, number):
    """Return an array with another number in it."""
    array = array.copy()
    array[index] = number
    return array


CHANGES = {  # of an array of CSR, CSC or BSR, which contradicts the others then
    "too large": ("indices", lambda columns: with_number(columns, -1, 10**6)),
    "just too large": (
        "indices",
        lambda columns: with_number(columns, -1, max(columns) + 1),
    ),
    "negative": ("indices", lambda columns: with_number(columns, 0, -1)),
    "very negative": ("indices", lambda columns: with_number(columns, 0, -(10**8))),
    "indptr falls": (
        "indptr",
        lambda ends: with_number(ends, len(ends) // 2, ends[-1] + 3),
    ),
    "indptr negative": ("indptr", lambda ends: with_number(ends, len(ends) // 2, -5)),
    "indptr huge": ("indptr", lambda ends: with_number(ends, len(ends) // 2, 10**8)),
    "indptr ends late": ("indptr", lambda ends: with_number(ends, -1, ends[-1] + 10**6)),
    "indptr ends early": ("indptr", lambda ends: with_number(ends, -1, 0)),
    "indptr starts late": ("indptr", lambda ends: with_number(ends, 0, 1)),
    "indptr short": ("indptr", lambda ends: ends[:-1]),
    "indptr long": ("indptr", lambda ends: np.append(ends, ends[-1])),
    "data short": ("data", lambda values: values[:-1]),
    "indices short": ("indices", lambda columns: columns[:-1]),
    "data in two dimensions": ("data", lambda values: values[:, None]),
    "indices of floats": ("indices", lambda columns: columns.astype(float)),
    "unsigned indices": ("indices", lambda columns: columns.astype(np.uint64)),
}


def broken_csr(X, kind, change):
    """Return CSR, CSC or BSR whose arrays contradict each other."""
    broken = getattr(sparse, f"{kind}_array")(np.abs(X) + 1.0)
    name, changed = CHANGES[change]
    setattr(broken, name, changed(getattr(broken, name)))
    return broken


def broken_coordinates(X, axis, value):
    """Return coordinates, one of which is not in the matrix."""
    broken = sparse.coo_array(np.abs(X) + 1.0)
    getattr(broken, ("row", "col")[axis])[0] = value
    return broken


def broken_blocks(X, block):
    """Return BSR with blocks of another shape."""
    broken = sparse.bsr_array(np.ones((len(X), X.shape[1])), blocksize=(1, 1))
    broken.data = np.ones((len(broken.data), *block))
    return broken


def broken_diagonals(X, offsets):
    """Return diagonals that are not where they should be."""
    broken = sparse.dia_array(np.abs(X) + 1.0)
    broken.offsets = offsets(broken.offsets)
    return broken


def broken_lists(X, indices, n_values=3):
    """Return lists of columns and values, those of the first row other ones."""
    broken = sparse.lil_array(np.abs(X) + 1.0)
    broken.rows[0], broken.data[0] = indices, [1.0] * n_values
    return broken


BROKEN = {
    **{
        f"broken {kind}: {change}": partial(broken_csr, kind=kind, change=change)
        for kind in ("csr", "csc", "bsr")
        for change in CHANGES
    },
    **{
        f"broken blocks: {block}": partial(broken_blocks, block=block)
        for block in ((0, 1), (1, 0), (2, 1), (1, 2), (7, 7))
    },
    "broken diagonals: few": lambda X: broken_diagonals(X, lambda offsets: offsets[:-1]),
    "broken diagonals: none": lambda X: broken_diagonals(X, lambda offsets: offsets[:0]),
    "broken diagonals: far": lambda X: broken_diagonals(X, lambda o: o + 10**6),
    "broken diagonals: equal": lambda X: broken_diagonals(X, np.zeros_like),
    "broken diagonals: floats": lambda X: broken_diagonals(X, lambda o: o + 0.5),
    "broken diagonals: in 2-d": lambda X: broken_diagonals(X, lambda o: o[:, None]),
    "broken lists: far": lambda X: broken_lists(X, [0, 1, 10**6]),
    "broken lists: few values": lambda X: broken_lists(X, [0, 1, 2], 1),
    "broken lists: many values": lambda X: broken_lists(X, [0], 9),
    "broken lists: negative": lambda X: broken_lists(X, [-5, 0, 1]),
    "broken coordinates: row": lambda X: broken_coordinates(X, 0, 10**6),
    "broken coordinates: column": lambda X: broken_coordinates(X, 1, 10**6),
    "broken coordinates: negative": lambda X: broken_coordinates(X, 1, -(10**6)),
}
ODD = {
    "NaN": lambda X: with_value(X, np.nan),
    "infinity": lambda X: with_value(X, np.inf),
    "overflow": lambda X: with_value(X, -1e200),
    "beyond float64": lambda X: with_value(X, np.longdouble("1e4000")),
    "largest of float32": lambda X: np.sign(X).astype(np.float32) * np.float32(3e38),
    "largest that is allowed": lambda X: np.sign(X) * 7e152 / np.sqrt(X.shape[1]),
    "smallest": lambda X: np.sign(X) * 5e-324,
    "NaN in float32": lambda X: with_value(X.astype(np.float32), np.float32("nan")),
    "NaN in CSR": lambda X: sparse.csr_array(with_value(X, np.nan)),
    "infinity in coordinates": lambda X: sparse.coo_array(with_value(X, -np.inf)),
    "overflow in CSC": lambda X: sparse.csc_array(with_value(X, 1e300)),
    "overflow of a sum": lambda X: sparse.csr_array(
        (np.full(2, 4e152), np.zeros(2, dtype=int), [0, *[2] * len(X)]), shape=X.shape
    ),
    "complex": lambda X: X + 1j,
    "complex CSR": lambda X: sparse.csr_array(X + 1j),
    "scalar": lambda X: X[0, 0],
    "0-d": lambda X: np.array(X[0, 0]),
    "1-d": lambda X: X[0],
    "3-d": lambda X: X[None],
    "1-d sparse": lambda X: sparse.coo_array(X[0]),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "nothing at all": lambda X: np.empty((0, 0)),
    "no rows in CSR": lambda X: sparse.csr_array((0, X.shape[1])),
    "no columns in CSR": lambda X: sparse.csr_array((X.shape[0], 0)),
    "wider": lambda X: np.hstack([X, X]),
    "narrower": lambda X: X[:, 1:],
    "wider CSR": lambda X: sparse.csr_array(np.hstack([X, X])),
    "huge width": lambda X: sparse.csr_array((len(X), 2**40)),
    "text": lambda X: np.full(X.shape, "a"),
    "bytes": lambda X: np.full(X.shape, b"1.5"),
    "one text": lambda X: "rows",
    "dates": lambda X: np.full(X.shape, "2020-01-01", dtype="datetime64[D]"),
    "not a time": lambda X: np.full(X.shape, "NaT", dtype="datetime64[D]"),
    "durations": lambda X: np.full(X.shape, 3, dtype="timedelta64[s]"),
    "void": lambda X: np.zeros(X.shape, dtype="V8"),
    "structured": lambda X: np.zeros(X.shape, dtype=[("a", float), ("b", int)]),
    "structured rows": lambda X: np.zeros(len(X), dtype=[("a", float), ("b", int)]),
    "object: None": lambda X: with_object(X, None),
    "object: dict": lambda X: with_object(X, {}),
    "object: text": lambda X: with_object(X, "a"),
    "object: NaN": lambda X: with_object(X, float("nan")),
    "object: complex": lambda X: with_object(X, 1j),
    "object: huge integer": lambda X: with_object(X, 10**400),
    "object: date": lambda X: with_object(X, datetime.date(2020, 1, 1)),
    "object: row": lambda X: with_object(X, X[0]),
    "huge integers": lambda X: [[10**400] * X.shape[1]],
    "integers beyond int64": lambda X: [[2**64 + 1] * X.shape[1]],
    "ragged": lambda X: [X[0].tolist(), []],
    "nested": lambda X: [[[1.0]], [2.0]],
    "empty list": lambda X: [],
    "list of nothing": lambda X: [[]],
    "None": lambda X: None,
    "a function": lambda X: len,
    "a set": lambda X: {1.0, 2.0},
    "a dict": lambda X: {"a": [1.0]},
    "a generator": lambda X: (row for row in X),
    "an iterator": lambda X: iter(X.tolist()),
    "matrix": matrix,
    "series": lambda X: pd.Series(X[0]),
    "frame with NA": lambda X: frame(X).astype("Float64").where(frame(X) > 0),
    "frame with text": lambda X: frame(X).assign(x0="a"),
    "frame with dates": lambda X: frame(X).assign(x0=pd.Timestamp("2020-01-01")),
    "frame with categories": lambda X: frame(X).assign(x0=pd.Categorical(["a"] * len(X))),
    "frame in another order": lambda X: frame(X).iloc[:, ::-1],
    "frame with other names": lambda X: frame(X).add_prefix("other "),
    "frame with mixed names": lambda X: frame(X).rename(columns={"x0": 0}),
    "frame with equal names": lambda X: frame(X).rename(columns=lambda name: "x0"),
    "frame without columns": lambda X: pd.DataFrame(index=range(3)),
    "stale CSR": lambda X: stale_csr(X),
}


def stale_csr(X):
    """Return CSR whose indices were reversed after scipy had found them sorted."""
    rows = sparse.csr_array(X)
    assert rows.has_canonical_format
    rows.indices[: rows.indptr[1]] = rows.indices[: rows.indptr[1]][::-1].copy()
    return rows


def odd_targets(rng, n):
    """Return classes for n rows; most are good."""
    y = np.arange(n) % 2
    targets = [
        *(y, y, np.arange(n) % 3, np.array(["a", "b"])[y], np.arange(n + 1) % 2),
        *(np.linspace(0, 1, n) + 0.5, np.arange(n, dtype=complex)),
        *(np.full(n, number) for number in (0.0, np.nan)),
        *(np.array([one, "a"], dtype=object)[y] for one in (None, 1)),
        *(np.ones((n, 2)), y[:, None], y.tolist(), pd.Series(y), np.full(n, 10**18)),
        *(np.full(n, np.datetime64("2020-01-01")), None, 3, "abc"),
        sparse.csr_array(np.ones((n, 1))),
    ]
    return targets[rng.randint(len(targets))]
