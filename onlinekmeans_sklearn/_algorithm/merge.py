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

from .._nearest import centers_from, nearest_shared
from .._utils.rows import rows_at, scaled_rows
from .._utils.threads import own_threads
from .clustering import disjoint
from .forgetting import every_cluster
from .local_search import LocalSearch

_MOST_COLUMNS = 1024  # of sparse means; wider ones are sketched
_ROUGH_COLUMNS = 128  # of a sketch for most of the search, if there are twice as many
_COPIES = 4  # of each feature, in a sketch
_LITTLE, _DEARER = 0.05, 1.005  # of new samples, and of unit cost: limits of a cheap look


class Look(NamedTuple):
    """What the next look at a stream needs to know about the last one, to continue it.

    Attributes
    ----------
    online_ids : ndarray of int32
        The ids of the online clusters that were merged.
    since : ndarray of int64
        For each merged cluster, how many samples came before its id got its meaning.
    n_seen, full_at : int
        How many samples came before this look, and before the last one that merged all.
    unit_cost : float
        What a sample cost on average, when all were merged.
    """

    online_ids: np.ndarray
    since: np.ndarray
    n_seen: int
    full_at: int
    unit_cost: float


class FinalClusters(NamedTuple):
    """The final clusters that samples can belong to.

    Attributes
    ----------
    centers : Centers
    of_online : ndarray of int32
        The index of the center of each live online cluster.
    ids : ndarray of int32 or None
        The id of each center; None if it is the index.
    look : Look or None
        What the next look needs to know; None if they are not merged.
    """

    centers: object
    of_online: np.ndarray
    ids: np.ndarray = None
    look: Look = None

    def nearest(self, X, n_jobs=None, labels_only=False):
        """Return the id of the nearest center of every row and the squared distance."""
        labels, d2 = nearest_shared(self.centers, X, n_jobs, labels_only)
        return labels if self.ids is None else self.ids[labels], d2


def final_clusters(stream, n_clusters, kind, n_jobs=None, last=None):
    """Return the final clusters of a stream; without a merge `kind` says which.

    Merged clusters continue those of the last look, if there was any.
    """
    online = stream.centers
    if n_clusters is None:
        is_mean = kind == "means"
        centers = centers_from(stream.means.astype(online.dtype)) if is_mean else online
        every = np.arange(len(online), dtype=np.int32)
        return FinalClusters(centers, every, stream.ids if stream.retired else None)
    n_seen, ids = stream.n_seen, stream.ids
    look = Look(ids, stream.opened_at, n_seen, n_seen, 0.0)
    if len(online) <= n_clusters:
        return _merged(stream, np.arange(len(online)), look)
    look, before = look._replace(since=np.full(n_clusters, n_seen)), None
    if last is not None:
        before, past = _continued(last, stream), last.look
        is_little = n_seen - past.full_at <= _LITTLE * min(n_seen, stream.half_life)
        if is_little and len(np.unique(before)) == n_clusters:  # none of which has retired
            cheap = _merged(stream, before, past._replace(online_ids=ids, n_seen=n_seen))
            if cost(stream, cheap) <= _DEARER * past.unit_cost * stream.counts.sum():
                return cheap
    points, random_state = stream.merge_points(), stream.numbers.for_merge(n_seen)
    merged = merge(points, stream.counts, n_clusters, random_state, n_jobs, before)
    if last is None:
        return _merged(stream, merged, look)
    counts = stream.counts * np.isin(ids, past.online_ids)  # new ones had no id before
    merged = _renumbered(before, merged, counts, n_clusters)
    same = np.flatnonzero(_mean_the_same(before, merged, counts, n_clusters))
    same = same[same < len(past.since)]
    look.since[same] = past.since[same]
    return _merged(stream, merged, look)


def _merged(stream, merged, look):
    """Return clusters merged as given; all was merged now if the look says so."""
    means = _merged_means(stream.means, stream.counts, merged)
    centers = centers_from(means.astype(stream.centers.dtype))
    final = FinalClusters(centers, merged.astype(np.int32), None, look)
    if look.full_at < stream.n_seen:
        return final
    unit_cost = cost(stream, final) / float(stream.counts.sum())
    return final._replace(look=look._replace(unit_cost=unit_cost))


def _continued(last, stream):
    """Return the merged cluster of each live online cluster by the last look.

    New ones join the nearest.
    """
    is_new = ~np.isin(stream.ids, last.look.online_ids)
    merged = np.empty(len(stream.ids), dtype=np.intp)
    index = np.searchsorted(last.look.online_ids, stream.ids[~is_new])
    merged[~is_new] = last.of_online[index]
    new = rows_at(stream.centers.rows, np.flatnonzero(is_new))
    merged[is_new] = last.nearest(new, 1, labels_only=True)[0]
    return merged


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
    shared = np.bincount(after, counts * (before == after), n_clusters)
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

    It is infinite if that is larger than any float.
    """
    total = stream.totals.cost - stream.totals.saved
    if final.centers is not stream.centers:
        total += _cost_of_moves(stream, final)
    return max(0.0, float(total)) if math.isfinite(total) else math.inf


def _cost_of_moves(stream, final):
    """Return how much more samples cost by their final center than by their online one.

    For n members of an online cluster at c, whose differences to c have the sum s, and a
    final center at c + e, it is n |e|^2 - 2 e.s. Here e is g - h: from the heaviest part of
    the final cluster, which is near, g leads to its center and h to c. So nearly all is
    done with few rows, and rounding errors depend on the spread of the data alone.
    """
    online, sums = stream.centers.exact, stream.totals.sums
    counts, labels = stream.counts, final.of_online
    lightest_first, every = np.argsort(counts, kind="stable"), np.arange(len(labels))
    heaviest = np.zeros(len(final.centers), dtype=np.intp)
    heaviest[labels[lightest_first]] = lightest_first
    shape = len(heaviest), len(labels)
    added_up = csr_array((np.ones(len(labels)), (labels, every)), shape=shape)
    origins = rows_at(online, heaviest)
    with np.errstate(over="ignore", invalid="ignore"):
        g, h = final.centers.exact - origins, online - rows_at(origins, labels)
        part = scaled_rows(h, counts) + sums
        of_final = scaled_rows(g, added_up @ counts) - 2 * (added_up @ part)
        return (g * of_final).sum() + (h * (part + sums)).sum()


def k_for_merge(n_clusters):
    """Return how many online clusters to aim at for a good merge.

    Many clusters need fewer each: about 25 for each of 10, 20 of 200, 17 of 1,000 and 14
    of 10,000. That keeps the cost within about 3 % of that of KMeans, as measured up to
    1,000 clusters on nine real datasets.
    """
    return round(30 * n_clusters**0.92)


def merge(points, counts, n_clusters, random_state, n_jobs=None, before=None):
    """Return the merged cluster of each cluster, by k-means weighted by counts.

    They are numbered by their oldest part. `points` are the means of the clusters, relative
    to one near them, so that k-means has less rounding error. What was merged `before`
    stays, or is continued, unless a merge afresh costs less by far.
    """
    if n_clusters == 1:
        return np.zeros(len(counts), dtype=np.intp)
    X = rough = _coordinates(points, _MOST_COLUMNS, random_state)
    if X.shape[1] >= 2 * _ROUGH_COLUMNS:
        rough = _sketch(X, _ROUGH_COLUMNS, random_state)
    with own_threads(n_jobs, X.size * n_clusters) as threads:
        search = LocalSearch(rough, counts, random_state, threads)
        if rough is X or before is not None:
            labels = search.clustered(n_clusters, before)
        else:
            labels = search.swapped(n_clusters)
        if rough is not X and not np.array_equal(labels, before):
            search = LocalSearch(X, counts, random_state, threads)
            labels = search.refined(n_clusters, labels)
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


def _coordinates(means, most, random_state):
    """Return means as an array: a sketch if they are CSR with more than `most` columns."""
    if not issparse(means):
        return means
    return means.toarray() if means.shape[1] <= most else _sketch(means, most, random_state)


def _sketch(X, n_columns, random_state):
    """Return rows of fewer columns that have roughly the same distances, up to a factor.

    Each feature is added to some random columns, or subtracted from them [1]_.
    """
    n_features = X.shape[1]
    columns = random_state.randint(n_columns, size=_COPIES * n_features)
    signs = random_state.choice([-1.0, 1.0], size=_COPIES * n_features)
    starts, shape = _COPIES * np.arange(n_features + 1), (n_features, n_columns)
    sketch = X @ csr_array((signs, columns, starts), shape=shape)
    return sketch.toarray() if issparse(sketch) else np.ascontiguousarray(sketch)
