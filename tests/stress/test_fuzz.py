"""The first of the odd calls; ``python -m tests.stress`` has the others."""

from unittest import mock

import inside
import numpy as np
import pytest
from inside import replaced

from onlinekmeans_sklearn import OnlineKMeans

from . import SEED
from .arbitrary import run_arbitrary
from .cases import failures
from .fuzz_cases import Call, check_call
from .odd_data import BROKEN, GOOD, ODD, plain_rows

N_CASES = 100


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, N_CASES, 25))
def test_odd_calls_give_a_result_or_a_clear_error_and_then_change_nothing(first):
    found = failures("calls", SEED, range(first, first + 25))
    assert not found, found


@pytest.mark.slow
@pytest.mark.parametrize("index", range(4))
def test_arbitrary_arrays_give_a_result_or_a_clear_error(index):
    assert run_arbitrary(SEED, index) > 20


@pytest.mark.slow
def test_arbitrary_arrays_find_an_exception_of_another_sort():
    broken = mock.Mock(side_effect=KeyError("column"))
    with replaced("rebuilt", broken), pytest.raises(KeyError, match="column"):
        run_arbitrary(SEED, 0)


@pytest.mark.parametrize("kind", GOOD)
def test_good_rows_are_taken_in_every_form(kind):
    X = GOOD[kind](plain_rows(np.random.RandomState(0), 3))
    model = OnlineKMeans(k=30, random_state=0).fit(np.ones((2, 3)))
    check_call(model, Call("partial_fit_predict", "good", (X,), {}))
    assert model.n_samples_seen_ > 2


@pytest.mark.parametrize("kind", [*ODD, *BROKEN])
def test_odd_rows_change_nothing_unless_they_are_taken(kind):
    for method in ("fit", "partial_fit_transform", "predict"):
        X = {**ODD, **BROKEN}[kind](plain_rows(np.random.RandomState(0), 3))
        model = OnlineKMeans(k=30, random_state=0).fit(np.ones((2, 3)))
        check_call(model, Call(method, kind, (X,), {}))


@pytest.mark.parametrize("n_rows", [1, 5])
@pytest.mark.parametrize("kind", sorted(BROKEN.keys() - {"broken diagonals: far"}))
def test_damaged_sparse_rows_are_refused(kind, n_rows):
    if n_rows == 1 and kind.endswith("indptr ends early"):
        return  # a row of zeros then
    X = np.random.RandomState(0).normal(size=(n_rows, 3))
    model = OnlineKMeans(k=30, random_state=0).fit(np.ones((2, 3)))
    for method in ("fit", "partial_fit", "partial_fit_transform", "predict", "score"):
        with pytest.raises(ValueError):
            getattr(model, method)(BROKEN[kind](X))
    assert model.n_samples_seen_ == 2


class Faulty(OnlineKMeans):
    """An estimator with every fault that the judge is there to find."""

    fault = None

    def predict(self, X):
        if self.fault == "exception":
            raise KeyError("rows")
        if self.fault == "silence":
            raise ValueError
        if self.fault == "forgetful":
            inside.set_last_rows(self, self.online_labels_ + 1, self.online_distances_)
        if self.fault == "draws":
            inside.with_other_numbers(self)
        if self.fault == "global":
            np.random.random_sample()
        if self.fault in ("forgetful", "draws", "global"):
            raise ValueError("Got X, but expected something else.")
        if self.fault == "overwrites":
            X[0] = 0.0
        if self.fault == "wrong":
            return np.full(len(X), -1)
        return super().predict(X)


@pytest.mark.parametrize(
    "fault", ["exception", "silence", "forgetful", "draws", "global", "overwrites", "wrong"]
)
def test_the_judge_finds_faults(fault):
    model = Faulty(k=30, random_state=0).fit(np.arange(60.0).reshape(20, 3))
    call = Call("predict", "good", (np.arange(9.0).reshape(3, 3),), {})
    check_call(model, call)
    model.fault = fault
    with pytest.raises((AssertionError, KeyError)):
        check_call(model, call)
