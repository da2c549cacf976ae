"""Centers in an array."""

import numpy as np
from scipy.sparse import issparse

from .backend import active
from .centers import Centers


class DenseCenters(Centers):
    """Centers in an array, for rows in an array."""

    def __init__(self, rows):
        # arrays of a pickle may be unaligned, which C cannot read
        exact = np.require(rows, np.float64, ["C", "A"])
        rows = rows.view()
        rows.flags.writeable = False  # users see them
        super().__init__(rows, exact, active.kernels.DenseSearch(exact))

    def as_rows(self, X):
        return X.toarray() if issparse(X) else np.ascontiguousarray(X)

    def width(self, X):
        return self.n_features
