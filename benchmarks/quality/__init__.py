"""``python -m benchmarks quality``: what to pick, by time and cost of the clusters."""

from rich.console import Console

from ..command import chosen_of, parser_of, present, progress_bar, read_json
from ..data import add_data_argument, available
from ..report import machine
from . import report
from .others import Watch
from .study import CURVE_CLUSTERS, NUMBERS, STUDIED, measure, sources


def options_of(argv):
    """Return the options of the command line, and the sources that they choose."""
    parser = parser_of("quality", __doc__)
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
        help="seconds of a fit, beyond which a method is left out (60)",
    )
    options = parser.parse_args(argv)
    options.n_clusters = sorted({*options.n_clusters, options.curve_clusters})
    if options.seeds < 1 or options.n_clusters[0] < 1:
        parser.error("--seeds and numbers of clusters must be at least 1")
    chosen = chosen_of(parser, "datasets", options.datasets, sources(options.data))
    options.redraw = options.redraw and read_json(parser, options.out / "quality.json")
    return options, chosen


def figures(chosen, options, console):
    """Return the figures of the sources."""
    watch, results = Watch(), []
    asked = ("n_clusters", "curve_clusters", "seeds", "limit")
    asked = {name: getattr(options, name) for name in asked}
    with progress_bar(console, len(chosen)) as advance:
        for name, source in chosen.items():
            results.append(measure(name, source, *asked.values(), advance))
    return {
        "machine": machine(),
        "cores used by others": watch.cores_of_others(),
        "options": asked,
        "results": results,
    }


def tell_what_is_missing(console, options):
    """Print which datasets are missing."""
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
    present(report, console, options.out, found)
