"""Fields of a plain state, which comes from a file or pickle that is not trusted.

What could crash compiled code, ask for memory without end or never return must raise an
error at once. So must a field that is missing, unknown, or of another type.
"""

import numpy as np
from scipy.sparse import csr_array, issparse

from .._utils.validation import rebuilt


def expect(**statements):
    """Raise ValueError unless statements about a state, by name, are true."""
    wrong = [name.replace("_", " ") for name, is_true in statements.items() if not is_true]
    if wrong:
        raise ValueError(f"expected {', '.join(wrong)}.")


def read_like(example, state, bounds):
    """Return a state, with arrays of its own, that must be like an example.

    It must have the same fields, with values of the same types, or rows of any kind. None
    stands for None or an int. Numbers must be from 0 on, unless `bounds` has the smallest
    and the largest value of a field of that name.
    """
    if "values" in example:
        return rows_from(**state)
    if state.keys() != example.keys():
        raise ValueError(f"expected the fields {[*example]}, not {[*state]}.")
    values = {}
    for name, part in example.items():
        if isinstance(part, dict):
            values[name] = read_like(part, state[name], bounds)
        else:
            values[name] = _numbers(name, state[name], part, *bounds.get(name, ()))
    return values


def _numbers(name, value, example, least=0, most=np.inf):
    """Return a number, or an array of numbers, that is like an example."""
    if example is None:
        if value is None:
            return None
        example = 0
    is_array = isinstance(example, np.ndarray)
    kind, found = (x.dtype.name if is_array else type(x).__name__ for x in (example, value))
    is_right = found == kind and np.ndim(value) == np.ndim(example)
    if not (is_right and np.all((least <= value) & (value <= most))):
        allowed = f"{kind} from {least} to {most}"
        raise ValueError(f"expected {name} to be {allowed}, not {repr(value)[:200]}.")
    return np.array(value, kind) if is_array else value


def plain_rows(X):
    """Return an array, or CSR, as plain fields."""
    if not issparse(X):
        return {"values": X}
    arrays = {"values": X.data, "columns": X.indices, "indptr": X.indptr}
    return {"n_features": int(X.shape[1]), **arrays}


def rows_from(values, **indices):
    """Return an array, or CSR, of floats."""
    rows = np.require(values, requirements=["C", "A", "E"])
    if indices:
        rows = _csr(rows, **indices)
    expect(
        columns_in_order=not issparse(rows) or rows.has_canonical_format,
        rows_and_columns=rows.ndim == 2 and rows.shape[1] > 0,
        floats=rows.dtype in (np.float64, np.float32),
    )
    return rows


def _csr(values, columns, indptr, n_features):
    expect(integers_as_columns=columns.dtype.kind == indptr.dtype.kind == "i")
    return rebuilt(
        csr_array((values, columns, indptr), shape=(len(indptr) - 1, n_features))
    )
