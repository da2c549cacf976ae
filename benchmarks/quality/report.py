"""What ``python -m benchmarks quality`` prints and writes: tables, JSON, charts, page.

All that was measured is in one dict, which the JSON holds.
"""

from ..report import (
    html_beside,
    html_chart,
    html_fitting,
    html_folded,
    html_list,
    print_tables,
    verdict,
    with_legend,
    write_json,
    write_page,
    write_tables,
)
from .charts import ACROSS, SUMMARY, UP, write_charts
from .contestants import OURS
from .others import remarks
from .study import COST, TIME
from .tables import (
    FAST,
    averages,
    deviation,
    figure,
    left_out,
    lines_of,
    real_ones,
    tables,
)

TITLE = "Time and cost of k-means clusterings"
CAPTION = (
    "{name}, {n_clusters:,} clusters: further left is faster, further down is better. "
    "The line is OnlineKMeans, from a coarse pass, k = 3 n_clusters, to a fine one."
)
HOLLOW = " Filled marks are averages over the datasets, hollow ones medians."


def curve_of(found):
    """Return the number of clusters of the curve."""
    return found["options"]["curve_clusters"]


def tables_of(found):
    """Return name -> table, of all that there are."""
    return tables(found["results"], curve_of(found))


def print_report(console, found):
    """Print the tables, why there are dashes, and what was found."""
    lines = [*notes(found), f"{headline(found)}.", *findings(found)]
    print_tables(console, tables_of(found).values(), lines)


def headline(found):
    """Return the main result, as a sentence."""
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
    """Return the averages of the peers, and whether times are reliable, as sentences."""
    every, curve = averages(found["results"]), curve_of(found)
    lines = lines_of(real_ones(found["results"]), curve)
    if faster := figure(lines, COST, FAST):
        coarser = f"{FAST}, {curve:,} clusters"
        every[coarser] = faster.value, figure(lines, TIME, FAST).value
    sentences = [
        f"{name}: {cost:.2f} times the cost in {time:.2f} times the time."
        for name, (cost, time) in every.items()
        if name != OURS
    ]
    return [*sentences, *remarks(found["cores used by others"])]


def notes(found):
    """Return notes on the figures, as lines."""
    results = found["results"]
    return [*left_out(results), *deviation(results), found["machine"]]


def write_report(folder, found):
    """Write JSON, a CSV per table, charts if matplotlib is there, and index.html."""
    every = tables_of(found)
    write_json(folder, "quality", found, targets=verdict(every))
    _, *folded = write_tables(folder, "quality-", every)
    shown = f"<div>{with_legend(every['summary'])}</div>"  # beside its chart
    summary, *others = charts(folder, found) or [""]
    if others:
        folded.append(html_folded("Time and cost of each dataset", html_beside(*others)))
    folded.append(html_folded("Notes", html_list(notes(found))))
    parts = [html_fitting(summary, shown), html_list(findings(found)), *folded]
    write_page(folder / "index.html", TITLE, headline(found), *parts)


def charts(folder, found):
    """Write the charts and return them for the page; nothing if they cannot be drawn."""
    figures = []
    for chart in write_charts(folder, found["results"], curve_of(found)):
        name = chart.removeprefix("chart-")
        is_summary = name == SUMMARY
        name = "The average of the datasets" if is_summary else name
        caption = CAPTION.format(name=name, n_clusters=curve_of(found))
        caption += HOLLOW if is_summary else ""
        description = f"Chart of {UP} against {ACROSS}; the numbers are in the tables."
        figures.append(html_chart(folder, chart, description, caption))
    return figures
