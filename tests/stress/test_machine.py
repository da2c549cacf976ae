"""The first of the random histories; ``python -m tests.stress`` has the others."""

import pytest

from onlinekmeans_sklearn import _base

from . import SEED
from .cases import run_history


@pytest.mark.parametrize("index", range(5))
def test_an_estimator_is_what_the_reference_says_whatever_it_went_through(index):
    assert run_history(SEED, index, shrink=True) > 20


def test_histories_find_an_estimator_that_a_failed_call_changes(monkeypatch):
    class Careless:
        def __init__(self, estimator):
            self.estimator = estimator

        def __enter__(self):
            self.estimator.n_samples_seen_ = -1

        def __exit__(self, *error):
            return False

    monkeypatch.setattr(_base, "unchanged_on_error", Careless)
    with pytest.raises(AssertionError):
        run_history(SEED, 0)
