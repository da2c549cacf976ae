"""Counts, sums and costs of the members of clusters, as functions of position.

Rows are added up in blocks of positions, each from zero and in stream order, and complete
blocks are added to a total in order. So the result depends on nothing but the rows and
their positions, and blocks can be added up anywhere at the same time.

Counts, sums and costs are weighted: a row counts as much as its weight, 1 if there is none.
Sums are those of the differences of members and center: far from the origin they are
rounded less than the members themselves. Threads share the clusters.
"""

import itertools
from functools import partial

import numpy as np
from scipy.sparse import csr_array, issparse

from .._nearest.backend import active
from .._utils.calls import shallow_copy
from .._utils.rows import (
    index_dtype,
    indices_by_group,
    padded,
    rows_at,
    rows_between,
    scaled_rows,
)

POSITIONS_PER_BLOCK = 2**16  # a part of the algorithm: another number gives other bits
_LEAST_WEIGHT = 2.0**-1000


class Totals:
    """Counts, sums and costs of a stream. Immutable: adding rows returns another instance.

    Attributes
    ----------
    n_rows : int
        The number of rows that were added up.
    closed, open : ndarray or CSR, DenseSums or SparseSums
        The sums of complete blocks, and of the last block, complete or not. Both may lack
        the newest clusters.
    closed_counts, open_counts : ndarray of float64
        Likewise the weight of the members of every cluster.
    closed_cost, open_cost : float
        Likewise the sums of squared distances, weighted.
    past_cost : float
        The cost of those complete blocks that are of the current epoch.
    saved : float
        How much less rows cost by now, since centers have moved.
    """

    def __init__(self, closed, open_rows, n_rows):
        kind = SparseSums if issparse(open_rows) else DenseSums
        self.closed, self.open = closed, kind(open_rows)
        self.closed_counts = self.open_counts = np.empty(0)
        self.closed_cost = self.open_cost = self.past_cost = self.saved = 0.0
        self.n_rows = n_rows

    @property
    def cost(self):
        """The sum of squared distances at the moment of assignment, the paper's W."""
        return self.closed_cost + self.open_cost

    @property
    def epoch_cost(self):
        """The part of the cost that the rows of the current epoch have."""
        return self.past_cost + self.open_cost

    @property
    def counts(self):
        """The weight of the members of every cluster."""
        closed, last = self.closed_counts, self.open_counts
        counts = np.zeros(max(len(closed), len(last)))
        counts[: len(closed)] = closed
        counts[: len(last)] += last
        return counts

    @property
    def sums(self):
        """The sum of differences of each cluster, as an array or CSR."""
        n_clusters = max(len(self.closed_counts), len(self.open_counts))
        closed, rows = self.closed, self.open.rows(n_clusters)
        if issparse(closed):
            return padded(closed, n_clusters) + rows if closed.shape[0] else rows
        rows[: len(closed)] += closed
        return rows

    def mean_differences(self):
        """Return the mean difference of the members of each cluster and its center."""
        return scaled_rows(self.sums, 1 / self.counts)

    def with_block(self, X, labels, d2, weights, centers, n_shares=1):
        """Return the totals with rows of one block added to the clusters of their labels.

        They are complete when the steps that are returned, too, are done, in any order.
        """
        other = self._before_next_row()
        other.n_rows += len(labels)
        before, first, n_clusters = other.open_counts, other.open_cost, len(centers)
        members = X, labels, n_clusters, centers.search, n_shares, weights
        other.open, steps = other.open.with_members(*members)

        def count():
            if weights is None:
                counts = np.bincount(labels, minlength=n_clusters).astype(np.float64)
                counts[: len(before)] += before
            else:
                every = np.concatenate([np.arange(len(before)), labels])
                each = np.concatenate([before, weights])
                counts = np.bincount(every, each, minlength=n_clusters)
            other.open_counts = counts
            # added up in order, so that it is the same for every cut
            other.open_cost = active.kernels.sequential_sum(first, d2, weights)

        return other, [count, *steps]

    def last_block(self):
        """Return the totals of the last block alone: of no rows yet if it is complete."""
        nothing = no_totals(self.closed, self.n_rows)
        return nothing if starts_block(self.n_rows) else nothing.followed_by(self)

    def followed_by(self, block):
        """Return the totals with those of a block, which goes on with the last one."""
        other = self._before_next_row()
        other.n_rows, other.open_counts = block.n_rows, block.open_counts
        other.open, other.open_cost = block.open, block.open_cost
        return other

    def halved(self):
        """Return the totals when all rows so far count half, at the end of an epoch."""
        other = self._with_block_closed()
        other.closed_counts = halved(other.closed_counts)
        other.closed = other.closed * 0.5
        other.closed_cost, other.past_cost = other.closed_cost / 2, 0.0
        other.saved /= 2
        return other

    def moved(self, moves):
        """Return the totals relative to centers that have moved by so much."""
        other = self._with_block_closed()
        change = other.closed_counts[:, None] * moves
        with np.errstate(over="ignore", invalid="ignore"):
            other.saved += float((moves * (2 * other.closed - change)).sum())
        other.closed = other.closed - change
        return other

    def of_clusters(self, indices):
        """Return the totals of some clusters, but the cost of all, after a block."""
        other = shallow_copy(self)
        other.closed = rows_at(self.closed, indices)
        other.closed_counts = self.closed_counts[indices]
        return other

    def _before_next_row(self):
        """Return a copy, in which the last block is closed if the next one begins."""
        is_start = self.n_rows and starts_block(self.n_rows)
        return self._with_block_closed() if is_start else shallow_copy(self)

    def _with_block_closed(self):
        """Return a copy in which the last block is added to the total."""
        other = no_totals(self.closed, self.n_rows)
        other.closed, other.closed_counts = self.sums, self.counts
        other.closed_cost, other.past_cost = self.cost, self.epoch_cost
        other.saved = self.saved
        return other


def totals_by_block(block, X, labels, d2, centers):
    """Return the totals of each block that rows lie in; the first, `block`, has begun."""
    blocks, start = [], 0
    while start < len(labels):
        span = slice(start, start + rows_left(block.n_rows))
        rows = rows_between(X, span.start, span.stop)
        block, steps = block.with_block(rows, labels[span], d2[span], None, centers)
        for step in steps:
            step()
        blocks.append(block)
        block, start = block.last_block(), span.stop
    return blocks


def halved(weights):
    """Return half of the weights, but never 0, however often: all clusters keep some."""
    return np.maximum(weights / 2, _LEAST_WEIGHT)


def starts_block(position):
    """Return whether a block starts with the row of a position."""
    return position % POSITIONS_PER_BLOCK == 0


def rows_left(position):
    """Return how many rows from a position on are in the same block."""
    return POSITIONS_PER_BLOCK - position % POSITIONS_PER_BLOCK


def no_totals(rows, position=0):
    """Return the totals of no rows before a position, for clusters stored like `rows`."""
    nothing = rows_between(rows, 0, 0).astype(np.float64)
    return Totals(nothing, nothing, position)


class DenseSums:
    """Sums of rows in an array, immutable: adding members returns another instance."""

    def __init__(self, rows):
        self._rows = rows

    def rows(self, n_clusters):
        """Return a new array of a row per cluster, 0 for those that have no sum yet."""
        missing = np.zeros((n_clusters - len(self._rows), self._rows.shape[1]))
        return np.concatenate([self._rows, missing])

    def with_members(self, X, labels, n_clusters, search, n_shares, weights):
        """Return the sums with rows added, and the steps to do, one per share."""
        sums, shares = self.rows(n_clusters), [(0, n_clusters)]
        if n_shares > 1:
            shares = split_by_cluster(labels, n_clusters, n_shares)
        add = partial(search.add, X, labels)
        return DenseSums(sums), [partial(add, *share, sums, weights) for share in shares]


class SparseSums:
    """Sums of rows in CSR, each with the columns in which a member and its center differ.

    It is immutable: adding members returns another instance, which shares the data of all
    other clusters.
    """

    def __init__(self, rows):
        self._n_features = rows.shape[1]
        columns = rows.indices.astype(index_dtype(rows.shape[1]))
        self._clusters = [
            (columns[start:stop], rows.data[start:stop])
            for start, stop in itertools.pairwise(rows.indptr)
        ]

    def __reduce__(self):
        return SparseSums, (self.rows(len(self._clusters)),)

    def rows(self, n_clusters):
        """Return CSR of a row per cluster, empty for those that have no sum yet."""
        columns, values = zip(self._nothing(), *self._clusters)
        ends = np.cumsum([len(part) for part in values])
        dtype = index_dtype(max(ends[-1], self._n_features))
        columns, values = np.concatenate(columns, dtype=dtype), np.concatenate(values)
        shape = len(self._clusters), self._n_features
        rows = csr_array((values, columns, ends.astype(dtype)), shape=shape)
        rows.eliminate_zeros()  # where all members equal the center
        rows.sort_indices()
        return padded(rows, n_clusters)

    def with_members(self, X, labels, n_clusters, search, n_shares, weights):
        """Return the sums with rows added, and the steps to do, one per share."""
        other, n_new = shallow_copy(self), n_clusters - len(self._clusters)
        other._clusters = self._clusters + [self._nothing()] * n_new
        members, add = [*indices_by_group(labels).items()], search.add
        shares = [members[i::n_shares] for i in range(n_shares)]
        return other, [partial(add, X, share, other._clusters, weights) for share in shares]

    def _nothing(self):
        return np.empty(0, dtype=index_dtype(self._n_features)), np.empty(0)


def split_by_cluster(labels, n_clusters, n_shares):
    """Return the range of clusters of each share, with about equally many members."""
    rows_up_to = np.cumsum(np.bincount(labels, minlength=n_clusters))
    cuts = np.searchsorted(rows_up_to, np.linspace(0, len(labels), n_shares + 1)[1:-1]) + 1
    bounds = np.unique([0, *np.minimum(cuts, n_clusters), n_clusters])
    return list(itertools.pairwise(bounds.tolist()))
