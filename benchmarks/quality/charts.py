"""Time against cost, both relative to KMeans: the average of the datasets, and each one.

The line is ours, from a coarse pass to a fine one. KMeans, the measure of both axes, is the
cross. In the average the others also have a hollow mark, their medians: most of an average
can come from a single dataset.
"""

import numpy as np

from ..style import (
    BLUE,
    GREEN,
    ORANGE,
    add_legend,
    log_axis,
    new_figure,
    write_chart,
)
from .contestants import CURVE, FAISS, MBK_FIT, MBK_PASS, MULTIPLES, OURS, REFERENCE
from .study import COST, TIME
from .tables import lines_of, real_ones, values_of

LABELS = {name: f"{multiple} n" for name, multiple in zip(CURVE, MULTIPLES)}
LABELS |= {next(iter(CURVE)): f"k = {MULTIPLES[0]} n", OURS: "auto"}
STYLES = {  # name -> (color, marker)
    MBK_PASS: (ORANGE, "s"),
    MBK_FIT: (ORANGE, "D"),
    FAISS: (GREEN, "^"),
}
LOWEST, HIGHEST = 0.9, 1.3  # costs that every chart shows: small differences look small
TICKS = [0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 4, 6, 10, 20, 50, 100]  # of costs
MEDIAN = "median of the datasets"
ACROSS, UP = "time / time of KMeans", "cost / cost of KMeans"
SUMMARY = "quality"  # name of the chart of all


def write_charts(folder, results, n_clusters):
    """Write the charts, light and dark, and return the names of those that there are."""
    charts = {SUMMARY: real_ones(results)}
    charts |= {f"chart-{result['dataset']}": [result] for result in results}
    return [
        name
        for name, some in charts.items()
        if write_chart(folder, name, lambda pale, some=some: draw(some, n_clusters, pale))
    ]


def point(lines, name, summary=np.mean):
    """Return the time and cost of a contestant over the lines; None if there are none."""
    if not values_of(lines, COST, name):
        return None
    return [float(summary(values_of(lines, what, name))) for what in (TIME, COST)]


def draw(results, n_clusters, pale):
    """Return the chart of one dataset or more, or None without figures."""
    from matplotlib import rcParams
    from matplotlib.ticker import FixedLocator

    lines = lines_of(results, n_clusters)
    curve = {name: point(lines, name) for name in LABELS if point(lines, name)}
    if not curve:
        return None
    figure = new_figure(4.6)
    axes = figure.subplots()
    cross = {"color": rcParams["text.color"], "markersize": 11, "markeredgewidth": 2}
    axes.plot(1, 1, "+", label=REFERENCE, gid=REFERENCE, **cross)
    times, costs = zip(*sorted(curve.values()))
    axes.plot(times, costs, "o-", color=BLUE, linewidth=2, label=OURS, gid=OURS, zorder=4)
    for name, position in curve.items():
        down = 16 if name == OURS else 4  # its k may be next to another one
        offset = {"xytext": (-2, -down), "textcoords": "offset points"}
        style = {"ha": "right", "va": "top", "color": BLUE, "fontsize": 9}
        axes.annotate(LABELS[name], position, **offset, **style)
    for name, (color, marker) in STYLES.items():
        if mean := point(lines, name):
            style = {"color": color, "marker": marker, "linestyle": "", "zorder": 3}
            axes.plot(*mean, label=name, gid=name, markersize=8, **style)
            if len(lines) > 1:
                middle = point(lines, name, np.median)
                axes.plot(*zip(mean, middle), color=color, linewidth=1, linestyle=":")
                axes.plot(*middle, markersize=7, markerfacecolor="none", **style)
    if len(lines) > 1:
        hollow = {"color": pale, "markerfacecolor": "none", "label": MEDIAN}
        axes.plot([], [], "o", markersize=7, **hollow)
    axes.margins(x=0.15, y=0.1)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(min(0.9 * low, LOWEST), max(high, HIGHEST))
    log_axis(axes, "x")
    log_axis(axes, "y")
    axes.yaxis.set_major_locator(FixedLocator(TICKS))
    axes.grid()
    axes.set(xlabel=ACROSS, ylabel=UP)
    return add_legend(figure, ncols=2, place="upper")
