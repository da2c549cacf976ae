"""Partitions that all workers read at once: they propose and label, the driver decides.

A partition, or what is left of it after a burst, goes through these steps:

`_enter`
    its rows are on a worker, or will be, and have positions.
`_propose`
    a worker looks for candidates among the centers that were known when it was asked.
`_decide`
    all before it are decided, so its candidates are, here.
`adding_up`
    a worker labels its rows by the centers that the proposal did not know and adds them up.

There are no rounds: whatever comes first, candidates or totals, is dealt with.
"""

from collections import deque
from typing import NamedTuple

from .._algorithm.partition import decide
from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between
from .._utils.tuning import TUNING
from . import worker
from .adding_up import AddingUp, Decided
from .loading import window
from .tasks import PendingProposals


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


class Pipeline:
    """Reads partitions from a row on, until the end or until one worker should read."""

    def __init__(self, reading, stream, start):
        self._tasks, self._partitions = reading.tasks, reading.partitions
        self._checker, self._figures = reading.checker, reading.figures
        self._stream = shallow_copy(stream)  # as decided
        self._next, self._is_over = start, False  # whether none enters any more
        self._unasked = deque()  # starts of which nobody was asked to propose
        self._undecided = deque()  # starts, in stream order
        self._proposals, self._answers = {}, {}  # by start
        self._pending = PendingProposals(self._tasks)
        self._bases, self._n_base = [], 0
        self._adding_up = AddingUp(reading, stream.totals)

    def run(self):
        """Return the stream, and with which partition and row it goes on."""
        while True:
            self._enter()
            self._propose()
            is_empty = not self._undecided and self._adding_up.oldest is None
            if is_empty and (self._is_over or self._next[0] == len(self._partitions)):
                break
            self._tasks.wait()
        for base in self._bases:
            self._tasks.release(base)
        self._stream.totals = self._adding_up.totals
        return self._stream, self._next

    def _enter(self):
        """Let partitions enter the window, in stream order, if their sizes are known."""
        index, first = self._next
        oldest = self._adding_up.oldest
        if oldest is None:
            oldest = self._undecided[0][0] if self._undecided else index
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
        if stop < self._partitions.sizes[start[0]]:
            self._stop_at(start[0], stop)
        self._adding_up.add(Decided(labeling, self._position(start), stop, address, after))

    def _stop_at(self, index, row):
        """Give up what was proposed after a row with too many candidates before it."""
        self._figures.n_bursts += 1
        self._next, self._is_over = (index, row), True
        for proposal in self._proposals.values():
            self._tasks.release(proposal.future)
        for left in (self._unasked, self._undecided, self._proposals, self._answers):
            left.clear()
