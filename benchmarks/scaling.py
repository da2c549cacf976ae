"""``python -m benchmarks scaling``: time against rows, clusters and columns, and memory.

Rows are the Gaussian blobs of the speed benchmark. Beside one pass of ours there is one
pass of MiniBatchKMeans with as many clusters as were found, and ONE look-up of every row by
scikit-learn's ``pairwise_distances_argmin_min``. A method that took longer than the limit
is left out of the next, larger step. Memory is that of X, the most that fit allocates
beside X, and the most that a stream of partial_fit calls allocates.
"""

from functools import partial

import numpy as np
from rich.console import Console
from sklearn.metrics import pairwise_distances_argmin_min

from onlinekmeans_sklearn import OnlineKMeans

from .command import parser_of, progress_bar, read_json
from .report import (
    Table,
    chart_parts,
    html_list,
    machine,
    print_table,
    write_json,
    write_page,
    write_tables,
)
from .speed.contest import mini_batch_pass, n_bytes, peak_memory, seconds
from .speed.shapes import blobs
from .speed.tables import MIB
from .style import BLUE, GRAY, ORANGE, SMALL, add_legend, log_axis, new_figure

CHUNK = 10_000  # rows per call of partial_fit
STUDIES = {  # what changes: (steps of it, the others)
    "n": (
        [10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000],
        {"d": 10, "k": 200},
    ),
    "k": ([50, 100, 300, 1000, 3000, 10_000], {"n": 100_000, "d": 10}),
    "d": ([2, 4, 10, 30, 100, 300, 1000], {"n": 50_000, "k": 200}),
}
FIT, LOOK_UP, PASS = "OnlineKMeans.fit", "one look-up", "MiniBatchKMeans, one pass"
TIMES = {FIT: (BLUE, "o"), LOOK_UP: (GRAY, "v"), PASS: (ORANGE, "s")}
X_MEMORY, FIT_MEMORY, STREAM = "MiB of the rows", "MiB of fit", "MiB of a stream"
MEMORY = {X_MEMORY: (GRAY, "v"), FIT_MEMORY: (BLUE, "o"), STREAM: (BLUE, "^")}
WORDS = {"n": "rows", "k": "clusters aimed at", "d": "columns", "found": "clusters"}
CAPTION = (
    "Time against rows, clusters and columns; and memory against rows: that of the rows, "
    "and what fit, or a stream of calls of partial_fit, needs beside them."
)


def fit(X, k):
    """Return our model of the rows."""
    return OnlineKMeans(k=k, random_state=0).fit(X)


def read_in_chunks(X, k):
    """Read the rows by partial_fit, as a stream that is not kept."""
    model = OnlineKMeans(k=k, random_state=0)
    for start in range(0, X.shape[0], CHUNK):
        model.partial_fit(X[start : start + CHUNK])


def times(X, k, rounds, asked):
    """Return the best seconds of those that are asked."""
    model = fit(X, k)
    calls = {
        FIT: lambda X: fit(X, k),
        LOOK_UP: lambda X: pairwise_distances_argmin_min(X, model.cluster_centers_),
        PASS: lambda X: mini_batch_pass(X, model.n_clusters_),
    }
    best = dict.fromkeys(asked, np.inf)
    for _ in range(rounds):
        for name in asked:
            best[name] = min(best[name], seconds(calls[name], X))
    return {"found": model.n_clusters_, **best}


def study(what, largest, rounds, limit, advance):
    """Return a row of figures per step of what changes, up to the largest n."""
    steps, others = STUDIES[what]
    asked, rows = list(TIMES), []
    for step in steps:
        setting = {**others, what: step}
        if what == "n" and step > largest:
            break
        setting["n"] = min(setting["n"], largest)
        advance(f"{what} = {step:,}", 1)
        X = blobs(setting["n"], setting["d"])
        row = {**setting, **times(X, setting["k"], rounds, asked)}
        if what == "n":
            row[X_MEMORY] = n_bytes(X) / MIB
            for name, call in ((FIT_MEMORY, fit), (STREAM, read_in_chunks)):
                row[name] = peak_memory(partial(call, k=setting["k"]), X) / MIB
        asked = [name for name in asked if row[name] * rounds <= limit]
        rows.append(row)
    return rows


def fixed(what, rows):
    """Return what does not change in a study, as text."""
    others = STUDIES[what][1]
    return ", ".join(f"{rows[0][name]:,} {WORDS[name].split()[0]}" for name in others)


def table_of(what, rows):
    """Return the table of a study, with None where a method was left out."""
    names = [what, *(name for name in rows[0] if name not in ("n", "d", "k"))]
    cells = [[text_of(row.get(name)) for name in names] for row in rows]
    title = f"Seconds against {WORDS[what]} ({fixed(what, rows)})"
    return Table(title, [WORDS.get(name, name) for name in names], cells, None)


def tables_of(found):
    """Return what changes -> table, of all studies."""
    return {what: table_of(what, rows) for what, rows in found["studies"].items()}


def text_of(value):
    """Return a count with commas, and anything else to three figures."""
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def headline(found):
    """Return the main result, as a sentence."""
    row = max(found["studies"]["n"], key=lambda row: row["n"])
    return (
        f"{row['n']:,} rows take {row[FIT]:.2g} seconds, and a stream of them "
        f"{row[STREAM]:.1f} MiB of memory"
    )


def draw(studies, pale):
    """Return four panels: time against what changes, and memory."""
    figure = new_figure(5.4)
    panels = figure.subplots(2, 2).ravel()
    for axes, (what, rows) in zip(panels, studies.items()):
        lines = {name: [(r[what], r[name]) for r in rows if name in r] for name in TIMES}
        draw_lines(axes, lines, TIMES)
        axes.set_title(f"seconds, {fixed(what, rows)}", fontsize=SMALL)
        axes.set_xlabel(WORDS[what], fontsize=SMALL + 1)
    rows = studies["n"]
    draw_lines(
        panels[3], {name: [(r["n"], r[name]) for r in rows] for name in MEMORY}, MEMORY
    )
    panels[3].set_title(f"MiB, {fixed('n', rows)}", fontsize=SMALL)
    panels[3].set_xlabel(WORDS["n"], fontsize=SMALL + 1)
    return add_legend(figure, ncols=2)


def draw_lines(axes, lines, styles):
    """Draw the lines of a panel."""
    for name, points in lines.items():
        color, marker = styles[name]
        axes.plot(*zip(*points), color=color, marker=marker, label=name, gid=name)
    log_axis(axes, "x", powers=True)
    log_axis(axes, "y", powers=True)
    axes.tick_params(labelsize=SMALL)
    axes.grid()


def write_report(folder, found):
    """Write scaling.json, a CSV per study, a chart if matplotlib is there, and a page."""
    write_json(folder, "scaling", found)
    alt = "Charts of seconds against rows, clusters and columns, and of memory"
    chart = partial(draw, found["studies"])
    parts = chart_parts(folder, "scaling", chart, alt, CAPTION)
    parts += write_tables(folder, "scaling-", tables_of(found))
    parts.append(html_list([found["machine"]]))
    path = folder / "scaling.html"
    write_page(path, "How OnlineKMeans scales", headline(found), *parts)


def measured(arguments, console):
    """Run the studies, with a bar that shows how far they are."""
    asked = arguments.largest, arguments.rounds, arguments.limit
    total = sum(len(steps) for steps, _ in STUDIES.values())
    with progress_bar(console, total) as advance:
        studies = {what: study(what, *asked, advance) for what in STUDIES}
    return {"machine": machine(), "studies": studies}


def main(argv=None):
    """Run the studies, or read what they gave; print their tables and write the report."""
    parser = parser_of("scaling", __doc__, folder="speed-report")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (3)")
    parser.add_argument("--limit", type=float, default=120, help="seconds a step (120)")
    parser.add_argument(
        "--largest", type=int, default=10_000_000, help="most rows (10,000,000)"
    )
    arguments = parser.parse_args(argv)
    console = Console()
    if arguments.redraw:
        found = read_json(parser, arguments.out / "scaling.json")
    else:
        found = measured(arguments, console)
    for table in tables_of(found).values():
        print_table(console, table.headings, table.rows, None, title=table.title)
    write_report(arguments.out, found)
    console.print(f"{headline(found)}.", highlight=False)
    console.print(f"The report is in {arguments.out}: open scaling.html")
