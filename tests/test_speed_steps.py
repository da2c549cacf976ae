"""The speed benchmark times every step of a fit, and only while it is asked to."""

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks.speed import contest, report
from benchmarks.speed.shapes import Shape
from benchmarks.speed.steps import STEPS, timed_steps
from onlinekmeans_sklearn import OnlineKMeans

X = np.random.RandomState(0).normal(size=(600, 3))


def test_every_step_is_timed_and_none_twice():
    whole = contest.seconds(OnlineKMeans(20, random_state=0).fit, X)
    with timed_steps() as steps:
        whole = contest.seconds(OnlineKMeans(20, random_state=0).fit, X)
        assert set(steps) == set(STEPS)
        assert min(steps.values()) > 0
        assert sum(steps.values()) <= whole
        steps.clear()
    OnlineKMeans(20, random_state=0).fit(X)
    assert steps == {}


def test_steps_add_up_to_the_fit_in_units_of_the_floor():
    shape = Shape(lambda: X, 20)
    result = contest.measure("tiny", shape, 2, 0.01, None, lambda *_: None)
    headings, [row] = report.steps_table([result])
    assert headings == ["shape", *STEPS, "all else", "one thread"]
    values = [cell.value for cell in row[1:-1]]
    assert min(values) > 0
    assert sum(values) == pytest.approx(report.ratio(result, "fit / floor").value)
