"""Time against cost, a chart per dataset and all in one picture, light and dark.

A contestant has the same color and marker in all of them, and its line joins the numbers of
clusters. KMeans, the measure of both axes, is the cross.
"""

import numpy as np

from ..paper.charts import DPI, THEMES, log_axis, matplotlib_is_there, new_figure, settings
from .contestants import BIRCH, FAISS, MBK_FIT, MBK_PASS, OURS
from .study import COST, TIME

STYLES = {  # contestant -> (color, marker, line)
    OURS: ("#1456ff", "o", "-"),
    MBK_PASS: ("#dd7b0a", "s", "-"),
    MBK_FIT: ("#dd7b0a", "D", ":"),
    FAISS: ("#087b20", "^", "-"),
    BIRCH: ("#869683", "v", "-"),
}
FARTHEST = 1.5  # cost that a chart shows; those around 1 are to be told apart
ACROSS, UP = "time / time of KMeans", "cost / cost of KMeans"
ALL = "quality"  # name of the picture with all charts


def write_charts(folder, results):
    """Write the charts, light and dark, and return their names by dataset."""
    if not matplotlib_is_there():
        return {}
    names = {result["dataset"]: f"chart-{result['dataset']}" for result in results}
    for theme in THEMES:
        for result in results:
            figure = draw(result, theme)
            figure.savefig(folder / f"{names[result['dataset']]}{theme}.png", dpi=DPI)
        draw_all(results, theme).savefig(folder / f"{ALL}{theme}.png", dpi=DPI)
    return names


def points_of(result, name):
    """Return (number of clusters, time, cost) where the contestant has them."""
    return [
        (line["n_clusters"], np.median(line[TIME][name]), np.mean(line[COST][name]))
        for line in result["lines"]
        if name in line[COST]
    ]


def draw(result, theme=""):
    """Return the chart of a dataset as a figure of matplotlib."""
    from matplotlib import rc_context

    with rc_context(settings(theme)):
        figure = new_figure(4.6)
        axes = figure.subplots()
        draw_lines(axes, result, THEMES[theme], labels="all")
        axes.set(xlabel=ACROSS, ylabel=UP)
        add_legend(figure, [result])
    return figure


def draw_all(results, theme=""):
    """Return all charts in one figure, two in a row."""
    from matplotlib import rc_context

    rows = -(-len(results) // 2)
    with rc_context({**settings(theme), "font.size": 9, "lines.markersize": 4}):
        figure = new_figure(1.1 + 2.2 * rows)
        panels = figure.subplots(rows, 2, squeeze=False).ravel()
        for axes, result in zip(panels, results):
            draw_lines(axes, result, THEMES[theme], labels="ours")
            axes.set_title(result["dataset"], fontsize=9)
        for axes in panels[len(results) :]:
            axes.set_visible(False)
        figure.supxlabel(ACROSS, fontsize=9)
        figure.supylabel(UP, fontsize=9)
        add_legend(figure, results)
    return figure


def draw_lines(axes, result, theme, labels):
    """Draw everybody's line; `labels` says whose points are labeled, all or ours."""
    _, ink, pale = theme
    axes.axhline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.axvline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.plot(1, 1, "+", color=ink, markersize=10, markeredgewidth=2, gid="KMeans")
    lowest, highest = 1.0, 1.0
    for name in reversed(STYLES):  # ours comes last, on top
        points = points_of(result, name)
        if not points:
            continue
        color, marker, line = STYLES[name]
        numbers, times, costs = zip(*points)
        lowest, highest = min(lowest, *costs), max(highest, *costs)
        heights = np.minimum(costs, FARTHEST)
        style = {"color": color, "gid": name, "linewidth": 2 if name == OURS else 1.2}
        axes.plot(times, heights, linestyle=line, marker=marker, **style)
        for number, time, height, value in zip(numbers, times, heights, costs):
            texts = [f"{number:,}"] if labels == "all" or name == OURS else []
            if value > FARTHEST:
                axes.plot(time, height, marker="^", color=color, gid="far", markersize=9)
                texts.append(f"({value:.1f})")
            write(axes, time, height, " ".join(texts), color, below=value > FARTHEST)
    top = min(FARTHEST, highest)
    margin = 0.08 * max(top - lowest, 0.05)
    axes.set_ylim(lowest - margin, top + 1.5 * margin)
    axes.margins(x=0.08)
    log_axis(axes, "x")
    axes.grid()


def write(axes, x, y, text, color, below):
    """Write a label beside a point."""
    place = {"ha": "center", "va": "top"} if below else {"ha": "left", "va": "bottom"}
    axes.annotate(
        text,
        (x, y),
        xytext=(0, -7) if below else (3, 2),
        textcoords="offset points",
        color=color,
        fontsize=8,
        **place,
    )


def add_legend(figure, results):
    """Name the contestants that there are, and the cross, below the axes."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    cross = {"marker": "+", "linestyle": "", "markersize": 9, "markeredgewidth": 2}
    handles = [Line2D([], [], color=rcParams["text.color"], label="KMeans", **cross)]
    for name, (color, marker, line) in STYLES.items():
        if any(points_of(result, name) for result in results):
            style = {"color": color, "marker": marker, "linestyle": line}
            handles.append(Line2D([], [], label=name, **style))
    options = {"ncols": 2, "columnspacing": 1.5, "handlelength": 1.8, "fontsize": 9}
    figure.legend(handles=handles, loc="outside lower center", **options)
