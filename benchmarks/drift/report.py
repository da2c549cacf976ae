"""What ``python -m benchmarks drift`` prints and writes: tables, JSON, chart, page.

All that was measured is in one dict, which the JSON holds.
"""

import json

from ..quality.others import remarks
from ..quality.tables import verdict
from ..report import (
    html_chart,
    html_folded,
    html_list,
    html_table,
    html_text,
    print_table,
    write_csv,
    write_page,
)
from .charts import ACROSS, NAME, UP, write_drift_chart
from .contestants import MINI_BATCH, RIVAL, WITHOUT
from .streams import MOVING, RETURN
from .study import ratio
from .tables import SOON, left_out, read_partly, tables

TITLE = "Clusters of streams that change"
CAPTION = (
    "After each window of rows: what the next window costs with the centers so far, "
    "compared to the best of several KMeans on that window itself. Lower is better."
)


def tables_of(found):
    """Return name -> table, of all that there are."""
    return tables(found["results"], found["checks"], found["ids"])


def with_targets(table):
    """Return the headings and rows of a table, with what the first figures should be."""
    rows = []
    for what, cell, *others in table.rows:
        bound = None
        if cell.target is not None:
            bound = f"{'at most' if cell.less_is_better else 'at least'} {cell.target:g}"
        rows.append([what, cell, *others, bound, cell.verdict or None])
    return [*table.headings, "should be", ""], rows


def print_report(console, found):
    """Print the tables, why there are dashes, and what was found."""
    for name, table in tables_of(found).items():
        headings, rows = table.short, table.rows
        if name in ("checks", "ids"):
            headings, rows = with_targets(table)
        narrow = {"padding": 0, "show_edge": False}  # to fit 80 columns
        print_table(console, headings, rows, table.legend, title=table.title, **narrow)
        console.print()
    for line in [*notes(found), f"{headline(found)}."]:
        console.print(line, highlight=False, markup=False)


def headline(found):
    """Return the one thing to know of the results, as a sentence."""
    by_name = {result["stream"]: result for result in found["results"]}
    if MOVING not in by_name or RETURN not in by_name:
        return TITLE
    soon, without, mini_batch, rival = (
        " and ".join(f"{ratio(by_name[name], who):.2g}" for name in (MOVING, RETURN))
        for who in (SOON, WITHOUT, MINI_BATCH, RIVAL)
    )
    return (
        f"When groups move, and when they come back, the next window costs {soon} times "
        f"the best with a half-life, {without} times without, {mini_batch} times with "
        f"MiniBatchKMeans, {rival} times with KMeans on the last window"
    )


def notes(found):
    """Return what to know of the figures, as lines."""
    results = found["results"]
    busy = remarks(found["cores used by others"])
    return [*left_out(results), *read_partly(results), found["machine"], *busy]


def write_report(folder, found):
    """Write JSON, a CSV per table, the chart if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    every = tables_of(found)
    text = json.dumps({**found, "targets": verdict(every)}, indent=1)
    (folder / "drift.json").write_text(text + "\n", encoding="utf-8")
    parts = []
    if write_drift_chart(folder, found["results"]):
        description = f"Chart of {UP} against {ACROSS}; the numbers are in the tables."
        parts.append(html_chart(folder, NAME, description, CAPTION))
    for name, table in every.items():
        write_csv(folder / f"drift-{name}.csv", table.headings, table.rows)
        body = [html_table(table.headings, table.rows)]
        if table.legend:
            body.append(html_text(table.legend, "legend"))
        parts.append(html_folded(table.title, *body))
    parts.append(html_folded("Notes", html_list(notes(found))))
    write_page(folder / "index.html", TITLE, headline(found), *parts)
