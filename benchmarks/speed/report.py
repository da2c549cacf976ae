"""The tables, JSON, charts and pages of ``python -m benchmarks speed``."""

import json
import os

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
from .against import CALLS, FALLBACK, OURS
from .rows import KINDS, LEARN, MBK, PREDICT, RIVER
from .steps import STEPS

FLOOR = "floor: one look-up"
ALONE = "ours: fit, one thread"
ELSE = "any other shape"
# heading: (slower, faster, target by shape)
RATIOS = {
    "fit / floor": (
        "ours: fit",
        FLOOR,
        {"A": 0.4, "B": 0.5, "C": 0.2, "D": 0.8, "E": 1, "F": 0.25, "G": 0.06, ELSE: 1},
    ),
    "MBK pass": (
        "MiniBatchKMeans, one pass",
        "ours: fit",
        {"A": 5, "B": 5, "C": 10, "D": 5, "E": 30, "F": 7, "G": 30},
    ),
    "MBK fit": ("MiniBatchKMeans.fit", "ours: fit", {}),
    "km++": (
        "kmeans_plusplus seeding",
        "ours: fit",
        {"A": 20, "B": 20, "C": 20, "D": 20},
    ),
    "Birch": ("Birch(n_clusters=None)", "ours: fit", {}),
    "faiss": ("faiss Kmeans, one iteration", "ours: fit", {}),
    "river": ("river KMeans, by sample", "ours: fit", {"A": 500}),
    "KMeans predict": ("KMeans.predict", "ours: predict", {ELSE: 1.5}),
}
THREADS = {"A": 1.7, "B": 1.7, "F": 1.7}  # one thread / as many as there are
# ours / another checkout: at most that much slower, which is within what varies
NOT_SLOWER = {"D": 1.3, ELSE: 1.05}
QUIET = 0.7  # load below which a machine is free for measuring
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
    "nearest of the centers from before the block, decide which rows open one, label the "
    "rest, add rows up by cluster, and all else. They add up to fit / floor. Then a fit "
    "with one thread, in the same units, and how much faster it is with all threads."
)
ROWS_LEGEND = (
    "One row at a time, others / ours: partial_fit of MiniBatchKMeans (MBK) and learn_one "
    "of river for a row that is new, then predict and predict_one for it. In brackets what "
    "we aim at."
)
AGAINST_LEGEND = (
    "Ours / {other}, best times: above 1 ours is slower. Rows come all at once for fit and "
    "predict, then one at a time for partial_fit (one row) and predict (one prediction)."
)


def ratio(result, heading):
    """Return a ratio of the table, or None if it cannot be."""
    slower, faster, targets = RATIOS[heading]
    contestants = result["contestants"]
    if slower not in contestants or faster not in contestants:
        return None
    value = contestants[slower]["seconds"] / contestants[faster]["seconds"]
    sliced = min(contestants[name]["rows"] for name in (slower, faster)) < result["n"]
    target = targets.get(result["shape"], targets.get(ELSE))
    return Cell(value, sliced, target, heading == "fit / floor")


def memory(result):
    """Return the peak memory of fit: at most 32 MiB on F, at most that of X on E."""
    target = {"F": 32, "E": result["bytes"] / MIB}.get(result["shape"])
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
    headings = ["shape", *STEPS, "else", "1 thread", "gain"]
    rows = []
    for result in results:
        contestants = result["contestants"]
        steps = [result["seconds of the steps of fit"].get(step, 0.0) for step in STEPS]
        whole, alone = (contestants[name]["seconds"] for name in ("ours: fit", ALONE))
        steps.append(whole - sum(steps))
        floor = contestants[FLOOR]["seconds"]
        threads = Cell(alone / whole, target=THREADS.get(result["shape"]))
        cells = [Cell(t / floor) for t in [*steps, alone]]
        rows.append([result["shape"], *cells, threads])
    return headings, rows


def rows_table(lone):
    """Return the headings and the cells of single rows, others / ours."""
    calls = {"MBK learn": (MBK, LEARN), "river learn": (RIVER, LEARN)}
    calls |= {"MBK predict": (MBK, PREDICT), "river predict": (RIVER, PREDICT)}
    rows = []
    for result in lone:
        targets, times = KINDS[result["rows"]].targets, result["seconds"]
        cells = [result["rows"], str(result["clusters"])]
        for peer, call in calls.values():
            target = targets[call] if peer == MBK else None
            value = peer in times and times[peer][call] / times[OURS][call]
            cells.append(Cell(value, target=target) if value else None)
        rows.append(cells)
    return ["one row at a time", "clusters", *calls], rows


def against_table(results, other):
    """Return the headings and the cells of ours / another checkout, or the fallback."""
    targets = {} if other == FALLBACK else NOT_SLOWER
    rows = []
    for result in results:
        ours, theirs = (result["seconds"][name] for name in (OURS, other))
        cells = [result["shape"]]
        for call in CALLS:
            is_whole = call in ("fit", "predict")
            target = targets.get(result["shape"] if is_whole else ELSE, targets.get(ELSE))
            cells.append(Cell(ours[call] / theirs[call], False, target, True))
        rows.append([*cells, "yes" if result["same labels"][other] else "NO"])
    return ["shape", *CALLS, "same labels"], rows


def title(result):
    """Return what the shape is."""
    kind = "CSR" if result["sparse"] else result["dtype"]
    return (
        f"{result['shape']}: {result['n']:,} x {result['d']:,} {kind}, "
        f"{result['clusters']:,} clusters"
    )


def remarks(lone, growth):
    """Return the lines below the table."""
    more = Cell(growth["eight times"] / growth["once"], target=8.3, less_is_better=True)
    return [
        *(
            f"one row, {row['rows']}: ours {1e6 * row['seconds'][OURS][LEARN]:.0f} "
            f"microseconds, its prediction {1e6 * row['seconds'][OURS][PREDICT]:.0f}"
            for row in lone
        ),
        f"fit of 8 n rows / fit of n rows, n={growth['n']:,}, d={growth['d']}, "
        f"k={growth['k']}: {more}",
    ]


def load_average():
    """Return how many processes wanted to run in the last minute, None if nobody knows."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def conditions(load):
    """Return the machine, and whether it was busy with other things before."""
    lines = [machine()]
    if load is not None and load > QUIET:
        lines.append(
            f"The machine was busy before (load {load:.1f}): threads wait for each other "
            "then, those of the peers most of all. Measure again when it is quiet."
        )
    return lines


def print_report(console, results, lone, growth, load):
    """Print the tables, with a row per shape, and the lines below them."""
    dense = {"pad_edge": False, "collapse_padding": True}  # to fit 80 columns
    print_table(console, *table_of(results), LEGEND, **dense)
    print_table(console, *steps_table(results), STEPS_LEGEND, **dense)
    print_table(console, *rows_table(lone), ROWS_LEGEND)
    for line in [*map(title, results), *remarks(lone, growth), *conditions(load)]:
        console.print(line, highlight=False)


def print_against(console, results, load):
    """Print a table for each of the others."""
    for other in others_of(results):
        legend = AGAINST_LEGEND.format(other=other)
        print_table(console, *against_table(results, other), legend)
    for line in [*map(title, results), *conditions(load)]:
        console.print(line, highlight=False)


def others_of(results):
    """Return whom ours was measured against."""
    return [name for name in results[0]["seconds"] if name != OURS]


def write_against(folder, results, load):
    """Write against.json, a CSV for each of the others, and against.html."""
    folder.mkdir(parents=True, exist_ok=True)
    everything = {"machine": machine(), "load before": load, "results": results}
    text = json.dumps(everything, indent=2)
    (folder / "against.json").write_text(text, encoding="utf-8")
    parts = []
    for other in others_of(results):
        table = against_table(results, other)
        write_csv(folder / f"against-{other}.csv", *table)
        parts += [html_table(*table), html_text(AGAINST_LEGEND.format(other=other))]
    parts.append(html_list([*map(title, results), *conditions(load)]))
    text = page("Speed of onlinekmeans_sklearn, side by side", *parts)
    (folder / "against.html").write_text(text, encoding="utf-8")


def write_report(folder, results, lone, growth, load):
    """Write speed.json, three CSV, speed.png if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    everything = {
        "machine": machine(),
        "load before": load,
        "results": results,
        "one row at a time": lone,
        "eight times the rows": growth,
    }
    (folder / "speed.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    table = table_of(results)
    write_csv(folder / "speed.csv", *table)
    steps = steps_table(results)
    write_csv(folder / "speed-steps.csv", *steps)
    single = rows_table(lone)
    write_csv(folder / "speed-rows.csv", *single)
    lines = [*map(title, results), *remarks(lone, growth), *conditions(load)]
    (folder / "speed.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    parts = [html_table(*table), html_text(LEGEND), html_list(lines)]
    parts += [html_table(*steps), html_text(STEPS_LEGEND)]
    parts += [html_table(*single), html_text(ROWS_LEGEND)]
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
