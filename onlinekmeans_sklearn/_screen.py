"""Centres that a few features rule out: many features, rows in clusters.

Let S be some of the features, and R the others. By the inequality of Cauchy and Schwarz v.c
is at most ``v_S.c_S + |v_R| |c_R|``. So the score

    ``|c|^2 - 2 v_S.c_S - 2 |v_R| |c_R|``

is at most the product ``|c|^2 - 2 v.c`` of `_nearest`. It is such a product itself, of rows
and centres that have the features of S and one more, and no longer than they are: so all
that is said there of rounding holds for a score, too, if ``|v_R|`` and ``|c_R|`` are not
below what they are exactly.

A centre can be the nearest only if its score is within the slack of the product of any
other centre. The one with the smallest score is a good choice for that, and products are
then needed for a few pairs of rows and centres only.
"""

import numpy as np

_FEWEST_FEATURES = 256  # two at least, one of them not in S
_FEWEST_CENTERS = 64
_SHARE = 10  # of the features, one in so many is in S
_PAIR_COST = 16  # a product by itself takes as long as so many of a panel
_PAIR_ELEMENTS = 2**18  # numbers that are multiplied one by one at once
_TRIED = 128  # rows
_FEWEST_ROWS = 8 * _TRIED


def screen_for(centers, X, precision, factor):
    """Return a `Screen` if it is faster than all products are, as tried on a few rows.

    `factor` is that of all centres.
    """
    n_centers, n_features = factor.shape[0], factor.shape[1] - 1
    fewest = _FEWEST_ROWS, _FEWEST_CENTERS, _FEWEST_FEATURES
    if any(n < few for n, few in zip((X.shape[0], n_centers, n_features), fewest)):
        return None
    screen = Screen(factor, precision)
    some = X[:: max(1, X.shape[0] // _TRIED)]
    strip, squares, _ = centers.strip(some, precision)
    if not squares.max() <= precision.largest:
        return None
    scores = np.empty((n_centers, len(some)), dtype=precision.dtype)
    screen.multiply(strip, squares, scores)
    likely = np.argmin(scores, axis=0)
    products = screen.products(strip, np.arange(len(some)), likely)
    of_square, of_d2, added = precision.slack(n_features)
    limit = products * (1 + of_d2) + (of_square + of_d2) * squares + added
    n_pairs = np.count_nonzero(scores <= limit)
    return screen if _PAIR_COST * n_pairs <= scores.size else None


class Screen:
    """The centres by some of their features."""

    def __init__(self, factor, precision):
        self._factor = factor
        numbers = factor[:, :-1]
        n_features = numbers.shape[1]
        self._unit = 4 * (n_features + 4) * precision.roundoff
        self._lost = n_features * precision.smallest
        spread = np.var(numbers, axis=0, dtype=np.float64)
        n_chosen = max(1, n_features // _SHARE)
        self._chosen = np.sort(np.argpartition(spread, -n_chosen)[-n_chosen:])
        chosen = numbers[:, self._chosen]
        rest = self._rest(np.einsum("ij,ij->i", numbers, numbers, dtype=np.float64), chosen)
        columns = [chosen, -rest[:, None], factor[:, -1:]]
        self._scorer = np.hstack(columns).astype(precision.dtype)

    def _rest(self, squares, chosen):
        """Return a bound of the norm of the features that are not chosen.

        Their squares are off by 2 (d + 1) units roundoff at most, and by what underflows.
        As much again is for what is rounded before and after.
        """
        of_chosen = np.einsum("ij,ij->i", chosen, chosen)
        others = np.maximum(squares - of_chosen, 0)
        return np.sqrt(others + self._unit * squares + self._lost)

    def multiply(self, strip, squares, out):
        """Put the scores of rows into `out`, a row for each centre."""
        n_chosen = len(self._chosen)
        rows = np.empty((len(strip), n_chosen + 2), dtype=strip.dtype)
        np.take(strip, self._chosen, axis=1, out=rows[:, :n_chosen], mode="clip")
        rows[:, n_chosen] = self._rest(squares, rows[:, :n_chosen])
        rows[:, -1] = 1
        with np.errstate(invalid="ignore"):
            np.dot(self._scorer, rows.T, out=out)

    def products(self, strip, rows, ids):
        """Return the product of each of some rows with the centre of the given id."""
        products = np.empty(len(ids), dtype=strip.dtype)
        step = max(1, _PAIR_ELEMENTS // strip.shape[1])
        v, c = np.empty((2, min(step, len(ids)), strip.shape[1]), dtype=strip.dtype)
        for start in range(0, len(ids), step):
            part = slice(start, start + step)
            n_pairs = len(ids[part])
            np.take(strip, rows[part], axis=0, out=v[:n_pairs], mode="clip")
            np.take(self._factor, ids[part], axis=0, out=c[:n_pairs], mode="clip")
            np.einsum("ij,ij->i", v[:n_pairs], c[:n_pairs], out=products[part])
        return products
