"""What ``python -m benchmarks speed`` prints and writes: tables, JSON, chart, pages.

All that was measured is in one dict, which the JSON holds.
"""

import os
from functools import partial

import numpy as np

from ..report import (
    Table,
    chart_parts,
    html_list,
    print_table,
    verdict,
    with_legend,
    write_csv,
    write_json,
    write_page,
    write_tables,
)
from .against import OURS
from .charts import draw
from .rows import LEARN
from .tables import (
    AGAINST_LEGEND,
    FIT,
    LEGEND,
    ROWS_LEGEND,
    SHORT_LEGEND,
    STEPS_LEGEND,
    against_table,
    all_table,
    growth_cell,
    ratio,
    rows_table,
    short_table,
    steps_table,
)

TITLE = "Speed of OnlineKMeans"
GROWTH = "eight times the rows"
QUIET = 0.7  # load below which a machine is free for measuring
CAPTION = (
    "How many times as long others take, with as many clusters as ours opened: to the "
    "right of the line they are slower."
)


def tables_of(found):
    """Return name -> table."""
    results, lone = found["results"], found["one row at a time"]
    return {
        "speed": Table("Fit", *short_table(results), SHORT_LEGEND),
        "speed-rows": Table("One row at a time", *rows_table(lone), ROWS_LEGEND),
        "speed-all": Table("Everybody", *all_table(results), LEGEND),
        "speed-steps": Table("Where the time goes", *steps_table(results), STEPS_LEGEND),
    }


def headline(found):
    """Return the main result, as a sentence."""
    results = found["results"]
    times = [ratio(result, "MiniBatch pass").value for result in results]
    speeds = [result["n"] / result["contestants"][FIT]["seconds"] for result in results]
    return (
        f"One pass reads {np.median(speeds):,.2g} rows a second, {np.median(times):.1f} "
        "times faster than one pass of MiniBatchKMeans"
    ).replace("e+06", " million")


def findings(found):
    """Return what else was found, as sentences."""
    results, growth = found["results"], found[GROWTH]
    times = [ratio(result, "MiniBatch pass").value for result in results]
    lines = [
        f"MiniBatchKMeans, one pass: {min(times):.3g} to {max(times):.3g} times as long as "
        f"ours. The figures above are medians over {len(results)} sets of rows."
    ]
    if faiss := [cell.value for r in results if (cell := ratio(r, "faiss"))]:
        faster = sum(value < 1 for value in faiss)
        lines.append(
            f"One iteration of faiss is faster than our fit on {faster} of {len(faiss)} "
            "sets of dense rows; it has its centers beforehand, and needs more iterations."
        )
    lone = [1e6 * row["seconds"][OURS][LEARN] for row in found["one row at a time"]]
    lines.append(
        f"A single row is learned in {min(lone):.0f} to {max(lone):.0f} microseconds."
    )
    lines.append(
        f"Eight times the rows take {growth_cell(growth)} times as long "
        f"({growth['n']:,} rows, {growth['d']} columns, k={growth['k']})."
    )
    return lines


def load_average():
    """Return how many processes wanted to run in the last minute, None if unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def conditions(found):
    """Return the machine, and whether it was busy with other things before."""
    lines, load = [found["machine"]], found["load before"]
    if load is not None and load > QUIET:
        lines.append(
            f"The machine was busy before (load {load:.1f}): threads wait for each other "
            "then, those of the others most of all. Measure again when it is quiet."
        )
    return lines


def print_report(console, found):
    """Print the tables, and what was found."""
    dense = {"pad_edge": False, "collapse_padding": True}  # to fit 80 columns
    for table in tables_of(found).values():
        shown = table.headings, table.rows, table.legend
        print_table(console, *shown, title=table.title, **dense)
    for line in [f"{headline(found)}.", *findings(found), *conditions(found)]:
        console.print(line, highlight=False)


def write_report(folder, found):
    """Write speed.json, a CSV per table, a chart if matplotlib is there, and index.html."""
    every = tables_of(found)
    growth = Table("", ["", "growth"], [[GROWTH, growth_cell(found[GROWTH])]], None)
    write_json(folder, "speed", found, targets=verdict({**every, GROWTH: growth}))
    parts = [html_list(findings(found))]
    alt = "Chart of times / time of OnlineKMeans.fit, a row for each set of rows"
    parts += chart_parts(folder, "speed", partial(draw, found["results"]), alt, CAPTION)
    parts += write_tables(folder, "", every, ("speed", "speed-rows"))
    parts += ["<h2>Notes</h2>", html_list(conditions(found))]
    write_page(folder / "index.html", TITLE, headline(found), *parts)


def others_of(found):
    """Return the tables of ours against each of the others, by name."""
    results = found["results"]
    return {
        name: Table("", *against_table(results, name), AGAINST_LEGEND.format(other=name))
        for name in results[0]["seconds"]
        if name != OURS
    }


def print_against(console, found):
    """Print a table for each of the others."""
    for table in others_of(found).values():
        print_table(console, table.headings, table.rows, table.legend)
    for line in [f"{against_headline(found)}.", *conditions(found)]:
        console.print(line, highlight=False)


def against_headline(found):
    """Return how fast ours is beside each of the others, as a sentence."""
    texts = []
    for other in others_of(found):
        times = [result["seconds"] for result in found["results"]]
        fits = np.median([time[OURS]["fit"] / time[other]["fit"] for time in times])
        texts.append(f"{fits:.2f} times as long as that of {other}")
    over = f"medians over {len(found['results'])} sets of rows"
    return f"Our fit takes {', '.join(texts)}; {over}"


def write_against(folder, found):
    """Write against.json, a CSV for each of the others, and against.html."""
    every = others_of(found)
    write_json(folder, "against", found, targets=verdict(every))
    for other, table in every.items():
        write_csv(folder / f"against-{other}.csv", table.headings, table.rows)
    parts = [*map(with_legend, every.values()), html_list(conditions(found))]
    path = folder / "against.html"
    write_page(path, "Speed, side by side", against_headline(found), *parts)
