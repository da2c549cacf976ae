"""The table, JSON, chart and page of ``python -m benchmarks speed``."""

import html
import json
import platform

from rich.box import SIMPLE_HEAD
from rich.table import Table

FLOOR = "floor: one look-up"
# heading: (slower, faster, target by shape)
RATIOS = {
    "fit / floor": (
        "ours: fit",
        FLOOR,
        {"A": 0.5, "B": 0.6, "C": 0.2, "D": 0.35, "E": 1.1, "F": 0.6, "G": 0.06},
    ),
    "MiniBatchKMeans pass / fit": (
        "MiniBatchKMeans, one pass",
        "ours: fit",
        {"A": 5, "B": 5, "C": 10, "D": 5, "E": 50, "F": 5, "G": 30},
    ),
    "MiniBatchKMeans.fit / fit": ("MiniBatchKMeans.fit", "ours: fit", {}),
    "k-means++ / fit": (
        "kmeans_plusplus seeding",
        "ours: fit",
        {"A": 20, "B": 20, "C": 20, "D": 20},
    ),
    "Birch / fit": ("Birch(n_clusters=None)", "ours: fit", {}),
    "faiss iteration / fit": ("faiss Kmeans, one iteration", "ours: fit", {}),
    "river / fit": ("river KMeans, by sample", "ours: fit", {"A": 500}),
    "KMeans.predict / predict": (
        "KMeans.predict",
        "ours: predict",
        {"A": 1, "B": 1, "C": 1, "D": 1, "E": 20, "F": 1, "G": 10},
    ),
}


def ratio(result, heading):
    """Return the ratio, whether a slice was scaled up for it, and its target, or None."""
    slower, faster, targets = RATIOS[heading]
    contestants = result["contestants"]
    if slower not in contestants or faster not in contestants:
        return None
    value = contestants[slower]["seconds"] / contestants[faster]["seconds"]
    sliced = min(contestants[name]["rows"] for name in (slower, faster)) < result["n"]
    return value, sliced, targets.get(result["shape"])


def cell(result, heading):
    """Return the text of a ratio: ~ marks a slice, the target is in brackets."""
    found = ratio(result, heading)
    if found is None:
        return "-"
    value, sliced, target = found
    text = f"{'~' if sliced else ''}{value:.3g}"
    return text if target is None else f"{text} ({target:g})"


def title(result):
    """Return the heading of a shape."""
    kind = "CSR" if result["sparse"] else result["dtype"]
    return (
        f"{result['shape']}: {result['n']:,} x {result['d']:,} {kind}, "
        f"{result['clusters']:,} clusters"
    )


def one_row_text(row):
    """Return what a call with a single row costs."""
    value = row["MiniBatchKMeans"] / row["ours"]
    return (
        f"partial_fit of one row, {row['clusters']} clusters, d={row['d']}: "
        f"MiniBatchKMeans / ours {value:.3g} (8)"
    )


LEGEND = "in brackets: the target; ~ measured on a slice of the rows and scaled up"


def print_table(console, results, row):
    """Print the ratios, a row per ratio and a column per shape."""
    table = Table(box=SIMPLE_HEAD, title="Ratios of best times", caption=LEGEND)
    table.add_column("ratio")
    for result in results:
        table.add_column(result["shape"], justify="right")
    for heading in RATIOS:
        table.add_row(heading, *(cell(result, heading) for result in results))
    console.print(table)
    for result in results:
        console.print(title(result))
    console.print(one_row_text(row))


def write_report(folder, results, row):
    """Write speed.json, speed.png if matplotlib is there, and index.html."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = (
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}"
    )
    everything = {"machine": machine, "results": results, "one_row": row}
    (folder / "speed.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    picture = write_chart(folder / "speed.png", results)
    head = "".join(f"<th>{result['shape']}</th>" for result in results)
    shapes = "".join(f"<li>{html.escape(title(result))}</li>" for result in results)
    body = "".join(
        f"<tr><th>{html.escape(heading)}</th>"
        + "".join(f"<td>{html.escape(cell(result, heading))}</td>" for result in results)
        + "</tr>"
        for heading in RATIOS
    )
    (folder / "index.html").write_text(
        f"""<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Speed of onlinekmeans_sklearn</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto;
  padding: 0 1rem; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; white-space: nowrap; }}
th, td {{ padding: .3rem .8rem; border-bottom: 1px solid #8886; }}
td {{ text-align: right; font-variant-numeric: tabular-nums; }}
tr > th:first-child {{ text-align: left; font-weight: normal; }}
img {{ max-width: 100%; background: white; }}
</style>
<h1>Ratios of best times</h1>
<div><table><tr><th></th>{head}</tr>{body}</table></div>
<p>{html.escape(LEGEND)}</p>
<ul>{shapes}</ul>
<p>{html.escape(one_row_text(row))}</p>
{'<img src="speed.png" alt="Seconds per contestant and shape">' if picture else ""}
<p>{html.escape(machine)}</p>
</html>
""",
        encoding="utf-8",
    )


def write_chart(path, results):
    """Draw the seconds of every contestant, and return whether matplotlib was there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    names = list(dict.fromkeys(name for r in results for name in r["contestants"]))
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
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=120)
    return True
