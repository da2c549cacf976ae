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

from functools import partial

from .._algorithm.partition import decide
from .._utils.calls import shallow_copy
from . import worker
from .adding_up import AddingUp, Decided


class Pipeline:
    """Reads partitions from a row on, until the end or until one worker should read."""

    def __init__(self, reading, stream, start):
        self._reading, self._tasks = reading, reading.tasks
        self._partitions, self._figures = reading.partitions, reading.figures
        self._stream = shallow_copy(stream)  # as decided
        self._next, self._is_over = start, False  # whether none enters any more
        self._proposals = {}  # futures by start, in stream order, until they are decided
        self._answers = {}  # by start
        self._adding_up = AddingUp(reading, stream.totals)

    def run(self):
        """Return the stream, and with which partition and row it goes on."""
        self._enter()
        while self._proposals or self._adding_up.is_busy or not self._is_over:
            self._tasks.wait()
            self._enter()
        self._stream.totals = self._adding_up.totals
        return self._stream, self._next

    def _enter(self):
        """Let partitions enter, in stream order, as soon as they have positions.

        A proposal long before its turn would know few centers, so one part in four of those
        under way is for partitions that are decided.
        """
        most = 3 * self._partitions.window() // 4
        while not self._is_over and len(self._proposals) < most:
            index, first = self._next
            may_enter = index < len(self._partitions) and (
                first or self._reading.workers_may_go_ahead(self._stream, index)
            )
            if not may_enter:
                self._is_over = True
                break
            position = self._partitions.position(index)
            if position is None:
                break
            if self._partitions.sizes[index] > first:
                self._propose(self._next, position + first)
            else:
                self._partitions.release(index)
            self._next = index + 1, 0

    def _propose(self, start, position):
        """Have a worker look for the candidates among rows of a partition."""
        stream, part = self._stream, self._partitions[start[0]]
        has_room = len(stream.centers) < stream.max_clusters
        cost = stream.schedule.facility_cost if has_room else None
        args = self._reading.checker, start, position, stream.centers.rows, cost
        future = self._tasks.submit(
            "propose", worker.propose_rows, part, *args, stream.numbers
        )
        self._proposals[start] = future
        self._tasks.expect(future, partial(self._receive, start))

    def _receive(self, start, proposal):
        """Decide the candidates of all partitions whose turn it is."""
        self._answers[start] = proposal
        while self._proposals and (start := next(iter(self._proposals))) in self._answers:
            self._decide(start, self._proposals.pop(start), self._answers.pop(start))

    def _decide(self, start, future, proposal):
        """Open centers at the candidates of a partition."""
        found, n_before = proposal.candidates, len(self._stream.centers)
        position, stop = self._stream.n_seen, start[1] + found.n_rows
        opened = decide(self._stream, proposal.n_known, found)
        self._figures["n_candidates"] += len(found.positions)
        self._figures["n_openings"] += len(self._stream.centers) - n_before
        if stop < self._partitions.sizes[start[0]]:
            self._stop_at(start[0], stop)
        after = shallow_copy(self._stream)
        self._adding_up.add(Decided(future, start, stop, position, opened, after))

    def _stop_at(self, index, row):
        """Give up what was proposed after a row with too many candidates before it."""
        self._figures["n_bursts"] += 1
        self._next, self._is_over = (index, row), True
        self._tasks.release(self._proposals.values())
        self._proposals.clear()
        self._answers.clear()
