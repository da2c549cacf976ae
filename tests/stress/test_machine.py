"""The first of the random histories; ``python -m tests.stress`` has the others."""

import pytest
from inside import replaced

from . import SEED
from .machine import run_machine

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("index", range(5))
def test_an_estimator_is_what_the_reference_says_whatever_it_went_through(index):
    assert run_machine(SEED, index, shrink=True) > 20


def test_histories_find_an_estimator_that_a_failed_call_changes():
    class Careless:
        def __init__(self, estimator):
            self.estimator = estimator

        def __enter__(self):
            self.estimator.careless_ = True

        def __exit__(self, *error):
            return False

    with replaced("unchanged_on_error", Careless), pytest.raises(AssertionError):
        run_machine(SEED, 0)
