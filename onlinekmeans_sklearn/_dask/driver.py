"""Reading on a cluster: workers propose and label, the driver decides in stream order.

The first rows of a stream open many centers, and so do those of a burst: one worker reads
them by itself. When few centers open, many partitions are under way at once, each in one
of these states:

loaded
    its rows are on a worker, or will be.
proposed
    a worker looks for candidates among the centers that were known when it was asked.
decided
    all partitions before it are decided, and it is; a worker labels its rows by the
    centers that its proposal did not know, at once or just before they are added up.
added up
    counts, sums and costs have its rows, in stream order. They pass through the driver: as
    a chain of tasks they would all be computed again when a worker dies.

There are no rounds: whatever comes first, candidates or totals, is dealt with.
"""

import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice, takewhile

from .._algorithm.partition import decide
from .._nearest import centers_from
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between
from .._utils.tuning import TUNING
from . import worker
from .loading import LoadedPartitions, window
from .tasks import RETRIES, PendingProposals, Tasks


@dataclass
class Figures:
    """What a call on a cluster took."""

    n_candidates: int = 0
    n_openings: int = 0  # among the candidates
    n_serial_rows: int = 0
    n_bursts: int = 0
    driver_seconds: float = 0.0  # in which the driver computed
    adding_seconds: float = 0.0  # in which a worker added up, one after the other


@dataclass
class PartitionState:
    """Rows of a partition that were proposed at once."""

    index: int  # of the partition
    first: int
    n_known: int = 0  # centers that its proposal knows
    base: object = None  # future of some of these centers
    n_base: int = 0
    answer: object = None  # future of the candidates
    found: object = None  # the candidates
    workers: list = field(default_factory=list)  # that are to propose, or have
    stop: int = -1
    stream: object = None  # after the decisions
    unlabeled: tuple = ()  # what labels need
    labels: object = None  # future of labels and distances, if somebody was asked


class ClusterReader:
    """Reads partitions on the workers of a client."""

    def __init__(self, client):
        self._client = client
        self.figures = Figures()

    def compute(self, delayed):
        """Return the values of delayed objects, which are small."""
        with ExitStack() as stack:
            futures = self._client.compute(delayed, retries=RETRIES)
            for future in futures:
                stack.callback(future.release)
            return self._client.gather(futures)

    def persist(self, delayed):
        """Return delayed objects whose values the workers have, or will have."""
        return self._client.persist(delayed, retries=RETRIES)

    def extend(self, stream, partitions, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        start, tasks = time.thread_time(), Tasks(self._client)
        with ExitStack() as stack:
            stack.callback(tasks.release_all)
            reading = _Reading(tasks, partitions, stream.n_seen, checker, self.figures)
            stream = reading.read(stream, report)
        self.figures.driver_seconds = time.thread_time() - start
        return stream, reading.sizes


class _Reading:
    """The way of a stream through the partitions of one call."""

    def __init__(self, tasks, partitions, first, checker, figures):
        self._tasks = tasks
        self._partitions = LoadedPartitions(tasks, partitions, first)
        self._checker = checker
        self._figures = figures

    @property
    def sizes(self):
        """The number of rows of every partition."""
        return self._partitions.sizes

    def read(self, stream, report):
        """Return the stream that has read all partitions."""
        self._report = report
        place = 0, 0
        while place[0] < len(self._partitions):
            stream, place = self._read_serially(stream, *place)
            if place[0] < len(self._partitions):
                stream, place = self._read_at_once(stream, *place)
        return stream

    def _read_serially(self, stream, index, first):
        """Let one worker read until few centers open, and return how far it has come.

        If the cluster has but one thread, it reads on: nobody could propose meanwhile.
        """
        is_calm = False
        while index < len(self._partitions) and not is_calm:
            self._partitions.load(index, urgent=index)
            begun, stop = [index], 0  # a partition without rows need not be read
            if self.sizes[index] != 0:
                n_before, some = stream.n_seen, self._partitions.together(index)
                stream, sizes, stop, is_calm = self._serial_read(stream, some, first)
                begun = some[: len(sizes)]
                for i, size in zip(begun, sizes):
                    self.sizes[i] = size
                self._figures.n_serial_rows += stream.n_seen - n_before
                self._report_progress(stream, begun[-1])
            is_partial = stop < self.sizes[begun[-1]]
            end, first = (begun[-1], stop) if is_partial else (begun[-1] + 1, 0)
            for i in range(index, end):
                self._partitions.release(i)
            index = end
        return stream, (index, first)

    def _serial_read(self, stream, some, first):
        """Return what one worker has read of some partitions."""
        until_calm = self._tasks.n_threads() > 1
        parts = [self._partitions[i] for i in some]
        args = parts, self._checker, stream, first, until_calm
        workers = self._partitions.workers_with(some[0])
        future = self._tasks.submit("read", worker.read_serially, *args, workers=workers)
        results = []
        self._tasks.expect(future, results.append)
        while not results:
            self._tasks.wait()
        if isinstance(results[0], ValueError):
            raise results[0]
        return results[0]

    def _read_at_once(self, stream, index, first):
        """Read until the end, or until a burst, and return how far that is."""
        self._stream = shallow_copy(stream)  # as decided
        self._totals = stream.totals
        self._pieces = deque()  # in stream order, up to those that are added up
        self._n_decided = self._n_adding = 0  # of them
        self._waiting = deque()  # pieces that nobody was asked to propose
        self._pending = PendingProposals(self._tasks)
        self._place, self._is_burst = (index, first), False
        self._bases, self._n_base = [], 0
        while True:
            self._enter()
            self._propose()
            self._add_up()
            if not self._pieces and (self._is_burst or self._place[0] == len(self.sizes)):
                break
            self._tasks.wait()
        for base in self._bases:
            self._tasks.release(base)
        self._stream.totals = self._totals
        return self._stream, self._place

    def _enter(self):
        """Let partitions enter the window, in stream order, if their sizes are known."""
        index, first = self._place
        oldest = self._pieces[0].index if self._pieces else index
        end = min(len(self.sizes), oldest + window(self._tasks))
        while index < end and not self._is_burst:
            self._partitions.load(oldest, urgent=index)
            if self._partitions.position(index) is None:
                break  # rows are still being counted
            if self.sizes[index] > first:
                self._pieces.append(PartitionState(index, first))
                self._waiting.append(self._pieces[-1])
            else:
                self._partitions.release(index)
            index, first = index + 1, 0
            self._place = index, first

    def _propose(self):
        """Have proposals made by workers that have few to answer, of early rows first."""
        for piece in list(self._waiting):
            if self._pending.is_full():
                break
            near = self._partitions.workers_with(piece.index)
            free = self._pending.free(near)
            if free or not near:
                self._waiting.remove(piece)
                self._propose_piece(piece, free[:1])

    def _propose_piece(self, piece, workers):
        """Have a worker look for the candidates among the rows of a piece."""
        self._update_base()
        stream = self._stream
        has_room = len(stream.centers) < stream.max_clusters
        piece.n_known, piece.workers = len(stream.centers), workers
        piece.base, piece.n_base = self._bases[-1], self._n_base
        piece.answer = self._tasks.submit(
            "propose",
            worker.propose_rows,
            self._partitions[piece.index],
            self._checker,
            piece.base,
            self._centers_between(piece.n_base, piece.n_known),
            stream.schedule.facility_cost if has_room else None,
            stream.numbers,
            self._partitions.position(piece.index) + piece.first,
            (piece.index, piece.first),
            workers=workers,
        )
        self._pending.ask(workers)
        self._tasks.expect(piece.answer, lambda result: self._receive(piece, *result))

    def _update_base(self):
        """Have all centers sent to the workers anew, if many came since that was done."""
        n_centers = len(self._stream.centers)
        if n_centers > (1 + TUNING.newest_centers) * self._n_base:
            self._n_base = n_centers
            rows = self._stream.centers.rows
            self._bases.append(self._tasks.submit("centers", centers_from, rows))

    def _centers_between(self, start, stop):
        return rows_between(self._stream.centers.rows, start, stop)

    def _receive(self, piece, found, address):
        """Decide the candidates of all pieces whose turn it is."""
        self._pending.answer(piece.workers)
        piece.found, piece.workers = found, [address]
        while self._n_decided < len(self._pieces) and not self._is_burst:
            piece = self._pieces[self._n_decided]
            if piece.found is None:
                return
            self._decide(piece)
            self._n_decided += 1
            if piece.stop < self.sizes[piece.index]:
                self._stop_at(piece)

    def _decide(self, piece):
        found, piece.found = piece.found, None
        if isinstance(found, ValueError):
            raise found
        n_before = len(self._stream.centers)
        opened = decide(self._stream, piece.n_known, found)
        piece.stop = piece.first + found.n_rows
        piece.stream = shallow_copy(self._stream)
        self._figures.n_candidates += len(found.positions)
        self._figures.n_openings += len(self._stream.centers) - n_before
        piece.unlabeled = (
            piece.base,
            self._centers_between(piece.n_base, piece.n_known),
            self._centers_between(piece.n_known, len(self._stream.centers)),
            opened,
            (piece.index, piece.first),
            piece.stop,
        )

    def _stop_at(self, piece):
        """Give up what was proposed after a piece with too many candidates."""
        self._figures.n_bursts += 1
        self._place, self._is_burst = (piece.index, piece.stop), True
        self._waiting.clear()
        while self._pieces[-1] is not piece:
            dropped = self._pieces.pop()
            if dropped.answer is not None:
                self._tasks.release(dropped.answer)

    def _add_up(self):
        """Have the next pieces added up that are decided and on the same worker.

        It labels their rows, too: a task less. But if more pieces wait than there are
        threads, adding up is what all wait for, and the others are labeled meanwhile.
        """
        decided = list(islice(self._pieces, self._n_decided))
        if decided and not self._n_adding:
            near = takewhile(lambda piece: piece.workers == decided[0].workers, decided)
            self._add_up_pieces(list(near))
        for piece in decided[self._n_adding + self._tasks.n_threads() :]:
            if piece.labels is None:
                args = self._partitions[piece.index], self._checker, *piece.unlabeled
                piece.labels = self._tasks.submit(
                    "label", worker.label_rows, *args, workers=piece.workers
                )

    def _add_up_pieces(self, pieces):
        last = pieces[-1]
        newest = self._centers_between(last.n_base, len(last.stream.centers))
        args = [
            (self._partitions[i.index], (i.first, i.stop), i.labels, i.unlabeled)
            for i in pieces
        ]
        future = self._tasks.submit(
            "add-up",
            worker.add_up_rows,
            args,
            self._checker,
            last.base,
            newest,
            self._totals,
            workers=last.workers,
        )
        self._n_adding = len(pieces)
        self._tasks.expect(future, self._added)

    def _added(self, result):
        """Take over the totals, and let go of what they were made from."""
        self._totals, seconds = result
        self._figures.adding_seconds += seconds
        for _ in range(self._n_adding):
            piece = self._pieces.popleft()
            if piece.labels is not None:
                self._tasks.release(piece.labels)
            if piece.stop == self.sizes[piece.index]:
                self._partitions.release(piece.index)
        self._n_decided -= self._n_adding
        self._n_adding = 0
        stream = piece.stream
        stream.totals = self._totals
        self._report_progress(stream, piece.index)

    def _report_progress(self, stream, index):
        """Report how far the stream is."""
        if self._report is not None:
            self._report(stream, self.sizes[: index + 1])
