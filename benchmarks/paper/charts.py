"""The records of ``python -m benchmarks paper`` as charts, light and dark.

A dataset has the same color and the same marker in all of them; in those of accuracies it
has a row of its own, and the marker tells the features. Colors stand out from the page by
at least 3 to 1, light or dark; those of the datasets that we have can be told apart with
red-green blindness, too. Charts are narrow, so that their text can be read on a telephone.
"""

import importlib.util

import numpy as np

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
    "skin": ("#1456ff", "<"),
    "vehv2binary": ("#2c66c0", "*"),
    "w8a": ("#de55f8", ">"),
}
WIDTH, DPI = 5, 160
THEMES = {"": ("#ffffff", "#1b1f24", "#767b82"), "-dark": ("#14171a", "#e4e6e9", "#8b9098")}
KINDS = {"means": "v", "merged": "D", "triangle": "^", "MiniBatch": "s"}  # of features
MARKS = {"raw": "o", "one-hot": "o", **KINDS}
# name: (numerator, denominator, caption, what the paper says of it)
CURVES = {
    "figure1": (
        "k_actual",
        "k_target",
        "Clusters opened / clusters aimed at.",
        "roughly constant, close to 1, and a matter of the dataset.",
    ),
    "figure2": (
        "f_online",
        "f_0",
        "Cost of the online centers / sum of squares of all rows, which is the cost of one "
        "center at the origin.",
        "falls as k_target grows, on some datasets only a little.",
    ),
    "figure3": (
        "f_online",
        "f_random",
        "Cost of the online centers / cost of as many rows chosen uniformly at random.",
        "almost constant for each dataset; far below 1 on adult and shuttle.",
    ),
    "figure4": (
        "f_online",
        "f_kmpp",
        "Cost of the online centers / cost of as many centers chosen by k-means++. Dotted: "
        "of the means of the online clusters.",
        "comparable, but for adult and shuttle, where online is worse by a small factor.",
    ),
}
FIGURE5 = (
    "Online centers against those of k-means++, both / as many random rows; a line joins "
    "the values of k_target of a dataset. Below the diagonal online is better.",
    "very similar almost everywhere; k-means++ wins where costs are tiny.",
)
OTHERS = {
    "accuracy": "Accuracy of a linear model on raw features, and with cluster features "
    "added. Numbers: uplift of one-hot over raw.",
    "online": "Accuracy of predict, then learn, in one pass. Numbers: uplift of one-hot "
    "over raw.",
    "theory": "What the theorems bound, over growing n. Above: clusters opened / (k log n "
    "log(W*/w*)). Below: online cost / best cost, which may grow like log n for "
    "Algorithm 2.",
}
CHARTS = ("accuracy", "online", *CURVES, "figure5", "theory")


def matplotlib_is_there():
    """Return whether charts can be drawn."""
    return importlib.util.find_spec("matplotlib") is not None


def caption(name, about):
    """Return what a chart shows, and what the paper says of it."""
    if name in OTHERS:
        return OTHERS[name]
    text, claim = FIGURE5 if name == "figure5" else CURVES[name][2:]
    if not about["paper"]:
        return text
    return f"Figure {name[-1]}. {text} Mean of the runs. The paper: {claim}"


def description(name):
    """Return what a chart is, for those who cannot see it."""
    if name in ("accuracy", "online"):
        return "Chart of accuracies, a row per dataset; the numbers are in the table."
    if name == "theory":
        return "Charts of the constants against n, a line per dataset and algorithm."
    if name == "figure5":
        across, up = "f_kmpp / f_random", "f_online / f_random"
    else:
        across, up = "k_target", " / ".join(CURVES[name][:2])
    return f"Chart of {up} against {across}, a line per dataset."


def style(name, about):
    """Return the color and the marker of a dataset, whatever chart it is in."""
    names = [*PAPER, *(other for other in about["datasets"] if other not in PAPER)]
    return list(STYLES.values())[names.index(name) % len(STYLES)]


def write_charts(folder, records, about):
    """Write every chart that there are results for, light and dark; return their names."""
    if not matplotlib_is_there():
        return []
    done = []
    for name in CHARTS:
        for theme in THEMES:
            figure = draw(name, records, about, theme)
            if figure is None:
                break
            figure.savefig(folder / f"{name}{theme}.png", dpi=DPI)
        else:
            done.append(name)
    return done


def draw(name, records, about, theme=""):
    """Return a chart as a figure of matplotlib, or None if there are no results for it."""
    from matplotlib import rc_context

    pale = THEMES[theme][2]
    with rc_context(settings(theme)):
        if name in ("accuracy", "online"):
            return draw_accuracies(name, records, about, pale)
        if name == "theory":
            return draw_theory(records, about)
        if name == "figure5":
            return draw_figure5(records, about, pale)
        return draw_curves(name, records, about, pale)


def settings(theme):
    """Return matplotlib's settings for a theme."""
    page, ink, pale = THEMES[theme]
    colors = dict.fromkeys(
        ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), ink
    )
    colors |= {"figure.facecolor": page, "axes.facecolor": page, "savefig.facecolor": page}
    colors |= {"axes.edgecolor": pale, "grid.color": pale, "grid.alpha": 0.35}
    sizes = {"font.size": 10, "legend.frameon": False, "lines.markersize": 5.5}
    return {**colors, **sizes}


def new_figure(height):
    """Return an empty figure of the width of all charts."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


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


def draw_curves(name, records, about, pale):
    """Return one of Figures 1 to 4: a ratio against k_target."""
    top, bottom = CURVES[name][:2]
    every = series(records, about, top, bottom)
    if not every:
        return None
    figure = new_figure(4.6)
    axes = figure.subplots()
    if name != "figure2":
        axes.axhline(1, color=pale, linewidth=1, linestyle="--")
    for dataset, (k, means, deviations) in every.items():
        color, marker = style(dataset, about)
        axes.errorbar(
            k,
            means,
            deviations,
            color=color,
            marker=marker,
            gid=dataset,
            label=dataset,
            linewidth=1.2,
            elinewidth=1,
        )
    if name == "figure4":
        for dataset, (k, means, _) in series(records, about, "f_means", bottom).items():
            color, marker = style(dataset, about)
            options = {"color": color, "marker": marker, "gid": dataset}
            axes.plot(k, means, ":", linewidth=1.2, markersize=3, **options)
    axes.set(xlabel="k_target", ylabel=f"{top} / {bottom}")
    log_axis(axes, "x")
    if name != "figure1":
        log_axis(axes, "y")
    return finish(figure)


def draw_figure5(records, about, pale):
    """Return Figure 5: both kinds of centers against random ones."""
    online = series(records, about, "f_online", "f_random")
    kmpp = series(records, about, "f_kmpp", "f_random")
    if not kmpp:
        return None
    figure = new_figure(4.8)
    axes = figure.subplots()
    for dataset, (ks, across, _) in kmpp.items():
        color, marker = style(dataset, about)
        up = [mean for k, mean, _ in online[dataset].T if k in ks]
        options = {"color": color, "marker": marker, "gid": dataset, "label": dataset}
        axes.plot(across, up, linewidth=1.2, **options)
    axes.set(xlabel="f_kmpp / f_random", ylabel="f_online / f_random")
    values = [value for line in axes.get_lines() for value in line.get_xydata().ravel()]
    margin = 1.02 * (max(values) / min(values)) ** 0.06
    ends = [min(values) / margin, max(values) * margin]
    axes.plot(ends, ends, color=pale, linewidth=1, linestyle="--", zorder=1)
    axes.set(xlim=ends, ylim=ends)
    log_axis(axes, "x")
    log_axis(axes, "y")
    return finish(figure)


def draw_theory(records, about):
    """Return the constants against n: a column per algorithm."""
    panels = {"clusters": "clusters / bound", "cost": "W / W*"}
    if not steps(records, "theory", "k"):
        return None
    figure = new_figure(5.4)
    grid = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (algorithm, number) in zip(grid.T, ALGORITHMS.items()):
        column[0].set_title(f"Algorithm {number}, {algorithm}", fontsize="medium")
        column[1].set_xlabel("n")
        for axes, panel in zip(column, panels):
            draw_constants(axes, panel, algorithm, records, about)
    for row, text in zip(grid, panels.values()):
        row[0].set_ylabel(text)
    for axes in grid.ravel():
        log_axis(axes, "x", powers=True)
        log_axis(axes, "y")
    return finish(figure)


def draw_constants(axes, panel, algorithm, records, about):
    """Draw one constant of an algorithm against n, a line per dataset."""
    for dataset in about["datasets"]:
        color, marker = style(dataset, about)
        options = {"color": color, "marker": marker, "gid": dataset, "label": dataset}
        by_n = constants(records, dataset, algorithm)
        points = [(n, of[panel].value) for n, of in by_n.items() if of[panel]]
        if points:
            axes.plot(*zip(*points), linewidth=1.2, **options)


def draw_accuracies(experiment, records, about, pale):
    """Return a row per dataset: raw and one-hot joined, the others and the paper below."""
    found = {name: runs_on(records, name, experiment)[0] for name in about["datasets"]}
    if not any(found.values()):
        return None
    paper = about["paper"] and experiment == "accuracy"
    every = [run for runs in found.values() for run in runs]
    kinds = [kind for kind in KINDS if accuracies(every, kind)]
    lanes = 1 + len(kinds) + paper
    figure = new_figure(1.1 + 0.13 * lanes * len(found) + 0.04 * len(found))
    axes = figure.subplots()
    for row, (dataset, runs) in enumerate(found.items()):
        places = row + (np.arange(lanes) - (lanes - 1) / 2) * 0.8 / lanes
        draw_row(axes, dataset, runs, kinds, places, style(dataset, about)[0])
        if paper and dataset in PAPER:
            draw_pair(
                axes, PAPER[dataset].raw, PAPER[dataset].clusters, places[-1], pale, "d"
            )
        axes.axhline(row + 0.5, color=pale, linewidth=0.5, alpha=0.5)
    axes.set_yticks(range(len(found)), found)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("accuracy")
    axes.grid(axis="x")
    features_legend(figure, kinds, paper, pale)
    return figure


def draw_row(axes, dataset, runs, kinds, places, color):
    """Draw the accuracies of a dataset, and write its uplift to the right."""
    write = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 9}
    if not runs:
        axes.text(1.02, places[0], "missing", **write)
        return
    raw, onehot = (np.mean(accuracies(runs, kind)) for kind in ("raw", "one-hot"))
    draw_pair(axes, raw, onehot, places[0], color, "o", dataset)
    for kind, place in zip(kinds, places[1:]):
        if values := accuracies(runs, kind):
            axes.plot(np.mean(values), place, MARKS[kind], color=color, gid=dataset)
    axes.text(1.02, places[0], f"{onehot - raw:+.3f}", **write)


def draw_pair(axes, raw, clusters, place, color, marker, dataset=None):
    """Draw accuracies without and with cluster features, joined by a line."""
    options = {"color": color, "gid": dataset}
    axes.plot([raw, clusters], [place, place], linewidth=1.2, **options)
    axes.plot(raw, place, marker, markerfacecolor=axes.get_facecolor(), **options)
    axes.plot(clusters, place, marker, **options)


def features_legend(figure, kinds, paper, pale):
    """Tell what the markers are, above the axes."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    ink, page = rcParams["text.color"], rcParams["axes.facecolor"]
    entries = [("raw", "o", ink, page), ("raw + one-hot", "o", ink, ink)]
    entries += [(f"raw + {kind}", MARKS[kind], ink, ink) for kind in kinds]
    if paper:
        entries += [("paper: raw", "d", pale, page), ("paper: + k-means", "d", pale, pale)]
    handles = [
        Line2D([], [], linestyle="", marker=m, color=c, markerfacecolor=face, label=text)
        for text, m, c, face in entries
    ]
    options = {"ncols": 3, "fontsize": 9, "handletextpad": 0.2, "columnspacing": 1}
    figure.legend(handles=handles, loc="outside upper center", **options)


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
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def finish(figure):
    """Add a grid to all axes, and name the datasets below them."""
    entries = {}
    for axes in figure.axes:
        axes.grid()
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles))
    options = {"ncols": 3, "columnspacing": 1.5, "handlelength": 1.6}
    options["loc"] = "outside lower center"
    figure.legend(entries.values(), entries.keys(), **options)
    return figure
