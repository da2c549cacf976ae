"""The chart of ``python -m benchmarks features``: gain against time, by learner."""

from functools import partial

import numpy as np

from ..style import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    RED,
    SMALL,
    add_legend,
    log_axis,
    new_figure,
)
from .methods import BOOSTING, LEARNERS, LOCAL, METHODS
from .tables import at_width, lines_of, mean, mean_gain

STYLES = dict(  # method -> (color, marker, line)
    zip(
        METHODS,
        [
            (BLUE, "o", "-"),
            (BLUE, "o", ":"),
            (ORANGE, "s", ":"),
            (GREEN, "^", "-"),
            (GREEN, "v", ":"),
            (RED, "D", "-"),
            (GRAY, "P", "-"),
            (GRAY, "X", ":"),
        ],
    )
)
UP, ACROSS = "points of accuracy above raw features", "seconds of one core"
DESCRIPTION = f"Chart of {UP} against {ACROSS}; the numbers are in the tables."


def points_of(results, method, learner):
    """Return (time, gain) for each number of columns: means over the datasets."""
    points = []
    for column in zip(*(lines_of(result, method) for result in results)):
        times = [mean(line, learner, "seconds") for line in column]
        asked = column[0]["asked"]
        gain = mean_gain(results, partial(at_width, width=asked), method, learner)
        points.append((float(np.exp(np.mean(np.log(times)))), gain))
    return points


def draw(results, pale):
    """Return a panel per learner, with a line per method through its numbers of columns."""
    from matplotlib import rcParams

    figure = new_figure(8.2)
    panels = figure.subplots(len(LEARNERS), 1, sharex=True)
    for axes, learner in zip(panels, LEARNERS):
        axes.axhline(0, color=pale, linewidth=1, linestyle="--", zorder=1)
        for method in reversed(STYLES):  # ours comes last, on top
            color, marker, line = STYLES[method]
            width = 2 if method == LOCAL else 1.2
            style = {"color": color, "marker": marker, "linestyle": line, "zorder": 3}
            times, gains = zip(*points_of(results, method, learner))
            axes.plot(times, gains, label=method, gid=method, linewidth=width, **style)
        cross = {"color": rcParams["text.color"], "markersize": 9, "markeredgewidth": 2}
        (point,) = points_of(results, BOOSTING, learner)
        axes.plot(*point, "+", label=BOOSTING, gid=BOOSTING, **cross)
        axes.set_title(learner, fontsize=9)
        axes.tick_params(labelsize=SMALL)
        axes.grid()
    log_axis(axes, "x")
    axes.set_xlabel(ACROSS, fontsize=9)
    figure.supylabel(UP, fontsize=9)
    handles = {line.get_gid(): line for line in axes.get_lines() if line.get_gid()}
    ordered = [handles[name] for name in (*STYLES, BOOSTING)]
    return add_legend(figure, ordered, ncols=2, place="upper")
