"""The chart of ``python -m benchmarks drift``: the cost of the next window, over time."""

import numpy as np

from ..style import (
    BLUE,
    GRAY,
    ORANGE,
    SMALL,
    add_legend,
    log_axis,
    new_figure,
    plain,
)
from .contestants import HALF_LIVES, MINI_BATCH, OURS, RIVAL, WITHOUT, with_half_life
from .streams import MOVING, RETURN, STATIONARY, SUDDEN

PANELS = {
    MOVING: "groups move",
    SUDDEN: "all groups jump once",
    RETURN: "groups go and come back",
    STATIONARY: "nothing changes",
}
STYLES = {  # name -> (color, line, width), the uppermost first
    with_half_life(OURS, HALF_LIVES[0]): (BLUE, "-", 2),
    WITHOUT: (BLUE, ":", 1.6),
    RIVAL: (GRAY, "-", 1.2),
    MINI_BATCH: (ORANGE, "-", 1.2),
}
UP, ACROSS = "cost of the next window / best", "rows read"
DESCRIPTION = f"Chart of {UP} against {ACROSS}; the numbers are in the tables."


def draw(results, pale):
    """Return a panel per kind of change, all with the same axes; None if there is none."""
    by_name = {result["stream"]: result for result in results}
    shown = [name for name in PANELS if name in by_name]
    if not shown:
        return None
    rows = -(-len(shown) // 2)
    figure = new_figure(1.2 + 2 * rows)
    panels = figure.subplots(rows, 2, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, name in zip(panels, shown):
        result = by_name[name]
        read = result["rows"] * np.arange(1, result["windows"])
        for order, (contestant, (color, line, width)) in enumerate(STYLES.items()):
            style = {"color": color, "linestyle": line, "linewidth": width}
            style["zorder"] = 3 - order / len(STYLES)
            ratios = result["contestants"][contestant]["cost / best"]
            axes.plot(read, ratios, label=contestant, gid=contestant, **style)
        axes.set_title(PANELS[name], fontsize=9)
        axes.tick_params(labelsize=SMALL)
        axes.xaxis.set_major_formatter(lambda value, _: plain(value))
        axes.grid()
    log_axis(panels[0], "y")
    for axes in panels[len(shown) :]:
        axes.set_visible(False)
    figure.supylabel(UP, fontsize=9)
    figure.supxlabel(ACROSS, fontsize=9)
    return add_legend(figure, ncols=1, place="upper")
