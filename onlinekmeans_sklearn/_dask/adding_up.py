"""Rows whose centers are all decided: workers label them and add them up, all at once.

A worker returns the totals of each block of positions. Here they are added to the totals of
all earlier rows, in stream order. A block that begins in one partition and ends in another
is continued where it ends, once its beginning is known.
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
    origin: int  # the position in the stream of its first row
    start: int  # the first of the rows in it
    stop: int
    opened: np.ndarray  # rows of the partition that open a center
    stream: object  # after all rows of the proposal, except for its totals


class AddingUp:
    """Has rows added up, in the order of the stream.

    Attributes
    ----------
    totals : Totals
        The totals of all rows before the first whose totals are not known.
    rows : deque
        Rows until their totals are taken over, each with a list to receive them.
    """

    def __init__(self, reading, totals):
        self._reading, self.totals, self.rows = reading, totals, deque()
        self._waiting = {}  # some of these, by the id of the list that they wait for

    def add(self, rows):
        """Add up the next rows of the stream.

        They wait for the totals of the block that the first of them continues, which saves
        a task. But if the rows before them wait, too, they are cut where the next block
        begins: the rest goes ahead, so that no chain of partitions waits for each other.
        """
        newest = next(reversed(self._waiting.values()), None)
        cut, position = rows.stop, rows.origin + rows.start
        if len(self._waiting) >= _MOST_WAITING and newest is self.rows[-1]:
            cut = min(cut, rows.start + rows_left(position))
        for part in rows._replace(stop=cut), rows._replace(start=cut):
            if part.start < part.stop:
                self._add(part, [])

    def _add(self, rows, answer):
        """Ask for totals of rows, or let them wait for those of the rows before."""
        before = self.rows[-1][-1] if self.rows else [[self.totals]]
        position = rows.origin + rows.start
        if starts_block(position):
            before = [[no_totals(self.totals.closed, position)]]
        self.rows.append((rows, answer))
        if before:
            self._ask(rows, answer, before[0][-1].last_block())
        else:
            self._waiting[id(before)] = self.rows[-1]

    def _ask(self, rows, answer, block):
        """Have rows labeled and added up, from the block that they continue or begin."""
        reading, part = self._reading, self._reading.partitions.loaded[rows.index]
        decided = rows.proposal, rows.stream.centers.rows, rows.opened
        args = part, reading.checker, (rows.start, rows.stop), *decided, block
        receive = partial(self._receive, answer)
        reading.tasks.submit("add-up", receive, worker.add_up_rows, *args)

    def _receive(self, answer, blocks):
        """Receive totals, ask for what waited for them, and take over what is next."""
        answer.append(blocks)
        if id(answer) in self._waiting:
            self._ask(*self._waiting.pop(id(answer)), blocks[-1].last_block())
        while self.rows and self.rows[0][-1]:
            self._take_over(*self.rows.popleft())

    def _take_over(self, rows, answer):
        """Add totals to those of all rows before, and release partitions that are read."""
        for block in answer[0]:
            self.totals = self.totals.followed_by(block)
        if rows.stop == self._reading.partitions.sizes[rows.index]:
            self._reading.partitions.release(rows.index + 1)
            rows.stream.totals = self.totals
            self._reading.report(rows.stream, rows.index)
