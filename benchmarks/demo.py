"""``python -m benchmarks``: the paper's experiments on data that everybody has."""

import argparse
from pathlib import Path

from rich.console import Console

from .paper.report import print_report, write_report
from .paper.sources import bundled_sources
from .paper.study import Plan, about_of, log_spaced, records_of


def main(argv=None):
    """Run the study, print the tables of accuracies and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="The paper's experiments on data that come with scikit-learn, and on "
        "generated ones (*): nothing is downloaded.",
        epilog="Others: python -m benchmarks paper, quality, features, drift, speed, "
        "scaling or dask.",
    )
    parser.add_argument("--runs", type=int, default=3, help="seeds and splits (3)")
    parser.add_argument("--n-jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--out", type=Path, default=Path("report"))
    options = parser.parse_args(argv)
    if options.runs < 1:
        parser.error("--runs must be at least 1")

    console = Console()
    sources = bundled_sources()
    plan = Plan(
        k_targets=log_spaced(20, 500, 5),
        feature_k_targets=[30, 100, 300],
        online_k_target=100,
        runs=options.runs,
    )
    records = records_of(console, sources, plan, options.out, options.n_jobs)
    about = about_of("Online k-means at work", plan, sources, notes={}, paper=False)
    print_report(console, records, about, only=("accuracy", "online"))
    write_report(options.out, records, about)
    console.print(f"The report is in {options.out}: open index.html")
