"""Calls that change nothing if they fail."""

from contextlib import contextmanager

from sklearn.utils import check_random_state


@contextmanager
def unchanged_on_error(estimator):
    """Give the estimator back the attributes it had, if what follows fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def restore_rng_on_error(random_state):
    """Give a source of random numbers back those it had, if what follows fails."""
    random_state = check_random_state(random_state)
    before = random_state.get_state()
    try:
        yield
    except BaseException:
        random_state.set_state(before)
        raise
