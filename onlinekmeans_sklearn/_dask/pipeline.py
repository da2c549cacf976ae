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
        self._next, self._position = start, stream.n_seen  # of the next row to enter
        self._is_over = False  # whether none enters any more
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
        """Let partitions enter, in stream order, as soon as their sizes are known.

        A proposal long before its turn would know few centers, so one part in four of those
        under way is for partitions that are decided.
        """
        most = 3 * self._partitions.window() // 4
        while not self._is_over and len(self._proposals) < most:
            index, first = self._next
            may_enter = first or self._reading.workers_may_go_ahead(self._stream, index)
            self._is_over = not may_enter
            if self._is_over or not self._partitions.are_ready(index):
                break
            n_rows = self._partitions.sizes[index] - first
            if n_rows:
                self._propose(self._next, self._position)
            else:
                self._partitions.release(index)
            self._next, self._position = (index + 1, 0), self._position + n_rows

    def _propose(self, start, position):
        """Have a worker look for the candidates among rows of a partition."""
        stream, part = self._stream, self._partitions[start[0]]
        has_room = len(stream.centers) < stream.max_clusters
        cost = stream.schedule.facility_cost if has_room else None
        args = start, position, stream.centers.rows, cost, stream.numbers
        receive = partial(self._receive, start)
        self._proposals[start] = self._tasks.submit(
            "propose", receive, worker.propose_rows, part, self._reading.checker, *args
        )

    def _receive(self, start, proposal):
        """Decide the candidates of all partitions whose turn it is."""
        self._answers[start] = proposal
        while self._proposals and (start := next(iter(self._proposals))) in self._answers:
            self._decide(start, self._proposals.pop(start), self._answers.pop(start))

    def _decide(self, start, future, proposal):
        """Open centers at the candidates of a partition."""
        index, first = start
        found, stream, n_before = proposal.candidates, self._stream, self._stream.n_seen
        n_centers, stop = len(stream.centers), first + found.n_rows
        opened = first + decide(stream, proposal.n_known, found)
        self._figures["n_candidates"] += len(found.positions)
        self._figures["n_openings"] += len(stream.centers) - n_centers
        if stop < self._partitions.sizes[index]:
            self._stop_at(index, stop)
        decided = first, stop, n_before, opened, shallow_copy(stream)
        self._adding_up.add(Decided(future, index, *decided))

    def _stop_at(self, index, row):
        """Give up what was proposed after a row with too many candidates before it."""
        self._figures["n_bursts"] += 1
        self._next, self._is_over = (index, row), True
        self._tasks.release(self._proposals.values())
        self._proposals.clear()
        self._answers.clear()
