"""The first signals that strike calls; ``python -m tests.stress`` has the others."""

from unittest import mock

import pytest
from at_once import told_by_process

from onlinekmeans_sklearn import OnlineKMeans

from . import SEED
from .signals import HAS_TIMER, strike_calls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_TIMER, reason="there is no timer here"),
]
FEW = 100


def strike_both(seed, n_signals):
    """Return what came of interrupted calls, and of handlers that save."""
    return [strike_calls(seed, saves, n_signals) for saves in (False, True)]


def test_a_signal_at_any_moment_makes_no_difference():
    interrupted, saved = told_by_process("spawn", strike_both, SEED, FEW)
    for counts, wrong in (interrupted, saved):
        assert not wrong, "\n".join(wrong)
        assert counts["inside"] >= max(FEW, 0.5 * counts["sent"])
    assert interrupted[0]["repeated"] > 0.5 * FEW
    assert saved[0]["resumed"] > 0.5 * FEW


def strike_careless(seed, n_signals):
    """Strike an estimator whose calls take the first row before the others."""
    usual = OnlineKMeans.partial_fit

    def partial_fit(self, X=None, y=None, sample_weight=None):
        if X is not None and X.shape[0] > 1:
            usual(self, X[:1])
        return usual(self, X if X is None or X.shape[0] == 1 else X[1:])

    with mock.patch.object(OnlineKMeans, "partial_fit", partial_fit):
        return strike_both(seed, n_signals)


def test_rows_that_are_taken_in_two_steps_are_found():
    for _, wrong in told_by_process("spawn", strike_careless, SEED, 4 * FEW):
        assert any("another" in failure and "partial_fit" in failure for failure in wrong)
