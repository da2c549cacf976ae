"""Time against cost, a chart per dataset and all in one picture, light and dark.

Everybody has the same color and marker in all of them, and a line joins the numbers of
clusters. KMeans, the measure of both axes, is the cross.
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
FARTHEST = 1.3  # cost that a chart shows; those around 1 are to be told apart
BETWEEN = 0.03  # of lines that are beyond
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
        draw_lines(axes, result, pale, only_ends=True)
        axes.set_title(result["dataset"], fontsize=9)
        axes.tick_params(labelsize=SMALL)
        if place >= len(results) - 2:
            axes.set_xlabel(ACROSS, fontsize=9)
    for axes in panels[len(results) :]:
        axes.set_visible(False)
    figure.supylabel(UP, fontsize=9)
    return name_all(figure, results)


def draw_lines(axes, result, pale, only_ends=False):
    """Draw everybody's line, and the numbers of clusters at ours: all, or the ends."""
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    axes.axhline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.axvline(1, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.plot(1, 1, "+", color=ink, markersize=10, markeredgewidth=2, gid=REFERENCE)
    lowest, highest, n_far = 1.0, 1.0, 0
    for name in reversed(STYLES):  # ours comes last, on top
        points = points_of(result, name)
        if not points:
            continue
        color, marker, line = STYLES[name]
        numbers, times, costs = map(np.array, zip(*points))
        is_far = costs > FARTHEST
        # lines beyond the chart are drawn one below the other
        heights = np.where(is_far, FARTHEST - n_far * BETWEEN, costs)
        style = {"color": color, "gid": name, "linewidth": 2 if name == OURS else 1.2}
        axes.plot(times, heights, linestyle=line, marker=marker, **style)
        write_numbers(axes, numbers, times, heights, name, only_ends)
        if is_far.any():
            write_costs(axes, times[is_far].max(), heights[is_far][0], costs[is_far], color)
            n_far += 1
        lowest, highest = min(lowest, heights.min()), max(highest, heights.max())
    margin = 0.1 * max(highest - lowest, 0.05)
    axes.set_ylim(lowest - 1.5 * margin, highest + 1.2 * margin)
    axes.margins(x=0.1)
    low, high = axes.get_xlim()
    log_axis(axes, "x", powers=only_ends and high > 20 * low)
    axes.grid()


def write_numbers(axes, numbers, times, heights, name, only_ends):
    """Write numbers of clusters below the points of ours, above the ends of others."""
    if only_ends and name != OURS:
        return
    place = {"textcoords": "offset points", "ha": "center", "color": STYLES[name][0]}
    place["fontsize"] = SMALL
    if name == OURS:
        place |= {"xytext": (0, -5), "va": "top"}
    else:
        place |= {"xytext": (0, 4), "va": "bottom"}
    points = list(zip(numbers, times, heights))
    if only_ends or name != OURS:
        points = points[:: max(1, len(points) - 1)]
    for number, time, height in points:
        axes.annotate(f"{number:,}", (time, height), **place)


def write_costs(axes, time, height, costs, color):
    """Write costs that are beyond the chart beside their points."""
    low, high = (f"{value:.1f}" for value in (costs.min(), costs.max()))
    text = f"↑ {low}" if low == high else f"↑ {low} to {high}"
    axes.annotate(
        text,
        (time, height),
        xytext=(7, 0),
        textcoords="offset points",
        color=color,
        va="center",
        fontsize=SMALL,
        annotation_clip=False,
    )


def name_all(figure, results):
    """Name everybody that there is, and the cross, below the axes."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    cross = {"marker": "+", "linestyle": "", "markersize": 9, "markeredgewidth": 2}
    handles = [Line2D([], [], color=rcParams["text.color"], label=REFERENCE, **cross)]
    for name, (color, marker, line) in STYLES.items():
        if any(points_of(result, name) for result in results):
            style = {"color": color, "marker": marker, "linestyle": line}
            handles.append(Line2D([], [], label=NAMES.get(name, name), **style))
    return add_legend(figure, handles, ncols=2)
