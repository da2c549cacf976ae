"""The records on clusters and costs as tables: Figures 1 to 4, theorems, variants."""

import math

import numpy as np

from ..report import Cell
from . import published
from .records import (
    AIMED_AT,
    OPENED,
    Table,
    digits,
    figure,
    jobs,
    mean,
    outcome,
    ratios,
    steps,
)
from .theory import clusters_constant

RATIOS = {  # of Figures 2 to 4, and of other centers from one pass
    "samples / origin": ("f_online", "f_0"),
    "samples / random": ("f_online", "f_random"),
    "samples / k-means++": ("f_online", "f_kmpp"),
    "means / k-means++": ("f_means", "f_kmpp"),
    "merged / k-means++": ("f_merged", "f_kmpp"),
}
VARIANTS = ("text", "scripts")
ALGORITHMS = {"semi-online": 1, "online": 2}  # as the paper numbers them
WORST = "largest ± / k"


def clusters_table(records, about):
    """Return the clusters opened for every k, and how far they vary at worst."""
    ks = steps(records, "costs")
    aim = {"target": published.MOST_DEVIATION} if about["paper"] else {}
    rows = []
    for name in about["datasets"]:
        cells = [opened(*runs_of(records, name, k, about["variant"])) for k in ks]
        shares = [cell.deviation / k for cell, k in zip(cells, ks) if cell is not None]
        worst = Cell(max(shares), less_is_better=True, **aim) if shares else None
        rows.append([name, *cells, worst])
    legend = (
        "Clusters opened when k were aimed at: mean ± standard deviation over the runs."
    )
    if about["paper"]:
        most = published.MOST_DEVIATION
        legend += f" The paper saw deviations of at most {most:g} k in all its experiments."
    return Table(["dataset", *(f"{AIMED_AT} = {k}" for k in ks), WORST], rows, legend)


def runs_of(records, name, k, variant, order="file"):
    """Return the runs of a variant of Algorithm 3, and whether others failed."""
    setting = {"k_target": k, "variant": variant, "order": order}
    return outcome(jobs(records, name, "costs", **setting))


def opened(runs, sliced):
    """Return how many clusters the runs opened."""
    return figure([run["k_actual"] for run in runs], sliced=sliced, decimals=1)


def costs_table(records, about):
    """Return the ratios of Figures 2 to 4 for every dataset and k."""
    headings = ["dataset", AIMED_AT, *RATIOS]
    rows = []
    for name in about["datasets"]:
        for k in steps(records, "costs"):
            runs, sliced = runs_of(records, name, k, about["variant"])
            every = [ratios(runs, *pair) for pair in RATIOS.values()]
            if runs:
                rows.append([name, k, *(digits(each, sliced=sliced) for each in every)])
    return Table(headings, rows, f"{COSTS} Mean ± standard deviation over the runs.")


COSTS = (
    "Cost of all rows to the centers of one pass: the samples that opened the clusters, "
    "their means, or the same number of clusters, merged from about five times as many. It "
    "is divided by the cost of one center at the origin, of as many rows chosen at random, "
    "or of as many chosen by k-means++, which reads the rows once for each of them."
)


def middle_table(records, about):
    """Return the ratios of costs in the middle of the figures, a line per dataset.

    It is the one number of clusters for which the rows are read in another order, too.
    """
    headings = ["dataset", AIMED_AT, OPENED, *list(RATIOS)[1:3], "the same, shuffled"]
    headings, rows = [*headings, *list(RATIOS)[3:]], []
    for name in about["datasets"]:
        ks = [
            k
            for k in steps(records, "costs")
            if runs_of(records, name, k, about["variant"])[0]
        ]
        for k in ks[len(ks) // 2 :][:1]:
            runs, _ = runs_of(records, name, k, about["variant"])
            shuffled, _ = runs_of(records, name, k, about["variant"], "shuffled")
            every = [ratios(runs, *pair) for pair in RATIOS.values()]
            every.insert(3, ratios(shuffled, "f_online", "f_kmpp"))
            count = mean([run["k_actual"] for run in runs])
            rows.append([name, k, count, *map(mean, every[1:])])
    return Table(headings, rows, f"{COSTS} Means over the runs.")


def theory_table(records, about):
    """Return the constants of the theorems at the smallest and the largest n."""
    headings = ["dataset", "algorithm", "rows", OPENED, "clusters / bound", "cost / best"]
    headings, rows = [*headings, "cost / (best log n)"], []
    for name in about["datasets"]:
        for algorithm, number in ALGORITHMS.items():
            by_n = constants(records, name, algorithm)
            rows += [
                [name, number, f"{n:,}", *by_n[n].values()]
                for n in sorted({min(by_n), max(by_n)} if by_n else ())
            ]
    (k,) = steps(records, "theory", "k")
    legend = (
        f"Algorithm 1 is semi-online, Algorithm 2 online; k = {k}. Cost: of the online "
        "assignments. Best: that of the best of several runs of KMeans. Bound: k log n "
        "log(best / the lower bound that the algorithm starts from), n being the rows, "
        "logarithms of base 2. The theorems say that clusters / bound of both stays "
        "bounded, and so do cost / best of Algorithm 1 and cost / (best log n) of "
        "Algorithm 2. Means over the runs, for the fewest and for all rows."
    )
    return Table(headings, rows, legend)


def constants(records, name, algorithm):
    """Return n -> what the theorems are about, averaged over the runs."""
    found, _ = outcome(jobs(records, name, "theory", algorithm=algorithm))
    by_n = {}
    for n in sorted({run["n"] for run in found}):
        runs = [run for run in found if run["n"] == n]
        cost = mean(ratios(runs, "W", "W_star"))
        logarithm = math.log2(n) if algorithm == "online" else 0
        by_n[n] = {
            "k_actual": mean([run["k_actual"] for run in runs]),
            "clusters": mean([c for c in map(constant, runs) if c is not None]),
            "cost": cost,
            "cost by log n": Cell(cost.value / logarithm) if cost and logarithm else None,
        }
    return by_n


def constant(run):
    """Return the constant of the clusters, or None where the bound is zero."""
    bounded = run["n"] > 1 and 0 < run["w_star"] < run["W_star"]
    return clusters_constant(run, run["k"]) if bounded else None


def variant_table(records, about):
    """Return what the authors' scripts make of it, against the text of the paper."""
    headings = ["dataset", AIMED_AT, f"{OPENED}, text", f"{OPENED}, scripts"]
    headings, rows = [*headings, f"{OPENED}, ratio", "cost, ratio"], []
    for name in about["datasets"]:
        both = {
            k: [runs_of(records, name, k, variant) for variant in VARIANTS]
            for k in steps(records, "costs")
        }
        rows += [
            [name, k, opened(*text), opened(*scripts), *variant_ratios(text, scripts)]
            for k, (text, scripts) in both.items()
            if text[0] and scripts[0]
        ]
    legend = (
        "Algorithm 3 as the paper's text has it, and as the authors' own scripts did where "
        "they differ from it. Clusters opened when k were aimed at: mean ± standard "
        "deviation over the runs; then ratios of means, scripts / text."
    )
    return Table(headings, rows, legend)


def variant_ratios(text, scripts):
    """Return scripts / text, of the mean k_actual and of the mean f_online."""
    cells = []
    for name in ("k_actual", "f_online"):
        ours, base = (np.mean([run[name] for run in runs]) for runs, _ in (scripts, text))
        cells.append(Cell(float(ours / base)) if base else None)
    return cells


def order_table(records, about):
    """Return what the order of the rows makes of it, at one k."""
    sides = ("file", "shuffled")
    ratio = "samples / k-means++"
    headings = ["dataset", AIMED_AT, *(f"{OPENED}, {side}" for side in sides)]
    headings, rows = [*headings, *(f"{ratio}, {side}" for side in sides)], []
    for name in about["datasets"]:
        for k in steps(records, "costs"):
            both = [runs_of(records, name, k, about["variant"], side) for side in sides]
            if both[1][0]:
                costs = [
                    digits(ratios(runs, "f_online", "f_kmpp"), sliced=sliced)
                    for runs, sliced in both
                ]
                counts = [mean([run["k_actual"] for run in runs]) for runs, _ in both]
                rows.append([name, k, *counts, *costs])
    legend = (
        "The rows as they lie in the file, and shuffled by every run. The paper does not "
        "say in which order it read them. Means over the runs, ± standard deviation."
    )
    return Table(headings, rows, legend)
