"""``python -m benchmarks speed``: one pass of ours against the peers on the same work."""

from rich.console import Console

from ..command import chosen_of, parser_of, present, progress_bar, read_json
from ..data import add_data_argument
from ..report import machine
from . import report
from .against import has_package, label_of, measure_against
from .contest import eight_times_the_rows, measure
from .report import load_average, print_against, write_against
from .rows import KINDS, measure_rows
from .shapes import shapes


def parsed(argv):
    """Return the arguments, and the chosen shapes by name."""
    parser = parser_of("speed", __doc__)
    add_data_argument(parser)
    parser.add_argument("--shapes", nargs="+", help="names of shapes (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (5)")
    parser.add_argument("--limit", type=float, default=60, help="seconds each (60)")
    parser.add_argument("--n-jobs", type=int, default=None, help="threads of ours")
    parser.add_argument(
        "--against",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="not the peers, but ours of other checkouts; or the word fallback, for ours "
        "without the compiled kernels",
    )
    arguments = parser.parse_args(argv)
    if arguments.redraw:
        name = "against.json" if arguments.against else "speed.json"
        arguments.redraw = read_json(parser, arguments.out / name)
    chosen = chosen_of(parser, "shapes", arguments.shapes, shapes(arguments.data))
    for other in arguments.against:
        if not has_package(other):
            parser.error(f"{other} has no package onlinekmeans_sklearn")
    labels = [label_of(other) for other in arguments.against]
    if len(set(labels)) < len(labels):
        parser.error(f"folders of the same name cannot be told apart: {labels}")
    return arguments, chosen


def main(argv=None):
    """Run the contest, or ours side by side; print the tables and write the report."""
    arguments, chosen = parsed(argv)
    console = Console()
    found = arguments.redraw or measured(arguments, chosen, console)
    if arguments.against:
        print_against(console, found)
        write_against(arguments.out, found)
        console.print(f"The report is in {arguments.out}: open against.html")
    else:
        present(report, console, arguments.out, found)


def measured(arguments, chosen, console):
    """Measure with a bar that shows how far it is."""
    conditions = {"machine": machine(), "load before": load_average()}
    with progress_bar(console, len(chosen) + (not arguments.against)) as advance:
        run = run_against if arguments.against else run_contest
        return {**conditions, **run(arguments, chosen, advance)}


def run_contest(arguments, chosen, advance):
    """Return the figures of ours and the peers."""
    options = arguments.rounds, arguments.limit, arguments.n_jobs
    results = [measure(name, shape, *options, advance) for name, shape in chosen.items()]
    lone = []
    for name, kind in KINDS.items():
        advance(f"one row: {name}", 0.5 / len(KINDS))
        lone.append(measure_rows(name, kind))
    advance("eight times the rows", 0)
    growth = eight_times_the_rows(arguments.rounds, arguments.n_jobs)
    return {"results": results, "one row at a time": lone, "eight times the rows": growth}


def run_against(arguments, chosen, advance):
    """Return the figures of ours and others of ours."""
    options = arguments.against, arguments.rounds, arguments.n_jobs
    every = chosen.items()
    return {"results": [measure_against(*each, *options, advance) for each in every]}
