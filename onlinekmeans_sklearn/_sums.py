"""Sums of the members of clusters, with additions in the order of the stream."""

import itertools

import numpy as np
from scipy.sparse import csc_array


def adder(ids, n_groups):
    """Return the matrix that adds rows to the sums of their groups, which stand above them.

    A product with it goes through its columns in order: sums so far, then one member after
    the other, the same additions in the same order for every chunking.
    """
    n_columns = n_groups + len(ids)
    group = np.concatenate([np.arange(n_groups), ids]).astype(np.int32)
    column_starts = np.arange(n_columns + 1, dtype=np.int32)
    arrays = (np.ones(n_columns), group, column_starts)
    return csc_array(arrays, shape=(n_groups, n_columns))


def shares(ids, n_groups, number):
    """Return groups and their rows, in order, for some threads to add up on their own.

    Parameters
    ----------
    ids : ndarray of int
        The group of each row.
    n_groups : int
    number : int
        Of shares, at most. Each has about as many rows.

    Returns
    -------
    shares : list of (slice, ndarray of intp or None)
        The groups, one after the other, and their rows; None stands for all.
    """
    if number == 1:
        return [(slice(0, n_groups), None)]
    rows_up_to = np.cumsum(np.bincount(ids, minlength=n_groups))
    cuts = np.searchsorted(rows_up_to, np.linspace(0, len(ids), number + 1)[1:-1]) + 1
    bounds = np.unique([0, *np.minimum(cuts, n_groups), n_groups])
    return [
        (slice(a, b), np.flatnonzero((ids >= a) & (ids < b)))
        for a, b in itertools.pairwise(bounds.tolist())
    ]


def total(numbers):
    """Return the sum of numbers that are not negative, infinite if no float is so large."""
    with np.errstate(over="ignore"):
        return numbers.sum()


def total_one_by_one(first, numbers):
    """Return the sum with additions in order, so that chunks make no difference."""
    with np.errstate(over="ignore"):
        return float(np.add.accumulate(np.append(first, numbers))[-1])
