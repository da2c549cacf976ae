"""The state of a stream: C, counts, sums, W, n and random numbers; and its next rows."""

import copy
from functools import partial

import numpy as np

from .._nearest import centers_from, largest_block
from .._utils.rollback import restore_rng_on_error, shallow_copy
from .._utils.rows import rows_between
from .._utils.threads import own_threads
from .._utils.tuning import TUNING
from .block import Blocks
from .cluster_sums import sums_from


class Stream:
    """Everything that is kept of a stream: centers, statistics, schedule, random numbers.

    Only the random numbers change in place; all else is replaced, so that a shallow copy
    can read on without changing the original.

    Attributes
    ----------
    centers : Centers
        The paper's C.
    sums : DenseSums or SparseSums
        Per cluster, the sum of the differences between its members and its center.
    counts, opened_at : ndarray of int64
        Per cluster, the number of members and the position of the sample that opened it.
    inertia : float
        The paper's W: the sum of the squared distances at the moment of assignment.
    n_seen : int
        The paper's n.
    schedule : Schedule
        The facility cost, and the phases that raise it.
    max_clusters : int or inf
        The number of centers at which no more open.
    """

    def __init__(self, schedule, random_state, max_clusters=np.inf):
        self.schedule = schedule
        self.max_clusters = max_clusters
        self.random_state = random_state
        self.centers = self.sums = None  # until a row says how to store them
        self.counts = np.empty(0, dtype=np.int64)
        self.opened_at = np.empty(0, dtype=np.int64)
        self.inertia = 0.0
        self.n_seen = 0
        self._block_rows = TUNING.first_block_rows

    def __deepcopy__(self, memo):
        other = shallow_copy(self)
        other.random_state = copy.deepcopy(self.random_state)
        return other

    @property
    def means(self):
        """The mean of every cluster's members."""
        return self.centers.rows + self.sums.divided_by(self.counts)

    def merge_points(self):
        """Return the means of clusters minus the center of the one with most members.

        Their rounding error depends on the spread of the data, not on how far from the
        origin they are: translated data give the same, if differences of samples are exact.
        """
        centers = self.centers.exact
        fullest = np.full(len(self.centers), np.argmax(self.counts))
        return (centers - centers[fullest]) + self.sums.divided_by(self.counts)

    def extended(self, X, n_jobs=None, report=None):
        """Return the stream that has also read the rows of `X`, their labels and their d2.

        That is the squared distance of each row to the center of its label. `report` is
        called after every block, with the stream, and labels and d2 of the rows so far.

        This stream stays as it is, but for the random numbers that both share; these are
        restored, too, if anything fails.
        """
        with restore_rng_on_error(self.random_state):
            if X.shape[0] == 1 and len(self.counts):
                return self._read_single_row(self.centers.as_rows(X), X.dtype)
            other = shallow_copy(self)
            if not self.n_seen:
                other.centers = centers_from(rows_between(X, 0, 0))
                other.sums = sums_from(other.centers.exact)
            n_centers = max(len(other.centers), self.schedule.prefix_length)
            work = X.shape[0] * other.centers.width(X) * n_centers
            with own_threads(n_jobs, work) as threads:
                return other, *other._read(X, threads, report)

    def _read_single_row(self, X, dtype):
        """Return what `extended` does for a single row, faster if it joins a cluster."""
        other = shallow_copy(self)
        label, d2 = self.centers.search.nearest_of_row(X)
        uniform = self.random_state.random_sample()
        is_candidate = uniform * self.schedule.facility_cost < d2
        if is_candidate and len(self.counts) < self.max_clusters:
            labels, distances, blocks = np.empty(1, np.int32), np.empty(1), Blocks(other)
            blocks.read(X, lambda: np.array([uniform]), labels, distances, dtype)
            blocks.finish()
            return other, labels, distances
        labels = np.array([label], dtype=np.int32)
        other.sums, (add,) = self.sums.with_members(X, labels, self.centers)
        add()
        other.counts = self.counts.copy()
        other.counts[label] += 1
        other.inertia = self.inertia + d2
        other.n_seen = self.n_seen + 1
        return other, labels, np.array([d2])

    def _read(self, X, threads, report):
        """Read the rows of `X`, block by block, and return their labels and d2."""
        labels, d2 = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
        blocks, stop = Blocks(self, threads), 0
        while stop < X.shape[0]:
            part = rows_between(X, stop, stop + self._block_rows)
            rows, n_before = slice(stop, stop + part.shape[0]), len(self.centers)
            draw = partial(self.random_state.random_sample, part.shape[0])
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
