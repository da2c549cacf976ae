"""What the commands of the benchmarks share: options, a progress bar, the end of a run."""

import argparse
import json
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


def parser_of(name, about, folder=None):
    """Return the parser of a benchmark, with the options that all of them have."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}", description=about.splitlines()[0]
    )
    parser.add_argument("--out", type=Path, default=Path(folder or f"{name}-report"))
    parser.add_argument(
        "--redraw",
        action="store_true",
        help="measure nothing: make tables, charts and page of --out anew, from its JSON",
    )
    return parser


def read_json(parser, path):
    """Return what an earlier run has written, or exit and say what is wrong."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        parser.error(f"--redraw needs the JSON of an earlier run, {path}: {error}")


def chosen_of(parser, kind, names, everything):
    """Return everything, or what is named; exit if a name is unknown, and list all."""
    if unknown := [name for name in names or () if name not in everything]:
        parser.error(f"unknown {kind} {unknown}; there are {', '.join(everything)}")
    return {name: everything[name] for name in names or everything}


@contextmanager
def progress_bar(console, total):
    """Yield `advance(description, share)`, which shows what is done, and how far it is."""
    columns = TextColumn("{task.percentage:>3.0f}%"), TimeElapsedColumn()
    text = TextColumn("{task.description}")
    with Progress(BarColumn(), *columns, text, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)

        def advance(description, share):
            progress.update(task, description=description, advance=share)

        yield advance


def present(report, console, folder, found):
    """Print a report, write it, and say where it is."""
    report.print_report(console, found)
    report.write_report(folder, found)
    console.print(f"The report is in {folder}: open index.html")
