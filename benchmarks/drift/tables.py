"""The tables of ``python -m benchmarks drift``, and what became of the targets."""

from functools import partial

import numpy as np

from ..report import Cell, Ratio, Table
from .checks import FOUND, SEEDS
from .contestants import (
    CONTESTANTS,
    HALF_LIVES,
    MINI_BATCH,
    OURS,
    RIVAL,
    RIVER,
    WITHOUT,
    with_half_life,
)
from .lasting import NUMBERS, ORDERS
from .streams import DATASETS, IN_TURN, MOVING, RETURN, SCALE, STATIONARY, SUDDEN
from .study import ratio

SHORT = {  # headings for a terminal
    MOVING: "moving\ngroups",
    SUDDEN: "sudden\nchange",
    SCALE: "scale\nshrinks",
    RETURN: "groups\nback",
    STATIONARY: "still",
    IN_TURN: "topics",
}
SOON = with_half_life(OURS, HALF_LIVES[0])
MIB = 2**20
LEGEND = (
    "Cost of the next window / that of the best of several KMeans on that window itself: "
    "geometric mean over windows and seeds. ms: milliseconds for 1,000 rows, the median "
    "over the streams. ~ river reads row by row, and only so many rows of every window as "
    "the time limit allows. A dash: it cannot take part within that limit."
)
STREAMS_LEGEND = "What the streams are. Datasets come in the order of their files."
CHECKS_LEGEND = (
    "Live clusters are those with any weight, after every 10,000 rows. A scale is found "
    f"again when the next rows cost at most {FOUND} times as much as with the true groups. "
    "Homogeneity is that of the labels given on arrival."
)
IDS_LEGEND = (
    "The share of earlier rows whose id is not the same as after the previous batch: dense "
    "datasets, 20 batches. New groups: one more in each of 5 batches. Cost: that of "
    "clusters that continue the last look / that of clusters merged from scratch."
)


class Factor(Ratio):
    """A ratio of costs, which may be as large as the square of a change of scale."""

    def __str__(self):
        text = f"{self.value:.0e}" if self.value >= 1e5 else super().__str__()
        return f"~{text}" if self.sliced else text


def is_partial(result, name):
    """Return whether the contestant read only some rows of every window."""
    return result["contestants"][name]["rows read of a window"] < result["rows"]


def factor(result, name):
    """Return the cell of a stream and a contestant; None if it does not take part."""
    value = ratio(result, name)
    return None if value is None else Factor(value, sliced=is_partial(result, name))


def contest_table(title, results, legend):
    """Return the costs of all contestants on these streams, and the median time."""
    rows = []
    for name in CONTESTANTS:
        found = [result["contestants"].get(name) for result in results]
        times = [figures["ms per 1,000 rows"] for figures in found if figures]
        if times:
            cells = [factor(result, name) for result in results]
            rows.append([name, *cells, Ratio(float(np.median(times)), decimals=1)])
    names = [result["stream"] for result in results]
    headings = ["", *names, "ms"]
    short = ["\n", *(SHORT.get(name, name) for name in names), "ms"]
    return Table(title, headings, rows, legend, short)


def streams_table(results):
    """Return what the streams are."""
    keys = ("stream", "windows", "rows", "features", "n_clusters", "about")
    rows = [[result[key] for key in keys] for result in results]
    headings = ["stream", "windows", "rows each", "features", "clusters", "what it is"]
    return Table("The streams", headings, rows, STREAMS_LEGEND)


at_least = partial(Ratio, decimals=2)  # a figure that should not be less than its target
at_most = partial(at_least, less_is_better=True)


def contest_checks(results):
    """Return the rows of the checks that the contest answers."""
    by_name, rows = {result["stream"]: result for result in results}, []
    if still := by_name.get(STATIONARY):
        for half_life in HALF_LIVES:
            name = with_half_life(OURS, half_life)
            more = ratio(still, name) / ratio(still, WITHOUT)
            what = f"stationary: cost with {name.removeprefix(f'{OURS}, ')} / without"
            rows.append([what, at_most(more, target=1.01, decimals=3)])
    if moving := by_name.get(MOVING):
        ours = ratio(moving, SOON)
        what = "moving groups: cost with half-life 1 window / KMeans on the last window"
        rows.append([what, at_most(ours / ratio(moving, RIVAL), target=1.5)])
        what = "moving groups: MiniBatchKMeans / OnlineKMeans with half-life 1 window"
        rows.append([what, at_least(ratio(moving, MINI_BATCH) / ours, target=10)])
    return rows


def checks_table(results, checks):
    """Return what was found beside the contest, figure by figure."""
    rows = contest_checks(results)
    if checks:
        n = checks["rows"]
        for half_life, value in checks["live / k"].items():
            what = f"{n // 10:,} stationary rows, half_life={half_life}: live clusters / k"
            rows.append([what, at_most(value, target=1.3)])
        soon = [t for t in checks["half-lives until found"] if t is not None and t <= 3]
        what = f"scale / 10^6: seeds of {SEEDS} that find it within 3 half-lives"
        rows.append([what, Cell(len(soon), target=SEEDS)])
        for name, target in {"one topic": 0.8, "two topics": 0.6, "None": None}.items():
            value = at_least(float(np.mean(checks["homogeneity"][name])), target=target)
            rows.append([f"topics in turn, k=50, half-life {name}: homogeneity", value])
        targets = {"half_life=100,000": 1.15, "half_life=10,000": 1.5}
        targets |= {"sample_weight": 1.2, "one row": 1.3}
        for name, target in targets.items():
            value = at_most(checks["time / None"][name], target=target)
            rows.append([f"time with {name} / without", value])
        held = checks["memory"]
        rows.append([f"MiB of a stream of {n // 10:,} rows", at_most(held["early"])])
        rows.append([f"MiB of a stream of {n:,} rows", at_most(held["late"])])
        each = (held["late"] - held["early"]) * MIB / max(1, held["opened"])
        what = "bytes more for each cluster that retired"
        rows.append([what, at_most(each, target=1000)])
    return Table("Forgetting, figure by figure", ["what", "measured"], rows, CHECKS_LEGEND)


def changes_of(ids, order, numbers=NUMBERS):
    """Return the shares that change after the batches of all datasets, by name."""
    runs = [c for c in ids["changes"] if c["order"] == order and c["n_clusters"] in numbers]
    return {name: np.concatenate([c[name] for c in runs]) for name in (OURS, MINI_BATCH)}


def pair(figures, summary, **options):
    """Return the cells of ours, which has the target, and of MiniBatchKMeans."""
    ours, mini_batch = (float(summary(figures[name])) for name in (OURS, MINI_BATCH))
    return [at_most(ours, **options), at_most(mini_batch, decimals=options["decimals"])]


def ids_table(ids):
    """Return how much ids change, what that costs, and how long looks take."""
    rows, in_file, mixed = [], *ORDERS
    if ids["changes"]:
        for name, summary, target in (("mean", np.mean, 0.1), ("median", np.median, 0.03)):
            cells = pair(changes_of(ids, in_file), summary, target=target, decimals=3)
            rows.append([f"{in_file}: share whose id changes, {name}", *cells])
        for number, target in zip(NUMBERS, (0.02, 0.06)):
            shares = changes_of(ids, mixed, [number])
            cells = pair(shares, np.mean, target=target, decimals=3)
            rows.append(
                [f"{mixed}, {number} clusters: share whose id changes, mean", *cells]
            )
    times_of_100 = {name: 100 * np.divide(*of) for name, of in ids["new groups"].items()}
    cells = pair(times_of_100, np.mean, target=10, decimals=1)
    rows.append(["new groups arrive: a group's main id changes, times of 100", *cells])
    if ids["changes"]:
        costs = np.concatenate([c["cost / from scratch"] for c in ids["changes"]])
        for name, summary, target in (("mean", np.mean, 1.005), ("highest", max, 1.02)):
            cell = at_most(float(summary(costs)), target=target, decimals=4)
            rows.append([f"cost / merged from scratch, {name}", cell, None])
    for name, summary, target in (("median", np.median, 3), ("slowest", max, 40)):
        cell = at_most(float(summary(ids["ms of looks"])), target=target, decimals=1)
        rows.append([f"milliseconds of predict after 100 rows, {name}", cell, None])
    return Table("Ids that last", ["what", OURS, MINI_BATCH], rows, IDS_LEGEND)


def tables(results, checks, ids):
    """Return name -> table, of all that there are."""
    generated = [result for result in results if result["stream"] not in DATASETS]
    real = [result for result in results if result["stream"] in DATASETS]
    every = {}
    if generated:
        every["generated"] = contest_table("Streams that change", generated, LEGEND)
    if real:
        every["datasets"] = contest_table("Datasets in file order", real, None)
    every["streams"] = streams_table(results)
    every["checks"] = checks_table(results, checks)
    if ids:
        every["ids"] = ids_table(ids)
    return every


def left_out(results):
    """Return why there are dashes, a line for each name and reason."""
    streams = {}
    for result in results:
        for name, reason in result["left out"].items():
            streams.setdefault((name, reason), []).append(result["stream"])
    return [f"{name} {why}: {', '.join(names)}" for (name, why), names in streams.items()]


def read_partly(results):
    """Return how much of the rows river has read, as lines."""
    shares = {}
    for result in results:
        for name in RIVER:
            if name in result["contestants"] and is_partial(result, name):
                read = result["contestants"][name]["rows read of a window"]
                shares.setdefault(name, []).append(read / result["rows"])
    return [
        f"{name} read {min(read):.0%} to {max(read):.0%} of the rows of {len(read)} "
        "streams."
        for name, read in shares.items()
    ]
