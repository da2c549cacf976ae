"""``python -m tests.stress``: the long form of the stress suite."""

import argparse
import json
import math
import sys
import time
from pathlib import Path

from rich.console import Console

from benchmarks.report import print_table, write_csv, write_json

from . import SEED
from .cases import KINDS, command, run_case
from .report import (
    HEADER,
    Count,
    progress_bar,
    row_of_found,
    rows_of_cases,
    rows_of_soak,
    versions,
)
from .soak.__main__ import main as run_soak
from .workers import cases_of, run_cases

OPTIONS = [
    ("samples", int, 10**8, "of the soak; 0: no soak"),
    ("kills", int, 50, "of its processes"),
    ("seed", int, SEED, "of all cases"),
    ("jobs", int, 2, "processes"),
    ("seconds", float, math.inf, "start no case after that time"),
    ("patience", float, 120, "seconds a case may take"),
]


def main(argv=None):
    """Run the cases and the soak, print a table; return how much went wrong."""
    arguments = parsed(argv)
    console = Console()
    if arguments.case:
        return run_one(console, arguments.seed, *arguments.case)
    arguments.out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    counts = run_all(console, arguments)
    report = {
        "seed": arguments.seed,
        "jobs": arguments.jobs,
        "seconds": round(time.monotonic() - start, 1),
        "versions": versions(),
        **{kind: counts[kind].as_dict() for kind in counts},
    }
    write_json(arguments.out, "stress", report)
    rows = list(rows_of_cases(counts))
    n_wrong = sum(len(count.failures) for count in counts.values())
    if arguments.samples:
        n_wrong += soaked(arguments)
        rows += rows_of_soak(json.loads((arguments.out / "soak.json").read_text()))
    rows.append(row_of_found())
    write_csv(arguments.out / "tried.csv", HEADER, rows)
    print_table(console, HEADER, rows, None)
    console.print(f"{time.monotonic() - start:,.0f} seconds. See {arguments.out}.")
    return n_wrong


def parsed(argv):
    """Return the arguments of the command line."""
    what = "The long form of the stress suite."
    parser = argparse.ArgumentParser(prog="python -m tests.stress", description=what)
    for name, kind in KINDS.items():
        parser.add_argument(f"--{name}", type=int, default=kind.usual, help="(%(default)s)")
    for name, kind, usual, what in OPTIONS:
        text = f"{what} ({usual})"
        parser.add_argument(f"--{name}", type=kind, default=usual, help=text)
    parser.add_argument(
        "--case", nargs=2, metavar=("KIND", "INDEX"), help="run just this one case, here"
    )
    parser.add_argument("--out", type=Path, default=Path("stress-report"))
    arguments = parser.parse_args(argv)
    if arguments.case and arguments.case[0] not in KINDS:
        parser.error(f"unknown kind of case; there are {', '.join(KINDS)}")
    return arguments


def run_all(console, arguments):
    """Run cases of every kind, and return what they came to."""
    totals = {
        name: math.ceil(vars(arguments)[name] / KINDS[name].per_case) for name in KINDS
    }
    counts = {name: Count() for name in totals}
    limits = arguments.jobs, arguments.patience, arguments.seconds
    reports = run_cases(cases_of(totals), run_case, arguments.seed, *limits)
    with progress_bar(console) as progress:
        bars = {name: progress.add_task(name, total=totals[name]) for name in totals}
        for report in reports:
            counts[report.kind].add(report)
            progress.advance(bars[report.kind])
            if report.failure is not None:
                again = command(report.kind, arguments.seed, report.index)
                progress.console.print(f"\n{again}\n{report.failure}", markup=False)
    return counts


def soaked(arguments):
    """Let a long stream be read, and return how much went wrong."""
    options = {
        "--samples": arguments.samples,
        "--kills": arguments.kills,
        "--seed": arguments.seed,
        "--out": arguments.out / "soak.json",
    }
    return run_soak([str(word) for option in options.items() for word in option])


def run_one(console, seed, kind, index):
    """Run one case in this process; if it fails, all is said by its exception."""
    options = {"shrink": True} if kind == "histories" else {}  # as short as can be
    amount = KINDS[kind].run(seed, int(index), **options)
    console.print(f"{kind} {index}: {amount} {KINDS[kind].amount}")
    return 0


if __name__ == "__main__":
    sys.exit(min(main(), 1))
