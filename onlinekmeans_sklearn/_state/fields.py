"""Fields of a plain state, which comes from a file or pickle that is not trusted.

A state that could crash compiled code, ask for endless memory or never return must raise an
error at once. So must a field that is missing, unknown, or of another type.
"""

import math

import numpy as np
from scipy.sparse import csr_array, issparse

from .._utils.validation import MOST_CLUSTERS, MOST_SAMPLES, rebuilt

_MOST_WEIGHT = 2.0**200  # of all samples: as many as there can be, with the largest weight
_BOUNDS = {  # of fields by name, or else by type; of all others 0 and infinity
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


def plain(fields):
    """Return fields, with dicts for named tuples and CSR, at any depth."""
    values = {}
    for name, value in fields.items():
        if hasattr(value, "_asdict"):
            value = value._asdict()
        elif issparse(value):
            shape, indices = value.shape, {"columns": value.indices, "indptr": value.indptr}
            value = {"n_features": int(shape[1]), "values": value.data, **indices}
        values[name] = plain(value) if isinstance(value, dict) else value
    return values


def read_like(example, state, name):
    """Return what a plain state was made from, a dict or named tuple like an example.

    It must have the same fields, and numbers the same type, within bounds. An example with
    two axes stands for rows as an array or CSR, and None for None or an int.
    """
    examples = example if isinstance(example, dict) else example._asdict()
    if state.keys() != examples.keys():
        raise ValueError(f"expected the fields {[*examples]} of {name}, not {[*state]}.")
    values = {}
    for key, like in examples.items():
        got = state[key]
        if isinstance(like, (dict, tuple)):
            got = read_like(like, got, key)
        elif np.ndim(like) == 2:
            got = _rows(got)
        elif not got is like is None:
            like = 0 if like is None else like
            kind, found = (str(getattr(x, "dtype", type(x).__name__)) for x in (like, got))
            least, most = _BOUNDS.get(key, _BOUNDS.get(kind, (0, np.inf)))
            is_right = found == kind and np.ndim(got) == np.ndim(like)
            if not (is_right and np.all((least <= got) & (got <= most))):
                allowed = f"{kind} from {least} to {most}"
                raise ValueError(f"expected {key} to be {allowed}, not {repr(got)[:200]}.")
            got = np.array(got) if np.ndim(got) else got
        values[key] = got
    return type(example)(**values)


def _rows(state):
    """Return an array, or CSR, of floats."""
    rows = _csr(**state) if isinstance(state, dict) else np.array(state, order="C")
    has_shape = rows.ndim == 2 and rows.shape[1] > 0
    if not has_shape or rows.dtype not in (np.float64, np.float32):
        raise ValueError("expected rows and columns of floats.")
    return rows


def _csr(values, columns, indptr, n_features):
    shape = len(indptr) - 1, n_features
    rows = rebuilt(csr_array((values, columns, indptr), shape=shape, copy=True))
    expect(columns_in_order=rows.has_canonical_format)
    return rows
