"""``python -m benchmarks quality``: what to pick, by time and cost of the clusters."""

import argparse
from pathlib import Path

from rich.console import Console

from ..data import add_data_argument, available, load, load_labels
from ..report import add_redraw_argument, machine, read_json
from ..speed import progress_bar
from .accuracy import accuracies
from .merging import EVEN_CLUSTERS, evenness, growth
from .others import Watch
from .report import print_report, write_report
from .study import NUMBERS, STUDIED, measure, sources

SKIN = "skin"
SKIN_SHARE = 2  # how much longer the linear models take than a dataset, roughly
MERGE_SHARE = 0.2
MERGE_ROUNDS = 5


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
        help="numbers of clusters (10 50 200 1000); with 1000 the merge is timed, too",
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
    options.n_clusters = sorted(set(options.n_clusters))
    if options.seeds < 1 or options.n_clusters[0] < 1:
        parser.error("--seeds and --n-clusters must be at least 1")
    everything = sources(options.data)
    names = options.datasets or list(everything)
    if unknown := [name for name in names if name not in everything]:
        parser.error(f"unknown datasets {unknown}; there are {', '.join(everything)}")
    options.redraw = options.redraw and read_json(parser, options.out / "quality.json")
    return options, {name: everything[name] for name in names}


def figures(chosen, options, console):
    """Return the figures of the sources, of the merge, and of the linear model on skin."""
    watch = Watch()
    results, merges, of_skin = [], {}, []
    with_merge = EVEN_CLUSTERS in options.n_clusters
    total = len(chosen) * (1 + MERGE_SHARE * with_merge) + MERGE_SHARE * with_merge
    total += SKIN_SHARE * (SKIN in chosen)
    with progress_bar(console) as progress:
        task = progress.add_task("", total=total)

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        asked = options.n_clusters, options.seeds, options.limit
        for name, source in chosen.items():
            results.append(measure(name, source, *asked, advance))
        if with_merge:
            advance("the merge: ten times the clusters", 0)
            merges = {"growth": growth(MERGE_ROUNDS), "evenness": []}
            for name, source in chosen.items():
                advance(f"the merge: {name}", MERGE_SHARE)
                merges["evenness"].append(evenness(name, source.make()))
            advance("the merge", MERGE_SHARE)
        if SKIN in chosen:
            of_skin = accuracies(
                load(options.data, SKIN),
                load_labels(options.data, SKIN),
                options.seeds,
                lambda description, share: advance(description, SKIN_SHARE * share),
            )
    asked = {name: getattr(options, name) for name in ("n_clusters", "seeds", "limit")}
    return {
        "machine": machine(),
        "cores used by others": watch.cores_of_others(),
        "options": asked,
        "results": results,
        "merge": merges,
        "skin accuracy": of_skin,
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
