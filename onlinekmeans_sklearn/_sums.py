"""Sums of the members of clusters, with additions in the order of the stream."""

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


def total(numbers):
    """Return the sum of numbers that are not negative, infinite if no float is so large."""
    with np.errstate(over="ignore"):
        return numbers.sum()


def total_one_by_one(first, numbers):
    """Return the sum with additions in order, so that chunks make no difference."""
    with np.errstate(over="ignore"):
        return float(np.add.accumulate(np.append(first, numbers))[-1])
