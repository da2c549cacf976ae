"""The tables of ``python -m benchmarks quality``, and what became of the targets."""

import numpy as np

from ..report import Cell, spread
from .accuracy import LEARNERS
from .charts import NAMES
from .contestants import BIRCH, CONTESTANTS, FAISS, MBK_FIT, MBK_PASS, OURS, REFERENCE
from .study import BLOBS, COST, STUDIED, TIME

# short enough for a terminal -> (short enough for a page, name)
COLUMNS = {
    "ours": ("OnlineKMeans", OURS),
    "pass": ("MiniBatch pass", MBK_PASS),
    "fit": ("MiniBatch fit", MBK_FIT),
    "faiss": ("faiss", FAISS),
    "Birch": ("Birch", BIRCH),
}
COST_TARGET, AVERAGE_TARGET = 1.03, 1.0
GROWTH_TARGET, EVENNESS_TARGET = 15, 2
ACCURACY_TARGET = 0.998
LEGEND = (
    "Cost and time / those of KMeans(n_init=1), same rows and seed: mean of the costs and "
    "median of the times over the seeds. OnlineKMeans (ours) and the pass of "
    "MiniBatchKMeans, by partial_fit, read the rows once, in file order; fit: "
    "MiniBatchKMeans.fit; faiss: 25 iterations. A dash: the method does not support the "
    "data, or would take too long."
)
SUMMARY_LEGEND = (
    "Cost and time / those of KMeans(n_init=1) with 10 to 1,000 clusters: averages over "
    "the datasets that a method supports, and its highest cost on any of them."
)
DATASETS_LEGEND = (
    "Sizes, scaling, and the median seconds of KMeans(n_init=1) for each number of "
    "clusters. blobs is generated: 50 blobs, one after the other."
)
MERGE_LEGEND = (
    "Seconds of the merge of the online clusters alone. Growth: ten times the clusters, "
    "and the points to merge. Others: the slowest and the median of 20 merges into 1,000 "
    "clusters, each after one more row."
)
ACCURACY_LEGEND = (
    "Test accuracy, squared loss: mean ± standard deviation over the splits, 70 % to "
    "learn from. Least squares has nothing to choose; the step of gradient descent is "
    "chosen on raw features. k: clusters aimed at."
)


WORDS = {"onehot": "one-hot clusters", "triangle": "triangle features"}


class Ratio(Cell):
    """A figure with as many decimals as it is told, fewer if large, more if tiny."""

    def __str__(self):
        if self.value >= 10:
            return f"{self.value:,.{1 if self.value < 99.95 else 0}f}"
        if self.value >= 10**-self.decimals:
            return f"{self.value:.{self.decimals}f}"
        return f"{self.value:.1g}"


class Table:
    """Headings, rows and a legend, None if another table has said it.

    Headings may be shorter in a terminal.
    """

    def __init__(self, title, headings, rows, legend, short=None):
        self.title, self.headings, self.rows, self.legend = title, headings, rows, legend
        self.short = short or headings


def time_target(n_clusters):
    """Return the most that we aim at for time / time of KMeans."""
    return 1.0 if n_clusters < 200 else 0.5


def line_of(result, n_clusters):
    """Return the figures of a dataset for a number of clusters."""
    return next(line for line in result["lines"] if line["n_clusters"] == n_clusters)


def figure(lines, what, name, target=None):
    """Return the mean over the lines of somebody's figure; None if one lacks it."""
    if any(name not in line[what] for line in lines):
        return None
    summary = np.mean if what == COST else np.median
    value = float(np.mean([summary(line[what][name]) for line in lines]))
    return Ratio(value, target=target, less_is_better=True, decimals=3 - (what == TIME))


def row_of(heading, lines, targets):
    """Return the cells of some datasets; `targets` are what we aim at, by what."""
    cells = [
        figure(lines, what, name, targets.get(what) if name == OURS else None)
        for _, name in COLUMNS.values()
        for what in (COST, TIME)
    ]
    return [heading, *cells]


def contest_table(results, n_clusters):
    """Return cost and time for so many clusters: of each dataset, and on average."""
    targets = {COST: COST_TARGET, TIME: time_target(n_clusters)}
    real = [result for result in results if result["dataset"] != BLOBS]
    rows = [
        row_of(result["dataset"], [line_of(result, n_clusters)], targets) for result in real
    ]
    if len(real) > 1:
        whole = {result["dataset"] for result in real} >= set(STUDIED)
        lines = [line_of(result, n_clusters) for result in real]
        average = row_of("average", lines, {COST: AVERAGE_TARGET} if whole else {})
        rows += [average] if any(average[1:]) else []
    rows += [
        row_of(BLOBS, [line_of(result, n_clusters)], targets)
        for result in results
        if result["dataset"] == BLOBS
    ]
    kinds = ("cost", "time")
    headings = [f"{name}: {kind}" for name, _ in COLUMNS.values() for kind in kinds]
    short = [f"{name}\n{kind}" for name in COLUMNS for kind in kinds]
    return Table(
        f"{n_clusters:,} clusters: cost and time",
        ["dataset", *headings],
        rows,
        LEGEND if n_clusters == results[0]["lines"][0]["n_clusters"] else None,
        ["\ndataset", *short],
    )


def real_ones(results):
    """Return the results of real datasets; if there are none, those of the blobs."""
    return [result for result in results if result["dataset"] != BLOBS] or results


def summary_table(results):
    """Return everybody's cost and time on average, for each number of clusters."""
    lines = {}
    for line in (line for result in real_ones(results) for line in result["lines"]):
        lines.setdefault(line["n_clusters"], []).append(line)
    rows = []
    for name in CONTESTANTS:
        if name == REFERENCE:
            continue
        own = {
            n: [line for line in every if name in line[COST]] for n, every in lines.items()
        }
        cells = [
            figure(some, what, name) if some else None
            for what in (COST, TIME)
            for some in own.values()
        ]
        costs = [np.mean(line[COST][name]) for some in own.values() for line in some]
        highest = Ratio(float(max(costs)), decimals=3) if costs else None
        rows.append([NAMES.get(name, name), *cells, highest])
    headings = [f"{kind}, {n:,}" for kind in ("cost", "time") for n in lines]
    title = "Cost and time, on average"
    return Table(title, ["", *headings, "highest cost"], rows, SUMMARY_LEGEND)


def datasets_table(results):
    """Return what the rows are, and how long the reference takes for them."""
    numbers = [line["n_clusters"] for line in results[0]["lines"]]
    rows = []
    for result in results:
        times = [line["seconds"].get(REFERENCE) for line in result["lines"]]
        cells = [
            None if t is None else Ratio(float(np.median(t)), decimals=2) for t in times
        ]
        scaling = result["scaling"].removesuffix("Scaler")
        shape = [f"{result['n']:,}", f"{result['d']:,}", scaling]
        rows.append([result["dataset"], *shape, *cells])
    times = [f"{n:,} clusters" for n in numbers]
    headings = ["dataset", "rows", "columns", "scaled by", *times]
    return Table("Datasets, and seconds of KMeans", headings, rows, DATASETS_LEGEND)


def merge_table(merges):
    """Return how the time of the merge grows, and how even it is."""
    growth = merges["growth"]
    many, few = (np.median(growth[f"seconds of {which}"]) for which in ("many", "few"))
    name = f"growth: {growth['many']:,} clusters, {growth['few']:,}"
    rows = [merge_row(name, many, few, growth["ratio"], GROWTH_TARGET)]
    for each in merges["evenness"]:
        slowest, median = max(each["seconds"]), np.median(each["seconds"])
        name = f"{each['dataset']}: slowest, median"
        rows.append(merge_row(name, slowest, median, each["ratio"], EVENNESS_TARGET))
    return Table("The merge", ["merge", "longer", "shorter", "ratio"], rows, MERGE_LEGEND)


def merge_row(heading, longer, shorter, ratio, target):
    """Return two times of the merge and what became of their ratio."""
    times = [Cell(float(longer)), Cell(float(shorter))]
    return [heading, *times, Ratio(ratio, target=target, less_is_better=True, decimals=2)]


def accuracy_table(accuracies):
    """Return the accuracies of both learners; with clusters all have the same target."""
    rows = []
    for result in accuracies:
        k = result.get("k")
        target = None if k is None else ACCURACY_TARGET
        cells = [spread(result[name], target=target, decimals=4) for name in LEARNERS]
        name = "raw features" if k is None else f"with {WORDS[result['features']]}, k={k}"
        opened = None if k is None else Cell(np.mean(result["clusters"]))
        rows.append([name, opened, *cells])
    headings = ["features", "clusters", *LEARNERS]
    return Table("A linear model on skin", headings, rows, ACCURACY_LEGEND)


def tables(results, merges, accuracies):
    """Return name -> table, of all that there are."""
    numbers = [line["n_clusters"] for line in results[0]["lines"]]
    every = {"summary": summary_table(results)}
    every |= {str(number): contest_table(results, number) for number in numbers}
    every["datasets"] = datasets_table(results)
    if merges:
        every["merge"] = merge_table(merges)
    if accuracies:
        every["accuracy"] = accuracy_table(accuracies)
    return every


def verdict(every):
    """Return how many targets are met, and which are not, as a line."""
    met, missed = 0, []
    for name, table in every.items():
        of = f", {int(name):,} clusters" if name.isdigit() else ""
        for row in table.rows:
            for heading, cell in zip(table.headings, row):
                outcome = getattr(cell, "verdict", "")
                met += outcome == "met"
                if outcome == "missed":
                    missed.append(f"{row[0]}{of}, {heading} {cell} ({cell.target:g})")
    text = f"{met} of {met + len(missed)} targets are met"
    return f"{text}; missed: {'; '.join(missed)}." if missed else f"{text}."


def left_out(results):
    """Return why there are dashes, a line for each dataset, name and reason."""
    numbers = {}
    for result in results:
        for line in result["lines"]:
            for name, reason in line["left out"].items():
                key = result["dataset"], name, reason
                numbers.setdefault(key, []).append(f"{line['n_clusters']:,}")
    return [
        f"{dataset}, {' / '.join(every)} clusters: {name} {reason}"
        for (dataset, name, reason), every in numbers.items()
    ]


def deviation(results):
    """Return how much the costs of ours vary with the seed, as lines: one, or none."""
    varied = [
        (np.std(line[COST][OURS]), result["dataset"], line["n_clusters"])
        for result in results
        for line in result["lines"]
        if len(line[COST].get(OURS, [])) > 1
    ]
    if not varied:
        return []
    most, name, number = max(varied)
    return [
        "The standard deviation of the cost of OnlineKMeans / that of KMeans over the "
        f"seeds is at most {most:.3f}: that of {name}, {number:,} clusters."
    ]


def averages(results):
    """Return name -> average cost and time / those of KMeans, over all that there is."""
    lines = [line for result in real_ones(results) for line in result["lines"]]
    found = {}
    for name in CONTESTANTS:
        own = [line for line in lines if name in line[COST]]
        if own and name != REFERENCE:
            found[name] = tuple(figure(own, what, name).value for what in (COST, TIME))
    return found
