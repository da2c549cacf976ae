"""Sums of the members of clusters, with additions in the order of the stream.

The differences of members and center are added up: far from the origin they are rounded
less than the members themselves. Each cluster's sum is added up in stream order, one member
after the other, so that it does not depend on the chunking; threads share the clusters.
"""

import itertools
from functools import partial

import numpy as np
from scipy.sparse import csr_array, issparse

from .._utils.rollback import shallow_copy
from .._utils.rows import canonical, index_dtype, places_by_group
from .._utils.tuning import TUNING


class DenseSums:
    """Sums of rows in an array, immutable: adding members returns another instance.

    Attributes
    ----------
    rows : ndarray of float64
        A row per cluster.
    """

    def __init__(self, rows):
        self.rows = rows

    def with_members(self, X, labels, centers, n_shares=1):
        """Return the sums with the rows of `X` added to the clusters of their labels.

        They are complete when all steps are done that are returned, too, one per share.
        """
        sums = np.zeros(centers.rows.shape)
        sums[: len(self.rows)] = self.rows
        shares = [(0, len(sums))]
        if n_shares > 1:
            shares = split_by_cluster(labels, len(sums), n_shares)
        add = partial(centers.search.add, X, labels)
        return DenseSums(sums), [partial(add, *share, sums) for share in shares]

    def divided_by(self, counts):
        """Return the sums divided by the numbers of members."""
        return self.rows * (1 / counts)[:, None]


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

    @property
    def rows(self):
        """A row per cluster, as CSR."""
        ends = np.cumsum([0, *(len(columns) for columns, _ in self._clusters)])
        dtype = index_dtype(max(ends[-1], self._n_features))
        columns = [columns for columns, _ in self._clusters]
        values = [values for _, values in self._clusters]
        rows = csr_array(
            (
                np.concatenate([np.empty(0), *values]),
                np.concatenate([np.empty(0, dtype=dtype), *columns], dtype=dtype),
                ends.astype(dtype),
            ),
            shape=(len(self._clusters), self._n_features),
        )
        rows.eliminate_zeros()  # where all members equal the center
        rows.sort_indices()
        return rows

    def with_members(self, X, labels, centers, n_shares=1):
        """Return the sums with the rows of `X` added to the clusters of their labels.

        They are complete when all steps are done that are returned, too, one per share.
        """
        clusters = self._clusters.copy()
        if len(clusters) < len(centers):
            nothing = np.empty(0, dtype=index_dtype(self._n_features)), np.empty(0)
            clusters += [nothing] * (len(centers) - len(clusters))

        if len(labels) == 1:
            members = [(labels.item(), np.zeros(1, dtype=np.int64))]
        else:
            members = list(places_by_group(labels).items())
        other, add = shallow_copy(self), centers.search.add
        other._clusters = clusters
        shares = [members[i::n_shares] for i in range(n_shares)]
        return other, [partial(add, X, share, clusters) for share in shares]

    def divided_by(self, counts):
        """Return the sums divided by the numbers of members."""
        rows = self.rows
        return canonical(
            rows.data * np.repeat(1 / counts, np.diff(rows.indptr)),
            rows.indices,
            rows.indptr,
            rows.shape,
        )


def sums_from(rows):
    """Return the sums that have these rows."""
    return SparseSums(rows) if issparse(rows) else DenseSums(rows)


def split_by_cluster(labels, n_clusters, n_shares):
    """Return the range of clusters of each share, with about equally many members."""
    rows_up_to = np.cumsum(np.bincount(labels, minlength=n_clusters))
    cuts = np.searchsorted(rows_up_to, np.linspace(0, len(labels), n_shares + 1)[1:-1]) + 1
    bounds = np.unique([0, *np.minimum(cuts, n_clusters), n_clusters])
    return list(itertools.pairwise(bounds.tolist()))


def sequential_sum(first, numbers):
    """Return the sum, added up in order, so that it does not depend on the chunking."""
    total, step = first, TUNING.added_at_once
    with np.errstate(over="ignore"):
        for start in range(0, len(numbers), step):
            part = np.append(total, numbers[start : start + step])
            total = np.add.accumulate(part, out=part)[-1]
    return float(total)
