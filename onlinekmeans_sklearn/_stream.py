"""One pass over a stream, in blocks, with the decisions of the sequential algorithm.

While a block is read the distance of a sample to its nearest centre only shrinks and the
facility cost only grows. So a sample that would not open a centre against the centres and
the cost from before the block does not open one at all, and a block is done in three steps:

`propose`
    the nearest centre from before the block for every row; rows are independent.
`decide`
    walk the few candidates in stream order and open centres by the paper's rule.
`finish`
    labels of all rows, given the centres that opened; rows are independent again.

Where a block ends makes no difference to the result, only to the speed.
"""

import copy
from contextlib import contextmanager

import numpy as np
from scipy.sparse import issparse

from ._centers import centers_from, centers_like
from ._rows import rows_at, rows_between
from ._sums import total_one_by_one
from ._threads import ALONE, own_threads
from ._validation import unchanged_numbers

_FIRST_BLOCK = 512
_LARGEST_BLOCK = 2**16
_ROW_ELEMENTS = 2**17  # centres times features, to compare a lone row with directly
_CANDIDATES = 128  # that are compared with each other at once
_OPENINGS = 128  # to have in a block: its rows must be compared with these, too


def propose(X, centers, threads=ALONE):
    """Return the nearest centre of every row and an upper bound of its squared distance."""
    nearest, _, upper = centers.nearest(X, threads=threads)
    return nearest, upper


def decide(X, uniforms, nearest, upper, centers, schedule, n_seen, room=np.inf):
    """Open centres at the rows of a block, in order, and return which and how far it got.

    Parameters
    ----------
    X : the rows of the block
    uniforms : ndarray
        One number from [0, 1) per row.
    nearest, upper : ndarray
        What `propose` returned for these rows and centres.
    centers : Centers
        Grows by the rows that open.
    schedule : Schedule
        The facility cost; told of every opening.
    n_seen : int
        Samples of the stream before this block.
    room : int or inf
        How many centres may open at most.

    Returns
    -------
    opened : ndarray of intp
        The rows that opened a centre.
    n_decided : int
        The rows that are decided. The block ends there: the others come again.
    """
    n_old = len(centers)
    opened = []
    left = np.flatnonzero(uniforms * schedule.facility_cost < upper)
    while len(left) and len(opened) < room and not schedule.prefix_is_complete:
        candidates, left = left[:_CANDIDATES], left[_CANDIDATES:]
        d2 = _distances_to(centers, X, candidates, nearest[candidates])
        among = _walk(
            X[candidates],
            uniforms[candidates],
            d2,
            centers,
            n_old,
            schedule,
            n_seen + candidates,
            room - len(opened),
        )
        centers.append(X[candidates[among]])
        opened.extend(candidates[among])
        left = left[uniforms[left] * schedule.facility_cost < upper[left]]
    opened = np.array(opened, dtype=np.intp)
    if not schedule.prefix_is_complete:
        return opened, X.shape[0]
    n_decided = int(opened[-1]) + 1
    schedule.start(centers.closest_distances(), n_seen + n_decided)
    return opened, n_decided


def _walk(X, uniforms, d2, centers, n_old, schedule, positions, room):
    """Return which of some candidates open a centre, deciding one after the other.

    Parameters
    ----------
    X : the candidates
    uniforms : ndarray
        One number from [0, 1) per candidate.
    d2 : ndarray
        Their squared distances to the nearest of the `n_old` oldest centres.
    centers : Centers
        All centres that are open before the first of the candidates.
    schedule : Schedule
        The facility cost; told of every opening.
    positions : ndarray
        Of the candidates in the stream.
    room : int or inf
        How many of them may open a centre at most; more than 0.

    Returns
    -------
    opened : list of int
    """
    candidates = centers_from(X)
    among = candidates.bounds(X)
    lower, upper = d2.copy(), d2.copy()  # bounds of D2(v, C) as C grows
    new = np.arange(n_old, len(centers))
    if len(new):
        for bound, to_new in zip((lower, upper), centers.bounds(X, first=n_old)):
            np.minimum(bound, to_new.min(axis=0), out=bound)

    opened = []
    for i, uniform in enumerate(uniforms.tolist()):
        least = uniform * schedule.facility_cost  # D2 must be greater to open
        if not least < upper[i]:
            continue
        if not least < lower[i]:
            to_new = centers.squared_distances(X, np.full(len(new), i), new)
            to_opened = candidates.squared_distances(X, np.full(len(opened), i), opened)
            if not least < min([d2[i], *to_new, *to_opened]):
                continue
        opened.append(i)
        schedule.record_opening(int(positions[i]) + 1)
        if schedule.prefix_is_complete or len(opened) == room:
            break
        np.minimum(lower, among[0][i], out=lower)
        np.minimum(upper, among[1][i], out=upper)
    return opened


def finish(X, nearest, upper, centers, opened, sums=None, threads=ALONE):
    """Return labels and statistics of the rows of a block that are decided.

    Parameters
    ----------
    X : the rows
    nearest, upper : ndarray
        What `propose` returned for these rows.
    centers : Centers
        With the centres that opened in this block as the newest.
    opened : ndarray of intp
        The rows that opened them.
    sums : array, CSR or None
        Per cluster, the sum of the differences between earlier members and centre.

    Returns
    -------
    labels : ndarray of intp
        The nearest centre of every row at the moment it was read.
    d2 : ndarray of float64
        The squared distance to it.
    sums : array or CSR
        With the rows added, one after the other.
    """
    labels = _labels(X, nearest, upper, centers, opened, threads)
    d2, sums = centers.assign(X, labels, sums, threads)
    return labels, d2, sums


def _labels(X, nearest, upper, centers, opened, threads):
    """Return the nearest of the old centres and of those opened before each row."""
    labels = nearest.copy()
    if len(opened):
        rows = _within_reach(nearest, upper, centers, opened)
        newest, lower, _ = centers.nearest(
            rows_at(X, rows),
            first=len(centers) - len(opened),
            hidden=np.searchsorted(rows, opened),
            threads=threads,
        )
        rivals = np.flatnonzero(lower <= upper[rows])
        rows, newest = rows[rivals], newest[rivals]
        new_d2 = centers.squared_distances(X, rows, newest)
        wins = new_d2 < _distances_to(centers, X, rows, labels[rows])
        labels[rows[wins]] = newest[wins]
    return labels


def _within_reach(nearest, upper, centers, opened):
    """Return the rows from the first opening on that a new centre may be nearest to.

    By the triangle inequality it is not if the row is less than half as far from its old
    centre as the new one is from that old centre.

    So if it is, the squared gap between the centres is at most four times the squared
    distance of the row to the old one. Rounding changes that by about 3 (d + 2) 2^-53,
    far less than 1e-6, and by d 2^-1075 where squares underflow.
    """
    n_old = len(centers) - len(opened)
    if n_old == 0:
        return np.arange(opened[0], len(nearest))
    old = rows_between(centers.rows, 0, n_old)
    gap = centers.nearest(old, first=n_old)[1]
    reach = gap * (0.25 - 1e-6) - centers.n_features * 1e-320
    return opened[0] + np.flatnonzero(upper[opened[0] :] >= reach[nearest[opened[0] :]])


def _distances_to(centers, X, rows, ids):
    """Return the squared distances of rows to centres, infinite where the id is -1."""
    d2 = np.full(len(rows), np.inf)
    known = np.flatnonzero(ids >= 0)
    d2[known] = centers.squared_distances(X, rows[known], ids[known])
    return d2


def blocks(X, centers):
    """Yield slices of rows that are not too large to be stored as the centres are."""
    is_stored_so = issparse(X) == issparse(centers.rows)
    step = _LARGEST_BLOCK if is_stored_so else _largest_block(X, centers)
    for start in range(0, X.shape[0], step):
        yield slice(start, start + step)


def _largest_block(X, centers):
    return max(_FIRST_BLOCK, min(_LARGEST_BLOCK, centers.block_rows(X)))


class Stream:
    """Everything that is kept of a stream: centres, statistics, schedule, random numbers.

    Attributes
    ----------
    centers : Centers
    sums : array or CSR
        Per cluster, the sum of the differences between its members and its centre.
    counts, opened_at : ndarray of int64
        Per cluster, the number of members and the position of the sample that opened it.
    inertia : float
        Sum of the squared distances at the moment of assignment.
    n_seen : int
    max_clusters : int or inf
        No centre opens when there are so many.
    """

    def __init__(self, X, schedule, random_state, max_clusters=np.inf):
        self.schedule = schedule
        self.max_clusters = max_clusters
        self.random_state = random_state
        self.centers = centers_like(X)
        self.sums = self.centers.with_new_sums()
        self.counts = np.empty(0, dtype=np.int64)
        self.opened_at = np.empty(0, dtype=np.int64)
        self.inertia = 0.0
        self.n_seen = 0
        self._uniform = None  # drawn for the next sample, but not used yet
        self._block_rows = _FIRST_BLOCK

    def __copy__(self):  # what copy.copy does by itself is slow, for a lone row
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        return other

    def fork(self):
        """Return a copy that can go on by itself, but for the random numbers."""
        other = copy.copy(self)
        other.schedule = copy.copy(self.schedule)
        other.centers = self.centers.copy()
        return other

    @property
    def means(self):
        """The mean of every cluster's members."""
        return self.centers.means(self.sums, self.counts)

    def __deepcopy__(self, memo):  # all else is only ever replaced, or appended to
        other = self.fork()
        other.random_state = copy.deepcopy(self.random_state)
        return other

    def extended(self, X, n_jobs=None, report=None):
        """Return the stream that has also read the rows of `X`, and their labels.

        `report`, if given, is called after every block, with the stream and the labels so
        far.

        This stream stays as it is, but for the random numbers that both share; these,
        too, are as they were if anything fails. Only the number that a lone row has drawn
        is kept, for the row that comes instead.
        """
        elements = len(self.centers) * self.centers.n_features
        if X.shape[0] == 1 and 0 < elements <= _ROW_ELEMENTS:
            joined = self._joined_by(self.centers.as_rows(X))
            if joined is not None:
                return joined
        with self.unchanged_numbers(), own_threads(n_jobs, X.shape[0]) as threads:
            other = self.fork()
            return other, other._extend(X, threads, report)

    @contextmanager
    def unchanged_numbers(self):
        """Give back the random numbers to come, if what follows fails."""
        uniform = self._uniform
        try:
            with unchanged_numbers(self.random_state):
                yield
        except BaseException:
            self._uniform = uniform
            raise

    def _joined_by(self, X):
        """Return what `extended` does for one row that joins a cluster, else None.

        That is what most rows of a long stream do, and all that it takes is cheap.
        """
        d2, differences = self.centers.distances_from(X)
        label = d2.argmin()
        if self._uniform is None:
            self._uniform = self.random_state.random_sample()
        is_candidate = self._uniform * self.schedule.facility_cost < d2[label]
        if is_candidate and len(self.centers) < self.max_clusters:
            return None
        other = copy.copy(self)
        other._uniform = None
        labels = np.array([label], dtype=np.int32)
        d2, other.sums = self.centers.assign_one(X, label, differences, self.sums)
        other.counts = self.counts.copy()
        other.counts[label] += 1
        other.inertia = self.inertia + float(d2)
        other.n_seen = self.n_seen + 1
        return other, labels

    def _extend(self, X, threads, report):
        """Read the rows of `X` and return their labels."""
        labels = np.empty(X.shape[0], dtype=np.int32)
        uniforms = np.empty(0) if self._uniform is None else np.array([self._uniform])
        self._uniform = None
        start = 0
        while start < X.shape[0]:
            block = self.centers.as_rows(rows_between(X, start, start + self._block_rows))
            missing = max(0, block.shape[0] - len(uniforms))
            drawn = self.random_state.random_sample(missing)
            uniforms = np.concatenate([uniforms, drawn])
            block_labels = self._extend_by_block(block, uniforms[: block.shape[0]], threads)
            stop = start + len(block_labels)
            labels[start:stop] = block_labels
            uniforms = uniforms[stop - start :]
            start = stop
            if report is not None:
                report(self, labels[:stop])
        return labels

    def _extend_by_block(self, X, uniforms, threads):
        """Read a block, or the start of it, and return the labels of the rows read."""
        nearest, upper = propose(X, self.centers, threads)
        opened, n_read = decide(
            X,
            uniforms,
            nearest,
            upper,
            self.centers,
            self.schedule,
            self.n_seen,
            self.max_clusters - len(self.centers),
        )
        X, nearest, upper = rows_between(X, 0, n_read), nearest[:n_read], upper[:n_read]
        labels, d2, self.sums = finish(
            X, nearest, upper, self.centers, opened, self.sums, threads
        )
        counts = np.concatenate([self.counts, np.zeros(len(opened), dtype=np.int64)])
        self.counts = counts + np.bincount(labels, minlength=len(counts))
        self.opened_at = np.concatenate([self.opened_at, self.n_seen + opened])
        self.inertia = total_one_by_one(self.inertia, d2)
        self.n_seen += n_read
        self._choose_block_rows(X, len(opened))
        return labels

    def _choose_block_rows(self, X, n_opened):
        """Make blocks larger while few centres open in them, and smaller when many do."""
        growth = min(max(_OPENINGS / (n_opened + 1), 0.25), 4)
        rows = int(growth * X.shape[0])
        if growth >= 1:
            rows = max(rows, self._block_rows)
        self._block_rows = max(_FIRST_BLOCK, min(rows, _largest_block(X, self.centers)))
