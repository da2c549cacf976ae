"""Rows whose centers are all decided: workers label them and add them up, all at once.

A worker returns the totals of each block of positions. They are added to those of all rows
before, in stream order, here. A block that begins in one partition and ends in another is
continued where it ends, once its beginning is known.
"""

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
    """Has rows added up; they are numbered in stream order.

    Attributes
    ----------
    totals : Totals
        Of all rows up to the first of which they are not known.
    """

    def __init__(self, reading, totals):
        self._reading, self.totals = reading, totals
        self._rows = {}  # by number, until their totals are taken over
        self._blocks = {-1: [totals]}  # of each block, until the next rows are taken over
        self._waiting = []  # numbers of rows for which nobody was asked
        self._n_rows = self._n_taken = 0

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
        is_chain = self._n_rows - 1 in self._waiting and len(self._waiting) >= _MOST_WAITING
        for part in rows.cut() if is_chain else [rows]:
            if part.start < part.stop:
                self._rows[self._n_rows] = part
                self._waiting.append(self._n_rows)
                self._n_rows += 1
        self._go_on()

    def _go_on(self):
        """Ask for what can be added up now, and take over what is next."""
        for number in self._waiting.copy():
            block = self._block_before(number)
            if block is not None:
                self._waiting.remove(number)
                self._ask(number, block)
        while self._n_taken in self._blocks:
            self._take_over(self._n_taken)
            self._n_taken += 1

    def _block_before(self, number):
        """Return the totals of the block that rows continue, None if they are not known."""
        position, before = self._rows[number].position, self._blocks.get(number - 1)
        if starts_block(position):
            return no_totals(self.totals.closed, position)
        return before and before[-1].last_block()

    def _ask(self, number, block):
        """Have rows labeled and added up, from the totals of a block on."""
        rows, reading = self._rows[number], self._reading
        part, span = reading.partitions[rows.index], (rows.start, rows.stop)
        args = span, rows.proposal, rows.stream.centers.rows, rows.opened, block
        receive = partial(self._receive, number)
        reading.tasks.submit(
            "add-up", receive, worker.add_up_rows, part, reading.checker, *args
        )

    def _receive(self, number, blocks):
        self._blocks[number] = blocks
        self._go_on()

    def _take_over(self, number):
        """Add totals to those of all rows before, and let go of what is read."""
        rows, reading = self._rows.pop(number), self._reading
        for block in self._blocks[number]:
            self.totals = self.totals.followed_by(block)
        del self._blocks[number - 1]
        if rows.stop == reading.partitions.sizes[rows.index]:
            reading.partitions.release(rows.index)
            rows.stream.totals = self.totals
            reading.report(rows.stream, rows.index)
