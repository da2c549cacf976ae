"""What Algorithms 1, 2 and 3 of the paper differ in.

All three open a centre at a sample v with probability min(D2(v, C) / f, 1), count the
openings of the current phase, and raise the facility cost f when there were enough of
them. They differ in the prefix of the stream that is taken as centres without asking, in
the first facility cost, in how fast it grows, and in the openings that end a phase.

In the prefix f is 0: every sample that differs from all centres opens one.
"""

import math
from abc import ABC, abstractmethod


class Schedule(ABC):
    """The facility cost, and the book-keeping of phases that makes it grow.

    Attributes
    ----------
    openings : int
        The paper's q_r: the centres opened in this phase, or in the prefix.
    phases : tuple of (int, float)
        Of every phase so far, how many samples came before it, and its facility cost.
    """

    growth = 2

    def __init__(self, k, prefix_length):
        self.k = k
        self.prefix_length = prefix_length
        self.openings = 0
        self.phases = ()

    @property
    def facility_cost(self):
        """The paper's f_r, 0 in the prefix."""
        return self.phases[-1][1] if self.phases else 0.0

    @property
    def phase(self):
        """The paper's r, 0 in the prefix."""
        return len(self.phases)

    @abstractmethod
    def first_cost(self, closest):
        """Return f_1, from the prefix centres' distances to their closest neighbours."""

    @abstractmethod
    def openings_per_phase(self, n):
        """Return how many openings end a phase when n samples have been seen."""

    @property
    def prefix_is_complete(self):
        """Whether the prefix has all its centres, so that `start` is due."""
        return self.phase == 0 and self.openings == self.prefix_length

    def start(self, closest, n):
        """Begin phase 1 after n samples, given the distances of `first_cost`."""
        self._begin_phase(n, self.first_cost(closest))

    def _begin_phase(self, n, facility_cost):
        self.openings = 0
        self.phases += ((n, facility_cost),)

    def record_opening(self, n):
        """Take note that the n-th sample opened a centre."""
        self.openings += 1
        if self.phases and self.openings >= self.openings_per_phase(n):
            self._begin_phase(n, self.facility_cost * self.growth)


class SemiOnline(Schedule):
    """Algorithm 1: the lower bound w* and the length n of the stream are known.

    Without w*, a prefix gives it, as in Algorithm 2.
    """

    def __init__(self, k, lower_bound, n_samples):
        self.log_n = max(1.0, math.log2(n_samples))
        super().__init__(k, prefix_length=k + 1 if lower_bound is None else 0)
        if lower_bound is not None:
            self._begin_phase(0, lower_bound / (k * self.log_n))

    def first_cost(self, closest):
        return half_smallest(closest, 1) / (self.k * self.log_n)

    def openings_per_phase(self, n):
        return 3 * self.k * (1 + self.log_n)


class Theoretical(Schedule):
    """Algorithm 2: nothing is known in advance, and the guarantees hold."""

    def __init__(self, k):
        super().__init__(k, prefix_length=k + 1)

    def first_cost(self, closest):
        return half_smallest(closest, 1) / self.k

    def openings_per_phase(self, n):
        return 3 * self.k * (1 + math.log2(n))


class Practical(Schedule):
    """Algorithm 3: what the paper's experiments use, aiming at k_target clusters."""

    growth = 10

    def __init__(self, k_target):
        k = max(1, math.ceil((k_target - 15) / 5))
        super().__init__(k, prefix_length=k + 10)

    def first_cost(self, closest):
        return half_smallest(closest, 10)

    def openings_per_phase(self, n):
        return self.k


def half_smallest(closest, count):
    """Return half the sum of the smallest of the squared distances: the paper's w*."""
    return math.fsum(sorted(closest.tolist())[:count]) / 2
