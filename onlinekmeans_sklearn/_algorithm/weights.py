"""The weights of samples: when they open a center, and the paper's n.

A sample of integer weight w is to open a center as often as w equal samples would: if the
least of w random numbers says so. This module makes a number with the distribution of that
least one from the sample's own. It is defined for any weight, and 1 leaves it as it is.
"""

from typing import NamedTuple

import numpy as np

from .._nearest.backend import active
from .cluster_sums import halved


def light_numbers(uniforms, weights):
    """Return the opening number of each row if its weight is at most 1, else a bound.

    The number of a heavier row is no smaller. For weight 0 it is infinite, or not a number.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return uniforms / weights


def heavy_numbers(uniforms, weights):
    """Return the opening numbers of rows with weights above 1."""
    return -np.expm1(np.log1p(-uniforms) / weights)


class SeenWeight(NamedTuple):
    """The weight of all samples so far, and the least of one.

    Attributes
    ----------
    before, epoch : float
        The weight of samples before the current epoch, and of those in it.
    least : float
        The least positive weight of a sample, at most 1.
    """

    before: float = 0.0
    epoch: float = 0.0
    least: float = 1.0

    @property
    def n(self):
        """The paper's n: how many samples of the least weight are worth as much."""
        return max(1.0, (self.before + self.epoch) / self.least)

    def with_rows(self, n_rows, weights=None):
        """Return it with the next rows added, which are in the same epoch."""
        if weights is None:
            return SeenWeight(self.before, self.epoch + n_rows, self.least)
        weights = weights[:n_rows]
        least = float(weights.min(where=weights > 0, initial=self.least))
        epoch = active.kernels.sequential_sum(self.epoch, weights)
        return SeenWeight(self.before, epoch, least)

    def halved(self):
        """Return it when all samples count half, at the end of an epoch."""
        return SeenWeight(float(halved(self.before + self.epoch)), 0.0, self.least)
