"""``python -m benchmarks drift``: what the next window costs when a stream changes."""

import argparse
from pathlib import Path

from rich.console import Console

from ..data import add_data_argument
from ..quality.others import Watch
from ..report import add_redraw_argument, machine, read_json
from ..speed import progress_bar
from .checks import measure_checks
from .lasting import measure_ids
from .report import print_report, write_report
from .streams import DATASETS, all_streams
from .study import measure

CHECKS_SHARE, IDS_SHARE = 3, 2  # how much longer these take than a stream, roughly


def options_of(argv):
    """Return the options of the command line, and the streams that they choose."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks drift", description=__doc__.splitlines()[0]
    )
    add_data_argument(parser)
    parser.add_argument("--streams", nargs="+", help="names of streams (default: all)")
    parser.add_argument("--windows", type=int, default=84, help="windows, at most (84)")
    parser.add_argument(
        "--rows", type=int, default=1000, help="rows of a generated window (1,000)"
    )
    parser.add_argument("--seeds", type=int, default=3, help="seeds (3)")
    parser.add_argument(
        "--limit", type=float, default=4, help="seconds of a stream for river (4)"
    )
    parser.add_argument(
        "--largest",
        type=int,
        default=10_000_000,
        help="rows of the longest stream, for memory; a tenth for live clusters, times and "
        "ids (10,000,000); 0 for the contest alone",
    )
    parser.add_argument("--out", type=Path, default=Path("drift-report"))
    add_redraw_argument(parser)
    options = parser.parse_args(argv)
    if options.seeds < 1 or options.windows < 2 or options.rows < 1:
        parser.error("--seeds and --rows must be at least 1, and --windows 2")
    everything = all_streams(options.data, options.windows, options.rows)
    names = options.streams or list(everything)
    if unknown := [name for name in names if name not in everything]:
        parser.error(f"unknown streams {unknown}; there are {', '.join(everything)}")
    options.redraw = options.redraw and read_json(parser, options.out / "drift.json")
    return options, {name: everything[name] for name in names}


def figures(chosen, options, console):
    """Return the figures of the streams, of the checks and of the ids."""
    watch, results, checks, ids = Watch(), [], {}, {}
    with progress_bar(console) as progress:
        total = len(chosen) + (CHECKS_SHARE + IDS_SHARE) * (options.largest > 0)
        task = progress.add_task("", total=total)

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        for name, stream in chosen.items():
            results.append(measure(name, stream, options.seeds, options.limit, advance))
        if options.largest:
            checks = measure_checks(
                options.largest, lambda what, share: advance(what, CHECKS_SHARE * share)
            )
            ids = measure_ids(
                options.data,
                [name for name in chosen if name in DATASETS],
                options.largest // 10,
                options.seeds,
                lambda what, share: advance(what, IDS_SHARE * share),
            )
    asked = ("windows", "rows", "seeds", "limit", "largest")
    return {
        "machine": machine(),
        "cores used by others": watch.cores_of_others(),
        "options": {name: getattr(options, name) for name in asked},
        "results": results,
        "checks": checks,
        "ids": ids,
    }


def main(argv=None):
    """Run the study, or read what it gave; print its tables and write the report."""
    options, chosen = options_of(argv)
    console = Console()
    found = options.redraw
    if not found:
        if not any(name in DATASETS for name in chosen):
            console.print("No datasets: only generated streams are run.")
        found = figures(chosen, options, console)
    print_report(console, found)
    write_report(options.out, found)
    console.print(f"The report is in {options.out}: open index.html")
