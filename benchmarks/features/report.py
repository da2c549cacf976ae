"""What ``python -m benchmarks features`` prints and writes: tables, JSON, chart, page.

All that was measured is in one dict, which the JSON holds.
"""

from functools import partial

from ..report import (
    chart_parts,
    html_folded,
    html_list,
    print_tables,
    write_json,
    write_page,
    write_tables,
)
from .charts import DESCRIPTION, draw
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
    """Return the main result, as a sentence."""
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
    """Return notes on the figures, as lines."""
    options = found["options"]
    return [
        f"{options['seeds']} splits of at most {options['rows']:,} rows, with about "
        f"{', '.join(f'{width:,}' for width in options['columns'])} columns.",
        found["machine"],
    ]


def print_report(console, found):
    """Print the tables but for those of a single dataset, and what was found."""
    every = tables_of(found)
    shown = [
        every[name] for name in ("width", "time", "datasets", "checks") if name in every
    ]
    print_tables(console, shown, [*notes(found), f"{headline(found)}."])


def write_report(folder, found):
    """Write JSON, a CSV per table, the chart if matplotlib is there, and index.html."""
    write_json(folder, "features", found)
    chart = partial(draw, found["results"])
    parts = chart_parts(folder, "features", chart, DESCRIPTION, CAPTION)
    parts += write_tables(folder, "features-", tables_of(found), ("width", "time"))
    parts.append(html_folded("Notes", html_list(notes(found))))
    write_page(folder / "index.html", TITLE, headline(found), *parts)
