"""The state of a stream: C, counts, sums, W and n; and its next rows."""

from functools import partial

import numpy as np

from .._nearest import centers_from, largest_block
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between
from .._utils.threads import own_threads
from .._utils.tuning import TUNING
from .block import Blocks
from .cluster_sums import no_totals, rows_left
from .random_numbers import RandomNumbers


class Stream:
    """Everything that is kept of a stream; immutable, for reading on returns another one.

    All of it is a function of the rows and their positions.

    Attributes
    ----------
    schedule : Schedule
        The facility cost, and the phases that raise it.
    numbers : RandomNumbers
        A random number for each position.
    max_clusters : int or inf
        The number of centers at which no more open.
    centers : Centers
        The paper's C.
    opened_at : ndarray of int64
        For each center, the position of the sample that opened it.
    totals : Totals
        Per cluster the number of members, and the sum of their differences to the center;
        and the cost.
    n_seen : int
        The paper's n.
    """

    def __init__(self, schedule, seed, max_clusters=np.inf):
        self.schedule = schedule
        self.numbers = RandomNumbers(seed)
        self.max_clusters = max_clusters
        self.centers = self.totals = None  # until a row says how to store them
        self.opened_at = np.empty(0, dtype=np.int64)
        self.n_seen = 0
        self._block_rows = TUNING.first_block_rows

    @property
    def counts(self):
        """The number of members of every cluster."""
        return self.totals.counts

    @property
    def means(self):
        """The mean of every cluster's members."""
        return self.centers.rows + self.totals.mean_differences()

    def merge_points(self):
        """Return the means of clusters minus the center of the one with most members.

        Their rounding error depends on the spread of the data, not on how far from the
        origin they are: translated data give the same, if differences of samples are exact.
        """
        centers = self.centers.exact
        fullest = np.full(len(self.centers), np.argmax(self.counts))
        return (centers - centers[fullest]) + self.totals.mean_differences()

    def extend(self, X, n_jobs=None, report=None):
        """Return the stream that has also read the rows of `X`, their labels and their d2.

        That is the squared distance of each row to the center of its label. `report` is
        called after every block, with the stream, and labels and d2 of the rows so far.
        """
        if X.shape[0] == 1 and self.n_seen:
            extended = self._with_member(self.centers.as_rows(X))
            if extended is not None:
                return extended
        other = shallow_copy(self)
        if not self.n_seen:
            other.centers = centers_from(rows_between(X, 0, 0))
            other.totals = no_totals(X)
        n_centers = max(len(other.centers), self.schedule.prefix_length)
        work = X.shape[0] * other.centers.width(X) * n_centers
        with own_threads(n_jobs, work) as threads:
            return other, *other._read(X, threads, report)

    def _with_member(self, X):
        """Return what `extend` does for a single row, None if the row opens a center."""
        label, d2 = self.centers.search.nearest_of_row(X)
        uniform = self.numbers.between(self.n_seen, self.n_seen + 1).item()
        has_room = len(self.opened_at) < self.max_clusters
        if uniform * self.schedule.facility_cost < d2 and has_room:
            return None
        other = shallow_copy(self)
        other.totals = self.totals.with_row(X, label, d2, self.centers)
        other.n_seen += 1
        return other, np.array([label], dtype=np.int32), np.array([d2])

    def _read(self, X, threads, report):
        """Read the rows of `X`, block by block, and return their labels and d2."""
        labels, d2 = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        blocks, stop = Blocks(self, threads), 0
        while stop < X.shape[0]:
            n_rows = min(self._block_rows, rows_left(self.n_seen))
            part = rows_between(X, stop, stop + n_rows)
            rows, n_before = slice(stop, stop + part.shape[0]), len(self.centers)
            end = self.n_seen + part.shape[0]
            draw = partial(self.numbers.between, self.n_seen, end)
            block = self.centers.as_rows(part)
            blocks.read(block, draw, labels[rows], d2[rows], X.dtype)
            self._choose_block_rows(part, len(self.centers) - n_before)
            stop = rows.stop
            if report is not None:
                blocks.finish()
                report(self, labels[:stop], d2[:stop])
        blocks.finish()
        return labels, d2

    def _choose_block_rows(self, X, n_opened):
        """Make blocks larger while few centers open in them, and smaller when many do.

        Every row of a block must be compared with the centers that open in it, too.
        """
        wanted = TUNING.openings_in_block * len(self.centers)
        growth = min(max((wanted + 1) / (n_opened + 1), 0.25), 4)
        rows = int(growth * X.shape[0])
        if growth >= 1:
            rows = max(rows, self._block_rows)
        most = largest_block(X, self.centers)
        self._block_rows = max(TUNING.first_block_rows, min(rows, most))
