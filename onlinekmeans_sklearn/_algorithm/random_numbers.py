"""A random number for every position of a stream, the same wherever it is computed.

A stream draws one seed when it starts. Its t-th number is made of the t-th 64 random bits
of PCG64 with that seed: the first 53 of them, divided by 2^53. `Generator.random` computes
just that.
"""

import numpy as np
from sklearn.utils import check_random_state

_AT_ONCE = 2**12  # numbers to make, unless more are needed


def draw_seed(random_state):
    """Return the seed of a new stream, drawn from a seed, RandomState or None."""
    return int(check_random_state(random_state).randint(2**63 - 1, dtype=np.int64))


class RandomNumbers:
    """The numbers of a stream by position, uniform in [0, 1)."""

    def __init__(self, seed):
        self.seed = seed
        self._kept = 0, np.empty(0)  # a position, and numbers from there on

    def __reduce__(self):
        return RandomNumbers, (self.seed,)

    def between(self, start, stop):
        """Return the numbers of the positions from `start` to `stop`.

        Making a generator takes as long as reading a row, so many are made in advance.
        """
        first, numbers = self._kept
        if not first <= start <= stop <= first + len(numbers):
            generator = np.random.Generator(np.random.PCG64(self.seed).advance(start))
            if stop - start > _AT_ONCE:
                return generator.random(stop - start)
            first, numbers = start, generator.random(_AT_ONCE)
            self._kept = first, numbers  # at once, since threads and copies share it
        return numbers[start - first : stop - first]

    def for_merge(self, n_seen):
        """Return the source of random numbers of a merge after so many samples."""
        return np.random.RandomState(np.random.PCG64([self.seed, n_seen]))
