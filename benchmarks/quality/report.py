"""What ``python -m benchmarks quality`` prints and writes: tables, JSON, charts, page.

All that was measured is in one dict, which the JSON holds.
"""

import json

from ..report import (
    html_beside,
    html_chart,
    html_folded,
    html_list,
    html_table,
    html_text,
    print_table,
    write_csv,
    write_page,
)
from .charts import ACROSS, UP, write_charts
from .contestants import OURS
from .others import remarks
from .tables import averages, deviation, left_out, real_ones, tables, verdict

TITLE = "Time and cost of k-means clusterings"
CAPTION = (
    "{name}: further left is faster, further down is better. A line joins the numbers of "
    "clusters; larger marks are more clusters."
)


def tables_of(found):
    """Return name -> table, of all that there are."""
    return tables(found["results"], found["merge"], found["skin accuracy"])


def print_report(console, found):
    """Print the tables, why there are dashes, and what was found."""
    for name, table in tables_of(found).items():
        if name == "summary":  # what was found says it in a terminal
            continue
        narrow = {"padding": 0, "show_edge": False}  # to fit 80 columns
        print_table(
            console, table.short, table.rows, table.legend, title=table.title, **narrow
        )
        console.print()
    for line in [*notes(found), f"{headline(found)}.", *findings(found)]:
        console.print(line, highlight=False, markup=False)


def headline(found):
    """Return the one thing to know of the results, as a sentence."""
    results = found["results"]
    ours = averages(results).get(OURS)
    if ours is None:
        return TITLE
    numbers = [line["n_clusters"] for line in results[0]["lines"]]
    of = f"{numbers[0]:,} to {numbers[-1]:,}" if len(numbers) > 1 else f"{numbers[0]:,}"
    count = len(real_ones(results))
    over = f"{count} datasets" if count > 1 else real_ones(results)[0]["dataset"]
    return (
        f"One pass: {ours[0]:.2f} times the cost of KMeans in {ours[1]:.2f} times its "
        f"time, for {of} clusters of {over}"
    )


def findings(found):
    """Return what others come to, and whether times can be relied upon, as sentences."""
    lines = [
        f"{name}: {cost:.2f} times the cost in {time:.2f} times the time."
        for name, (cost, time) in averages(found["results"]).items()
        if name != OURS
    ]
    return [*lines, *remarks(found["cores used by others"])]


def notes(found):
    """Return what to know of the figures, as lines."""
    results = found["results"]
    return [*left_out(results), *deviation(results), found["machine"]]


def write_report(folder, found):
    """Write JSON, a CSV per table, charts if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    every = tables_of(found)
    text = json.dumps({**found, "targets": verdict(every)}, indent=1)
    (folder / "quality.json").write_text(text + "\n", encoding="utf-8")
    parts = [html_list(findings(found)), *charts(folder, found["results"])]
    for name, table in every.items():
        write_csv(folder / f"quality-{name}.csv", table.headings, table.rows)
        body = [html_table(table.headings, table.rows)]
        if table.legend:
            body.append(html_text(table.legend, "legend"))
        if name == "summary":
            parts += [f"<h2>{table.title}</h2>", *body]
        else:
            parts.append(html_folded(table.title, *body))
    parts.append(html_folded("Notes", html_list(notes(found))))
    write_page(folder / "index.html", TITLE, headline(found), *parts)


def charts(folder, results):
    """Write the charts and return them for the page; nothing if they cannot be drawn."""
    figures = [
        html_chart(
            folder,
            chart,
            f"Chart of {UP} against {ACROSS} on {name}; the numbers are in the tables.",
            CAPTION.format(name=name),
        )
        for name, chart in write_charts(folder, results).items()
    ]
    return [html_beside(*figures)] if figures else []
