"""A case that crashes or hangs is one failure, and the others are run."""

import os
import time

import pytest
from at_once import PATIENCE

from .workers import cases_of, run_cases

pytestmark = pytest.mark.slow


def run_case(kind, seed, index):
    """Stand in for a case: some fail, each in another way."""
    if index == 2:
        os.abort()
    if index == 4:
        time.sleep(10**6)
    if index == 5:
        raise ValueError(f"{kind} of {seed}")
    return index


def reported(*indices, patience):
    """Return the reports of cases by index."""
    found = run_cases([("x", index) for index in indices], run_case, 7, 1, patience)
    return {report.index: report for report in found}


def test_cases_that_die_or_raise_are_reported_and_the_others_run():
    reports = reported(0, 1, 2, 3, 5, 6, 7, patience=PATIENCE)
    assert sorted(reports) == [0, 1, 2, 3, 5, 6, 7]
    assert "died with exit code" in reports[2].failure
    assert "x of 7" in reports[5].failure
    assert [reports[i].amount for i in (0, 1, 3, 6, 7)] == [0, 1, 3, 6, 7]
    assert all(reports[i].failure is None for i in (0, 1, 3, 6, 7))


def test_a_case_that_hangs_is_reported():
    assert "no end after 0.1 seconds" in reported(4, patience=0.1)[4].failure


def test_no_case_is_started_when_the_time_is_up():
    assert list(run_cases([("x", 0), ("x", 1)], run_case, 7, 1, 1, seconds=0)) == []


def test_kinds_take_turns():
    kinds = [kind for kind, _ in cases_of({"many": 4, "few": 2})]
    assert kinds == ["many", "many", "few", "many", "many", "few"]
