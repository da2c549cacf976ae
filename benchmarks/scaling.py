"""``python -m benchmarks scaling``: time against n, k and d, and memory against n.

Rows are the Gaussian blobs of the speed benchmark. Beside one pass of ours there is one
pass of MiniBatchKMeans (MBK) with as many clusters as were found, and ONE look-up of every
row by scikit-learn's ``pairwise_distances_argmin_min``. A contestant that took longer than
the limit is not asked for the next, larger step. Memory is that of X, the most that fit
allocates beside X, and the most that a stream of partial_fit calls does.
"""

import argparse
import csv
from functools import partial
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.metrics import pairwise_distances_argmin_min

from onlinekmeans_sklearn import OnlineKMeans

from .speed import progress_bar
from .speed.contest import mini_batch_pass, n_bytes, peak_memory, seconds
from .speed.report import MIB
from .speed.shapes import blobs

CHUNK = 10_000  # rows per call of partial_fit
STUDIES = {  # what changes: (steps of it, the others)
    "n": (
        [10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000],
        {"d": 10, "k": 200},
    ),
    "k": ([50, 100, 300, 1000, 3000, 10_000], {"n": 100_000, "d": 10}),
    "d": ([2, 4, 10, 30, 100, 300, 1000], {"n": 50_000, "k": 200}),
}
CONTESTANTS = ["our fit", "floor", "MBK pass"]


def fit(X, k):
    """Return our model of the rows."""
    return OnlineKMeans(k=k, random_state=0).fit(X)


def read_in_chunks(X, k):
    """Read the rows by partial_fit, as a stream that nobody keeps."""
    model = OnlineKMeans(k=k, random_state=0)
    for start in range(0, X.shape[0], CHUNK):
        model.partial_fit(X[start : start + CHUNK])


def times(X, k, rounds, asked):
    """Return the best seconds of those contestants that are asked."""
    model = fit(X, k)
    calls = {
        "our fit": lambda X: fit(X, k),
        "floor": lambda X: pairwise_distances_argmin_min(X, model.cluster_centers_),
        "MBK pass": lambda X: mini_batch_pass(X, model.n_clusters_),
    }
    best = dict.fromkeys(asked, np.inf)
    for _ in range(rounds):
        for name in asked:
            best[name] = min(best[name], seconds(calls[name], X))
    return {"found": model.n_clusters_, **best}


def study(what, largest, rounds, limit, advance):
    """Return a row of figures per step of what changes, up to the largest n."""
    steps, others = STUDIES[what]
    asked, rows = CONTESTANTS, []
    for step in steps:
        setting = {**others, what: step}
        if what == "n" and step > largest:
            break
        setting["n"] = min(setting["n"], largest)
        advance(f"{what} = {step:,}")
        X = blobs(setting["n"], setting["d"])
        row = {**setting, **times(X, setting["k"], rounds, asked)}
        if what == "n":
            row["MiB X"] = n_bytes(X) / MIB
            for name, call in (("MiB fit", fit), ("MiB stream", read_in_chunks)):
                row[name] = peak_memory(partial(call, k=setting["k"]), X) / MIB
        asked = [name for name in asked if row[name] * rounds <= limit]
        rows.append(row)
    return rows


def fixed(what, rows):
    """Return what does not change in a study, as text."""
    return ", ".join(f"{name} = {rows[0][name]:,}" for name in STUDIES[what][1])


def print_study(console, what, rows):
    """Print the figures of a study."""
    headings = [what, *(name for name in rows[0] if name not in ("n", "d", "k"))]
    title = f"Seconds against {what}, with {fixed(what, rows)}"
    table = Table(box=SIMPLE_HEAD, title=title, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        cells = [row.get(heading) for heading in headings]
        table.add_row(*("-" if cell is None else text_of(cell) for cell in cells))
    console.print(table)


def text_of(value):
    """Return a count with commas, and anything else to three figures."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def write_study(path, rows):
    """Write the figures of a study as CSV."""
    headings = list(rows[0])
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(headings)
        for row in rows:
            cells = [row.get(heading) for heading in headings]
            writer.writerow("" if c is None else f"{c:.4g}" if c % 1 else c for c in cells)


def write_chart(path, results):
    """Draw the studies side by side, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(11, 8), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for axes, (what, rows) in zip(panels, results.items()):
        for name in CONTESTANTS:
            points = [(row[what], row[name]) for row in rows if name in row]
            axes.plot(*zip(*points), marker="o", label=name)
        axes.set(
            xlabel=what,
            ylabel="seconds",
            title=f"time against {what} ({fixed(what, rows)})",
        )
    axes = panels[3]
    for name in ("MiB X", "MiB fit", "MiB stream"):
        axes.plot(
            [row["n"] for row in results["n"]],
            [row[name] for row in results["n"]],
            marker="o",
            label=name.removeprefix("MiB "),
        )
    axes.set(xlabel="n", ylabel="MiB", title="memory against n; fit and stream beside X")
    for axes in panels:
        axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=100)


def main(argv=None):
    """Run the studies, print their tables and write CSV and a chart."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scaling", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (3)")
    parser.add_argument("--limit", type=float, default=120, help="seconds a step (120)")
    parser.add_argument(
        "--largest", type=int, default=10_000_000, help="most rows (10,000,000)"
    )
    parser.add_argument("--out", type=Path, default=Path("speed-report"))
    arguments = parser.parse_args(argv)

    console = Console()
    results = {}
    with progress_bar(console) as progress:
        total = sum(len(steps) for steps, _ in STUDIES.values())
        task = progress.add_task("", total=total)

        def advance(description):
            progress.update(task, description=description, advance=1)

        for what in STUDIES:
            results[what] = study(
                what, arguments.largest, arguments.rounds, arguments.limit, advance
            )
    arguments.out.mkdir(parents=True, exist_ok=True)
    for what, rows in results.items():
        print_study(console, what, rows)
        write_study(arguments.out / f"scaling-{what}.csv", rows)
    write_chart(arguments.out / "scaling.png", results)
    console.print(f"The figures are in {arguments.out}: scaling.png and scaling-*.csv")
