"""The tables, JSON, chart and page of ``python -m benchmarks speed``."""

import json

from ..report import (
    Cell,
    html_image,
    html_list,
    html_table,
    html_text,
    machine,
    page,
    print_table,
    write_csv,
)
from .steps import STEPS

FLOOR = "floor: one look-up"
ALONE = "ours: fit, one thread"
# heading: (slower, faster, target by shape)
RATIOS = {
    "fit / floor": (
        "ours: fit",
        FLOOR,
        {"A": 0.5, "B": 0.6, "C": 0.2, "D": 0.35, "E": 1.1, "F": 0.6, "G": 0.06},
    ),
    "MBK pass": (
        "MiniBatchKMeans, one pass",
        "ours: fit",
        {"A": 5, "B": 5, "C": 10, "D": 5, "E": 50, "F": 5, "G": 30},
    ),
    "MBK fit": ("MiniBatchKMeans.fit", "ours: fit", {}),
    "k-means ++": (
        "kmeans_plusplus seeding",
        "ours: fit",
        {"A": 20, "B": 20, "C": 20, "D": 20},
    ),
    "Birch": ("Birch(n_clusters=None)", "ours: fit", {}),
    "faiss": ("faiss Kmeans, one iteration", "ours: fit", {}),
    "river": ("river KMeans, by sample", "ours: fit", {"A": 500}),
    "KMeans predict": (
        "KMeans.predict",
        "ours: predict",
        {"A": 1, "B": 1, "C": 1, "D": 1, "E": 20, "F": 1, "G": 10},
    ),
}
MEMORY = "MiB"
MIB = 2**20
LEGEND = (
    "Ratios of best times; in brackets what we aim at; ~ is from a slice of the rows, "
    "scaled up. First our fit / one look-up of every row. Then others / our fit: one "
    "partial_fit pass of MiniBatchKMeans (MBK), its fit, k-means++ seeding, Birch, one "
    "iteration of faiss, river by sample. Then KMeans.predict / our predict. MiB: the most "
    "that our fit allocates beside the rows."
)
STEPS_LEGEND = (
    "Where the time of our fit goes, in units of the floor: check the rows, look up the "
    "nearest of the centres from before the block, decide which rows open one, label the "
    "rest, add rows up by cluster, all else. They add up to fit / floor. The last column "
    "is a fit with one thread, in the same units."
)


def ratio(result, heading):
    """Return a ratio of the table, or None if it cannot be."""
    slower, faster, targets = RATIOS[heading]
    contestants = result["contestants"]
    if slower not in contestants or faster not in contestants:
        return None
    value = contestants[slower]["seconds"] / contestants[faster]["seconds"]
    sliced = min(contestants[name]["rows"] for name in (slower, faster)) < result["n"]
    return Cell(value, sliced, targets.get(result["shape"]), heading == "fit / floor")


def memory(result):
    """Return the peak memory of fit: at most 64 MiB on F, at most that of X on E."""
    target = {"F": 64, "E": result["bytes"] / MIB}.get(result["shape"])
    return Cell(result["peak bytes of fit"] / MIB, False, target, True)


def table_of(results):
    """Return the headings and the cells, None where there is nothing to say."""
    headings = ["shape", *RATIOS, MEMORY]
    rows = [
        [result["shape"], *(ratio(result, heading) for heading in RATIOS), memory(result)]
        for result in results
    ]
    return headings, rows


def steps_table(results):
    """Return the headings and the cells of the steps of fit, in units of the floor."""
    headings = ["shape", *STEPS, "all else", "one thread"]
    rows = []
    for result in results:
        contestants = result["contestants"]
        steps = [result["seconds of the steps of fit"].get(step, 0.0) for step in STEPS]
        steps.append(contestants["ours: fit"]["seconds"] - sum(steps))
        alone = contestants[ALONE]["seconds"]
        floor = contestants[FLOOR]["seconds"]
        rows.append([result["shape"], *(Cell(t / floor) for t in [*steps, alone])])
    return headings, rows


def title(result):
    """Return what the shape is."""
    kind = "CSR" if result["sparse"] else result["dtype"]
    return (
        f"{result['shape']}: {result['n']:,} x {result['d']:,} {kind}, "
        f"{result['clusters']:,} clusters"
    )


def remarks(row, growth):
    """Return the lines below the table."""
    one = Cell(row["MiniBatchKMeans"] / row["ours"], target=8)
    more = Cell(growth["eight times"] / growth["once"], target=8.3, less_is_better=True)
    return [
        f"partial_fit of one row, {row['clusters']} clusters, d={row['d']}: "
        f"MiniBatchKMeans / ours {one}",
        f"fit of 8 n rows / fit of n rows, n={growth['n']:,}, d={growth['d']}, "
        f"k={growth['k']}: {more}",
    ]


def print_report(console, results, row, growth):
    """Print the table, a row per shape."""
    print_table(console, *table_of(results), LEGEND)
    print_table(console, *steps_table(results), STEPS_LEGEND)
    for line in [*map(title, results), *remarks(row, growth), machine()]:
        console.print(line, highlight=False)


def write_report(folder, results, row, growth):
    """Write speed.json, two CSV, speed.png if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    everything = {
        "machine": machine(),
        "results": results,
        "one row": row,
        "eight times the rows": growth,
    }
    (folder / "speed.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    table = table_of(results)
    write_csv(folder / "speed.csv", *table)
    steps = steps_table(results)
    write_csv(folder / "speed-steps.csv", *steps)
    lines = [*map(title, results), *remarks(row, growth), machine()]
    (folder / "speed.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    parts = [html_table(*table), html_text(LEGEND), html_list(lines)]
    parts += [html_table(*steps), html_text(STEPS_LEGEND)]
    if write_chart(folder / "speed.png", results):
        parts.append(html_image(folder / "speed.png", "Seconds per contestant and shape"))
    (folder / "index.html").write_text(
        page("Speed of onlinekmeans_sklearn", *parts), encoding="utf-8"
    )


def write_chart(path, results):
    """Draw the seconds of every contestant, and return whether matplotlib was there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10, 5), layout="constrained")
    axes = figure.subplots()
    names = dict.fromkeys(name for r in results for name in r["contestants"])
    names.pop(ALONE, None)  # it is in the table of steps
    for name in names:
        points = [
            (result["shape"], result["contestants"][name]["seconds"])
            for result in results
            if name in result["contestants"]
        ]
        axes.plot(
            *zip(*points),
            marker="o",
            linestyle="",
            label=name,
            markersize=10 if name.startswith("ours") else 6,
        )
    axes.set(yscale="log", xlabel="shape", ylabel="seconds for all rows")
    axes.tick_params(axis="x", rotation=45 if len(results) > 8 else 0)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=120)
    return True
