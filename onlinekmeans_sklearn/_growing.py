"""An array that is only ever appended to, cheap to copy."""

import numpy as np


class GrowingArray:
    """Rows in a buffer with room to grow; shallow copies share the buffer.

    A copy appends in place only where no other copy has appended before it; otherwise it
    moves to a buffer of its own. So rows, once there, never change for anybody.
    """

    def __init__(self, rows):
        self._buffer = np.array(rows)
        self._length = len(rows)
        self._filled = [len(rows)]  # by any of the copies that share the buffer

    def __len__(self):
        return self._length

    def __copy__(self):
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __getstate__(self):
        return {"rows": self._buffer[: self._length]}

    def __setstate__(self, state):
        self.__init__(state["rows"])

    @property
    def rows(self):
        """A read-only view of what is there."""
        view = self._buffer[: self._length]
        view.flags.writeable = False
        return view

    def append(self, rows):
        """Add rows at the end, in the wider of the two dtypes."""
        length = self._length + len(rows)
        dtype = np.result_type(self._buffer, rows)
        if (
            length > len(self._buffer)
            or self._filled[0] != self._length
            or dtype != self._buffer.dtype
        ):
            buffer = np.empty((2 * length, *self._buffer.shape[1:]), dtype=dtype)
            buffer[: self._length] = self._buffer[: self._length]
            self._buffer = buffer
            self._filled = [self._length]
        self._buffer[self._length : length] = rows
        self._length = self._filled[0] = length
