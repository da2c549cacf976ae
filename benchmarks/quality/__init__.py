"""``python -m benchmarks quality``: how good the clusters of one pass are."""

import argparse
from pathlib import Path

from rich.console import Console

from ..data import add_data_argument, available, load, load_labels
from ..speed import progress_bar
from .accuracy import accuracies
from .report import print_report, write_report
from .study import STUDIED, measure, sources

SKIN = "skin"
SKIN_SHARE = 15  # how much longer the linear models take than a dataset, roughly


def options_of(argv):
    """Return the options of the command line, and the sources that they choose."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks quality", description=__doc__.splitlines()[0]
    )
    add_data_argument(parser)
    parser.add_argument("--datasets", nargs="+", help="names of datasets (default: all)")
    parser.add_argument("--seeds", type=int, default=5, help="seeds and splits (5)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of timing (5)")
    parser.add_argument("--limit", type=float, default=30, help="seconds for Birch (30)")
    parser.add_argument("--out", type=Path, default=Path("quality-report"))
    options = parser.parse_args(argv)
    everything = sources(options.data)
    names = options.datasets or list(everything)
    if unknown := [name for name in names if name not in everything]:
        parser.error(f"unknown datasets {unknown}; there are {', '.join(everything)}")
    return options, {name: everything[name] for name in names}


def figures(chosen, options, console):
    """Return the figures of the chosen sources, and of the linear model if skin is one."""
    results, of_skin = [], []
    total = len(chosen) + SKIN_SHARE * (SKIN in chosen)
    with progress_bar(console) as progress:
        task = progress.add_task("", total=total)

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        for name, source in chosen.items():
            results.append(
                measure(name, source, options.seeds, options.rounds, options.limit, advance)
            )
        if SKIN in chosen:
            of_skin = accuracies(
                load(options.data, SKIN),
                load_labels(options.data, SKIN),
                options.seeds,
                lambda description, share: advance(description, SKIN_SHARE * share),
            )
    return results, of_skin


def main(argv=None):
    """Run the study, print its tables and write the report."""
    options, chosen = options_of(argv)
    console = Console()
    missing = [name for name in STUDIED if name not in available(options.data)]
    if len(missing) == len(STUDIED):
        console.print("There is no folder with datasets: only the generated stream is run.")
    elif missing:
        console.print(f"The folder lacks {', '.join(missing)}.")
    results, of_skin = figures(chosen, options, console)
    print_report(console, results, of_skin)
    asked = {name: getattr(options, name) for name in ("seeds", "rounds", "limit")}
    write_report(options.out, results, of_skin, asked)
    console.print(f"The report is in {options.out}: open index.html")
