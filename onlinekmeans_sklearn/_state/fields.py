"""Fields of a plain state, each checked as it is taken out.

States come from files and pickles that are not trusted. What could crash compiled code, ask
for memory without end or never return must raise a ValueError at once.
"""

import numpy as np
from scipy.sparse import csr_array, issparse

from .._utils.validation import distances_are_finite

_FLOATS = ("float64", "float32")
_INDICES = ("int32", "int64")


def expect(is_true, expected):
    """Raise ValueError unless a statement about the state is true."""
    if not is_true:
        raise ValueError(f"The state is inconsistent: expected {expected}.")


class Fields:
    """The fields of a dict; `name` says where it stands in the state."""

    def __init__(self, fields, name=""):
        self._name = name
        self._left = dict(fields) if type(fields) is dict else None
        if self._left is None:
            raise ValueError(f"The state {name!r} must be a dict. Got {type(fields)}.")

    def take(self, name, *types):
        """Return the value of a field, which must have one of some types, if any."""
        if name not in self._left:
            raise ValueError(f"The state has no field {self._name + name!r}.")
        value = self._left.pop(name)
        if types and type(value) not in types:
            raise self._error(name, " or ".join(kind.__name__ for kind in types), value)
        return value

    def number(self, name, kind, low, high):
        """Return an int or a float within bounds."""
        value = self.take(name, kind)
        if not low <= value <= high:
            raise self._error(name, f"in the range [{low}, {high}]", value)
        return value

    def count(self, name, most):
        """Return a positive number, or None."""
        value = self.take(name, int, type(None))
        if value is not None and not 1 <= value <= most:
            raise self._error(name, f"None or in the range [1, {most}]", value)
        return value

    def choice(self, name, choices):
        """Return one of some strings."""
        value = self.take(name, str)
        if value not in choices:
            raise self._error(name, f"one of {', '.join(choices)}", value)
        return value

    def fields(self, name):
        """Return the fields of a dict that is a field."""
        return Fields(self.take(name), f"{self._name}{name}.")

    def array(self, name, dtypes, shape):
        """Return an array of one of some dtypes; None in a shape stands for any length."""
        value = np.asarray(self.take(name))  # of a mapped file, too
        has_shape = value.ndim == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, value.shape)
        )
        if not has_shape or value.dtype.name not in dtypes:
            got = f"{value.dtype.name} of shape {value.shape}"
            raise self._error(name, f"{' or '.join(dtypes)} of shape {shape}", got)
        return np.require(value, value.dtype.newbyteorder("="), ["C", "A"])

    def rows(self, name, shape, dtypes=_FLOATS):
        """Return an array or canonical CSR, with squared distances that are finite."""
        fields = self.fields(name)
        if "indptr" not in fields._left:
            rows = fields.array("values", dtypes, shape)
        else:
            n_features = fields.number("n_features", int, 1, np.iinfo(np.int64).max)
            values = fields.array("values", dtypes, (None,))
            columns = fields.array("columns", _INDICES, (len(values),))
            n_rows = None if shape[0] is None else shape[0] + 1
            indptr = fields.array("indptr", _INDICES, (n_rows,))
            expect(
                [*indptr[:1], *indptr[-1:]] == [0, len(values)]
                and (indptr[1:] >= indptr[:-1]).all()
                and ((columns >= 0) & (columns < n_features)).all()
                and shape[1] in (None, n_features),
                f"every value of {self._name + name!r} to have a row and a column",
            )
            rows = csr_array((values, columns, indptr), shape=(len(indptr) - 1, n_features))
            expect(rows.has_canonical_format, "the columns of sparse rows in order")
        expect(rows.shape[1] > 0, f"{self._name + name!r} to have features")
        expect(distances_are_finite(rows), "finite squared distances")
        fields.end()
        return rows

    def end(self):
        """Raise ValueError if there are fields that nobody has taken."""
        if self._left:
            names = ", ".join(repr(self._name + str(name)) for name in self._left)
            raise ValueError(f"The state has unknown fields: {names}.")

    def _error(self, name, expected, got):
        return ValueError(
            f"The field {self._name + name!r} must be {expected}. Got {got!r}."
        )


def plain_rows(X):
    """Return an array, or CSR, as plain fields."""
    if not issparse(X):
        return {"values": np.asarray(X)}
    return {
        "n_features": int(X.shape[1]),
        "values": X.data,
        "columns": X.indices,
        "indptr": X.indptr,
    }
