"""How wrong distances and products can be: the slack within which a center may be nearest.

This is the one place with the error proof. Notation: d features, unit roundoff u, which is
2^-53 in float64 and 2^-24 in float32, r = |v|, s = |c| and q = |v - c|, so q^2 is D2.

*The distance that decides* is the float64 sum of the squared differences, in feature order.
Every difference and every square is rounded once, and so are d - 1 sums of terms that
cannot cancel. So its error is at most (d + 2) u q^2, and d 2^-1075 where squares underflow.

*Products* are faster. ``|c|^2 - 2 v.c`` differs from D2 by ``|v|^2``, which is the same for
all centers. So the center with the smallest product is the nearest, up to rounding. If the
product of a second center is within the slack of the smallest, the row is in doubt, and the
distance that decides is computed for all centers within the slack.

How large must the slack be? Dense rows and centers are first shifted by a common vector,
and all norms are those after the shift. A sum of n products has an error of at most n u
times the sum of their magnitudes, in any order, with fused operations or without. If tiles
of t products are added up, and then the tiles, that is (t + n / t) u: where float32 has
more than a tile of features, d stands for t + d / t. To first order in u the errors are

========================================  ==========================  =====================
from                                      float64                     float32
========================================  ==========================  =====================
adding up v.c and ``|c|^2`` in any order  (d + 1) u (2 r s + s^2)     the same
``|c|^2`` before that                     d u s^2                     u s^2
v and c                                   2 u (r + s) q               4 u r s
the distance that decides                 (d + 2) u q^2               none
========================================  ==========================  =====================

None of r, s and q exceeds the sum of the other two, so (r + s) q <= 2 s q + q^2
<= 2 r s + 2 s^2 + q^2, and the columns add up to at most

    (d + 4) u (2 r s + 2 s^2 + q^2)    and    (d + 4) u (2 r s + s^2).

Two centers are only swapped if their products differ by at most twice as much, and then
neither is farther than the one that looks nearest. With s <= r + q and
2 r q <= r^2 / 2 + 2 q^2 that is at most

    (d + 4) u (11 r^2 + 18 q^2)        and    (d + 4) u (8 r^2 + 10 q^2).

The coefficients in `Precision` are at least a fifth larger. That covers terms of higher
order as long as (d + 4) u <= 2^-12, the use of the product form for q^2, and the rounding
of the limit itself, 3 u (r^2 + q^2). A product plus ``|v|^2``, as a squared distance, is
within the same slack: it needs half of it, and (d + 3) u (r^2 + q^2).

*Boxes.* A row is at least as far from a center as from a box around it. The squared
distance to the box comes from the same v and c, and its error is at most (d + 3) u of
itself. So a center is not the nearest if that distance, minus 2 (d + 8) u of it, exceeds
another D2 by the slack.

*Underflow.* A product that underflows loses at most half of the smallest number. There are
4 d of them for a center, and the slack has room for 16 d. Digits of v and c that float32
loses matter less: 2^-149 sqrt(d) (r + s) is below 2^-20 u (r^2 + s^2), or below 2^-220.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Precision(NamedTuple):
    """A floating point format, and how wrong products in it can be."""

    roundoff: float
    square_coef: float  # of |v|^2 in the slack, in units of (d + 4) u
    d2_coef: float  # of D2 in the slack, in the same units
    smallest: float  # positive number, of which underflow can lose half
    largest: float  # squared norm; three times as much does not overflow either
    exact: float  # largest integer such that a sum three times as large is not rounded
    most_terms: float  # of a sum

    @lru_cache(maxsize=64)  # noqa: B019 - there are two instances, for good
    def slack(self, d, tile=np.inf):
        """Return the coefficients of |v|^2 and D2 in the slack, and its absolute term.

        Here d is the number of terms of a distance: features that are zero in a sparse row
        and in all centers do not count. Terms are added up in tiles.
        """
        unit = (min(d, tile) + d // tile + 4) * self.roundoff
        return self.square_coef * unit, self.d2_coef * unit, 8 * d * self.smallest


FLOAT32 = Precision(2.0**-24, 10.0, 12.0, 2.0**-149, 2.0**120, 2.0**21, 500_000)
FLOAT64 = Precision(2.0**-53, 17.0, 26.0, 2.0**-1074, np.inf, 2.0**50, np.inf)
