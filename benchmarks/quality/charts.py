"""Time against cost, a chart per dataset and all in one picture, light and dark.

Everybody has the same color and marker in all of them. A line joins the numbers of
clusters, and marks grow with them. KMeans, the measure of both axes, is the cross.
"""

import numpy as np

from ..style import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    SMALL,
    add_legend,
    drawn,
    log_axis,
    new_figure,
    write_chart,
)
from .contestants import BIRCH, FAISS, MBK_FIT, MBK_PASS, OURS, REFERENCE
from .study import COST, TIME

STYLES = {  # name -> (color, marker, line)
    OURS: (BLUE, "o", "-"),
    MBK_PASS: (ORANGE, "s", "-"),
    MBK_FIT: (ORANGE, "D", ":"),
    FAISS: (GREEN, "^", "-"),
    BIRCH: (GRAY, "v", "-"),
}
NAMES = {OURS: "OnlineKMeans, one pass"}  # where the name is not good enough
LOWEST, HIGHEST = 0.9, 1.2  # costs that every chart shows: small differences look small
ACROSS, UP = "time / time of KMeans", "cost / cost of KMeans"
ALL = "quality"  # name of the picture with all charts


def write_charts(folder, results):
    """Write the charts, light and dark, and return their names by dataset."""
    names = {
        result["dataset"]: f"chart-{result['dataset']}"
        for result in results
        if write_chart(
            folder, f"chart-{result['dataset']}", lambda pale, r=result: draw_one(r, pale)
        )
    }
    write_chart(folder, ALL, lambda pale: draw_panels(results, pale))
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
    return drawn(lambda pale: draw_one(result, pale), theme)


def draw_one(result, pale):
    """Return the chart of a dataset in the settings that are on."""
    figure = new_figure(4.6)
    axes = figure.subplots()
    draw_lines(axes, result, pale)
    axes.set(xlabel=ACROSS, ylabel=UP, title=result["dataset"])
    return name_all(figure, [result])


def draw_all(results, theme=""):
    """Return all charts in one figure, two in a row."""
    return drawn(lambda pale: draw_panels(results, pale), theme)


def draw_panels(results, pale):
    """Return all charts in the settings that are on."""
    rows = -(-len(results) // 2)
    figure = new_figure(1.3 + 1.9 * rows)
    panels = figure.subplots(rows, 2, squeeze=False).ravel()
    for place, (axes, result) in enumerate(zip(panels, results)):
        draw_lines(axes, result, pale, small=True)
        axes.set_title(result["dataset"], fontsize=9)
        axes.tick_params(labelsize=SMALL)
        if place >= len(results) - 2:
            axes.set_xlabel(ACROSS, fontsize=9)
    for axes in panels[len(results) :]:
        axes.set_visible(False)
    figure.supylabel(UP, fontsize=9)
    return name_all(figure, results)


def draw_lines(axes, result, pale, small=False):
    """Draw everybody's line; in a small chart the axis has powers of ten only."""
    from matplotlib import rcParams

    axes.axhline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.axvline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    cross = {"color": rcParams["text.color"], "markersize": 10, "markeredgewidth": 2}
    axes.plot(1, 1, "+", gid=REFERENCE, **cross)
    for name in reversed(STYLES):  # ours comes last, on top
        points = points_of(result, name)
        if not points:
            continue
        color, marker, line = STYLES[name]
        numbers, times, costs = zip(*points)
        style = {"color": color, "linewidth": 2 if name == OURS else 1.2, "zorder": 3}
        axes.plot(times, costs, linestyle=line, gid=name, **style)
        areas = [mark_size(number) ** 2 for number in numbers]
        axes.scatter(times, costs, areas, color=color, marker=marker, zorder=3)
    axes.margins(x=0.1, y=0.1)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, LOWEST), max(high, HIGHEST))
    low, high = axes.get_xlim()
    log_axis(axes, "x", powers=small and high > 20 * low)
    log_axis(axes, "y")
    axes.grid()


def mark_size(n_clusters):
    """Return the size of a mark in points."""
    return 1 + 2 * np.log10(1 + n_clusters)


def name_all(figure, results):
    """Name everybody that there is, the cross, and what the sizes are, above the axes."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    cross = {"marker": "+", "linestyle": "", "markersize": 9, "markeredgewidth": 2}
    handles = [Line2D([], [], color=rcParams["text.color"], label=REFERENCE, **cross)]
    for name, (color, marker, line) in STYLES.items():
        if any(points_of(result, name) for result in results):
            style = {"color": color, "marker": marker, "linestyle": line}
            handles.append(Line2D([], [], label=NAMES.get(name, name), **style))
    numbers = [line["n_clusters"] for line in results[0]["lines"]]
    for number in sorted({numbers[0], numbers[-1]}):
        style = {"color": STYLES[OURS][0], "marker": "o", "linestyle": ""}
        style |= {"markersize": mark_size(number), "label": f"{number:,} clusters"}
        handles.append(Line2D([], [], **style))
    return add_legend(figure, handles, ncols=2, place="upper")
