"""What ``python -m benchmarks features`` prints and writes: tables, JSON, chart, page.

All that was measured is in one dict, which the JSON holds.
"""

import json

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
from .charts import ACROSS, NAME, UP, write_features_chart
from .methods import BOOSTING, LOCAL, METHODS, SGD
from .tables import SECONDS, at_time, at_width, mean_gain, tables

TITLE = "Features for linear models"
CAPTION = (
    "A line joins the numbers of columns. Further left is faster, further up is better. "
    "Means over the datasets: of the gains, and of the logarithms of the times."
)


def tables_of(found):
    """Return name -> table, of all that there are."""
    return tables(found["results"], found.get("checks"))


def headline(found):
    """Return the one thing to know of the results, as a sentence."""
    results = found["results"]
    gains = {name: mean_gain(results, at_time, name, SGD) for name in METHODS}
    others = {name: gain for name, gain in gains.items() if not name.startswith("Online")}
    second = max(others, key=others.get)
    boosting = mean_gain(results, at_width, BOOSTING, SGD)
    return (
        f"In {SECONDS:g} s of one core, local features lift SGDClassifier by "
        f"{gains[LOCAL]:.1f} points of accuracy on average over {len(results)} datasets, "
        f"{second} by {others[second]:.1f}; HistGradientBoosting is {boosting:.1f} above"
    )


def notes(found):
    """Return what to know of the figures, as lines."""
    options = found["options"]
    return [
        f"{options['seeds']} splits of at most {options['rows']:,} rows, with about "
        f"{', '.join(f'{width:,}' for width in options['columns'])} columns.",
        found["machine"],
    ]


def print_report(console, found):
    """Print the tables but for those of a single dataset, and what was found."""
    narrow = {"padding": 0, "show_edge": False}  # to fit 80 columns
    for name, table in tables_of(found).items():
        if name in ("width", "time", "datasets", "checks"):
            shown = table.short, table.rows, table.legend
            print_table(console, *shown, title=table.title, **narrow)
            console.print()
    for line in [*notes(found), f"{headline(found)}."]:
        console.print(line, highlight=False, markup=False)


def write_report(folder, found):
    """Write JSON, a CSV per table, the chart if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1)
    (folder / "features.json").write_text(text + "\n", encoding="utf-8")
    parts = []
    if write_features_chart(folder, found["results"]):
        description = f"Chart of {UP} against {ACROSS}; the numbers are in the tables."
        parts.append(html_chart(folder, NAME, description, CAPTION))
    for name, table in tables_of(found).items():
        write_csv(folder / f"features-{name}.csv", table.headings, table.rows)
        body = [html_table(table.headings, table.rows)]
        if table.legend:
            body.append(html_text(table.legend, "legend"))
        if name in ("width", "time"):
            parts += [f"<h2>{table.title}</h2>", *body]
        else:
            parts.append(html_folded(table.title, *body))
    parts.append(html_folded("Notes", html_list(notes(found))))
    write_page(folder / "index.html", TITLE, headline(found), *parts)
