"""``python -m benchmarks paper``: the experiments of the paper, on its datasets."""

from rich.console import Console

from ..command import parser_of, read_json
from ..data import DATASETS, add_data_argument
from .jobs import TITLES
from .published import differences
from .report import print_report, write_report
from .sources import paper_sources
from .study import Plan, about_of, log_spaced, records_of

FEATURE_K_TARGETS = [100, 300, 1000, 3000]
ONLINE_K_TARGET = 1000


def options_of(argv):
    """Return the options of the command line."""
    about = (
        "The experiments of the paper, on its datasets. What is not in the data folder is "
        "downloaded. An interrupted run resumes where it left off."
    )
    parser = parser_of("paper", about)
    add_data_argument(parser)
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, metavar="NAME")
    parser.add_argument("--experiments", nargs="+", choices=TITLES, metavar="NAME")
    parser.add_argument(
        "--k-targets",
        nargs="+",
        type=int,
        default=log_spaced(20, 1000, 8),
        help="clusters to aim at in Figures 1 to 5 (8 numbers from 20 to 1000)",
    )
    parser.add_argument("--runs", type=int, default=3, help="seeds and splits (3)")
    parser.add_argument("--n-jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument(
        "--variant",
        choices=["text", "scripts"],
        default="text",
        help="Algorithm 3 in the figures: as in the text or as in the authors' scripts",
    )
    parser.add_argument("--offline", action="store_true", help="download nothing")
    options = parser.parse_args(argv)
    if options.runs < 1 or min(options.k_targets) < 1:
        parser.error("--runs and --k-targets must be at least 1")
    options.redraw = options.redraw and read_json(parser, options.out / "report.json")
    return options


def studied(console, options):
    """Run the study, and return its records and what they are about."""
    names = [name for name in DATASETS if name in (options.datasets or DATASETS)]
    sources = paper_sources(names, options.data, not options.offline)
    plan = Plan(
        sorted(set(options.k_targets)),
        FEATURE_K_TARGETS,
        ONLINE_K_TARGET,
        options.runs,
        options.variant,
        tuple(name for name in TITLES if name in (options.experiments or TITLES)),
    )
    records = records_of(console, sources, plan, options.out, options.n_jobs)
    notes = {
        record["dataset"]: differences(record["dataset"], record["result"])
        for record in records
        if record["experiment"] == "shape" and "result" in record
    }
    title = "The experiments of the paper"
    return records, about_of(title, plan, sources, notes=notes, paper=True)


def main(argv=None):
    """Run the study, or read what it gave; print its tables and write the report."""
    options = options_of(argv)
    console = Console()
    if options.redraw:
        records = options.redraw["records"]
        about = {**options.redraw["about"], "machine": options.redraw["machine"]}
    else:
        records, about = studied(console, options)
    print_report(console, records, about)
    write_report(options.out, records, about)
    console.print(f"The report is in {options.out}: open index.html")
