"""Fields of a plain state, which comes from a file or pickle that is not trusted.

What could crash compiled code, ask for memory without end or never return must raise an
error at once. So must a field that is missing, unknown, or of another type.
"""

import math

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array

from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, rebuilt

_MOST_WEIGHT = 2.0**200  # of all samples: as many as there can be, with the largest weight
_BOUNDS = {  # of fields of a name, or of a type, that are not just from 0 on
    "int": (0, 2**63 - 1),
    **dict.fromkeys(["n_seen", "half_life", "k", "k_target"], (1, MOST_SAMPLES)),
    **dict.fromkeys(["n_clusters", "max_clusters"], (1, MOST_CLUSTERS)),
    "log_n": (1, math.log2(MOST_SAMPLES)),
    "prefix_weights": (0, 1),
    **dict.fromkeys(["closed_counts", "open_counts", "before", "epoch"], (0, _MOST_WEIGHT)),
    "saved": (-np.inf, np.inf),
    "least": (1 / _MOST_WEIGHT, 1),
}


def expect(**statements):
    """Raise ValueError unless statements about a state, by name, are true."""
    wrong = [name.replace("_", " ") for name, is_true in statements.items() if not is_true]
    if wrong:
        raise ValueError(f"expected {', '.join(wrong)}.")


def plain(value):
    """Return a value with dicts for named tuples and CSR, and lists for other tuples."""
    if issparse(value):
        arrays = {"values": value.data, "columns": value.indices, "indptr": value.indptr}
        return {"n_features": int(value.shape[1]), **arrays}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [*map(plain, value)] if isinstance(value, tuple) else value


def read_like(example, state, name="state"):
    """Return the value of which a plain state was made, which must be like an example.

    A dict or named tuple must have the same fields, and numbers the same type, within
    bounds. An example that is a tuple of one stands for any number of its kind, an array
    with two axes for rows as an array or CSR, and None for None or an int.
    """
    if hasattr(example, "_asdict"):
        return type(example)(**read_like(example._asdict(), state, name))
    if isinstance(example, dict):
        if state.keys() != example.keys():
            raise ValueError(f"expected the fields {[*example]} of {name}, not {[*state]}.")
        return {key: read_like(part, state[key], key) for key, part in example.items()}
    if isinstance(example, tuple):
        parts = example * len(state) if len(example) == 1 else example
        pairs = zip(parts, state, strict=True)
        return tuple(read_like(part, value, name) for part, value in pairs)
    return _rows(state) if np.ndim(example) == 2 else _numbers(example, state, name)


def _numbers(example, value, name):
    """Return a number, or an array of numbers, that is like an example."""
    if value is example is None:
        return None
    example = 0 if example is None else example
    kind, found = (str(getattr(x, "dtype", type(x).__name__)) for x in (example, value))
    least, most = _BOUNDS.get(name, _BOUNDS.get(kind, (0, np.inf)))
    is_right = found == kind and np.ndim(value) == np.ndim(example)
    if not (is_right and np.all((least <= value) & (value <= most))):
        allowed = f"{kind} from {least} to {most}"
        raise ValueError(f"expected {name} to be {allowed}, not {repr(value)[:200]}.")
    return np.array(value) if np.ndim(value) else value


def _rows(state):
    """Return an array, or CSR, of floats."""
    rows, floats = state, [np.float64, np.float32]
    if isinstance(state, dict):
        rows = _csr(**state)
    options = {"accept_sparse": "csr", "order": "C", "copy": True, "ensure_min_samples": 0}
    return check_array(rows, dtype=floats, **options)


def _csr(values, columns, indptr, n_features):
    shape = len(indptr) - 1, n_features
    rows = rebuilt(csr_array((values, columns, indptr), shape=shape))
    expect(columns_in_order=rows.has_canonical_format)
    return rows
