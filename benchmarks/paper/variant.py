"""Algorithm 3 as the authors' own scripts have it, where they differ from the paper.

The text takes half the sum of the 10 smallest distances of prefix centres to their closest
neighbours as the first facility cost; the scripts take the 10 smallest of all pairs, so
that a pair of neighbours counts once and not twice. The text ends a phase at the k-th
opening; the scripts at the one after it. All else is as in the package: its stream reads
the rows, and its rules for what the paper leaves open hold.
"""

import numpy as np

from onlinekmeans_sklearn import OnlineKMeans
from onlinekmeans_sklearn._schedule import Practical, half_smallest
from onlinekmeans_sklearn._stream import Stream
from onlinekmeans_sklearn._validation import check_one_of


class ScriptsPractical(Practical):
    """Algorithm 3 with the first cost and the phases of the scripts."""

    centers = None  # those of the stream, that the first cost comes from

    def first_cost(self, closest):
        """Return f_1, from the pairs of prefix centres."""
        return half_smallest(pairwise(self.centers), 10)

    def openings_per_phase(self, n):
        """Return how many openings end a phase: more than k."""
        return self.k + 1


class ScriptsStream(Stream):
    """A stream that shows its centres to the schedule."""

    def fork(self):
        """Return a copy that can go on by itself, but for the random numbers."""
        other = super().fork()
        other.schedule.centers = other.centers
        return other


class ScriptsOnlineKMeans(OnlineKMeans):
    """Online k-means as the authors' scripts do it, with the parameters of OnlineKMeans.

    There is no such variant of Algorithm 2: `algorithm` must stay "practical".
    """

    def _check_params(self):
        super()._check_params()
        check_one_of("algorithm", self.algorithm, ("practical",))

    def _schedule(self, n_rows):
        return ScriptsPractical(self._resolved_k(default=100, per_cluster=30))

    def _started(self, X):
        X, stream = super()._started(X)
        return X, ScriptsStream(
            X, stream.schedule, stream.random_state, stream.max_clusters
        )


def pairwise(centers):
    """Return the squared distances of all pairs of centres, each pair once."""
    first, second = np.triu_indices(len(centers), k=1)
    return centers.squared_distances(centers.rows, first, second)
