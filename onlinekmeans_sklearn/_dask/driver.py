"""Reading on a cluster: one worker after the other, or all at once, as the stream allows.

The first rows of a stream open many centers, and so do those of a burst: they are read in
turn, and likewise partitions so small that it takes longer to ask for them than to read
them. Of all other partitions, many are under way at once.
"""

import math
import time
from collections import Counter, deque

from .._algorithm.moving import is_moving
from .._algorithm.partition import decide
from .._utils.calls import shallow_copy
from . import worker
from .adding_up import AddingUp, Decided
from .loading import LoadedPartitions
from .tasks import Tasks


def read_on_workers(client, stream, delayed, sizes, checker, report):
    """Return the stream that the workers of a client have extended, and what else is known.

    That is the sizes of partitions, labels and squared distances of rows read while centers
    moved, and figures of what reading took.
    """
    start, tasks = time.thread_time(), Tasks(client)
    partitions = LoadedPartitions(tasks, delayed, sizes)
    reading = Reading(tasks, partitions, stream, checker, report)
    try:
        stream = reading.read()
    finally:
        tasks.release_all()
    reading.figures["driver_seconds"] = time.thread_time() - start
    return stream, partitions.sizes, reading.labeled, reading.figures


class Reading:
    """Takes a stream through the partitions of one call.

    A partition that workers read at the same time as others, or what is left of it after a
    burst, goes through these steps:

    `_enter`
        its rows are on a worker, or will be, and their number is known.
    `_propose`
        a worker looks for candidates among the centers that were known when it was asked.
    `_decide`
        all before it are decided, so its candidates are decided here.
    `AddingUp.add`
        a worker labels its rows by the centers that the proposal did not know and adds
        them up.

    There are no rounds: whatever comes first, candidates or totals, is handled.

    Attributes
    ----------
    figures : Counter
        What reading took: "n_candidates" and, of these, "n_openings", "n_serial_rows",
        "n_bursts", and "driver_seconds" in which the driver computed.
    labeled : list
        Labels and squared distances of rows read while centers moved.
    """

    def __init__(self, tasks, partitions, stream, checker, report):
        self.tasks, self.partitions, self.checker = tasks, partitions, checker
        self._stream, self._report = stream, report  # the stream as decided
        self.figures, self.labeled = Counter(), []
        # to read next: index of a partition, and of a row in it; and proposals, until they
        # are decided: where they start, a future, and a list to receive it
        self._next, self._proposals = (0, 0), deque()

    def read(self):
        """Return the stream that has read all partitions."""
        while self._next[0] < len(self.partitions.sizes):
            self._read_serially()
            self._read_at_once()
        return self._stream

    def report(self, stream, index):
        """Report that the stream has read rows up to this partition."""
        self._report(stream, self.partitions.sizes[: index + 1], self.labeled)

    def _workers_may_go_ahead(self):
        """Return whether workers may read the next partitions at the same time.

        Otherwise they read in turn, whether many centers open or not. They must if centers
        move, if the stream forgets or if it is weighted: proposals would need to know more.
        """
        (index, _), stream = self._next, self._stream
        is_shared = index < len(self.partitions.sizes) and self.tasks.n_threads() > 1
        needs_all = is_moving(stream) or stream.half_life < math.inf or stream.is_weighted
        return is_shared and not needs_all and not self.partitions.are_small(index, stream)

    def _read_serially(self):
        """Let workers read in turn, until few centers open if others could propose."""
        is_calm = False
        while self._next[0] < len(self.partitions.sizes) and not is_calm:
            index, n_before = self._next[0], self._stream.n_seen
            parts = self.partitions.together(index, self._stream)
            until_calm = self._workers_may_go_ahead()
            args = parts, self.checker, self._stream, self._next, until_calm
            done = self.tasks.result("read", worker.read_serially, *args)
            self._stream, sizes, self._next, is_calm, labeled = done
            self.labeled += labeled
            self.figures["n_serial_rows"] += self._stream.n_seen - n_before
            self.partitions.sizes[index : index + len(sizes)] = sizes
            self.partitions.release(self._next[0])
            self.report(self._stream, index + len(sizes) - 1)

    def _read_at_once(self):
        """Let all workers read, until the end or until one of them should go on alone."""
        self._stream, self._position = shallow_copy(self._stream), self._stream.n_seen
        self._adding_up, self._is_over = AddingUp(self, self._stream.totals), False
        self._enter()
        while self._proposals or self._adding_up.rows or not self._is_over:
            self.tasks.wait()
            while self._proposals and self._proposals[0][-1]:
                self._decide(*self._proposals.popleft())
            self._enter()
        self._stream.totals = self._adding_up.totals

    def _enter(self):
        """Let partitions enter, in stream order, as soon as their sizes are known.

        A proposal long before its turn would know few centers, so a quarter of those under
        way is left for decided ones.
        """
        most = 3 * self.partitions.window() // 4
        while not self._is_over and len(self._proposals) < most:
            index, first = self._next
            self._is_over = not first and not self._workers_may_go_ahead()
            if self._is_over or not self.partitions.are_ready(index):
                break
            n_rows = self.partitions.sizes[index] - first
            if n_rows:
                self._propose()
            self._next, self._position = (index + 1, 0), self._position + n_rows

    def _propose(self):
        """Have a worker look for the candidates among the next rows."""
        stream, start, answer = self._stream, self._next, []
        has_room = len(stream.centers) < stream.max_clusters
        cost = stream.schedule.facility_cost if has_room else None
        known = stream.centers.rows, cost, stream.numbers
        args = self.partitions.loaded[start[0]], self.checker, start, self._position, *known
        future = self.tasks.submit("propose", answer.append, worker.propose_rows, *args)
        self._proposals.append((start, future, answer))

    def _decide(self, start, future, answer):
        """Open centers at the candidates of a partition, all before it being decided."""
        (index, first), found, stream = start, answer[0].candidates, self._stream
        origin, stop = stream.n_seen - first, first + found.n_rows
        opened = first + decide(stream, answer[0].n_known, found)
        self.figures.update(n_candidates=len(found.positions), n_openings=len(opened))
        rows = Decided(future, index, origin, first, stop, opened, shallow_copy(stream))
        self._adding_up.add(rows)
        if stop < self.partitions.sizes[index]:
            # a burst: what was proposed after it is given up
            self.figures["n_bursts"] += 1
            self._next, self._is_over = (index, stop), True
            self.tasks.release(future for _, future, _ in self._proposals)
            self._proposals.clear()
