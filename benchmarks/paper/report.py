"""The tables, CSV, JSON, charts and page of ``python -m benchmarks paper``."""

import html
from textwrap import fill

import numpy as np

from ..report import (
    html_beside,
    html_chart,
    html_fitting,
    html_folded,
    html_list,
    html_text,
    print_table,
    with_legend,
    write_csv,
    write_json,
    write_page,
)
from ..style import matplotlib_is_there
from .charts import CURVES, caption, description, write_charts
from .cost_tables import RATIOS, WORST
from .published import MOST_DEVIATION, targets
from .records import AIMED_AT, OPENED, Table
from .tables import copies, tables

TITLES = {  # of tables and sections; first what the paper calls it, if it does
    "table2": ("Table 2", "accuracy of a linear model"),
    "accuracy": ("Table 2", "all features, with deviations"),
    "accuracy-by-k": ("", "accuracy by the number of clusters aimed at"),
    "checks": ("", "raw features by other learners"),
    "online": ("", "accuracy in one pass"),
    "figures": ("Figures 1 to 5", "clusters and their costs"),
    "middle": ("", "costs in the middle of the figures"),
    "clusters": ("", "clusters opened"),
    "costs": ("", "costs for every number of clusters"),
    "order": ("", "the order of the rows"),
    "variant": ("", "the authors' scripts against the text"),
    "theory": ("", "the theorems"),
    "shape": ("Table 1", "datasets"),
    "notes": ("", "how it was done"),
}
SECTIONS = {  # in order: (charts, tables below them, tables that are folded)
    "table2": (("accuracy",), ("table2",), ("accuracy", "accuracy-by-k", "checks")),
    "online": (("online",), ("online",), ()),
    "figures": (
        (*CURVES, "figure5"),
        ("middle",),
        ("clusters", "costs", "order", "variant"),
    ),
    "theory": (("theory",), (), ("theory",)),
    "shape": ((), ("shape",), ()),
}
OURS = ("one-hot", "local", "means", "merged", "triangle")
NOT_PRINTED = ("table2", "middle")  # others that are have it all
PRINTED = {  # columns that fit the terminal, a table each
    "accuracy": (
        ("dataset", "raw", "one-hot", "local"),
        ("dataset", "paper, raw", "paper, clusters", OPENED, "gain"),
        ("dataset", "means", "merged"),
        ("dataset", "triangle", "MiniBatch"),
    ),
    "costs": (
        ("dataset", AIMED_AT, *list(RATIOS)[:3]),
        ("dataset", AIMED_AT, *list(RATIOS)[3:]),
    ),
}
NARROW = 10  # characters of a line of a printed heading
VARIANTS = {"text": "as the text of the paper has it", "scripts": "as the scripts have it"}
REASONS = {  # why an accuracy with raw features may be missed: what other learners reach
    "least squares": "the squared loss solved exactly gives",
    "logistic": "the logistic loss would give",
}
CENTERS = {
    "samples": "the samples that opened the clusters",
    "means": "their means",
    "merged": "the same number of clusters, merged from five times as many",
}
NO_CHARTS = "There are no charts: matplotlib is not installed (pip install matplotlib)."


def title(name, about):
    """Return the heading of a part, with the paper's name of it if that is the topic."""
    label, text = TITLES[name]
    if label and about["paper"]:
        return f"{label}: {text}"
    return text[0].upper() + text[1:]


def few(values):
    """Return the first, a middle and the last of several."""
    indices = sorted({0, len(values) // 2, len(values) - 1})
    return [values[index] for index in indices if values]


def printed(name, table):
    """Return what fits the terminal: a table for some columns each, and few k."""
    headings, rows, legend = table
    if AIMED_AT in headings:
        by_name = {}
        for cells in rows:
            by_name.setdefault(cells[0], []).append(cells)
        rows = [cells for own in by_name.values() for cells in few(own)]
    by_k = [heading for heading in headings if heading.startswith(f"{AIMED_AT} = ")]
    left_out = set(by_k) - set(few(by_k))
    parts = PRINTED.get(
        name, [[heading for heading in headings if heading not in left_out]]
    )
    chosen = [[headings.index(h) for h in part if h in headings] for part in parts]
    chosen = [part for part in chosen if len(part) > 1]
    legends = [""] * (len(chosen) - 1) + [legend]
    return [
        Table(
            [headings[i] for i in part], [[cells[i] for i in part] for cells in rows], text
        )
        for part, text in zip(chosen, legends)
    ]


def aims(every, about):
    """Return (heading, row of the table) of every target, measured or not."""
    found = []
    for name in ("accuracy", "clusters") if about["paper"] else ():
        headings, rows, _ = every.get(name, Table([], [], ""))
        for cells in rows:
            row = {**checked(every, cells[0]), **dict(zip(headings, cells))}
            aimed = targets(cells[0]) if name == "accuracy" else [WORST]
            found += [(heading, row) for heading in aimed]
    return found


def checked(every, dataset):
    """Return the accuracies that other learners have with the raw features of a dataset."""
    headings, rows, _ = every.get("checks", Table([], [], ""))
    return next((dict(zip(headings, cells)) for cells in rows if cells[0] == dataset), {})


def verdict(every, about):
    """Return how many targets are met, which are missed and by how much, as lines."""
    found = aims(every, about)
    measured = [(heading, row) for heading, row in found if row[heading] is not None]
    missed = [pair for pair in measured if pair[1][pair[0]].verdict == "missed"]
    absent = {}
    for heading, row in found:
        if row[heading] is None:
            absent.setdefault(heading, []).append(row["dataset"])
    lines = []
    if measured:
        lines.append(f"{len(measured) - len(missed)} of {len(measured)} targets are met.")
    lines += [shortfall(heading, row) for heading, row in missed]
    lines += [f"Not measured: {of} of {', '.join(names)}." for of, names in absent.items()]
    return lines


def column_of(every, name, heading):
    """Return the figures of a column, without dashes; none if there is no such table."""
    headings, rows, _ = every.get(name, Table([heading], [], ""))
    cells = [row[headings.index(heading)] for row in rows]
    return [cell for cell in cells if cell is not None]


def headline(every, about):
    """Return the main result, as a sentence."""
    gains = [cell.value for cell in column_of(every, "accuracy", "gain")]
    if gains:
        raw, onehot = (
            np.mean([cell.value for cell in column_of(every, "accuracy", heading)])
            for heading in ("raw", "one-hot")
        )
        local = [cell.value for cell in column_of(every, "accuracy", "local")]
        more = f" (local ones: {np.mean(local):.3f})" if len(local) == len(gains) else ""
        return (
            f"One-hot clusters lift a linear model from {raw:.3f} to {onehot:.3f} on "
            f"average{more}: {counted(gains)}"
        )
    return (cost_findings(every) or [about["title"]])[0]


def counted(gains):
    """Return on how many datasets it is better and worse, as their table shows it."""
    signs = np.sign(np.round(gains, 4))
    text = f"better on {np.sum(signs > 0)} of {len(gains)} datasets"
    return f"{text}, worse on {np.sum(signs < 0)}" if np.any(signs < 0) else text


def leads(every):
    """Return how far the best of our features is ahead of MiniBatchKMeans, by dataset."""
    found = []
    for cells in every["accuracy"].rows if "accuracy" in every else ():
        row = dict(zip(every["accuracy"].headings, cells))
        ours = [row[heading].value for heading in OURS if row[heading] is not None]
        if ours and row["MiniBatch"] is not None:
            found.append(max(ours) - row["MiniBatch"].value)
    return found


def findings(every, about):
    """Return what else was found, as sentences."""
    lines = []
    if ahead := leads(every):
        lines.append(
            f"The best of our features is {100 * np.mean(ahead):+.1f} points from as many "
            f"one-hot clusters of MiniBatchKMeans, on average over {len(ahead)} datasets."
        )
    if gains := column_of(every, "online", "one-hot"):
        raw = column_of(every, "online", "raw")
        text = counted([with_them.value - a.value for a, with_them in zip(raw, gains)])
        lines.append(
            "In one pass over a stream, every row predicted before it is learned from, "
            f"they are {text}."
        )
    lines += cost_findings(every)
    shares = [cell.value for cell in column_of(every, "clusters", WORST)]
    if any(shares):  # nothing varies in one run
        most = max(shares)
        text = f"The number of clusters varies from run to run by at most {most:.1%} of k"
        paper = f"; the paper saw at most {MOST_DEVIATION:.0%}" if about["paper"] else ""
        lines.append(f"{text}{paper}.")
    return lines


def cost_findings(every):
    """Return how one pass compares with k-means++, as sentences: one, or none."""
    medians = {
        heading.split(" /")[0]: np.median([cell.value for cell in cells])
        for heading in list(RATIOS)[2:]
        if (cells := column_of(every, "middle", heading))
    }
    if not medians:
        return []
    text = ", ".join(f"{value:.2f} for {CENTERS[name]}" for name, value in medians.items())
    return [
        "Cost of one pass / cost of as many centers chosen by k-means++, the median over "
        f"the datasets: {text}."
    ]


def shortfall(heading, row):
    """Return by how much a target is missed, as a line."""
    cell = row[heading]
    if cell.tolerance is not None:
        text = f"more than {cell.tolerance:g} off {cell.target:g}, by {-cell.gap:.2g}"
    else:
        side = "above" if cell.less_is_better else "below"
        text = f"{-cell.gap:.2g} {side} {cell.target:g}"
    triangle = row.get("triangle") if heading == "one-hot" else None
    if triangle is not None and triangle.value >= cell.target:
        text += f"; triangle features reach it, with {triangle}"
    if heading == "raw":
        text += "".join(
            f"; {reason} {row[learner]}"
            for learner, reason in REASONS.items()
            if row.get(learner) is not None
        )
    return f"Missed: {heading} of {row['dataset']} is {cell}, {text}."


def failures(records):
    """Return which jobs failed and why, those for the same reason in one line."""
    jobs = {}
    for record in records:
        if "error" in record and record["experiment"] != "shape":
            why = (record["dataset"], record["experiment"], record["error"])
            jobs.setdefault(why, []).append(record["setting"])
    lines = []
    for (dataset, experiment, error), settings in jobs.items():
        setting = ", ".join(f"{key} {value}" for key, value in settings[0].items())
        which = setting if len(settings) == 1 else f"{len(settings)} jobs"
        lines.append(f"{dataset}, {experiment} ({which}): {error}")
    return lines


def remarks(about):
    """Return what was asked for and the machine, as lines."""
    return [
        f"Clusters and costs are those of Algorithm 3 {VARIANTS[about['variant']]}.",
        "Standard deviations are those of the runs themselves: divided by their number.",
        about["machine"],
    ]


def print_report(console, records, about, only=None):
    """Print the tables, why there are dashes, and what was found.

    `only` names the tables to print; if it is None, all but those that others contain.
    """
    every = tables(records, about)
    for name, table in every.items():
        if name not in (only or every.keys() - NOT_PRINTED):
            continue
        heading = {"title": title(name, about)}
        for headings, rows, legend in printed(name, table):
            narrow = [fill(h, NARROW, break_long_words=False) for h in headings]
            print_table(console, narrow, rows, legend, padding=(0, 1, 0, 0), **heading)
            heading = {}
    lines = [*copies(records, about), *failures(records)]
    lines += [
        f"{headline(every, about).rstrip('.')}.",
        *findings(every, about),
        about["machine"],
    ]
    if not matplotlib_is_there():
        lines.append(NO_CHARTS)
    for line in lines:
        console.print(line, highlight=False, markup=False)


def write_report(folder, records, about):
    """Write report.json, a CSV per table, charts if matplotlib is there, and index.html.

    Returns
    -------
    index : Path
        The page, which holds the tables and the charts.
    """
    every = tables(records, about)
    everything = {"machine": about["machine"], "about": about, "records": records}
    write_json(folder, "report", everything, targets=verdict(every, about))
    for name, table in every.items():
        write_csv(folder / f"{name}.csv", table.headings, table.rows)
    charts = {
        name: html_chart(folder, name, description(name), caption(name, about))
        for name in write_charts(folder, records, about)
    }
    parts = {name: part_of(name, every, charts, about) for name in SECTIONS}
    parts["notes"] = html_folded("Protocol, classes, machine", notes(records, about))
    parts = {name: part for name, part in parts.items() if part}
    sections = [section(name, part, about) for name, part in parts.items()]
    head = [] if matplotlib_is_there() else [html_text(NO_CHARTS)]
    head += [html_list(findings(every, about)), contents(parts, about)]
    index = folder / "index.html"
    write_page(index, about["title"], headline(every, about), *head, *sections)
    return index


def contents(parts, about):
    """Return links to the parts of the page."""
    links = [f'<a href="#{name}">{html.escape(title(name, about))}</a>' for name in parts]
    return f'<nav aria-label="Contents">{" ".join(links)}</nav>'


def section(name, part, about):
    """Return a part of the page with its heading."""
    heading = html.escape(title(name, about))
    return f'<section id="{name}">\n<h2>{heading}</h2>\n{part}\n</section>'


def part_of(name, every, charts, about):
    """Return the charts and tables of a section, or nothing if there are none."""
    names, shown, folded = SECTIONS[name]
    if not about["paper"] and name != "table2":  # the charts say enough
        shown, folded = (), (*shown, *folded)
    beside = [charts[chart] for chart in names if chart in charts]
    below = [f"<div>{with_legend(every[t])}</div>" for t in shown if t in every]
    if len(beside) == 1:
        parts = [html_fitting(*beside, *below)]
    else:
        parts = [html_beside(*beside), *below] if beside else below
    parts += [
        html_folded(title(table, about), with_legend(every[table]))
        for table in folded
        if table in every
    ]
    return "\n".join(parts)


def notes(records, about):
    """Return how the figures were made, and what failed."""
    tasks = [f"{name}: {task}" for name, task in about["tasks"].items()]
    failed = failures(records)
    ours = copies(records, about)
    parts = [html_list(about["protocol"])] if about["protocol"] else []
    for heading, lines in (
        ("Classes", tasks),
        ("Our copies of the datasets", ours),
        ("Failed jobs", failed),
        ("This run", remarks(about)),
    ):
        if lines:
            parts += [f"<h3>{heading}</h3>", html_list(lines)]
    return "\n".join(parts)
