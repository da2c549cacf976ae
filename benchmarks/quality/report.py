"""The tables, JSON, chart and page of ``python -m benchmarks quality``."""

import json

import numpy as np

from ..report import (
    Cell,
    html_image,
    html_list,
    html_table,
    html_text,
    machine,
    page,
    print_table,
    spread,
    write_csv,
)
from .accuracy import LEARNERS
from .study import (
    BIRCH,
    BLOBS,
    MBK_FIT,
    MBK_PASS,
    OURS,
    STUDIED,
    WITH_MERGE,
    WITHOUT_MERGE,
)

COLUMNS = {"ours": OURS, "MBK pass": MBK_PASS, "MBK fit": MBK_FIT, "Birch": BIRCH}
AVERAGE_TARGET = 1.0
TIME_TARGET = 1.5
ACCURACY_TARGET = 0.998
FARTHEST = 1.3  # ratio that the chart shows; those around 1 are to be told apart
COST_LEGEND = (
    "Cost of the final centers / that of KMeans(n_init=1), same rows and seed: mean ± "
    "standard deviation over the seeds, in brackets the most we aim at. Ours and one "
    "partial_fit pass of MiniBatchKMeans (MBK) read the rows once, in file order. 20 "
    "clusters; 50 for blobs: generated, sorted by blob. A dash: index.html says why."
)
TIME_LEGEND = (
    "Seconds of our pass alone, and of fit with the merge of the online clusters; best of "
    "the rounds. In brackets: the most we aim at."
)
ACCURACY_LEGEND = (
    "Test accuracy, squared loss: mean ± standard deviation over the splits, 70 % to "
    "learn from. Least squares has nothing to choose; the step of gradient descent is "
    "chosen on raw features. k: clusters aimed at. In brackets: the least we aim at."
)
TITLES = {
    "cost": "Cost against KMeans",
    "time": "Time of the merge",
    "accuracy": "A linear model on skin",
}


def cost_table(results):
    """Return ratios of costs: of the datasets, on average, and of the generated stream."""
    real = [result for result in results if result["dataset"] != BLOBS]
    generated = [result for result in results if result["dataset"] == BLOBS]
    rows = [cost_row(result["dataset"], [result], result["target"]) for result in real]
    if len(real) > 1:
        target = AVERAGE_TARGET if len(real) == len(STUDIED) else None
        rows.append(cost_row("average", real, target))
    rows += [cost_row(BLOBS, [result], result["target"]) for result in generated]
    return ["dataset", *COLUMNS], rows


def cost_row(heading, results, target):
    """Return the ratios, averaged over the results; none of a peer that lacks one of them.

    The average is taken by seed first, so that its deviation is that over the seeds.
    """
    cells = []
    for name in COLUMNS.values():
        ratios = [result["ratios"].get(name) for result in results]
        if None in ratios:
            cells.append(None)
        else:
            aim = {"target": target, "less_is_better": True} if name == OURS else {}
            cells.append(spread(np.mean(ratios, axis=0), **aim))
    return [heading, *cells]


def time_table(results):
    """Return what the rows are, and the time of the pass with and without the merge."""
    headings = ["dataset", "n", "d", "scaled by", "online", "pass", "with merge", "ratio"]
    rows = []
    for result in results:
        merge, alone = (
            min(result["seconds"][name]) for name in (WITH_MERGE, WITHOUT_MERGE)
        )
        ratio = Cell(merge / alone, target=TIME_TARGET, less_is_better=True)
        shape = [f"{result['n']:,}", f"{result['d']:,}"]
        scaling = result["scaling"].removesuffix("Scaler")
        kinds = [scaling, result["online clusters"], f"{alone:.3f}", f"{merge:.3f}"]
        rows.append([result["dataset"], *shape, *kinds, ratio])
    return headings, rows


def accuracy_table(accuracies):
    """Return the accuracies of both learners; with clusters all have the same target."""
    rows = []
    for result in accuracies:
        k = result.get("k")
        target = None if k is None else ACCURACY_TARGET
        cells = [spread(result[name], target=target, decimals=4) for name in LEARNERS]
        name = result["features"] if k is None else f"raw + {result['features']}"
        opened = None if k is None else Cell(np.mean(result["clusters"]))
        rows.append([name, k, opened, *cells])
    return ["features", "k", "clusters", *LEARNERS], rows


def tables(results, accuracies):
    """Return name -> (headings, rows, legend) of the tables that there are."""
    every = {
        "cost": (*cost_table(results), COST_LEGEND),
        "time": (*time_table(results), TIME_LEGEND),
    }
    if accuracies:
        every["accuracy"] = (*accuracy_table(accuracies), ACCURACY_LEGEND)
    return every


def verdict(every):
    """Return how many targets are met, and which are not, as a line."""
    cells = [
        (f"{name} of {row[0]}" + (f", k={row[1]}, {of}" if of in LEARNERS else ""), cell)
        for name, (headings, rows, _) in every.items()
        for row in rows
        for of, cell in zip(headings, row)
        if getattr(cell, "verdict", "")
    ]
    missed = [f"{name}: {cell}" for name, cell in cells if cell.verdict == "missed"]
    text = f"{len(cells) - len(missed)} of {len(cells)} targets are met"
    return f"{text}; missed: {', '.join(missed)}." if missed else f"{text}."


def left_out(results):
    """Return why there is a dash, a line for each."""
    return [
        f"{result['dataset']}: {name} {reason}"
        for result in results
        for name, reason in result["left out"].items()
    ]


def print_report(console, results, accuracies):
    """Print the tables and what became of the targets."""
    every = tables(results, accuracies)
    for name, (headings, rows, legend) in every.items():
        print_table(
            console, headings, rows, legend, title=TITLES[name], padding=(0, 1, 0, 0)
        )
    for line in (verdict(every), machine()):
        console.print(line, highlight=False)


def write_report(folder, results, accuracies, options):
    """Write JSON, a CSV per table, a chart if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    everything = {
        "machine": machine(),
        "options": options,
        "results": results,
        "skin accuracy": accuracies,
    }
    (folder / "quality.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    every = tables(results, accuracies)
    parts = [html_text(verdict(every))]
    for name, (headings, rows, legend) in every.items():
        write_csv(folder / f"quality-{name}.csv", headings, rows)
        parts += [f"<h2>{TITLES[name]}</h2>", html_table(headings, rows), html_text(legend)]
        if name == "cost" and write_chart(folder / "quality.png", results):
            parts.append(html_image(folder / "quality.png", TITLES[name]))
    parts += ["<h2>Notes</h2>", html_list([*left_out(results), machine()])]
    (folder / "index.html").write_text(
        page("Quality of onlinekmeans_sklearn", *parts), encoding="utf-8"
    )


def write_chart(path, results):
    """Draw the ratios of costs, and return whether matplotlib was there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(8, 1.5 + 0.6 * len(results)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="black", linewidth=1)
    for column, label in enumerate(COLUMNS):
        draw_contestant(axes, label, results, 0.2 * (column - (len(COLUMNS) - 1) / 2))
    for row, result in enumerate(results):
        axes.axhline(row - 0.5, color="black", linewidth=0.5, alpha=0.2)
        label = "" if row else "target of ours"
        target = [result["target"]] * 2
        axes.plot(target, [row - 0.5, row + 0.5], ":", color="C0", label=label)
    axes.set_yticks(range(len(results)), [result["dataset"] for result in results])
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_xlim(right=FARTHEST + 0.03)
    axes.set_xlabel("cost / cost of KMeans: every seed, and the mean")
    axes.tick_params(axis="y", length=0)
    axes.grid(alpha=0.3, axis="x")
    figure.legend(loc="outside upper center", ncols=len(COLUMNS) + 1, frameon=False)
    figure.savefig(path, dpi=120)
    return True


def draw_contestant(axes, label, results, shift):
    """Draw points for the seeds and a bar for the mean; an arrow where that is far off."""
    name, color = COLUMNS[label], f"C{list(COLUMNS).index(label)}"
    axes.plot([], [], "o", color=color, label=label)  # one entry in the legend
    for row, result in enumerate(results):
        ratios = result["ratios"].get(name)
        if ratios is None:
            continue
        mean, height = np.mean(ratios), row + shift
        if mean > FARTHEST:
            axes.plot(FARTHEST, height, ">", color=color)
            place = {"x": FARTHEST - 0.008, "y": height, "ha": "right", "va": "center"}
            axes.text(s=f"{mean:.3g}", color=color, fontsize="small", **place)
            continue
        for ratio in ratios:
            marker = "o" if ratio <= FARTHEST else ">"
            near = min(ratio, FARTHEST)
            axes.plot(near, height, marker, color=color, markersize=4, alpha=0.5)
        axes.plot(mean, height, "|", color=color, markersize=9, markeredgewidth=2.5)
