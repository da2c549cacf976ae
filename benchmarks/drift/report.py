"""What ``python -m benchmarks drift`` prints and writes: tables, JSON, chart, page.

All that was measured is in one dict, which the JSON holds.
"""

from functools import partial

from ..quality.others import remarks
from ..report import (
    Table,
    chart_parts,
    html_folded,
    html_list,
    print_tables,
    verdict,
    write_json,
    write_page,
    write_tables,
)
from .charts import DESCRIPTION, draw
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
    """Return a table with what its first figures should be."""
    rows = []
    for what, cell, *others in table.rows:
        bound = None
        if cell.target is not None:
            bound = f"{'at most' if cell.less_is_better else 'at least'} {cell.target:g}"
        rows.append([what, cell, *others, bound, cell.verdict or None])
    return Table(table.title, [*table.headings, "should be", ""], rows, table.legend)


def print_report(console, found):
    """Print the tables, why there are dashes, and what was found."""
    every = tables_of(found)
    for name in every.keys() & {"checks", "ids"}:
        every[name] = with_targets(every[name])
    print_tables(console, every.values(), [*notes(found), f"{headline(found)}."])


def headline(found):
    """Return the main result, as a sentence."""
    by_name = {result["stream"]: result for result in found["results"]}
    if MOVING not in by_name or RETURN not in by_name:
        return TITLE
    soon, without, mini_batch, rival = (
        " and ".join(f"{ratio(by_name[stream], name):.2g}" for stream in (MOVING, RETURN))
        for name in (SOON, WITHOUT, MINI_BATCH, RIVAL)
    )
    return (
        f"When groups move, and when they come back, the next window costs {soon} times "
        f"the best with a half-life, {without} times without, {mini_batch} times with "
        f"MiniBatchKMeans, {rival} times with KMeans on the last window"
    )


def notes(found):
    """Return notes on the figures, as lines."""
    results = found["results"]
    busy = remarks(found["cores used by others"])
    return [*left_out(results), *read_partly(results), found["machine"], *busy]


def write_report(folder, found):
    """Write JSON, a CSV per table, the chart if matplotlib is there, and index.html."""
    every = tables_of(found)
    write_json(folder, "drift", found, targets=verdict(every))
    chart = partial(draw, found["results"])
    parts = chart_parts(folder, "drift", chart, DESCRIPTION, CAPTION)
    parts += write_tables(folder, "drift-", every)
    parts.append(html_folded("Notes", html_list(notes(found))))
    write_page(folder / "index.html", TITLE, headline(found), *parts)
