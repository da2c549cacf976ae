"""A case that crashes or hangs is one failure, and the others are run."""

import os
import time

from .workers import Batch, batches, run_batches


def run_case(kind, seed, index):
    """Stand in for a case: some fail, each in another way."""
    if index == 2:
        os.abort()
    if index == 4:
        time.sleep(60)
    if index == 5:
        raise ValueError(f"{kind} of {seed}")
    return index


def test_cases_that_die_hang_or_raise_are_reported_and_the_others_run():
    reports = {
        report.index: report
        for report in run_batches([Batch("x", 0, 8)], run_case, 7, jobs=1, patience=1)
    }
    assert sorted(reports) == list(range(8))
    assert "died with exit code" in reports[2].failure
    assert "no end after 1 seconds" in reports[4].failure
    assert "x of 7" in reports[5].failure
    assert [reports[i].amount for i in (0, 1, 3, 6, 7)] == [0, 1, 3, 6, 7]
    assert all(reports[i].failure is None for i in (0, 1, 3, 6, 7))


def test_no_case_is_started_when_the_time_is_up():
    assert list(run_batches([Batch("x", 0, 2)], run_case, 7, 1, 1, seconds=0)) == []


def test_kinds_take_turns():
    parts = batches({"many": 8, "few": 4}, 2)
    assert [part.kind for part in parts] == ["many", "many", "few", "many", "many", "few"]
    assert sum(part.stop - part.start for part in parts) == 12
