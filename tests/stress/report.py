"""What was tried, and what came of it: progress, tables and files."""

import platform
from collections import Counter

import numpy
import scipy
import sklearn
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from .cases import KINDS
from .found import FOUND

LONG_STREAM = "samples of a long stream"
HEADER = ("tried", "how many", "in total", "failures")


class Count:
    """What the cases of a kind have come to."""

    def __init__(self):
        self.tried = self.amount = 0
        self.seconds = 0.0
        self.failures = []
        self.details = Counter()

    def add(self, report):
        """Take note of a case."""
        self.tried += KINDS[report.kind].per_case
        if isinstance(report.amount, Counter):
            self.details.update(report.amount)
            self.amount += report.amount[KINDS[report.kind].amount]
        else:
            self.amount += report.amount
        self.seconds += report.seconds
        if report.failure is not None:
            self.failures.append({"index": report.index, "failure": report.failure})

    def as_dict(self):
        """Return the numbers for a file."""
        return {**vars(self), "seconds": round(self.seconds, 1)}


def rows_of_cases(counts):
    """Yield a row for every kind of cases."""
    for name, count in counts.items():
        kind = KINDS[name]
        in_them = f"{count.amount:,} {kind.amount}" if kind.amount != "calls" else ""
        yield kind.what, f"{count.tried:,}", in_them, f"{len(count.failures):,}"


def rows_of_soak(soak):
    """Yield what a long stream has come to, undisturbed and with processes killed."""
    calls, differences = soak["calls"], len(soak["differences"])
    saves = sum(cycle["saves"] for cycle in soak["cycles"])
    yield LONG_STREAM, f"{soak['samples']:,}", f"{calls:,} calls", f"{differences:,}"
    lost = len(soak["lost"])
    yield "processes killed", f"{soak['kills']:,}", f"{saves:,} checkpoints", f"{lost:,}"


def row_of_found():
    """Return the row of the defects that were found; those not fixed are failures."""
    return "bugs found and fixed", f"{len(FOUND)}", "", ""


def progress_bar(console):
    """Return a bar for every kind of cases."""
    done = TextColumn("{task.completed:,.0f} of {task.total:,.0f}")
    columns = TextColumn("{task.description}"), BarColumn(), done, TimeElapsedColumn()
    return Progress(*columns, console=console, transient=True)


def versions():
    """Return the versions of what the results depend on."""
    modules = {module.__name__: module.__version__ for module in (numpy, scipy, sklearn)}
    return {"python": platform.python_version(), **modules}
