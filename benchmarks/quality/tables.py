"""The tables of ``python -m benchmarks quality``, and what became of the targets."""

import numpy as np

from ..report import Ratio, Table
from .contestants import (
    CONTESTANTS,
    CURVE,
    FAISS,
    MBK_FIT,
    MBK_PASS,
    MULTIPLES,
    OURS,
    PEERS,
    REFERENCE,
    with_k,
)
from .study import BLOBS, COST, CURVE_CLUSTERS, STUDIED, TIME

# short enough for a terminal -> (short enough for a page, name)
COLUMNS = {
    "ours": ("OnlineKMeans", OURS),
    "pass": ("MiniBatch pass", MBK_PASS),
    "fit": ("MiniBatch fit", MBK_FIT),
    "faiss": ("faiss", FAISS),
}
CURVE_COLUMNS = {f"{m} n": (f"k = {m} n_clusters", with_k(m)) for m in MULTIPLES}
NAMES = {OURS: 'OnlineKMeans, k = "auto"'}  # beside those with another k
COST_TARGET, AVERAGE_TARGET = 1.03, 1.0
TIME_TARGETS = {10: 0.35, 50: 0.2, 200: 0.2, 1000: 0.2}  # on average
FAST, FAST_TARGET = with_k(5), 1.05  # its cost, on average
LEGEND = (
    "Cost and time / those of KMeans(n_init=1), same rows and seed: mean of the costs and "
    "median of the times over the seeds. OnlineKMeans (ours) and the pass of "
    "MiniBatchKMeans, by partial_fit, read the rows once, in file order; fit: "
    "MiniBatchKMeans.fit; faiss: 25 iterations. A dash: the method does not support the "
    "data, or would take too long."
)
SUMMARY_LEGEND = (
    "Time and cost / those of KMeans(n_init=1): averages over the datasets that a method "
    "supports, the median of its costs, and the highest."
)
NUMBERS_LEGEND = "The same averages for every number of clusters."
CURVE_LEGEND = 'OnlineKMeans with other k than "auto", whose figures are above.'


def real_ones(results):
    """Return the results of real datasets; if there are none, those of the blobs."""
    return [result for result in results if result["dataset"] != BLOBS] or results


def lines_of(results, n_clusters):
    """Return the figures of the datasets for a number of clusters."""
    lines = [line for result in results for line in result["lines"]]
    return [line for line in lines if line["n_clusters"] == n_clusters]


def values_of(lines, what, name):
    """Return the figure of a contestant in each line that has it, over its seeds."""
    over_seeds = np.mean if what == COST else np.median
    return [float(over_seeds(line[what][name])) for line in lines if name in line[what]]


def figure(lines, what, name, target=None, summary=np.mean):
    """Return the average, or another summary, of a contestant; None without figures."""
    if not (values := values_of(lines, what, name)):
        return None
    options = {"less_is_better": True, "decimals": 3 - (what == TIME)}
    return Ratio(float(summary(values)), target=target, **options)


def is_whole(results):
    """Return whether all datasets are there, for which averages have targets."""
    return {result["dataset"] for result in results} >= set(STUDIED)


def summary_table(results, n_clusters):
    """Return all averages for so many clusters, and ours with every k."""
    results = real_ones(results)
    lines, rows = lines_of(results, n_clusters), []
    for name in (*CURVE, OURS, *PEERS):
        has_target = name == FAST and n_clusters == CURVE_CLUSTERS and is_whole(results)
        if count := len(values_of(lines, COST, name)):
            cells = [
                figure(lines, TIME, name),
                figure(lines, COST, name, FAST_TARGET if has_target else None),
                figure(lines, COST, name, summary=np.median),
                figure(lines, COST, name, summary=max),
            ]
            rows.append([NAMES.get(name, name), *cells, count])
    headings = [f"{n_clusters:,} clusters", "time", "cost"]
    headings += ["median cost", "highest cost", "datasets"]
    short = [*headings[:3], "median\ncost", "highest\ncost", "data-\nsets"]
    return Table("Time and cost, on average", headings, rows, SUMMARY_LEGEND, short)


def numbers_table(results, numbers):
    """Return the averages of all contestants for each number of clusters."""
    results, rows = real_ones(results), []
    costs = dict.fromkeys(numbers, AVERAGE_TARGET)
    for kind, what, targets in (("time", TIME, TIME_TARGETS), ("cost", COST, costs)):
        for name in (OURS, *PEERS):
            has_targets = name == OURS and is_whole(results)
            cells = [
                figure(
                    lines_of(results, n),
                    what,
                    name,
                    targets.get(n) if has_targets else None,
                )
                for n in numbers
            ]
            rows.append([f"{name}: {kind}", *cells])
    title, headings = "Every number of clusters", [f"{n:,} clusters" for n in numbers]
    short = ["", *(f"{n:,}" for n in numbers)]
    return Table(title, ["", *headings], rows, NUMBERS_LEGEND, short)


def contest_table(title, results, n_clusters, columns, legend=None):
    """Return cost and time of each dataset for so many clusters."""
    targets, rows = {OURS: COST_TARGET}, []
    for result in results:
        lines = lines_of([result], n_clusters)
        cells = [
            figure(lines, what, name, targets.get(name) if what == COST else None)
            for _, name in columns.values()
            for what in (COST, TIME)
        ]
        rows.append([result["dataset"], *cells])
    kinds = ("cost", "time")
    headings = [f"{name}: {kind}" for name, _ in columns.values() for kind in kinds]
    short = [f"{name}\n{kind}" for name in columns for kind in kinds]
    return Table(title, ["dataset", *headings], rows, legend, ["\ndataset", *short])


def datasets_table(results, numbers):
    """Return what the rows are, and how long KMeans and ours take for them."""
    names, rows = (REFERENCE, OURS), []
    for result in results:
        shape = [f"{result['n']:,}", f"{result['d']:,}"]
        seconds = [line["seconds"] for line in result["lines"]]
        cells = [
            Ratio(float(np.median(each[name])), decimals=2) if name in each else None
            for name in names
            for each in seconds
        ]
        scaling = result["scaling"].removesuffix("Scaler")
        rows.append([result["dataset"], *shape, scaling, *cells])
    about = ["dataset", "rows", "columns", "scaled by"]
    headings = [f"{name}, {n:,} clusters" for name in names for n in numbers]
    short = [f"{name}\n{n}" for name in ("KMeans", "ours") for n in numbers]
    legend = "Sizes, scaling, and median seconds. blobs: 50 of them, one after the other."
    return Table(
        "The datasets, and seconds", [*about, *headings], rows, legend, [*about, *short]
    )


def tables(results, curve):
    """Return name -> table, of all that there are."""
    numbers = [line["n_clusters"] for line in results[0]["lines"]]
    every = {
        "summary": summary_table(results, curve),
        "numbers": numbers_table(results, numbers),
    }
    for n in numbers:
        legend = LEGEND if n == numbers[0] else None
        title = f"{n:,} clusters: cost and time"
        every[str(n)] = contest_table(title, results, n, COLUMNS, legend)
    title = f"{curve:,} clusters: cost and time with another k"
    every["curve"] = contest_table(title, results, curve, CURVE_COLUMNS, CURVE_LEGEND)
    every["datasets"] = datasets_table(results, numbers)
    return every


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
    return {
        name: tuple(figure(lines, what, name).value for what in (COST, TIME))
        for name in CONTESTANTS
        if name != REFERENCE and values_of(lines, COST, name)
    }
