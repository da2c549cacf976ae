"""``python -m benchmarks drift``: what the next window costs when a stream changes."""

from rich.console import Console

from ..command import chosen_of, parser_of, present, progress_bar, read_json
from ..data import add_data_argument
from ..quality.others import Watch
from ..report import machine
from . import report
from .checks import measure_checks
from .lasting import measure_ids
from .streams import DATASETS, all_streams
from .study import measure

CHECKS_SHARE, IDS_SHARE = 3, 2  # how much longer these take than a stream, roughly


def options_of(argv):
    """Return the options of the command line, and the streams that they choose."""
    parser = parser_of("drift", __doc__)
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
    options = parser.parse_args(argv)
    if options.seeds < 1 or options.windows < 2 or options.rows < 1:
        parser.error("--seeds and --rows must be at least 1, and --windows 2")
    everything = all_streams(options.data, options.windows, options.rows)
    chosen = chosen_of(parser, "streams", options.streams, everything)
    options.redraw = options.redraw and read_json(parser, options.out / "drift.json")
    return options, chosen


def figures(chosen, options, console):
    """Return the figures of the streams, of the checks and of the ids."""
    watch, results, checks, ids = Watch(), [], {}, {}
    total = len(chosen) + (CHECKS_SHARE + IDS_SHARE) * (options.largest > 0)
    with progress_bar(console, total) as advance:
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
    present(report, console, options.out, found)
