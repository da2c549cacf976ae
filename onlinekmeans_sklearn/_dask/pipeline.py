"""Partitions that all workers read at once: they propose and label, the driver decides.

A partition, or what is left of it after a burst, goes through these steps:

`_enter`
    its rows are on a worker, or will be, and have positions.
`_propose`
    a worker looks for candidates among the centers that were known when it was asked.
`_decide`
    all before it are decided, so its candidates are, here.
`_add_up`
    a worker labels its rows by the centers that the proposal did not know, and returns the
    totals of each block of positions. A block that begins in one partition and ends in
    another is continued where it ends, once its beginning is known: with the rest of that
    partition, or, if many wait, afterwards.
`_take_over`
    the totals are added to those before, in stream order, here.

There are no rounds: whatever comes first, candidates or totals, is dealt with.
"""

from collections import deque
from functools import partial
from typing import NamedTuple

from .._algorithm.cluster_sums import no_totals, rows_left, starts_block
from .._algorithm.partition import decide
from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between
from .._utils.tuning import TUNING
from . import worker
from .loading import window
from .tasks import PendingProposals

_MOST_WAITING = (
    2  # to add up their rows, rather than to leave some of them for another task
)


class Known(NamedTuple):
    """The centers that a proposal knows: a future of most of them, and their numbers."""

    base: object
    n_base: int
    n_centers: int


class Proposal(NamedTuple):
    """What a worker was asked to propose; `start` is a partition and a row of it."""

    start: tuple
    known: Known
    workers: list
    future: object


class Answer(NamedTuple):
    """The candidates of a proposal, and the address of the worker that found them."""

    known: Known
    found: object
    worker: str


class Decided(NamedTuple):
    """Rows of which all centers are known."""

    index: int  # of the partition
    position: int  # of the first row in the stream
    labeling: tuple  # what a worker needs to know for their labels
    stop: int
    worker: str
    stream: object  # after these rows, but for its totals


class Pipeline:
    """Reads partitions from a row on, until the end or until one worker should read."""

    def __init__(self, reading, stream, start):
        self._tasks, self._partitions = reading.tasks, reading.partitions
        self._checker, self._figures = reading.checker, reading.figures
        self._report = reading.report
        self._stream = shallow_copy(stream)  # as decided
        self._totals = stream.totals  # as taken over
        self._next, self._is_over = start, False  # whether none enters any more
        self._unasked = deque()  # starts of which nobody was asked to propose
        self._undecided = deque()  # starts, in stream order
        self._proposals, self._answers = {}, {}  # by start
        self._pending = PendingProposals(self._tasks)
        self._bases, self._n_base = [], 0
        self._decided = {}  # by number, in stream order; removed when taken over
        self._n_decided = self._n_taken_over = 0
        self._unlabeled = set()  # numbers of which nobody was asked to add up rows
        self._blocks = {}  # by number: totals of all blocks
        self._tails = {}  # by number: of all but the first block, which is not known yet
        self._continued = set()  # those of these for which somebody was asked

    def run(self):
        """Return the stream, and with which partition and row it goes on."""
        while True:
            self._enter()
            self._propose()
            is_empty = not (self._undecided or self._decided)
            if is_empty and (self._is_over or self._next[0] == len(self._partitions)):
                break
            self._tasks.wait()
        for base in self._bases:
            self._tasks.release(base)
        self._stream.totals = self._totals
        return self._stream, self._next

    def _enter(self):
        """Let partitions enter the window, in stream order, if their sizes are known."""
        index, first = self._next
        oldest = self._oldest(index)
        end = min(len(self._partitions), oldest + window(self._tasks))
        while index < end and not self._is_over:
            self._partitions.load(oldest, urgent=index)
            position = self._partitions.position(index)
            if position is None:
                break  # rows are still being counted
            if first == 0 and self._partitions.are_small(index, self._stream):
                self._is_over = True
                break
            if self._partitions.sizes[index] > first:
                self._undecided.append((index, first))
                self._unasked.append((index, first))
            else:
                self._partitions.release(index)
            self._next = index, first = index + 1, 0

    def _oldest(self, index):
        """Return the oldest partition under way, or the next one."""
        if self._decided:
            return self._decided[self._n_taken_over].index
        return self._undecided[0][0] if self._undecided else index

    def _propose(self):
        """Have proposals made by workers that have few to answer, of early rows first."""
        for start in list(self._unasked):
            if self._pending.is_full():
                break
            near = self._partitions.workers_with(start[0])
            free = self._pending.free(near)
            if free or not near:
                self._unasked.remove(start)
                self._ask(start, free[:1])

    def _ask(self, start, workers):
        """Have a worker look for the candidates among rows of a partition."""
        stream, known = self._stream, self._known_centers()
        has_room = len(stream.centers) < stream.max_clusters
        future = self._tasks.submit(
            "propose",
            worker.propose_rows,
            self._partitions[start[0]],
            self._checker,
            known.base,
            self._centers_between(known.n_base, known.n_centers),
            stream.schedule.facility_cost if has_room else None,
            stream.numbers,
            start,
            self._position(start),
            workers=workers,
        )
        self._pending.ask(workers)
        self._proposals[start] = proposal = Proposal(start, known, workers, future)
        self._tasks.expect(future, lambda result: self._receive(proposal, *result))

    def _position(self, start):
        return self._partitions.position(start[0]) + start[1]

    def _known_centers(self):
        """Return all centers; they are sent to the workers anew if many have opened."""
        n_centers = len(self._stream.centers)
        if n_centers > (1 + TUNING.newest_centers) * self._n_base:
            self._n_base = n_centers
            rows = self._stream.centers.rows
            self._bases.append(self._tasks.submit("centers", centers_from, rows))
        return Known(self._bases[-1], self._n_base, n_centers)

    def _centers_between(self, start, stop):
        return rows_between(self._stream.centers.rows, start, stop)

    def _receive(self, proposal, found, address):
        """Decide the candidates of all partitions whose turn it is."""
        self._pending.answer(proposal.workers)
        del self._proposals[proposal.start]
        self._answers[proposal.start] = Answer(proposal.known, found, address)
        while self._undecided and self._undecided[0] in self._answers:
            start = self._undecided.popleft()
            self._decide(start, self._answers.pop(start))

    def _decide(self, start, answer):
        """Open centers at the candidates of a partition."""
        known, found, address = answer
        if isinstance(found, ValueError):
            raise worker.refused(found, start[0])
        n_before, stop = len(self._stream.centers), start[1] + found.n_rows
        opened = decide(self._stream, known.n_centers, found)
        n_centers = len(self._stream.centers)
        self._figures.n_candidates += len(found.positions)
        self._figures.n_openings += n_centers - n_before
        newest = self._centers_between(known.n_base, known.n_centers)
        unknown = self._centers_between(known.n_centers, n_centers)
        labeling = known.base, newest, unknown, opened, start
        after = shallow_copy(self._stream)
        number, position = self._n_decided, self._position(start)
        self._decided[number] = Decided(start[0], position, labeling, stop, address, after)
        self._n_decided += 1
        self._unlabeled.add(number)
        if stop < self._partitions.sizes[start[0]]:
            self._stop_at(start[0], stop)
        self._add_up(number)

    def _stop_at(self, index, row):
        """Give up what was proposed after a row with too many candidates before it."""
        self._figures.n_bursts += 1
        self._next, self._is_over = (index, row), True
        for proposal in self._proposals.values():
            self._tasks.release(proposal.future)
        for left in (self._unasked, self._undecided, self._proposals, self._answers):
            left.clear()

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
            first = rows.labeling[-1][1]
            step, stop = "head", min(stop, first + rows_left(rows.position))
        else:
            return
        args = *rows.labeling, stop, rows.position, block
        part, workers = self._partitions[rows.index], [rows.worker]
        future = self._tasks.submit(
            step, worker.add_up_rows, part, self._checker, *args, workers=workers
        )
        self._tasks.expect(future, partial(self._take, number, block is not None))

    def _block_before(self, number):
        """Return the totals of the block that rows continue, None if they are not known."""
        position = self._decided[number].position
        if starts_block(position):
            return no_totals(self._totals.closed, position)
        if number == self._n_taken_over:
            return self._totals.last_block()
        before = self._blocks.get(number - 1) or self._tails.get(number - 1)
        return before[-1].last_block() if before else None

    def _take(self, number, is_first, blocks):
        """Take the totals of blocks: of the first one and the others, or of the others."""
        if is_first:
            self._blocks[number] = [*blocks, *self._tails.pop(number, [])]
            self._continued.discard(number)
        else:
            self._tails[number] = blocks
        while self._n_taken_over in self._blocks:
            self._take_over(self._n_taken_over)
        for other in {number, number + 1, self._n_taken_over}:
            self._add_up(other)

    def _take_over(self, number):
        """Add totals to those of all rows before, and let go of their partition."""
        rows = self._decided.pop(number)
        for block in self._blocks.pop(number):
            self._totals = self._totals.followed_by(block)
        self._n_taken_over += 1
        if rows.stop == self._partitions.sizes[rows.index]:
            self._partitions.release(rows.index)
        rows.stream.totals = self._totals
        self._report(rows.stream, rows.index)
