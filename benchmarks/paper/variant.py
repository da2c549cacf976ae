"""Algorithm 3 as the authors' own scripts have it, where they differ from the paper.

The text takes half the sum of the 10 smallest distances of prefix centers to their closest
neighbors as the first facility cost; the scripts take the 10 smallest of all pairs, so
that a pair of neighbors counts once and not twice. The text ends a phase at the k-th
opening; the scripts at the one after it. All else is as in the package: its stream reads
the rows, and its rules for what the paper leaves open hold.
"""

import numpy as np

from onlinekmeans_sklearn import OnlineKMeans
from onlinekmeans_sklearn._algorithm.facility_cost import Practical
from onlinekmeans_sklearn._algorithm.merge import k_for_merge


class ScriptsPractical(Practical):
    """Algorithm 3 with the first cost and the phases of the scripts."""

    def start(self, prefix, n):
        """Begin phase 1 by the squared distances of all pairs of centers, each once."""
        first, second = np.triu_indices(len(prefix), k=1)
        pairs = prefix.squared_distances(prefix.rows, first, second)
        self._begin_phase(n, self.first_cost(pairs))

    def openings_per_phase(self, n):
        """Return how many openings end a phase: more than k."""
        return self.k + 1


class ScriptsOnlineKMeans(OnlineKMeans):
    """Online k-means as the authors' scripts do it, with the parameters of OnlineKMeans.

    There is no such variant of Algorithm 2: `algorithm` must stay "practical".
    """

    def _check_params(self):
        super()._check_params()
        if self.algorithm != "practical":
            raise ValueError(
                "The 'algorithm' parameter of ScriptsOnlineKMeans must be 'practical'. "
                f"Got {self.algorithm!r} instead."
            )

    def _schedule(self, n_rows):
        return ScriptsPractical(self._resolved_k(default=100, for_merge=k_for_merge))
