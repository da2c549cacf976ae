"""``python -m benchmarks speed``: one pass of ours against the peers on the same work."""

import argparse
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..data import add_data_argument
from .contest import eight_times_the_rows, measure, one_row
from .report import print_report, write_report
from .shapes import shapes


def progress_bar(console):
    """Return a bar that tells what is being done, how far it is, and since when."""
    return Progress(
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
    )


def main(argv=None):
    """Run the contest, print its table and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks speed", description=__doc__.splitlines()[0]
    )
    add_data_argument(parser)
    parser.add_argument("--shapes", nargs="+", help="names of shapes (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (5)")
    parser.add_argument("--limit", type=float, default=60, help="seconds each (60)")
    parser.add_argument("--n-jobs", type=int, default=None, help="threads of ours")
    parser.add_argument("--out", type=Path, default=Path("speed-report"))
    arguments = parser.parse_args(argv)
    everything = shapes(arguments.data)
    chosen = arguments.shapes or list(everything)
    if unknown := [name for name in chosen if name not in everything]:
        parser.error(f"unknown shapes {unknown}; there are {', '.join(everything)}")

    console = Console()
    results = []
    with progress_bar(console) as progress:
        task = progress.add_task("", total=len(chosen) + 1)

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        for name in chosen:
            results.append(
                measure(
                    name,
                    everything[name],
                    arguments.rounds,
                    arguments.limit,
                    arguments.n_jobs,
                    advance,
                )
            )
        advance("one row", 0)
        row = one_row()
        advance("eight times the rows", 0.5)
        growth = eight_times_the_rows(arguments.rounds, arguments.n_jobs)
    print_report(console, results, row, growth)
    write_report(arguments.out, results, row, growth)
    console.print(f"The report is in {arguments.out}: index.html, speed.json, speed.png")
