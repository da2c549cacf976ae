"""``python -m tests.stress``: the long form of the stress suite."""

import argparse
import json
import math
import platform
import sys
import time
from pathlib import Path

import numpy
import scipy
import sklearn
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from . import SEED
from .cases import AMOUNTS, PER_CASE, RUNNERS, command, run_case, run_history
from .workers import batches, run_batches

BATCH = 50


def main(argv=None):
    """Run the cases, print a table and write its numbers; return how many failed."""
    arguments = parsed(argv)
    console = Console()
    if arguments.case:
        return run_one(console, arguments.seed, *arguments.case)
    totals = {
        kind: math.ceil(getattr(arguments, kind) / PER_CASE[kind]) for kind in RUNNERS
    }
    start = time.monotonic()
    counts = run_all(console, arguments, totals)
    seconds = time.monotonic() - start
    console.print(table(counts, seconds))
    report = {
        "seed": arguments.seed,
        "jobs": arguments.jobs,
        "seconds": round(seconds, 1),
        "versions": versions(),
        **{kind: counts[kind].as_dict() for kind in counts},
    }
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    console.print(f"The numbers are in {arguments.out}.")
    return sum(len(count.failures) for count in counts.values())


def parsed(argv):
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.stress", description="The long form of the stress suite."
    )
    parser.add_argument("--streams", type=int, default=100_000, help="streams (100000)")
    parser.add_argument("--calls", type=int, default=100_000, help="odd calls (100000)")
    parser.add_argument("--histories", type=int, default=2000, help="histories (2000)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of all cases ({SEED})")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="start no batch after that time"
    )
    parser.add_argument(
        "--patience", type=float, default=120, help="seconds a case may take (120)"
    )
    parser.add_argument(
        "--case", nargs=2, metavar=("KIND", "INDEX"), help="run just this one case, here"
    )
    parser.add_argument("--out", type=Path, default=Path("stress.json"))
    arguments = parser.parse_args(argv)
    if arguments.case and arguments.case[0] not in RUNNERS:
        parser.error(f"unknown kind of case; there are {', '.join(RUNNERS)}")
    return arguments


class Count:
    """What the cases of a kind have come to."""

    def __init__(self):
        self.cases = self.amount = 0
        self.seconds = 0.0
        self.failures = []

    def add(self, report):
        """Take note of a case."""
        self.cases += 1
        self.amount += report.amount
        self.seconds += report.seconds
        if report.failure is not None:
            self.failures.append({"index": report.index, "failure": report.failure})

    def as_dict(self):
        """Return the numbers for a file."""
        return {**vars(self), "seconds": round(self.seconds, 1)}


def run_all(console, arguments, totals):
    """Run cases of every kind, and return what they came to."""
    counts = {kind: Count() for kind in totals}
    reports = run_batches(
        batches(totals, BATCH),
        run_case,
        arguments.seed,
        arguments.jobs,
        arguments.patience,
        arguments.seconds,
    )
    with progress_bar(console) as progress:
        bars = {
            kind: progress.add_task(kind, total=total) for kind, total in totals.items()
        }
        for report in reports:
            counts[report.kind].add(report)
            progress.advance(bars[report.kind])
            if report.failure is not None:
                again = command(report.kind, arguments.seed, report.index)
                progress.console.print(f"\n{again}\n{report.failure}", markup=False)
    return counts


def progress_bar(console):
    """Return a bar for every kind of cases."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )


def table(counts, seconds):
    """Return the table of what was tried."""
    table = Table(
        box=SIMPLE_HEAD, caption=f"{seconds:,.0f} seconds", caption_justify="left"
    )
    table.add_column("tried")
    for name in ("cases", "in them", "failed"):
        table.add_column(name, justify="right")
    for kind, count in counts.items():
        table.add_row(
            kind,
            f"{count.cases:,}",
            f"{count.amount:,} {AMOUNTS[kind]}",
            f"{len(count.failures):,}",
        )
    return table


def versions():
    """Return the versions of what the results depend on."""
    modules = {module.__name__: module.__version__ for module in (numpy, scipy, sklearn)}
    return {"python": platform.python_version(), **modules}


def run_one(console, seed, kind, index):
    """Run one case in this process; if it fails, all is said by its exception."""
    run = RUNNERS[kind] if kind != "histories" else shrunk_history
    console.print(f"{kind} {index}: {run(seed, int(index))} {AMOUNTS[kind]}")
    return 0


def shrunk_history(seed, index):
    """Run histories, and make one that fails as short as can be."""
    return run_history(seed, index, shrink=True)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
