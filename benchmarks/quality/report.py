"""What ``python -m benchmarks quality`` prints and writes: tables, JSON, charts, page."""

import json

from ..report import (
    html_beside,
    html_chart,
    html_list,
    html_table,
    html_text,
    machine,
    page,
    print_table,
    write_csv,
)
from .charts import ACROSS, UP, write_charts
from .others import remarks
from .tables import deviation, left_out, tables, verdict

CAPTION = (
    "{name}: further left is faster, further down is better, and a line joins the numbers "
    "of clusters. ↑: a cost beyond the chart."
)


def print_report(console, results, merges, accuracies, busy=None):
    """Print the tables, why there are dashes, and what became of the targets.

    `busy` says how many cores others have used meanwhile.
    """
    every = tables(results, merges, accuracies)
    for table in every.values():
        narrow = {"padding": 0, "show_edge": False}  # to fit 80 columns
        print_table(
            console, table.short, table.rows, table.legend, title=table.title, **narrow
        )
        console.print()
    for line in [*notes(results), outcome(every, busy)]:
        console.print(line, highlight=False, markup=False)


def outcome(every, busy):
    """Return what became of the targets, and whether that can be relied upon."""
    return " ".join([verdict(every), *remarks(busy)])


def notes(results):
    """Return what to know of the figures, as lines."""
    return [*left_out(results), *deviation(results), machine()]


def write_report(folder, results, merges, accuracies, options, busy=None):
    """Write JSON, a CSV per table, charts if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    every = tables(results, merges, accuracies)
    everything = {
        "machine": machine(),
        "cores used by others": busy,
        "options": options,
        "verdict": outcome(every, busy),
        "results": results,
        "merge": merges,
        "skin accuracy": accuracies,
    }
    (folder / "quality.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    parts = [html_text(outcome(every, busy)), *charts(folder, results)]
    for name, table in every.items():
        write_csv(folder / f"quality-{name}.csv", table.headings, table.rows)
        parts += [f"<h2>{table.title}</h2>", html_table(table.headings, table.rows)]
        if table.legend:
            parts.append(html_text(table.legend, "legend"))
    parts += ["<h2>Notes</h2>", html_list(notes(results))]
    text = page("What to pick: time and cost of k-means clusterings", *parts)
    (folder / "index.html").write_text(text, encoding="utf-8")


def charts(folder, results):
    """Write the charts and return them for the page; nothing if they cannot be drawn."""
    figures = [
        html_chart(
            folder / f"{chart}.png",
            folder / f"{chart}-dark.png",
            f"Chart of {UP} against {ACROSS} on {name}; the numbers are in the tables.",
            CAPTION.format(name=name),
        )
        for name, chart in write_charts(folder, results).items()
    ]
    return ["<h2>Time against cost</h2>", html_beside(*figures)] if figures else []
