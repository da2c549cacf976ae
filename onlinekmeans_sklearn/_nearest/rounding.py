"""How wrong a product can be: the slack within which a center may be the nearest.

``|c|^2 - 2 v.c`` differs from the squared distance of v and c by the constant ``|v|^2``,
so the center with the smallest is the nearest, but for rounding. A second center that comes
within the slack of the one that looks nearest could be the nearest instead: such rows are
in doubt, and are decided on the squared distances themselves.

How much rounding there can be, to first order in the unit roundoff u, for d features,
r = |v|, s = |c| and q = |v - c|, so that q^2 is D2. All norms are taken after the shift of
dense rows by a common vector. A sum of n products is wrong by at most n u times the sum of
their magnitudes, in any order, with fused operations or without. Tiles of t products that
are added up, and then added to each other, make that (t + n / t) u: where float32 has more
than a tile of features, d stands for t + d / t.

========================================  ==========================  =====================
from                                      float64                     float32
========================================  ==========================  =====================
adding up v.c and ``|c|^2`` in any order  (d + 1) u (2 r s + s^2)     the same
``|c|^2`` before that                     d u s^2                     u s^2
v and c                                   2 u (r + s) q               4 u r s
the squared distance that decides         (d + 2) u q^2               none
========================================  ==========================  =====================

None of r, s and q exceeds the sum of the others, so that (r + s) q <= 2 s q + q^2
<= 2 r s + 2 s^2 + q^2. The sums of the columns are therefore at most

    (d + 4) u (2 r s + 2 s^2 + q^2)    and    (d + 4) u (2 r s + s^2),

and two centers can be swapped by twice as much. Of two that are, neither is farther than
the one that looks nearest. With s <= r + q and 2 r q <= r^2 / 2 + 2 q^2 that is at most

    (d + 4) u (11 r^2 + 18 q^2)        and    (d + 4) u (8 r^2 + 10 q^2).

The numbers in `Precision` are larger by a fifth at least. That covers the terms of higher
order as long as (d + 4) u <= 2^-12, that q^2 is known only by its product form, and the
rounding of the limit itself, 3 u (r^2 + q^2). A squared distance that is a product plus
``|v|^2`` is within the same slack: it needs half of that, and (d + 3) u (r^2 + q^2).

A row is at least as far from a center as from a box around it. The squared distance to the
box comes from the same v and c, and is wrong by at most (d + 3) u of itself. So a center is
not the nearest if that, less 2 (d + 8) u of it, exceeds another D2 by the slack.

A product that underflows loses half of the smallest number at most. There are 4 d of them
for a center, and the slack has room for 16 d. Numbers of v and c that float32 itself loses
matter less: 2^-149 sqrt(d) (r + s) is below 2^-20 u (r^2 + s^2), or below 2^-220.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Precision(NamedTuple):
    """A floating point format, and how far products in it can be trusted."""

    roundoff: float
    of_square: float  # what |v|^2 adds to the slack, in units of (d + 4) u
    of_d2: float  # what D2 adds to it
    smallest: float  # what a product can lose by underflow
    largest: float  # squared norms up to here do not overflow, nor three times as much
    exact: float  # integers: not rounded, nor is a sum three times as large
    most_terms: float  # of how many terms a distance may be the sum

    @lru_cache(maxsize=64)  # noqa: B019 - of two instances, which stay
    def slack(self, d, tile=np.inf):
        """Return the factors of |v|^2 and D2 in the slack, and what is added.

        Here d is the number of terms of a distance: what is zero in a sparse row and in
        all centers is not among them. They are added up in tiles.
        """
        unit = (min(d, tile) + d // tile + 4) * self.roundoff
        return self.of_square * unit, self.of_d2 * unit, 8 * d * self.smallest


FLOAT32 = Precision(2.0**-24, 10.0, 12.0, 2.0**-149, 2.0**120, 2.0**21, 500_000)
FLOAT64 = Precision(2.0**-53, 17.0, 26.0, 2.0**-1074, np.inf, 2.0**50, np.inf)
