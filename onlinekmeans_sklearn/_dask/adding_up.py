"""Rows whose centers are all decided: workers label them and add them up, all at once.

A worker returns the totals of each block of positions. They are added to those of all rows
before, in stream order, here. A block that begins in one partition and ends in another is
continued where it ends, once its beginning is known: with the rest of that partition or, if
several wait, afterwards.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from .._algorithm.cluster_sums import no_totals, rows_left, starts_block
from . import worker

_MOST_WAITING = 2  # for a block to begin, to save a task


class Decided(NamedTuple):
    """Rows of a partition of which all centers are known."""

    proposal: object  # a future
    start: tuple  # the index of the partition, and of the first row in it
    stop: int
    position: int  # of the first row in the stream
    opened: np.ndarray  # rows that open a center
    stream: object  # after these rows, but for its totals


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
        self._n_rows = self._n_taken = 0
        self._waiting = []  # numbers for which nobody was asked
        self._tails = {}  # by number, totals of all blocks but the first
        self._blocks = {}  # by number, of all blocks
        self._last = {-1: totals.last_block()}  # by number, of the last block

    @property
    def is_busy(self):
        """Whether there are rows whose totals are not known."""
        return bool(self._rows)

    def add(self, rows):
        """Add up the next rows of the stream."""
        self._rows[self._n_rows] = rows
        self._waiting.append(self._n_rows)
        self._n_rows += 1
        self._go_on()

    def _go_on(self):
        """Ask for what can be added up now, and take over what is next.

        Rows wait until the block is known that the first of them continues, which saves a
        task. But if several wait, all but the rows of that block go ahead, of the last.
        """
        for number in self._waiting[::-1]:
            rows, block = self._rows[number], self._block_before(number)
            if block is None and len(self._waiting) <= _MOST_WAITING:
                continue
            self._waiting.remove(number)
            receive = self._receive_tail if block is None else self._receive
            self._ask("add-up", rows, rows.stop, block, partial(receive, number, []))
        for number in [i for i in self._tails if i - 1 in self._last]:
            rows, tail = self._rows[number], self._tails.pop(number)
            stop = min(rows.stop, rows.start[1] + rows_left(rows.position))
            receive = partial(self._receive, number, tail)
            self._ask("head", rows, stop, self._last[number - 1], receive)
        while self._n_taken in self._blocks:
            self._take_over(self._n_taken)
            self._n_taken += 1

    def _block_before(self, number):
        """Return the totals of the block that rows continue, None if they are not known."""
        position = self._rows[number].position
        if starts_block(position):
            return no_totals(self.totals.closed, position)
        return self._last.get(number - 1)

    def _ask(self, step, rows, stop, block, receive):
        """Have rows labeled and added up, from those of a block on if it is known."""
        part, tasks = self._reading.partitions[rows.start[0]], self._reading.tasks
        where = rows.start, stop, rows.position
        labeling = rows.proposal, rows.stream.centers.rows, rows.opened
        args = part, self._reading.checker, *where, *labeling, block
        tasks.expect(tasks.submit(step, worker.add_up_rows, *args), receive)

    def _receive_tail(self, number, _, blocks):
        """Receive the totals of all blocks but the first, which is not known yet."""
        self._tails[number] = blocks
        if blocks:
            self._last[number] = blocks[-1].last_block()
        self._go_on()

    def _receive(self, number, tail, blocks):
        """Receive the totals of the first block, or of all blocks."""
        self._blocks[number] = blocks = [*blocks, *tail]
        self._last[number] = blocks[-1].last_block()
        self._go_on()

    def _take_over(self, number):
        """Add totals to those of all rows before, and let go of their partition."""
        rows, reading = self._rows.pop(number), self._reading
        for block in self._blocks.pop(number):
            self.totals = self.totals.followed_by(block)
        del self._last[number - 1]
        if rows.stop == reading.partitions.sizes[rows.start[0]]:
            reading.partitions.release(rows.start[0])
        rows.stream.totals = self.totals
        reading.report(rows.stream, rows.start[0])
