"""Reading the records of ``python -m benchmarks paper``.

A record is the result of one job, or the reason why there is none. A cell is a mean and a
standard deviation over the runs, or None where no run has given a result.
"""

import math
from typing import NamedTuple

import numpy as np

from ..report import Cell, spread

K_TARGET = "k_target"  # in the records
AIMED_AT, OPENED = "k", "clusters"  # in the tables


class Table(NamedTuple):
    """A table, and the sentences that go with it."""

    headings: list
    rows: list
    legend: str


def jobs(records, dataset, experiment, **setting):
    """Return the records of all such jobs."""
    return [
        record
        for record in records
        if (record["dataset"], record["experiment"]) == (dataset, experiment)
        and all(record["setting"].get(key) == value for key, value in setting.items())
    ]


def outcome(found):
    """Return setting and result in one, of all jobs that did not fail; and if any did."""
    runs = [{**job["setting"], **job["result"]} for job in found if "result" in job]
    return runs, len(runs) < len(found)


def runs_on(records, dataset, experiment):
    """Return the outcome of an experiment on a dataset."""
    return outcome(jobs(records, dataset, experiment))


def steps(records, experiment, name=K_TARGET):
    """Return the values that a setting of the experiment takes, in order."""
    found = (r["setting"] for r in records if r["experiment"] == experiment)
    return sorted({setting[name] for setting in found if name in setting})


def figure(values, **options):
    """Return the mean and the deviation, or None if there are no values."""
    return spread(values, **options) if len(values) else None


def digits(values, **options):
    """Return the mean and the deviation with three digits of the mean, or None."""
    center = max(np.mean(values), 1e-9) if len(values) else 1
    decimals = 2 - math.floor(math.log10(center))
    return figure(values, decimals=max(decimals, 3), **options)


def ratios(found, numerator, denominator):
    """Return a ratio of two figures for every run that has both."""
    return [
        run[numerator] / run[denominator]
        for run in found
        if numerator in run and run.get(denominator)
    ]


def mean(values):
    """Return the mean as a figure, or None if there are no values."""
    return Cell(float(np.mean(values))) if len(values) else None
