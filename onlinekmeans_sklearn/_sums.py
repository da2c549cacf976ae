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
