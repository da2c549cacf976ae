"""The chart of ``python -m benchmarks speed``: how many times as long others take."""

from ..style import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    RED,
    add_legend,
    log_axis,
    name_rows,
    new_figure,
)
from .shapes import label
from .tables import FIT, RATIOS

STYLES = {  # heading of the table -> (marker, color, words)
    "MiniBatch pass": ("s", ORANGE, "MiniBatchKMeans, one pass"),
    "MiniBatch fit": ("D", ORANGE, "MiniBatchKMeans.fit"),
    "faiss": ("^", GREEN, "faiss, one iteration"),
    "k-means++": ("P", RED, "k-means++ seeding"),
    "Birch": ("v", GRAY, "Birch"),
}


def draw(results, pale):
    """Return a row per dataset; ours is the line, the others are to its right if slower."""
    figure = new_figure(1.5 + 0.27 * len(results))
    axes = figure.subplots()
    axes.axvline(1, color=BLUE, linewidth=2.5, label="OnlineKMeans.fit")
    for heading, (marker, color, words) in STYLES.items():
        name = RATIOS[heading][0]
        points = [
            (
                result["contestants"][name]["seconds"]
                / result["contestants"][FIT]["seconds"],
                row,
            )
            for row, result in enumerate(results)
            if name in result["contestants"]
        ]
        if points:
            face = axes.get_facecolor() if heading == "MiniBatch fit" else color
            options = {
                "color": color,
                "markerfacecolor": face,
                "label": words,
                "gid": heading,
            }
            axes.plot(*zip(*points), marker, **options)
    name_rows(axes, [label(result["shape"]) for result in results], pale)
    axes.set_xlabel("time / time of OnlineKMeans.fit")
    log_axis(axes, "x")
    return add_legend(figure, ncols=2, place="upper")
