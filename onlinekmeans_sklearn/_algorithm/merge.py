"""The last step: the final clusters, and what they cost.

They are the online clusters, with the samples that opened them or their means as centers,
or `n_clusters` that are merged from them. For the merge each online cluster is a point, its
mean, weighted by the number of its members. `local_search` does the weighted k-means of
these few points.

.. [1] K. Clarkson, D. Woodruff. Low Rank Approximation and Regression in Input Sparsity
   Time. STOC 2013.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from .._nearest import centers_from, largest_block, nearest_shared
from .._utils.rows import rows_at, rows_between
from .._utils.threads import own_threads
from .forgetting import every_cluster
from .local_search import LocalSearch, disjoint

_MOST_COLUMNS = 1024  # of sparse means; wider ones are sketched
_LITTLE = 0.05  # of the samples that count, since all was merged
_GROWTH = 1.5  # of the stream, since a merge started afresh


class FinalClusters(NamedTuple):
    """The final clusters that samples can belong to.

    Attributes
    ----------
    centers : Centers
    of_online : ndarray of int32
        The index of the center of each live online cluster.
    ids : ndarray of int32 or None
        The id of each center; None if it is the index.
    online_ids : ndarray of int32
        The ids of these online clusters.
    since : ndarray of int64
        For each merged cluster, after how many samples its id got the meaning it has.
    fresh_at, full_at, looked_at : int
        How many samples there were when a merge last started afresh, when all was merged,
        and when this was made.
    """

    centers: object
    of_online: np.ndarray
    ids: np.ndarray = None
    online_ids: np.ndarray = None
    since: np.ndarray = None
    fresh_at: int = 0
    full_at: int = 0
    looked_at: int = 0

    def nearest(self, X, n_jobs=None, labels_only=False):
        """Return the id of the nearest center of every row and the squared distance."""
        labels, d2 = nearest_shared(self.centers, X, n_jobs, labels_only)
        return labels if self.ids is None else self.ids[labels], d2


def final_clusters(stream, n_clusters, kind, n_jobs=None, look=None):
    """Return the final clusters of a stream; without a merge `kind` says which.

    With one they continue those of the last look, if there was any.
    """
    online = stream.centers
    if n_clusters is None:
        is_mean = kind == "means"
        centers = centers_from(stream.means.astype(online.dtype)) if is_mean else online
        every = np.arange(len(online), dtype=np.int32)
        return FinalClusters(centers, every, stream.ids if stream.retired else None)
    counts, means, n_seen = stream.counts, stream.means, stream.n_seen
    since, fresh_at, full_at = stream.opened_at, n_seen, n_seen
    if len(online) <= n_clusters:
        merged = np.arange(len(online))
    else:
        before = None if look is None else _continued(look, stream)
        if before is not None and _is_enough(look, stream, before, n_clusters):
            merged, since = before, look.since
            fresh_at, full_at = look.fresh_at, look.full_at
        else:
            random_state = stream.numbers.for_merge(n_seen)
            points = stream.merge_points()
            is_fresh = before is None or n_seen > _GROWTH * look.fresh_at
            fresh_at = n_seen if is_fresh else look.fresh_at
            args = counts, n_clusters, random_state, n_jobs, before, is_fresh
            merged = merge(points, *args)
            since = np.full(n_clusters, n_seen)
            if before is not None:
                merged = _renumbered(before, merged, counts, n_clusters)
                same = np.flatnonzero(_mean_the_same(before, merged, counts, n_clusters))
                same = same[same < len(look.since)]
                since[same] = look.since[same]
        means = _merged_means(means, counts, merged)
    centers, merged = centers_from(means.astype(online.dtype)), merged.astype(np.int32)
    looks = fresh_at, full_at, n_seen
    return FinalClusters(centers, merged, None, stream.ids, since, *looks)


def _continued(look, stream):
    """Return the merged cluster of each live online cluster by the last look.

    New ones join the nearest.
    """
    index = np.searchsorted(look.online_ids, stream.ids)
    is_new = ~np.isin(stream.ids, look.online_ids)
    index[is_new] = 0
    merged = look.of_online[index].astype(np.intp)
    new = rows_at(stream.centers.rows, np.flatnonzero(is_new))
    merged[is_new] = look.nearest(new, 1, labels_only=True)[0]
    return merged


def _is_enough(look, stream, merged, n_clusters):
    """Return whether so little is new since all was merged that nothing need move."""
    n_new, n_counting = stream.n_seen - look.full_at, min(stream.n_seen, stream.half_life)
    is_little = n_new <= _LITTLE * n_counting
    return is_little and len(np.unique(merged)) == n_clusters == len(look.since)


def _renumbered(before, after, counts, n_clusters):
    """Return the numbers of merged clusters such that most of the weight keeps its own."""
    pairs, index = np.unique(before * n_clusters + after, return_inverse=True)
    order = np.argsort(-np.bincount(index, counts), kind="stable")
    old, new = np.divmod(pairs[order], n_clusters)
    taken = disjoint(old, n_clusters + new)
    number = np.full(n_clusters, -1)
    number[new[taken]] = old[taken]
    number[number < 0] = np.setdiff1d(np.arange(n_clusters), old[taken])
    return number[after]


def _mean_the_same(before, after, counts, n_clusters):
    """Return which merged clusters have most of their weight in common with before."""
    stays = before == after
    shared = np.bincount(after[stays], counts[stays], n_clusters)
    weights = (np.bincount(labels, counts, n_clusters) for labels in (before, after))
    return shared > 0.5 * np.minimum(*weights)


def online_to_final(stream, final, n_jobs=None):
    """Return the id of the final cluster of each online cluster.

    That of a retired one is the final cluster nearest to it.
    """
    if final.ids is not None:
        return np.arange(stream.n_online, dtype=np.int32)
    if not stream.retired:
        return final.of_online.copy()
    ids = final.nearest(every_cluster(stream).rows, n_jobs, labels_only=True)[0]
    ids[stream.ids] = final.of_online
    return ids


def for_more_clusters(stream):
    """Return advice on how to make a stream open more clusters."""
    if len(stream.centers) == stream.max_clusters:
        return "increase max_clusters"
    if stream.schedule.is_prefix:
        return "read more distinct samples"
    return "increase k or read more distinct samples"


def cost(stream, final):
    """Return the sum of squared distances of all samples to their final center.

    For n members of an online cluster at c, whose differences to c have the sum s, and a
    final center at c + e, it is that to c, plus n |e|^2 - 2 e.s. It is infinite if that is
    larger than any float.
    """
    if final.centers is stream.centers:
        return stream.totals.cost
    online, sums, total = stream.centers.exact, stream.totals.sums, stream.totals.cost
    step = largest_block(online, stream.centers)
    for start in range(0, online.shape[0], step):
        rows = slice(start, start + step)
        moves = rows_at(final.centers.exact, final.of_online[rows])
        moves = moves - rows_between(online, rows.start, rows.stop)
        counts, some = stream.counts[rows, None], rows_between(sums, rows.start, rows.stop)
        with np.errstate(over="ignore", invalid="ignore"):
            if issparse(moves):
                total += moves.multiply(moves).multiply(counts).sum()
                total -= 2 * moves.multiply(some).sum()
            else:
                total += (moves * (counts * moves - 2 * some)).sum()
    return max(0.0, float(total)) if math.isfinite(total) else math.inf


def k_for_merge(n_clusters):
    """Return how many online clusters to aim at for a good merge.

    Many clusters need fewer each: about 54 for each of 10, 32 of 200, 25 of 1,000 and 17
    of 10,000. That keeps the cost within about 3 % of that of KMeans, as measured up to
    1,000 clusters on nine real datasets.
    """
    return round(80 * n_clusters**0.83)


def merge(
    points, counts, n_clusters, random_state, n_jobs=None, before=None, is_fresh=True
):
    """Merge clusters by k-means of their means, weighted by their counts.

    `points` are the means, relative to one near them, so that k-means has less rounding
    error. Return the merged cluster of each. They are numbered by their oldest part or, if
    there was a merge before, as they were.
    """
    X = _coordinates(points, random_state)
    with own_threads(n_jobs, X.size * n_clusters) as threads:
        search = LocalSearch(X, counts, random_state, threads)
        labels = search.clustered(n_clusters, before, is_fresh)
    if before is not None:
        return labels
    _, oldest, merged = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(oldest))[merged]


def _merged_means(means, counts, merged):
    """Return the means of merged clusters.

    Differences to the oldest part are added up: far from the origin they are rounded less
    than means, and features that are 0 in all parts stay 0.
    """
    weights = counts / np.bincount(merged, weights=counts)[merged]
    columns = np.arange(len(counts), dtype=np.int32)
    mixing = csr_array((weights, (merged.astype(np.int32), columns)))
    oldest = np.unique(merged, return_index=True)[1]
    return means[oldest] + mixing @ (means - means[oldest[merged]])


def _coordinates(means, random_state):
    """Return the means as an array, or a sketch of wide CSR that roughly keeps distances.

    Each feature is added to one of a few columns, or subtracted from it [1]_.
    """
    if not issparse(means):
        return means
    n_features = means.shape[1]
    if n_features <= _MOST_COLUMNS:
        return means.toarray()
    column = random_state.randint(_MOST_COLUMNS, size=n_features)
    sign = random_state.choice([-1.0, 1.0], size=n_features)
    shape = (n_features, _MOST_COLUMNS)
    sketch = csr_array((sign, column, np.arange(n_features + 1)), shape=shape)
    return (means @ sketch).toarray()
