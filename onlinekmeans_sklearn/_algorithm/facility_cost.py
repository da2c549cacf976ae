"""The facility cost f of Algorithms 1, 2 and 3: prefix, w*, f_1 and phases.

All three algorithms open a center at a sample v with probability min(D2(v, C) / f_r, 1)
and end phase r after enough openings, q_r, raising the facility cost. They differ in:

=====================  ==============================  ======================  ============
line of the paper      Algorithm 1                     Algorithm 2             Algorithm 3
=====================  ==============================  ======================  ============
centers of the prefix  none (line 2)                   k + 1 (line 2)          k + 10 (3)
w*                     given (line 1)                  line 4                  line 5
f_1                    w* / (k log n) (line 3)         w* / k (line 5)         w* (line 6)
a phase ends at q_r =  3 k (1 + log n) (line 7)        the same (line 10)      k (line 10)
f_r / f_(r-1)          2 (line 8)                      2 (line 11)             10 (line 11)
=====================  ==============================  ======================  ============

Lines are counted from "input", with those that end an "if". In the prefix f is 0, so that
every sample that differs from all centers opens one. Logarithms are base 2. In n a sample
counts as its weight divided by the least weight so far, and as less the older it is if the
stream forgets.
"""

import math
from abc import ABC, abstractmethod

from .._nearest import closest_distances

_MIN_COST = math.ulp(0.0)  # a cost of 0 would never grow
KEPT_PHASES = 2**12  # more than there can be unless the stream forgets


class Schedule(ABC):
    """The facility cost, and the phases that make it grow.

    Parameters
    ----------
    k : int
        The paper's k.
    prefix_length : int
        The number of distinct samples that become centers before phase 1.

    Attributes
    ----------
    facility_cost : float
        The paper's f_r; 0 in the prefix.
    openings : int
        The paper's q_r: centers opened in the current phase, or in the prefix.
    prefix_weights : tuple of float
        In the prefix, the weights of the samples that opened its centers, at most 1.
    fees : float
        If the stream forgets, what the openings of the current epoch saved: the weighted
        D2 of each, at most f_r.
    n_phases : int
        The paper's r.
    phases : tuple of (int, float)
        For the last of the phases, how many samples came before each, and its f_r.
    """

    growth = 2  # f_r / f_(r-1)

    def __init__(self, k, prefix_length):
        self.k = k
        self.prefix_length = prefix_length
        self.facility_cost = 0.0
        self.openings = 0
        self.prefix_weights = ()
        self.fees = 0.0
        self.n_phases = 0
        self.phases = ()

    @property
    def is_prefix(self):
        """Whether the samples read now are those of the prefix."""
        return self.facility_cost == 0

    @abstractmethod
    def first_cost(self, closest):
        """Return f_1, given the squared distance of each prefix center to its closest."""

    @abstractmethod
    def openings_per_phase(self, n):
        """Return the q_r that ends a phase after n samples; it never decreases with n."""

    def n_to_keep(self, n):
        """Return the number of clusters to aim at when a stream forgets others."""
        return self.openings_per_phase(n)

    def start(self, prefix, position):
        """Begin a phase after the prefix (Algorithm 3, lines 5 and 6).

        `prefix` has its centers, and `position` is that of the next sample.
        """
        closest = closest_distances(prefix) * self.prefix_weights
        self.prefix_weights = ()
        self._begin_phase(position, self.first_cost(closest))

    def openings_left(self, n):
        """Return the least number of openings after n samples for f to change."""
        if self.is_prefix:
            return self.prefix_length - self.openings
        return max(1, math.ceil(self.openings_per_phase(n)) - self.openings)

    def record_openings(self, weights, d2, position, n):
        """Count new centers, at most `openings_left`, by the weights of their samples.

        That is Algorithm 3, lines 9 to 11. `d2` has D2 of these samples, 0 if fees are not
        needed, `position` is that of the next sample, and n the number of samples up to
        the last opening. Return whether the prefix is complete, so that `start` must be
        called.
        """
        for weight, saved in zip(weights, d2):
            self.fees += weight * min(saved, self.facility_cost)
        self.openings += len(weights)
        if self.is_prefix:
            self.prefix_weights += tuple(min(weight, 1.0) for weight in weights)
            return self.openings == self.prefix_length
        if self.openings >= self.openings_per_phase(n):
            self._begin_phase(position, self.growth * self.facility_cost)
        return False

    def end_epoch(self, too_large):
        """Halve the facility cost or, if it is larger than `too_large`, begin a prefix."""
        if self.facility_cost > too_large:
            self.facility_cost, self.openings = 0.0, 0
        else:
            self.facility_cost = max(self.facility_cost / 2, _MIN_COST)

    def _begin_phase(self, position, facility_cost):
        """Increment r, reset q_r and set f_r (Algorithm 3, line 11)."""
        self.openings = 0
        self.facility_cost = max(facility_cost, _MIN_COST)
        self.n_phases += 1
        self.phases = (*self.phases, (position, self.facility_cost))[-KEPT_PHASES:]


class SemiOnline(Schedule):
    """Algorithm 1: the lower bound w* and the length n of the stream are known.

    If `lower_bound` is None, w* comes from a prefix as in Algorithm 2.
    """

    def __init__(self, k, lower_bound, n_samples):
        self.log_n = max(1.0, math.log2(n_samples))
        super().__init__(k, prefix_length=k + 1 if lower_bound is None else 0)
        if lower_bound is not None:  # line 3
            self._begin_phase(0, float(lower_bound) / (k * self.log_n))

    def first_cost(self, closest):
        return half_smallest(closest, 1) / (self.k * self.log_n)

    def openings_per_phase(self, n):
        return 3 * self.k * (1 + self.log_n)  # line 7


class Theoretical(Schedule):
    """Algorithm 2: nothing is known in advance, and the paper's guarantees hold."""

    def __init__(self, k):
        super().__init__(k, prefix_length=k + 1)  # line 2

    def first_cost(self, closest):
        return half_smallest(closest, 1) / self.k  # lines 4 and 5

    def openings_per_phase(self, n):
        return 3 * self.k * (1 + math.log2(n))  # line 10


class Practical(Schedule):
    """Algorithm 3: the variant of the paper's experiments, aiming at k_target clusters."""

    growth = 10  # line 11

    def __init__(self, k_target):
        self.k_target = k_target
        k = max(1, math.ceil((k_target - 15) / 5))  # line 2
        super().__init__(k, prefix_length=k + 10)  # line 3

    def first_cost(self, closest):
        return half_smallest(closest, 10)  # lines 5 and 6

    def openings_per_phase(self, n):
        return self.k  # line 10

    def n_to_keep(self, n):
        return self.k_target


def half_smallest(closest, count):
    """Return half the sum of the `count` smallest squared distances: the paper's w*."""
    return math.fsum(sorted(closest.tolist())[:count]) / 2
