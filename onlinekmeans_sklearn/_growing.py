"""An array that is only ever appended to, cheap to copy."""

import numpy as np


class GrowingArray:
    """Rows in a buffer with room to grow; shallow copies share the buffer.

    A copy appends in place only where no other copy has appended before it; otherwise it
    moves to a buffer of its own. So rows, once there, never change for anybody, and copies
    may grow in different threads.

    Attributes
    ----------
    rows : ndarray
        What is there, read-only.
    """

    def __init__(self, rows):
        self._buffer = np.array(rows)
        self._see(len(rows))
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

    def _see(self, length):
        """Make `rows` a read-only view of so many."""
        self._length = length
        self.rows = self._buffer[:length]
        self.rows.flags.writeable = False

    def append(self, rows):
        """Add rows at the end, in the wider of the two dtypes."""
        length = self._length + len(rows)
        dtype = np.result_type(self._buffer, rows)
        fits = length <= len(self._buffer) and dtype == self._buffer.dtype
        if not (fits and self._claim()):
            buffer = np.empty((2 * length, *self._buffer.shape[1:]), dtype=dtype)
            buffer[: self._length] = self._buffer[: self._length]
            self._buffer = buffer
            self._filled = []
        self._buffer[self._length : length] = rows
        self._see(length)
        self._filled.append(length)

    def _claim(self):
        """Return whether the place after our rows is free, and then nobody else's.

        As long as somebody appends, `_filled` is empty: only one thread can empty it.
        """
        try:
            filled = self._filled.pop()
        except IndexError:
            return False
        if filled != self._length:
            self._filled.append(filled)
        return filled == self._length
