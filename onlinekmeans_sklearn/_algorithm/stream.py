"""The state of a stream: C, counts, sums, W and n; and its next rows."""

import numpy as np
from scipy.sparse import issparse

from .._nearest import centers_from, largest_block
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between, rows_from_copies
from .._utils.threads import SINGLE_THREAD, own_threads
from .._utils.tuning import TUNING
from .block import do_all, read_block
from .cluster_sums import no_totals, rows_left
from .forgetting import end_epoch
from .moving import move_centers, next_move
from .random_numbers import RandomNumbers
from .weights import SeenWeight, light_numbers

# Single rows are added up together: for each of them all sums would have to be copied.
# At most 256 rows wait, or fewer if they have more than 4096 numbers.
_MOST_NUMBERS, _LEAST_NUMBERS = 2**20, 2**12


class Stream:
    """Everything that is kept of a stream. Immutable: reading on returns another instance.

    All of it is a function of the rows and their positions. Clusters are numbered as they
    open, and these ids never change. If the stream forgets, some of them retire; what is
    kept of the others, the live ones, is indexed by their order.

    Attributes
    ----------
    schedule : Schedule
        The facility cost, and the phases that raise it.
    numbers : RandomNumbers
        A random number for each position.
    max_clusters : int or inf
        The number of live centers at which no more open.
    half_life : int or inf
        After so many samples, all earlier ones count half.
    moves : bool
        Whether centers move to means; not if they are CSR.
    centers : Centers
        The paper's C: the live centers.
    ids, opened_at : ndarray of int32, ndarray of int64
        For each of them, the id, and the position of the sample that opened it.
    retired : tuple of Clusters
        The clusters that were given up.
    totals : Totals
        Per cluster the weight of the members, and the sum of their differences to the
        center; and the cost. Rows that came alone are added up together when it is read.
    seen : SeenWeight
        The weight of all samples.
    n_seen : int
        The number of samples, and the position of the next one.
    is_weighted : bool
        Whether a sample ever had a weight.
    """

    def __init__(self, schedule, seed, max_clusters=np.inf, half_life=np.inf, moves=False):
        self.schedule = schedule
        self.numbers = RandomNumbers(seed)
        self.max_clusters, self.half_life, self.moves = max_clusters, half_life, moves
        self.centers = self.totals = None  # until a row says how to store them
        self.ids = np.empty(0, dtype=np.int32)
        self.opened_at = np.empty(0, dtype=np.int64)
        self.retired = ()
        self.seen, self.n_seen = SeenWeight(), 0
        self.is_weighted = False
        self._next_event = 0  # no block may go beyond this position
        self._block_rows = TUNING.first_block_rows

    def __getattr__(self, name):
        """Return the totals after rows that came alone, when they are read first."""
        if name != "totals":
            raise AttributeError(name)
        totals, waiting, n_waiting = self._waiting
        if n_waiting:
            rows, *columns = zip(*[waiting[i] for i in range(n_waiting)])
            labels, d2, weights = map(np.array, columns, (np.int32, float, float))
            X = rows_from_copies(rows, self.centers.n_features)
            totals, steps = totals.with_block(X, labels, d2, weights, self.centers)
            do_all(steps, SINGLE_THREAD)
            self._waiting = totals, {}, 0  # at once: another thread may be here, too
        self.totals = totals
        return totals

    @property
    def n_online(self):
        """The number of online clusters, live and retired."""
        return len(self.ids) + sum(map(len, self.retired))

    @property
    def counts(self):
        """The weight of the members of every live cluster."""
        return self.totals.counts

    @property
    def means(self):
        """The mean of the members of every live cluster."""
        return self.centers.rows + self.totals.mean_differences()

    def merge_points(self):
        """Return the means of clusters minus the center of the one with most members.

        Their rounding error depends on the spread of the data, not on how far from the
        origin they are: translated data give the same, if differences of samples are exact.
        """
        centers = self.centers.exact
        fullest = np.full(len(self.ids), np.argmax(self.counts))
        return (centers - centers[fullest]) + self.totals.mean_differences()

    def extend(self, X, n_jobs=None, report=None, weights=None):
        """Return the stream extended by the rows of `X`, their labels and their d2.

        d2 is the squared distance of each row to the center of its label. `report` is
        called after every block, with the stream, and labels and d2 of the rows so far.
        """
        if self.is_weighted and weights is None:
            weights = np.ones(X.shape[0])
        if X.shape[0] == 1 and self.n_seen < self._next_event:
            extended = self._extend_by_row(X, weights)
            if extended is not None:
                return extended
        other = shallow_copy(self) if weights is None else self.weighted()
        other.totals, other._waiting = self.totals, None
        if not self.n_seen:
            other.centers = centers_from(rows_between(X, 0, 0))
            other.moves = self.moves and not issparse(X)
            other.totals = no_totals(X)
        n_centers = max(len(self.ids), self.schedule.prefix_length)
        work = X.shape[0] * other.centers.width(X) * n_centers
        with own_threads(n_jobs, work) as threads:
            return other, *other._read(X, weights, threads, report)

    def __getstate__(self):
        """Return all of it; other streams may yet add rows to those that wait."""
        return {**vars(self), "totals": self.totals, "_waiting": None}

    def weighted(self):
        """Return the stream as one whose next samples have weights."""
        other = shallow_copy(self)
        other.is_weighted = True
        return other

    def _extend_by_row(self, X, weights):
        """Return what `extend` does for a single row, which is added up later.

        If it may open a center, or if there are enough of such rows, return None instead:
        it must be read as a block.
        """
        X = self.centers.as_rows(X)
        label, d2 = self.centers.search.nearest_of_row(X)
        number, weight = self.numbers.between(self.n_seen, self.n_seen + 1), 1.0
        if weights is not None:
            number, weight = light_numbers(number, weights) * (1 - 1e-12), weights.item()
        stays = number.item() * self.schedule.facility_cost >= d2
        if not stays and len(self.ids) < self.max_clusters:
            return None
        other = shallow_copy(self) if weights is None else self.weighted()
        totals, waiting, n = vars(other).pop("totals", None), {}, 0
        if totals is None:
            totals, waiting, n = other._waiting
        if n * max(_LEAST_NUMBERS, X.size) >= _MOST_NUMBERS:
            return None
        kept = X.copy() if type(X) is np.ndarray else (X.data.copy(), X.indices.copy())
        row = kept, label, d2, weight
        if waiting.setdefault(n, row) is not row:  # this stream was continued otherwise
            waiting = {**{i: waiting[i] for i in range(n)}, n: row}
        other._waiting = totals, waiting, n + 1
        other.seen, other.n_seen = self.seen.with_rows(1, weights), self.n_seen + 1
        return other, self.ids[label : label + 1], np.array([d2])

    def _read(self, X, weights, threads, report):
        """Read the rows of `X`, block by block, and return their labels and d2."""
        labels, d2 = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        start, left = 0, []  # of the last block, steps to be done beside the next
        while start < X.shape[0]:
            if self.n_seen >= self._next_event:
                do_all(left, threads)
                self._handle_event()
            most = min(self._block_rows, self._next_event - self.n_seen)
            part = rows_between(X, start, start + most)
            rows, n_before = slice(start, start + part.shape[0]), len(self.ids)
            weight = None if weights is None else weights[rows]
            left = read_block(self, part, labels[rows], d2[rows], weight, threads, left)
            self._choose_block_rows(part, len(self.ids) - n_before)
            start = rows.stop
            if report is not None:
                do_all(left, threads)
                report(self, labels[:start], d2[:start])
        do_all(left, threads)
        return labels, d2

    def _handle_event(self):
        """Do what comes before the next row, and note when the next event is.

        The events are the end of an epoch, a move of the centers, and the end of a block of
        sums.
        """
        in_epoch = self.n_seen % self.half_life
        if self.n_seen and in_epoch == 0:
            end_epoch(self)
        move_centers(self)
        left = min(self.half_life - in_epoch, rows_left(self.n_seen))
        self._next_event = min(self.n_seen + left, next_move(self))

    def _choose_block_rows(self, X, n_opened):
        """Make blocks larger while few centers open in them, and smaller when many do.

        Every row of a block must be compared with the centers that open in it, too.
        """
        wanted = TUNING.openings_in_block * len(self.ids)
        growth = min(max((wanted + 1) / (n_opened + 1), 0.25), 4)
        rows = int(growth * X.shape[0])
        if growth >= 1:  # a block that something else has cut short says nothing
            rows = max(rows, self._block_rows)
        most = largest_block(X, self.centers)
        self._block_rows = max(TUNING.first_block_rows, min(rows, most))
