"""``python -m benchmarks quality``: what to pick, by time and cost of the clusters."""

import argparse
from pathlib import Path

from rich.console import Console

from ..data import add_data_argument, available
from ..report import add_redraw_argument, machine, read_json
from ..speed import progress_bar
from .others import Watch
from .report import print_report, write_report
from .study import CURVE_CLUSTERS, NUMBERS, STUDIED, measure, sources


def options_of(argv):
    """Return the options of the command line, and the sources that they choose."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks quality", description=__doc__.splitlines()[0]
    )
    add_data_argument(parser)
    parser.add_argument("--datasets", nargs="+", help="names of datasets (default: all)")
    parser.add_argument(
        "--n-clusters",
        nargs="+",
        type=int,
        default=NUMBERS,
        help="numbers of clusters (10 50 200 1000)",
    )
    parser.add_argument(
        "--curve-clusters",
        type=int,
        default=CURVE_CLUSTERS,
        help="the number of clusters for which ours runs with every k (200)",
    )
    parser.add_argument("--seeds", type=int, default=3, help="seeds and splits (3)")
    parser.add_argument(
        "--limit",
        type=float,
        default=60,
        help="seconds of a fit, beyond which somebody is left out (60)",
    )
    parser.add_argument("--out", type=Path, default=Path("quality-report"))
    add_redraw_argument(parser)
    options = parser.parse_args(argv)
    options.n_clusters = sorted({*options.n_clusters, options.curve_clusters})
    if options.seeds < 1 or options.n_clusters[0] < 1:
        parser.error("--seeds and numbers of clusters must be at least 1")
    everything = sources(options.data)
    names = options.datasets or list(everything)
    if unknown := [name for name in names if name not in everything]:
        parser.error(f"unknown datasets {unknown}; there are {', '.join(everything)}")
    options.redraw = options.redraw and read_json(parser, options.out / "quality.json")
    return options, {name: everything[name] for name in names}


def figures(chosen, options, console):
    """Return the figures of the sources."""
    watch, results = Watch(), []
    asked = ("n_clusters", "curve_clusters", "seeds", "limit")
    asked = {name: getattr(options, name) for name in asked}
    with progress_bar(console) as progress:
        task = progress.add_task("", total=len(chosen))

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        for name, source in chosen.items():
            results.append(measure(name, source, *asked.values(), advance))
    return {
        "machine": machine(),
        "cores used by others": watch.cores_of_others(),
        "options": asked,
        "results": results,
    }


def tell_what_is_missing(console, options):
    """Print which datasets are not there."""
    missing = [name for name in STUDIED if name not in available(options.data)]
    if len(missing) == len(STUDIED):
        console.print("There is no folder with datasets: only the generated stream is run.")
    elif missing:
        console.print(f"The folder lacks {', '.join(missing)}.")


def main(argv=None):
    """Run the study, or read what it gave; print its tables and write the report."""
    options, chosen = options_of(argv)
    console = Console()
    found = options.redraw
    if not found:
        tell_what_is_missing(console, options)
        found = figures(chosen, options, console)
    print_report(console, found)
    write_report(options.out, found)
    console.print(f"The report is in {options.out}: open index.html")
