"""Rows whose centers are all decided: workers label them and add them up, all at once.

A worker returns the totals of each block of positions. They are added to those of all rows
before, in stream order, here. A block that begins in one partition and ends in another is
continued where it ends, once its beginning is known.
"""

from collections import deque
from functools import partial
from typing import NamedTuple

import numpy as np

from .._algorithm.cluster_sums import no_totals, rows_left, starts_block
from . import worker

_MOST_WAITING = 2  # for a block to begin, to save a task


class Decided(NamedTuple):
    """Rows of a partition of which all centers are known, for one task."""

    proposal: object  # a future
    index: int  # of the partition
    start: int  # the first row in it
    stop: int
    position: int  # of the first row in the stream
    opened: np.ndarray  # rows of the partition that open a center
    stream: object  # after all that were proposed with them, but for its totals

    def cut(self):
        """Return the rows that continue a block, and those that begin another one."""
        n_left = rows_left(self.position)
        middle, position = min(self.start + n_left, self.stop), self.position + n_left
        return self._replace(stop=middle), self._replace(start=middle, position=position)


class AddingUp:
    """Has rows added up, in the order of the stream.

    Attributes
    ----------
    totals : Totals
        Of all rows up to the first of which they are not known.
    """

    def __init__(self, reading, totals):
        self._reading, self.totals = reading, totals
        self._rows = deque()  # until taken over: rows, and a list to receive their totals
        self._waiting = {}  # the same, by the id of the list that they wait for
        self._last = [[totals]]  # the list of the last rows

    @property
    def is_busy(self):
        """Whether there are rows whose totals are not known."""
        return bool(self._rows)

    def add(self, rows):
        """Add up the next rows of the stream.

        They wait until the block is known that the first of them continues, which saves a
        task. But if those before them wait, too, they are cut: then all that begin a block
        go ahead, and no chain of partitions waits for each other.
        """
        newest = next(reversed(self._waiting.values()), (None, None))
        is_chain = len(self._waiting) >= _MOST_WAITING and newest[-1] is self._last
        for part in rows.cut() if is_chain else [rows]:
            if part.start < part.stop:
                before, self._last = self._last, []
                self._rows.append((part, self._last))
                if starts_block(part.position):
                    nothing = no_totals(self.totals.closed, part.position)
                    self._ask(part, self._last, nothing)
                elif before:
                    self._ask(part, self._last, before[0][-1].last_block())
                else:
                    self._waiting[id(before)] = part, self._last

    def _ask(self, rows, answer, block):
        """Have rows labeled and added up, from the block on that they continue or begin."""
        reading, part = self._reading, self._reading.partitions[rows.index]
        decided = rows.proposal, rows.stream.centers.rows, rows.opened
        args = part, reading.checker, (rows.start, rows.stop), *decided, block
        receive = partial(self._receive, answer)
        reading.tasks.submit("add-up", receive, worker.add_up_rows, *args)

    def _receive(self, answer, blocks):
        """Receive totals, ask for what waited for them, and take over what is next."""
        answer.append(blocks)
        if id(answer) in self._waiting:
            self._ask(*self._waiting.pop(id(answer)), blocks[-1].last_block())
        while self._rows and self._rows[0][-1]:
            self._take_over(*self._rows.popleft())

    def _take_over(self, rows, answer):
        """Add totals to those of all rows before, and let go of what is read."""
        for block in answer[0]:
            self.totals = self.totals.followed_by(block)
        if rows.stop == self._reading.partitions.sizes[rows.index]:
            self._reading.partitions.release(rows.index)
            rows.stream.totals = self.totals
            self._reading.report(rows.stream, rows.index)
