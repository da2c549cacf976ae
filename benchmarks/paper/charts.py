"""The records of ``python -m benchmarks paper`` as charts.

A dataset has the same color and the same marker in all charts of clusters and costs, and
those that we have can be told apart with red-green blindness, too. In the charts of
accuracies a dataset has a row of its own, and color and marker tell the features.
"""

import numpy as np

from ..style import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    SMALL,
    add_legend,
    drawn,
    log_axis,
    name_rows,
    new_figure,
    write_chart,
)
from .cost_tables import ALGORITHMS, constants, runs_of
from .published import PAPER
from .records import ratios, runs_on, steps
from .tables import accuracies

STYLES = {  # dataset -> (color, marker)
    "20news": ("#087b20", "o"),
    "adult": ("#dd7b0a", "s"),
    "ijcnn1": ("#0ba3b7", "^"),
    "letter": ("#c1007d", "D"),
    "magic04": ("#8e5752", "v"),
    "maptaskcoref": ("#869683", "p"),
    "nomao": ("#0f7cb2", "h"),
    "poker": ("#7e9d52", "P"),
    "shuttle": ("#c42105", "X"),
    "skin": ("#2479d8", "<"),
    "vehv2binary": ("#2c66c0", "*"),
    "w8a": ("#de55f8", ">"),
}
# of features beside one-hot ones: name -> (marker, color, words)
KINDS = {
    "local": ("D", RED, "with local features"),
    "triangle": ("^", GREEN, "with triangle features"),
    "MiniBatch": ("s", ORANGE, "with MiniBatchKMeans, one-hot"),
}
AIMED_AT = "clusters aimed at"
# name: (numerator, denominator, words at the axis, caption, what the paper says of it)
CURVES = {
    "figure1": (
        "k_actual",
        "k_target",
        "clusters opened / aimed at",
        "How many clusters open, against how many were aimed at.",
        "roughly constant, close to 1, and a matter of the dataset.",
    ),
    "figure2": (
        "f_online",
        "f_0",
        "cost / cost of one center at 0",
        "The cost falls as clusters are added: cost of one pass / cost of a single "
        "center at the origin.",
        "falls as more clusters are aimed at, on some datasets only a little.",
    ),
    "figure3": (
        "f_online",
        "f_random",
        "cost / cost of random rows",
        "Below the dashed line one pass is better than as many rows chosen at random.",
        "almost constant for each dataset; far below 1 on adult and shuttle.",
    ),
    "figure4": (
        "f_online",
        "f_kmpp",
        "cost / cost of k-means++",
        "One pass against as many centers chosen by k-means++, which reads the rows once "
        "for each. Solid: centers are samples, as in the paper. Dotted: the means of the "
        "clusters.",
        "comparable, but for adult and shuttle, where online is worse by a small factor.",
    ),
}
FIGURE5 = (
    "Both against random rows; a line joins the numbers of clusters of a dataset. Below "
    "the diagonal one pass is better than k-means++.",
    "very similar almost everywhere; k-means++ wins where costs are tiny.",
)
OTHERS = {
    "accuracy": "Test accuracy of a linear model: from raw features (hollow) to raw and "
    "one-hot cluster features (filled). Numbers: the gain.",
    "online": "Accuracy in one pass, where every row is predicted before it is learned "
    "from: raw features (hollow), and with cluster features (filled). Numbers: the gain.",
    "theory": "What the theorems bound, over a growing number of rows. Above: clusters "
    "opened / the bound without its constant. Below: cost of the online assignments / best "
    "cost of k clusters; that of Algorithm 2 may grow like a logarithm.",
}
CHARTS = ("accuracy", "online", *CURVES, "figure5", "theory")


def caption(name, about):
    """Return what a chart shows, and what the paper says of it."""
    if name in OTHERS:
        return OTHERS[name]
    text, claim = FIGURE5 if name == "figure5" else CURVES[name][3:]
    if not about["paper"]:
        return text
    return f"Figure {name[-1]}. {text} The paper: {claim}"


def description(name):
    """Return what a chart is, for those who cannot see it."""
    if name in ("accuracy", "online"):
        return "Chart of accuracies, a row per dataset; the numbers are in the table."
    if name == "theory":
        return "Charts of the constants against the number of rows, a line per dataset."
    if name == "figure5":
        across, up = "cost of k-means++", "cost of one pass, both / cost of random rows"
    else:
        across, up = AIMED_AT, CURVES[name][2]
    return f"Chart of {up}, against {across}; a line per dataset."


def style(name, about):
    """Return the color and the marker of a dataset, whatever chart it is in."""
    names = [*PAPER, *(other for other in about["datasets"] if other not in PAPER)]
    return list(STYLES.values())[names.index(name) % len(STYLES)]


def write_charts(folder, records, about):
    """Write every chart that there are results for, light and dark; return their names."""
    return [
        name
        for name in CHARTS
        if write_chart(folder, name, lambda pale, n=name: figure(n, records, about, pale))
    ]


def draw(name, records, about, theme=""):
    """Return a chart as a figure of matplotlib, or None if there are no results for it."""
    return drawn(lambda pale: figure(name, records, about, pale), theme)


def figure(name, records, about, pale):
    """Return a chart in the settings that are on."""
    if name in ("accuracy", "online"):
        return draw_accuracies(name, records, about, pale)
    if name == "theory":
        return draw_theory(records, about)
    if name == "figure5":
        return draw_figure5(records, about, pale)
    return draw_curves(name, records, about, pale)


def series(records, about, numerator, denominator):
    """Return dataset -> (k_targets, means, deviations) of a ratio."""
    every = {}
    for name in about["datasets"]:
        points = []
        for k in steps(records, "costs"):
            runs, _ = runs_of(records, name, k, about["variant"])
            values = ratios(runs, numerator, denominator)
            if values and np.mean(values) > 0:
                points.append((k, np.mean(values), np.std(values)))
        if points:
            every[name] = np.transpose(points)
    return every


def lines(every, about):
    """Yield label, points and style of every line; those that are one share a label.

    Datasets may have the same rows, and differ in their classes only.
    """
    left = dict(every)
    while left:
        name, points = next(iter(left.items()))
        same = [other for other in left if np.array_equal(left[other], points)]
        left = {other: left[other] for other in left if other not in same}
        color, marker = style(name, about)
        label = {"label": " = ".join(same), "gid": name}
        yield points, {"color": color, "marker": marker, **label}


def draw_curves(name, records, about, pale):
    """Return one of Figures 1 to 4: a ratio against k_target."""
    top, bottom, words = CURVES[name][:3]
    every = series(records, about, top, bottom)
    if not every:
        return None
    figure = new_figure(4.4)
    axes = figure.subplots()
    if name != "figure2":
        axes.axhline(1, color=pale, linewidth=1, linestyle="--")
    for (k, means, deviations), options in lines(every, about):
        axes.errorbar(k, means, deviations, elinewidth=1, **options)
    if name == "figure4":
        means_of = series(records, about, "f_means", bottom)
        for (k, means, _), options in lines(means_of, about):
            axes.plot(k, means, **{**options, "label": None}, linestyle=":", markersize=3)
    axes.set(xlabel=AIMED_AT, ylabel=words)
    log_axis(axes, "x")
    if name != "figure1":
        log_axis(axes, "y")
    axes.grid()
    return add_legend(figure)


def draw_figure5(records, about, pale):
    """Return Figure 5: both kinds of centers against random ones."""
    online = series(records, about, "f_online", "f_random")
    kmpp = series(records, about, "f_kmpp", "f_random")
    if not kmpp:
        return None
    figure = new_figure(4.6)
    axes = figure.subplots()
    for (ks, across, _), options in lines(kmpp, about):
        up = [mean for k, mean, _ in online[options["gid"]].T if k in ks]
        axes.plot(across, up, **options)
    axes.set(
        xlabel="cost of k-means++ / random rows", ylabel="cost of one pass / random rows"
    )
    values = [value for line in axes.get_lines() for value in line.get_xydata().ravel()]
    margin = 1.02 * (max(values) / min(values)) ** 0.06
    ends = [min(values) / margin, max(values) * margin]
    axes.plot(ends, ends, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.set(xlim=ends, ylim=ends)
    log_axis(axes, "x")
    log_axis(axes, "y")
    axes.grid()
    return add_legend(figure)


def draw_theory(records, about):
    """Return the constants against n: a column per algorithm."""
    panels = {"clusters": "clusters opened / bound", "cost": "online cost / best cost"}
    if not steps(records, "theory", "k"):
        return None
    figure = new_figure(5.4)
    grid = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (algorithm, number) in zip(grid.T, ALGORITHMS.items()):
        column[0].set_title(f"Algorithm {number}, {algorithm}", fontsize="medium")
        column[1].set_xlabel("rows")
        for axes, panel in zip(column, panels):
            draw_constants(axes, panel, algorithm, records, about)
    for row, text in zip(grid, panels.values()):
        row[0].set_ylabel(text)
    for axes in grid.ravel():
        log_axis(axes, "x", powers=True)
        log_axis(axes, "y")
        axes.grid()
    return add_legend(figure)


def draw_constants(axes, panel, algorithm, records, about):
    """Draw one constant of an algorithm against n, a line per dataset."""
    every = {}
    for dataset in about["datasets"]:
        by_n = constants(records, dataset, algorithm)
        points = [(n, of[panel].value) for n, of in by_n.items() if of[panel]]
        if points:
            every[dataset] = np.transpose(points)
    for points, options in lines(every, about):
        axes.plot(*points, **options)


def draw_accuracies(experiment, records, about, pale):
    """Return a row per dataset: raw and one-hot joined, the others and the paper below."""
    found = {name: runs_on(records, name, experiment)[0] for name in about["datasets"]}
    found = {name: runs for name, runs in found.items() if runs}
    if not found:
        return None
    paper = about["paper"] and experiment == "accuracy"
    every = [run for runs in found.values() for run in runs]
    kinds = [kind for kind in KINDS if accuracies(every, kind)]
    lanes = 1 + len(kinds) + paper
    figure = new_figure(1.2 + 0.13 * lanes * len(found) + 0.05 * len(found))
    axes = figure.subplots()
    for row, (dataset, runs) in enumerate(found.items()):
        heights = row + (np.arange(lanes) - (lanes - 1) / 2) * 0.8 / lanes
        draw_row(axes, dataset, runs, kinds, heights)
        if paper and dataset in PAPER:
            theirs = PAPER[dataset].raw, PAPER[dataset].clusters
            draw_pair(axes, *theirs, heights[-1], pale, "d")
    name_rows(axes, found, pale)
    axes.set_xlabel("accuracy")
    features_legend(figure, kinds, paper, pale)
    return figure


def draw_row(axes, dataset, runs, kinds, heights):
    """Draw the accuracies of a dataset, and write its gain to the right."""
    write = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": SMALL + 1}
    raw, onehot = (np.mean(accuracies(runs, kind)) for kind in ("raw", "one-hot"))
    draw_pair(axes, raw, onehot, heights[0], BLUE, "o", dataset)
    for kind, height in zip(kinds, heights[1:]):
        marker, color, _ = KINDS[kind]
        if values := accuracies(runs, kind):
            axes.plot(np.mean(values), height, marker, color=color, gid=dataset)
    axes.text(1.02, heights[0], f"{onehot - raw:+.3f}", **write)


def draw_pair(axes, raw, clusters, height, color, marker, dataset=None):
    """Draw accuracies without and with cluster features, joined by a line."""
    options = {"color": color, "gid": dataset}
    axes.plot([raw, clusters], [height, height], **options)
    axes.plot(raw, height, marker, markerfacecolor=axes.get_facecolor(), **options)
    axes.plot(clusters, height, marker, **options)


def features_legend(figure, kinds, paper, pale):
    """Explain the markers, above the axes."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    page = rcParams["axes.facecolor"]
    entries = [
        ("raw features", "o", BLUE, page),
        ("with one-hot clusters", "o", BLUE, BLUE),
    ]
    for marker, color, words in (KINDS[kind] for kind in kinds):
        entries.append((words, marker, color, color))
    if paper:
        entries += [
            ("paper: raw", "d", pale, page),
            ("paper: with clusters", "d", pale, pale),
        ]
    handles = [
        Line2D([], [], linestyle="", marker=m, color=c, markerfacecolor=face, label=text)
        for text, m, c, face in entries
    ]
    add_legend(figure, handles, ncols=2, place="upper")
