"""The looks of all charts: light and dark, few colors, and text that a telephone can show.

A chart is two transparent pictures of the same name, the second with "-dark". They are
narrow, so that the smallest text has 7 pixels or more on a screen of 390. Colors stand out
from a page by at least 3 to 1, light or dark, and the blue of OnlineKMeans by 4 to 1.
"""

import importlib.util

WIDTH, DPI = 5, 160  # inches, dots per inch
SMALL = 8  # points of the smallest text
THEMES = {"": ("#ffffff", "#1b1f24", "#767b82"), "-dark": ("#14171a", "#e4e6e9", "#8b9098")}
BLUE, ORANGE, GREEN, GRAY, RED = "#2479d8", "#dd7b0a", "#1a8a32", "#869683", "#d81b8c"


def matplotlib_is_there():
    """Return whether charts can be drawn."""
    return importlib.util.find_spec("matplotlib") is not None


def settings(theme):
    """Return matplotlib's settings for a theme."""
    page, ink, pale = THEMES[theme]
    colors = dict.fromkeys(
        ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), ink
    )
    colors |= {"figure.facecolor": page, "axes.facecolor": page}
    colors |= {"axes.edgecolor": pale, "grid.color": pale, "grid.alpha": 0.35}
    sizes = {"font.size": 10, "legend.frameon": False, "lines.markersize": 5.5}
    spines = {"axes.spines.top": False, "axes.spines.right": False}
    return {**colors, **sizes, **spines, "lines.linewidth": 1.2}


def drawn(draw, theme=""):
    """Return what `draw(pale)` gives in a theme; pale is the color of its minor lines."""
    from matplotlib import rc_context

    with rc_context(settings(theme)):
        return draw(THEMES[theme][2])


def write_chart(folder, name, draw):
    """Write what `draw(pale)` gives, light and dark; return whether there is something."""
    if not matplotlib_is_there():
        return False
    for theme in THEMES:
        figure = drawn(draw, theme)
        if figure is None:
            return False
        figure.savefig(folder / f"{name}{theme}.png", dpi=DPI, transparent=True)
    return True


def new_figure(height):
    """Return an empty figure of the width of all charts."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


def log_axis(axes, which, powers=False):
    """Make an axis logarithmic, with plain numbers at it, as many as its range needs."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axes.set(**{f"{which}scale": "log"})
    low, high = getattr(axes, f"get_{which}lim")()
    axis = getattr(axes, f"{which}axis")
    if powers or high > 500 * low:
        axis.set_major_locator(LogLocator(subs=(1,)))
    elif high > 10 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def plain(value):
    """Return a number at an axis: thousands and millions by their letter."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= 10 * unit or (unit == 1e6 and value >= unit):
            return f"{value / unit:g}{letter}"
    return f"{value:,g}"


def name_rows(axes, names, pale):
    """Give every row of a chart its name, from top to bottom, and a thin line below it."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for row in range(len(names) - 1):
        axes.axhline(row + 0.5, color=pale, linewidth=0.5, alpha=0.5)
    axes.grid(axis="x")


def add_legend(figure, handles=None, ncols=3, place="lower"):
    """Name what the marks are, once each, below or above the axes."""
    if handles is None:
        entries = {}
        for axes in figure.axes:
            found, labels = axes.get_legend_handles_labels()
            entries |= dict(zip(labels, found))
        labels, handles = list(entries), list(entries.values())
    else:
        labels = [handle.get_label() for handle in handles]
    options = {"columnspacing": 1.5, "handlelength": 1.6, "fontsize": 9}
    figure.legend(handles, labels, loc=f"outside {place} center", ncols=ncols, **options)
    return figure
