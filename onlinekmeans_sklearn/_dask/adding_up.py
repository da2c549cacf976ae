"""Rows whose centers are all decided: workers label them and add them up, all at once.

A worker returns the totals of each block of positions. They are added to those of all rows
before, in stream order, here. A block that begins in one partition and ends in another is
continued where it ends, once its beginning is known: with the rest of that partition or, if
several wait, afterwards.
"""

from functools import partial
from typing import NamedTuple

from .._algorithm.cluster_sums import no_totals, rows_left, starts_block
from . import worker

_MOST_WAITING = 2  # for a block to begin, to save a task


class Decided(NamedTuple):
    """Rows of a partition of which all centers are known."""

    labeling: tuple  # what a worker needs to know for their labels
    position: int  # of the first row in the stream
    stop: int
    worker: str
    stream: object  # after these rows, but for its totals

    @property
    def start(self):
        """The index of the partition, and of the first row in it."""
        return self.labeling[-1]


class AddingUp:
    """Has rows added up; they are numbered in stream order.

    Attributes
    ----------
    totals : Totals
        Of all rows up to the first of which they are not known.
    """

    def __init__(self, reading, totals):
        self._tasks, self._partitions = reading.tasks, reading.partitions
        self._checker, self._report = reading.checker, reading.report
        self.totals = totals
        self._decided = {}  # by number; removed when their totals are taken over
        self._first = self._n_decided = 0  # the lowest number, and the next one
        self._unlabeled = set()  # numbers for which nobody was asked
        self._blocks = {}  # by number: totals of all blocks
        self._tails = {}  # by number: of all but the first block, which is not known yet
        self._continued = set()  # those of these for which somebody was asked

    @property
    def oldest(self):
        """The index of the oldest partition under way, None if there is none."""
        return self._decided[self._first].start[0] if self._decided else None

    def add(self, rows):
        """Add up the next rows of the stream."""
        number, self._n_decided = self._n_decided, self._n_decided + 1
        self._decided[number] = rows
        self._unlabeled.add(number)
        self._add_up(number)

    def _add_up(self, number):
        """Have rows labeled and added up, or what is left of them, if their time has come.

        They wait until the block is known that their first row continues, which saves a
        task. But if several wait, all but the rows of that block go ahead.
        """
        rows = self._decided.get(number)
        if rows is None:
            return
        block, step, stop = self._block_before(number), "add-up", rows.stop
        if number in self._unlabeled:
            if block is None and len(self._unlabeled) <= _MOST_WAITING:
                return
            self._unlabeled.remove(number)
        elif number in self._tails and number not in self._continued and block is not None:
            self._continued.add(number)
            first = rows.start[1]
            step, stop = "head", min(stop, first + rows_left(rows.position))
        else:
            return
        args = *rows.labeling, stop, rows.position, block
        part, workers = self._partitions[rows.start[0]], [rows.worker]
        future = self._tasks.submit(
            step, worker.add_up_rows, part, self._checker, *args, workers=workers
        )
        self._tasks.expect(future, partial(self._take, number, block is not None))

    def _block_before(self, number):
        """Return the totals of the block that rows continue, None if they are not known."""
        position = self._decided[number].position
        if starts_block(position):
            return no_totals(self.totals.closed, position)
        if number == self._first:
            return self.totals.last_block()
        before = self._blocks.get(number - 1) or self._tails.get(number - 1)
        return before[-1].last_block() if before else None

    def _take(self, number, is_first, blocks):
        """Take the totals of blocks: of the first one and the others, or of the others."""
        if is_first:
            self._blocks[number] = [*blocks, *self._tails.pop(number, [])]
            self._continued.discard(number)
        else:
            self._tails[number] = blocks
        while self._first in self._blocks:
            self._take_over(self._first)
        for other in {number, number + 1, self._first}:
            self._add_up(other)

    def _take_over(self, number):
        """Add totals to those of all rows before, and let go of their partition."""
        rows = self._decided.pop(number)
        for block in self._blocks.pop(number):
            self.totals = self.totals.followed_by(block)
        self._first += 1
        if rows.stop == self._partitions.sizes[rows.start[0]]:
            self._partitions.release(rows.start[0])
        rows.stream.totals = self.totals
        self._report(rows.stream, rows.start[0])
