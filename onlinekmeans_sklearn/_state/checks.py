"""Checks of a plain state, which comes from a file or pickle that is not trusted.

What could crash compiled code, ask for memory without end or never return must raise a
ValueError at once. So must all that is not what this version would write of the same.
"""

import numpy as np
from scipy.sparse import csr_array, issparse


def expect(**statements):
    """Raise ValueError unless statements about a state, by name, are true."""
    wrong = [name.replace("_", " ") for name, is_true in statements.items() if not is_true]
    if wrong:
        raise ValueError(f"expected {', '.join(wrong)}.")


def expect_same(state, written):
    """Raise ValueError unless a state is what is written of the estimator made from it."""
    todo = [("state", state, written)]
    while todo:
        name, one, other = todo.pop()
        if type(one) is type(other) is dict and one.keys() == other.keys():
            todo += [(f"{name}.{key}", one[key], other[key]) for key in one]
            continue
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            is_same = one.dtype.name == other.dtype.name and np.array_equal(one, other)
        else:
            is_same = one == other and repr(one) == repr(other)  # 1 is not 1.0 or True
        if not is_same:
            got, wanted = (repr([*x] if type(x) is dict else x) for x in (one, other))
            raise ValueError(f"expected {name} to be {wanted[:200]}, not {got[:200]}.")


def plain_rows(X):
    """Return an array, or CSR, as plain fields."""
    if not issparse(X):
        return {"values": X}
    arrays = {"values": X.data, "columns": X.indices, "indptr": X.indptr}
    return {"n_features": int(X.shape[1]), **arrays}


def rows_from(state, shape=(None, None)):
    """Return an array, or CSR; None in the shape stands for any number of rows."""
    rows = values = np.require(state["values"], requirements=["C", "A"])
    if "indptr" in state:
        columns, indptr, n_features = state["columns"], state["indptr"], state["n_features"]
        expect(
            columns_and_rows_for_all_values=columns.dtype.kind == indptr.dtype.kind == "i"
            and columns.shape == values.shape == (len(values),)
            and [*indptr[:1], *indptr[-1:]] == [0, len(values)]
            and (indptr[1:] >= indptr[:-1]).all()
            and ((columns >= 0) & (columns < n_features)).all()
        )
        rows = csr_array((values, columns, indptr), shape=(len(indptr) - 1, n_features))
    expect(
        columns_in_order=not issparse(rows) or rows.has_canonical_format,
        rows_of_the_right_shape=rows.ndim == 2
        and rows.shape[1] > 0
        and all(n in (None, m) for n, m in zip(shape, rows.shape)),
        floats=rows.dtype in (np.float64, np.float32),
    )
    return rows
