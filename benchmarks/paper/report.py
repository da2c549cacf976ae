"""The tables, CSV, JSON, charts and page of ``python -m benchmarks paper``."""

import html
import json
from textwrap import fill

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
from .charts import CURVES, caption, description, matplotlib_is_there, write_charts
from .cost_tables import WORST
from .published import targets
from .records import K_TARGET, Table
from .tables import tables

TITLES = {  # of the parts of the page, in order; first what the paper calls it, if it does
    "accuracy": ("Table 2", "accuracy of a linear model"),
    "accuracy-by-k": ("", "accuracy by the number of clusters"),
    "checks": ("", "raw features by other learners"),
    "online": ("", "accuracy fully online"),
    "shape": ("Table 1", "datasets"),
    "figures": ("Figures 1 to 5", "clusters and costs"),
    "clusters": ("", "clusters opened"),
    "costs": ("", "ratios of costs"),
    "theory": ("", "constants of the theorems"),
    "variant": ("", "the authors' scripts against the text"),
    "order": ("", "the order of the rows"),
    "notes": ("", "how it was done"),
}
PRINTED = {  # columns that fit the terminal, a table each
    "shape": (
        ("dataset", "n", "paper n", "d", "paper d", "nnz", "paper nnz"),
        ("dataset", "our copy"),
    ),
    "accuracy": (
        ("dataset", "raw", "paper raw", "one-hot", "paper with clusters"),
        ("dataset", "opened", "uplift", "means", "merged"),
        ("dataset", "triangle", "MiniBatch"),
    ),
    "costs": (
        ("dataset", K_TARGET, "f_online / f_0", "f_online / f_random", "f_online / f_kmpp"),
        ("dataset", K_TARGET, "f_means / f_kmpp", "f_merged / f_kmpp"),
    ),
}
NARROW = 10  # characters of a line of a printed heading
FIGURES = (*CURVES, "figure5")
VARIANTS = {"text": "as the text of the paper has it", "scripts": "as the scripts have it"}
REASONS = {  # why an accuracy with raw features may be missed: what other learners reach
    "least squares": "the squared loss solved exactly gives",
    "logistic": "the logistic loss would give",
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
    places = sorted({0, len(values) // 2, len(values) - 1})
    return [values[place] for place in places if values]


def printed(name, table):
    """Return what fits the terminal: a table for some columns each, and few k_targets."""
    headings, rows, legend = table
    if K_TARGET in headings:
        by_name = {}
        for cells in rows:
            by_name.setdefault(cells[0], []).append(cells)
        rows = [cells for own in by_name.values() for cells in few(own)]
    by_k = [heading for heading in headings if heading.startswith(f"{K_TARGET} ")]
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
    lines = [uplifts(every["accuracy"])] if "accuracy" in every else []
    if measured:
        lines.append(f"{len(measured) - len(missed)} of {len(measured)} targets are met.")
    lines += [shortfall(heading, row) for heading, row in missed]
    lines += [f"Not measured: {of} of {', '.join(names)}." for of, names in absent.items()]
    return lines


def uplifts(table):
    """Return on how many datasets cluster features lift the accuracy, as a line."""
    cells = [row[table.headings.index("uplift")] for row in table.rows]
    values = [cell.value for cell in cells if cell is not None]
    better = sum(round(value, 4) > 0 for value in values)  # as the table shows it
    return (
        f"One-hot cluster features lift the accuracy on {better} of {len(values)} datasets."
    )


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
    figure = cell._replace(brackets=False)
    return f"Missed: {heading} of {row['dataset']} is {figure}, {text}."


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
    options = ", ".join(f"{key} = {value}" for key, value in about["options"].items())
    return [
        f"Clusters and costs are those of Algorithm 3 {VARIANTS[about['variant']]}.",
        "Standard deviations are those of the runs themselves: divided by their number.",
        *([f"Options: {options}"] if options else []),
        machine(),
    ]


def print_report(console, records, about, only=None):
    """Print the tables, why there are dashes, and what became of the targets.

    `only` names the tables to print; all that there are, if it is None.
    """
    every = tables(records, about)
    for name, table in every.items():
        if only is not None and name not in only:
            continue
        heading = {"title": title(name, about)}
        for headings, rows, legend in printed(name, table):
            narrow = [fill(h, NARROW, break_long_words=False) for h in headings]
            print_table(console, narrow, rows, legend, padding=(0, 1, 0, 0), **heading)
            heading = {}
    lines = [*failures(records), *verdict(every, about), machine()]
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
    folder.mkdir(parents=True, exist_ok=True)
    everything = {"machine": machine(), "about": about, "records": records}
    (folder / "report.json").write_text(json.dumps(everything, indent=1), encoding="utf-8")
    every = tables(records, about)
    for name, table in every.items():
        write_csv(folder / f"{name}.csv", table.headings, table.rows)
    charts = {
        name: html_chart(
            folder / f"{name}.png",
            folder / f"{name}-dark.png",
            description(name),
            caption(name, about),
        )
        for name in write_charts(folder, records, about)
    }
    index = folder / "index.html"
    parts = {name: part_of(name, every, charts) for name in TITLES}
    parts["notes"] = notes(records, about)
    parts = {name: part for name, part in parts.items() if part}
    words = f"<div>{summary(every, about)}{contents(parts, about)}</div>"
    head = html_beside(words, charts.get("accuracy", ""))
    sections = [section(name, part, about) for name, part in parts.items()]
    index.write_text(page(about["title"], head, *sections), encoding="utf-8")
    return index


def summary(every, about):
    """Return the verdict for the top of the page."""
    first = verdict(every, about)
    if not matplotlib_is_there():
        first.append(NO_CHARTS)
    return html_list(first)


def contents(parts, about):
    """Return links to the parts of the page."""
    links = [f'<a href="#{name}">{html.escape(title(name, about))}</a>' for name in parts]
    return f'<nav aria-label="Contents">{" ".join(links)}</nav>'


def section(name, part, about):
    """Return a part of the page with its heading."""
    heading = html.escape(title(name, about))
    return f'<section id="{name}">\n<h2>{heading}</h2>\n{part}\n</section>'


def part_of(name, every, charts):
    """Return a table with its legend and its chart, or nothing if there is none."""
    if name == "figures":
        figures = [charts[figure] for figure in FIGURES if figure in charts]
        return html_beside(*figures) if figures else ""
    if name not in every:
        return ""
    headings, rows, legend = every[name]
    table = html_table(headings, rows)
    if name == "costs":
        table = f"<details><summary>All {len(rows)} rows</summary>{table}</details>"
    part = f"{table}\n{html_text(legend, 'legend')}"
    if name not in charts or name == "accuracy":
        return part
    return html_beside(charts[name], f"<div>{part}</div>")


def notes(records, about):
    """Return how the figures were made, and what failed."""
    tasks = [f"{name}: {task}" for name, task in about["tasks"].items()]
    failed = failures(records)
    parts = [html_list(about["protocol"])] if about["protocol"] else []
    for heading, lines in (
        ("Classes", tasks),
        ("Failed jobs", failed),
        ("This run", remarks(about)),
    ):
        if lines:
            parts += [f"<h3>{heading}</h3>", html_list(lines)]
    return "\n".join(parts)
