"""``python -m benchmarks features``: what lifts a linear model, by time and by width."""

from rich.console import Console

from ..command import chosen_of, parser_of, present, progress_bar, read_json
from ..data import add_data_argument
from ..report import machine
from . import report
from .checks import measure_checks
from .study import BUNDLED, measure, sources
from .tables import WIDTH

COLUMNS = [250, WIDTH, 4000]
STREAM_ROWS = 15_000
QUICK = {"rows": 1500, "columns": [WIDTH], "seeds": 1}


def options_of(argv):
    """Return the options of the command line, and the sources that they choose."""
    parser = parser_of("features", __doc__)
    add_data_argument(parser)
    parser.add_argument("--datasets", nargs="+", help="names of datasets (default: all)")
    parser.add_argument("--rows", type=int, default=20_000, help="of a split (20,000)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds and splits (3)")
    parser.add_argument("--n-jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--quick", action="store_true", help="one split of few rows")
    options = parser.parse_args(argv)
    options.columns = COLUMNS
    if options.quick:
        vars(options).update(QUICK)
    if options.seeds < 1 or options.rows < 100:
        parser.error("--seeds must be at least 1, and --rows 100")
    chosen = chosen_of(parser, "datasets", options.datasets, sources(options.data))
    options.redraw = options.redraw and read_json(parser, options.out / "features.json")
    return options, chosen


def figures(chosen, options, console):
    """Return the figures of the datasets."""
    with progress_bar(console, total=2) as advance:
        advance("the first split", 0)
        asked = options.rows, options.columns, options.seeds, options.n_jobs
        results = measure(chosen, *asked, advance)
        rows = min(STREAM_ROWS, options.rows)
        checks = measure_checks(chosen, rows, *asked[2:], advance)
    asked = {name: getattr(options, name) for name in ("rows", "columns", "seeds")}
    return {"machine": machine(), "options": asked, "results": results, "checks": checks}


def main(argv=None):
    """Run the study, or read what it gave; print its tables and write the report."""
    options, chosen = options_of(argv)
    console = Console()
    found = options.redraw
    if not found:
        if not any(name not in BUNDLED for name in chosen):
            console.print("No folder with datasets: only data of scikit-learn are used.")
        found = figures(chosen, options, console)
    present(report, console, options.out, found)
