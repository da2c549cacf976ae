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


def read_fields(state, fields, length=None):
    """Return a dict that has these fields and no others, with arrays of its own.

    `fields` has of each the type, for an array that of its numbers, the smallest and the
    largest value, and perhaps another one that is allowed. Arrays must have the length.
    """
    if state.keys() != fields.keys():
        raise ValueError(f"expected the fields {[*fields]}, not {[*state]}.")
    values = {}
    for name, (kind, least, most, *others) in fields.items():
        value, is_array = state[name], issubclass(kind, np.generic)
        found = value.dtype.name if is_array else type(value).__name__
        shape = (len(value) if length is None else length,) if is_array else ()
        is_right = found == kind.__name__ and np.shape(value) == shape
        is_right = is_right and np.all((least <= value) & (value <= most))
        if not is_right and value not in others:
            allowed = f"{kind.__name__} from {least} to {most}"
            raise ValueError(f"expected {name} to be {allowed}, not {repr(value)[:200]}.")
        values[name] = np.array(value, kind) if is_array else value
    return values


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
