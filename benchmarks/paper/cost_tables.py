"""The records on clusters and costs as tables: Figures 1 to 4, theorems, variants."""

import math

import numpy as np

from ..report import Cell
from . import published
from .records import (
    K_TARGET,
    Table,
    digits,
    figure,
    jobs,
    mean,
    or_dashes,
    outcome,
    ratios,
    steps,
)
from .theory import clusters_constant

RATIOS = (  # of Figures 2 to 4, and of other centers from one pass
    *(("f_online", base) for base in ("f_0", "f_random", "f_kmpp")),
    *((ours, "f_kmpp") for ours in ("f_means", "f_merged")),
)
VARIANTS = ("text", "scripts")
ALGORITHMS = {"semi-online": 1, "online": 2}  # as the paper numbers them
WORST = "worst sd / k_target"


def clusters_table(records, about):
    """Return k_actual for every k_target, and how far it varies at worst."""
    ks = steps(records, "costs")
    aim = {"target": published.MOST_DEVIATION} if about["paper"] else {}
    rows = []
    for name in about["datasets"]:
        cells = [opened(*runs_of(records, name, k, about["variant"])) for k in ks]
        shares = [cell.deviation / k for cell, k in zip(cells, ks) if cell is not None]
        worst = Cell(max(shares), less_is_better=True, **aim) if shares else None
        rows.append([name, *cells, worst])
    legend = "Clusters opened, k_actual: mean ± standard deviation (sd) over the runs."
    if about["paper"]:
        legend += " In brackets: the most that the paper saw, over all its experiments."
    return Table(["dataset", *(f"{K_TARGET} {k}" for k in ks), WORST], rows, legend)


def runs_of(records, name, k, variant, order="file"):
    """Return the runs of a variant of Algorithm 3, and whether others failed."""
    setting = {"k_target": k, "variant": variant, "order": order}
    return outcome(jobs(records, name, "costs", **setting))


def opened(runs, sliced):
    """Return how many clusters the runs opened."""
    return figure([run["k_actual"] for run in runs], sliced=sliced, decimals=1)


def costs_table(records, about):
    """Return the ratios of Figures 2 to 4 for every dataset and k_target."""
    headings = ["dataset", K_TARGET, *(" / ".join(pair) for pair in RATIOS)]
    rows = []
    for name in about["datasets"]:
        own = []
        for k in steps(records, "costs"):
            runs, sliced = runs_of(records, name, k, about["variant"])
            every = [ratios(runs, *pair) for pair in RATIOS]
            if runs:
                own.append([name, k, *(digits(each, sliced=sliced) for each in every)])
        rows += or_dashes(own, name, len(headings))
    legend = (
        "f_online: cost of all rows to the final centers of one pass. f_0: to one center "
        "at the origin. f_random and f_kmpp: to as many rows chosen at random, and by "
        "k-means++. f_means: to the means of the online clusters instead of the samples "
        "that opened them. f_merged: to as many clusters, merged from about five times as "
        "many. Mean ± standard deviation of the ratio over the runs."
    )
    return Table(headings, rows, legend)


def theory_table(records, about):
    """Return the constants of the theorems at the smallest and the largest n."""
    headings = ["dataset", "algorithm", "n", "k_actual", "clusters / bound", "W / W*"]
    headings, rows = [*headings, "W / (W* log n)"], []
    for name in about["datasets"]:
        own = []
        for algorithm, number in ALGORITHMS.items():
            by_n = constants(records, name, algorithm)
            own += [
                [name, number, f"{n:,}", *by_n[n].values()]
                for n in sorted({min(by_n), max(by_n)} if by_n else ())
            ]
        rows += or_dashes(own, name, len(headings))
    (k,) = steps(records, "theory", "k")
    legend = (
        f"Algorithm 1 is semi-online, Algorithm 2 online; k = {k}. bound: k log n "
        "log(W*/w*), logarithms of base 2, w* being the lower bound that the algorithm "
        "starts from. W: online cost. W*: that of the best of several runs of KMeans. The "
        "theorems bound clusters of both, W / W* of Algorithm 1 and W / (W* log n) of "
        "Algorithm 2. Means over the runs, at the smallest and the largest n."
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
    headings = ["dataset", K_TARGET, "k_actual, text", "k_actual, scripts"]
    headings, rows = [*headings, "k_actual ratio", "f_online ratio"], []
    for name in about["datasets"]:
        both = {
            k: [runs_of(records, name, k, variant) for variant in VARIANTS]
            for k in steps(records, "costs")
        }
        own = [
            [name, k, opened(*text), opened(*scripts), *variant_ratios(text, scripts)]
            for k, (text, scripts) in both.items()
            if text[0] and scripts[0]
        ]
        rows += or_dashes(own, name, len(headings))
    legend = (
        "Algorithm 3 as the paper's text has it, and as the authors' own scripts did where "
        "they differ from it. k_actual: mean ± standard deviation over the runs; then "
        "ratios of means, scripts / text."
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
    """Return what the order of the rows makes of it, at one k_target."""
    sides = ("file", "shuffled")
    ratio = "f_online / f_kmpp"
    headings = ["dataset", K_TARGET, *(f"k_actual, {side}" for side in sides)]
    headings, rows = [*headings, *(f"{ratio}, {side}" for side in sides)], []
    for name in about["datasets"]:
        own = []
        for k in steps(records, "costs"):
            both = [runs_of(records, name, k, about["variant"], side) for side in sides]
            if both[1][0]:
                costs = [
                    digits(ratios(runs, "f_online", "f_kmpp"), sliced=sliced)
                    for runs, sliced in both
                ]
                counts = [mean([run["k_actual"] for run in runs]) for runs, _ in both]
                own.append([name, k, *counts, *costs])
        rows += or_dashes(own, name, len(headings))
    legend = (
        "The rows as they lie in the file, and shuffled by every run. The paper does not "
        "say in which order it read them. Means over the runs, ± standard deviation."
    )
    return Table(headings, rows, legend)
