"""The records on accuracies as tables, Tables 1 and 2 among them; and all the tables."""

import numpy as np

from . import cost_tables, published
from .records import (
    AIMED_AT,
    K_TARGET,
    OPENED,
    Table,
    figure,
    jobs,
    mean,
    outcome,
    runs_on,
    steps,
)

FEATURES = {  # heading -> name in the records
    "raw": "raw",
    "one-hot": "onehot",
    "local": "local",
    "means": "means",
    "merged": "merged",
    "triangle": "triangle",
    "MiniBatch": "minibatch",
}
PEERS = (
    "local",
    "means",
    "merged",
    "triangle",
    "MiniBatch",
)  # of one-hot features by samples
GENERATED = " *: generated."
PARTLY = " ~: some of the runs failed."


def shape_table(records, about):
    """Return the sizes of the datasets."""
    rows = []
    for name in about["datasets"]:
        cells = [name]
        runs, _ = outcome(jobs(records, name, "shape"))
        for column in published.COLUMNS:
            cells.append(f"{runs[0][column]:,}" if runs else None)
            if about["paper"]:
                cells.append(published.size(name, column))
        rows.append(cells)
    sides = ("", "paper ") if about["paper"] else ("",)
    columns = published.COLUMNS.values()
    headings = ["dataset", *(side + column for column in columns for side in sides)]
    legend = "Rows, columns, and entries that are not zero."
    if about["paper"]:
        legend += " Beside them the paper's Table 1; it has 20news-binary and w8all."
    return Table(headings, rows, legend)


def copies(records, about):
    """Return how our copies of the datasets differ, or why there are none, as lines."""
    lines = []
    for name in about["datasets"]:
        found = jobs(records, name, "shape")
        if not found:
            lines.append(f"{name}: nothing was measured.")
        elif "error" in found[0]:
            lines.append(f"{name} is missing. {found[0]['error']}")
        elif about["notes"].get(name):
            lines.append(f"{name}: {about['notes'][name]}")
    return lines


def short_table(records, about):
    """Return Table 2 in short: the accuracies without their deviations."""
    shown = {"raw": "raw", "one-hot": "one-hot", "local": "local"}
    legend = (
        "Test accuracy of a linear model with squared loss: on raw features, and with "
        "one-hot or local features of our clusters added. Means over the splits."
    )
    if about["paper"]:
        shown |= {"means": "one-hot, means"}
        shown |= {"merged": "one-hot, merged", "triangle": "triangle"}
        shown["MiniBatch"] = "one-hot, MiniBatchKMeans"
        legend += (
            " Beside them triangle features, and one-hot ones by the means of these "
            "clusters, by the same number merged from about five times as many, or by the "
            f"same number of MiniBatchKMeans. {published.slips(about['datasets'])}"
        )
    theirs = {"raw": "paper, raw", "clusters": "paper, clusters"} if about["paper"] else {}
    rows = []
    for name in about["datasets"]:
        runs, _ = runs_on(records, name, "accuracy")
        values = [accuracies(runs, heading) for heading in shown]
        cells = [f"{np.mean(each):.4f}" if each else None for each in values]
        rows.append(
            [name, *cells, *(published.accuracy(name, column) for column in theirs)]
        )
    return Table(["dataset", *shown.values(), *theirs.values()], rows, legend.strip())


def accuracy_table(records, about):
    """Return Table 2: the accuracy with every kind of features, and the paper's."""
    rows = [accuracy_row(records, about, name) for name in about["datasets"]]
    headings = ["dataset", OPENED, "raw", "one-hot", "gain", *PEERS]
    legend = (
        "Test accuracy of gradient descent with squared loss on raw features, and with "
        f"cluster features added, {k_range(records, about, 'accuracy')}: mean ± standard "
        "deviation over the splits. Clusters: those opened. Gain: one-hot - raw. Local: "
        "of fewer clusters, for a third as many columns as rows at most. Means: "
        "one-hot, by the means of the same clusters. Merged and MiniBatch: one-hot of the "
        "same number of clusters, merged from about five times as many, and of "
        "MiniBatchKMeans."
    )
    if about["paper"]:
        headings[3:4] = ["paper, raw", "one-hot", "paper, clusters"]
        legend += f" {published.slips(about['datasets'])}"
    return Table(headings, rows, legend.strip())


def accuracy_row(records, about, name):
    """Return the row of a dataset in Table 2."""
    runs, sliced = runs_on(records, name, "accuracy")
    aims = published.targets(name) if about["paper"] else {}

    def cell(heading, values):
        return figure(values, sliced=sliced, decimals=4, **aims.get(heading, {}))

    of = {heading: accuracies(runs, heading) for heading in FEATURES}
    gain = np.subtract(of["one-hot"], of["raw"])  # of the same split
    raw, onehot = ([cell(heading, of[heading])] for heading in ("raw", "one-hot"))
    if about["paper"]:
        raw.append(published.accuracy(name, "raw"))
        onehot.append(published.accuracy(name, "clusters"))
    peers = [cell(heading, of[heading]) for heading in PEERS]
    return [name, mean_clusters(runs), *raw, *onehot, cell("gain", gain), *peers]


def mean_clusters(runs):
    """Return how many clusters the features are of, on average."""
    return mean([run["clusters"] for run in runs])


def accuracies(runs, heading):
    """Return the accuracy with these features, for every run that has it."""
    found = (run["accuracy"].get(FEATURES[heading]) for run in runs)
    return [value for value in found if value is not None]


def k_range(records, about, experiment):
    """Return for which k an experiment is shown."""
    found = (runs_on(records, name, experiment) for name in about["datasets"])
    ks = [run[K_TARGET] for runs, _ in found for run in runs]
    if min(ks) == max(ks):
        return f"{AIMED_AT} = {ks[0]:,}"
    return f"{AIMED_AT} from {min(ks):,} to {max(ks):,}"


def by_k(records, name):
    """Return k -> accuracies with one-hot features."""
    every = {}
    for run in runs_on(records, name, "accuracy")[0]:
        for k, value in run["by k"].items():
            every.setdefault(int(k), []).append(value)
    return every


def by_k_table(records, about):
    """Return the accuracy with one-hot features for every k."""
    found = {name: by_k(records, name) for name in about["datasets"]}
    ks = sorted({k for every in found.values() for k in every})
    rows = []
    for name, every in found.items():
        _, sliced = runs_on(records, name, "accuracy")
        cells = [figure(every.get(k, []), sliced=sliced, decimals=4) for k in ks]
        rows.append([name, *cells])
    legend = (
        "Test accuracy with one-hot features: mean ± standard deviation over the splits."
    )
    return Table(["dataset", *(f"{AIMED_AT} = {k}" for k in ks)], rows, legend)


def checks_table(records, about):
    """Return the accuracy of other learners with raw features, beside gradient descent."""
    found = {name: runs_on(records, name, "accuracy") for name in about["datasets"]}
    every = [run["checks"] for runs, _ in found.values() for run in runs]
    names = list(every[0])
    rows = []
    for dataset, (runs, sliced) in found.items():
        values = [accuracies(runs, "raw")]
        values += [[run["checks"][name] for run in runs] for name in names]
        cells = [figure(each, sliced=sliced, decimals=4) for each in values]
        rows.append([dataset, *cells])
    legend = (
        "Test accuracy of other learners with raw features, to judge whether gradient "
        "descent has converged: mean ± standard deviation over the splits."
    )
    return Table(["dataset", "gradient descent", *names], rows, legend)


def online_table(records, about):
    """Return the accuracy of progressive validation."""
    found = {name: runs_on(records, name, "online") for name in about["datasets"]}
    every = [run for runs, _ in found.values() for run in runs]
    headings = [heading for heading in FEATURES if accuracies(every, heading)]
    rows = []
    for name, (runs, sliced) in found.items():
        values = [accuracies(runs, heading) for heading in headings]
        cells = [figure(each, sliced=sliced, decimals=4) for each in values]
        rows.append([name, mean_clusters(runs), *cells])
    legend = (
        "Progressive validation: every row is predicted, then learned from, in one pass, "
        "with cluster features decided online. Clusters: those opened. Mean ± standard "
        f"deviation over the runs, {k_range(records, about, 'online')}."
    )
    return Table(["dataset", OPENED, *headings], rows, legend)


def tables(records, about):
    """Return name -> table, of all that there are results for."""
    done = {record["experiment"] for record in records if "result" in record}
    every = {"shape": shape_table(records, about)}
    if "accuracy" in done:
        every["table2"] = short_table(records, about)
        every["accuracy"] = accuracy_table(records, about)
        every["accuracy-by-k"] = by_k_table(records, about)
        every["checks"] = checks_table(records, about)
    if "online" in done:
        every["online"] = online_table(records, about)
    if "costs" in done:
        every["middle"] = cost_tables.middle_table(records, about)
        every["clusters"] = cost_tables.clusters_table(records, about)
        every["costs"] = cost_tables.costs_table(records, about)
    if "theory" in done:
        every["theory"] = cost_tables.theory_table(records, about)
    if len(steps(records, "costs", "variant")) > 1:
        every["variant"] = cost_tables.variant_table(records, about)
    if len(steps(records, "costs", "order")) > 1:
        every["order"] = cost_tables.order_table(records, about)
    return {name: finished(t) for name, t in every.items() if len(t.headings) > 2}


def finished(table):
    """Return the table without rows of dashes, its legend telling what its marks are."""
    rows = [row for row in table.rows if any(cell is not None for cell in row[1:])]
    partly = any(getattr(cell, "sliced", False) for row in rows for cell in row)
    generated = any(row[0].endswith("*") for row in rows)
    legend = table.legend + PARTLY * partly + GENERATED * generated
    return Table(table.headings, rows, legend)
