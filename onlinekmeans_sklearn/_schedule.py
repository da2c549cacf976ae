"""What Algorithms 1, 2 and 3 of the paper differ in.

All three open a centre at a sample v with probability min(D2(v, C) / f, 1), count the
openings of the current phase, and raise the facility cost f when there were enough of
them. They differ in the prefix of the stream that is taken as centres without asking, in
the first facility cost, in how fast it grows, and in the openings that end a phase.

In the prefix f is 0: every sample that differs from all centres opens one.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from ._state import MOST_SAMPLES, check_state

_LEAST_COST = math.ulp(0.0)  # not 0, which no phase could raise
_LARGEST = 10**300  # k and lengths that can still be multiplied


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
        self.phases += ((n, max(facility_cost, _LEAST_COST)),)

    def record_opening(self, n):
        """Take note that the n-th sample opened a centre."""
        self.openings += 1
        if self.phases and self.openings >= self.openings_per_phase(n):
            self._begin_phase(n, self.facility_cost * self.growth)

    def state(self):
        """Return all that is kept, as arrays and plain values."""
        return {
            "algorithm": type(self).__name__,
            "k": self.k,
            "prefix_length": self.prefix_length,
            "openings": self.openings,
            "phase_starts": np.array([n for n, _ in self.phases], dtype=np.int64),
            "facility_costs": np.array([cost for _, cost in self.phases], dtype=np.float64),
        }

    def _restore(self, state):
        """Take over a state."""
        self.k = state.integer("k", least=1, most=_LARGEST)
        self.prefix_length = state.integer("prefix_length", most=_LARGEST)
        self.openings = state.integer("openings", most=MOST_SAMPLES)
        starts = state.array("phase_starts", (np.int64,))
        costs = state.array("facility_costs", (np.float64,))
        check_state(len(starts) == len(costs), "every phase has a start and a cost")
        is_ordered = (starts >= 0).all() and (starts[1:] >= starts[:-1]).all()
        check_state(is_ordered, "phases come one after the other")
        check_state((costs > 0).all(), "facility costs are positive")
        self.phases = tuple(zip(starts.tolist(), costs.tolist()))
        check_state(
            self.phases or self.openings < self.prefix_length,
            "phase 1 begins when the prefix is complete",
        )


class SemiOnline(Schedule):
    """Algorithm 1: the lower bound w* and the length n of the stream are known.

    Without w*, a prefix gives it, as in Algorithm 2.
    """

    def __init__(self, k, lower_bound, n_samples):
        self.log_n = max(1.0, math.log2(n_samples))
        super().__init__(k, prefix_length=k + 1 if lower_bound is None else 0)
        if lower_bound is not None:
            self._begin_phase(0, float(lower_bound) / (k * self.log_n))

    def state(self):
        return {**super().state(), "log_n": self.log_n}

    def _restore(self, state):
        super()._restore(state)
        self.log_n = state.number("log_n", least=1.0, most=_LARGEST)

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


def schedule_from(state):
    """Return the schedule of a state."""
    schedules = {kind.__name__: kind for kind in (SemiOnline, Theoretical, Practical)}
    algorithm = state.text("algorithm")
    if algorithm not in schedules:
        raise ValueError(
            f"Got {algorithm=}, but expected one of {', '.join(map(repr, schedules))}."
        )
    schedule = schedules[algorithm].__new__(schedules[algorithm])
    schedule._restore(state)
    return schedule


def half_smallest(closest, count):
    """Return half the sum of the smallest of the squared distances: the paper's w*."""
    return math.fsum(sorted(closest.tolist())[:count]) / 2
