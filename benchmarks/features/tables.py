"""The tables of ``python -m benchmarks features``: at equal width, at equal time, by data.

A gain is accuracy in points of a hundred, above that of the same learner on raw features.
"""

import numpy as np

from ..report import Cell, Ratio, Table, spread
from .checks import DEFAULTS, LEARNER, LETTER, LETTER_K, SETTINGS, SGD_RAW
from .methods import BOOSTING, LEARNERS, LOCAL, METHODS, RAW, SGD

NAMES = (DEFAULTS, LEARNER, SGD_RAW)
WIDTH, SECONDS = 1000, 0.5  # at which methods are compared
WIDTH_LEGEND = (
    "Gain: points of accuracy above raw features, the mean over the datasets. Best on: on "
    "how many of them a method is ahead of all others, raw features included; "
    "HistGradientBoosting, a model of its own, is not counted. Columns and non-zeros of a "
    "row are those of the features alone, the mean over the datasets: few rows mean fewer "
    "columns, and values that repeat fewer bins."
)
TIME_LEGEND = (
    "The same at equal time, for features and learning together, in seconds of one core: "
    "between the numbers of columns that were measured the gain is interpolated by the "
    "logarithm of the time, and beyond the largest it stays as it is."
)
DATASETS_LEGEND = (
    "Rows are those of a split, 70 % of them to learn from. Accuracies in percent: mean "
    "over the splits."
)
STREAMS_LEGEND = (
    "Progressive validation: accuracy in percent, the mean over the seeds. Defaults: "
    "ClusterFeaturesClassifier(). Same learner: its classifier, on raw features only."
)
CHECKS_LEGEND = "Defaults on a stream: accuracies / 100, on average over the seeds."
HINGE_TARGETS = {LETTER: 0.88, "ijcnn1": 0.96}


class Gain(Cell):
    """Points of accuracy, with their sign."""

    def __str__(self):
        return f"{round(self.value, 1) + 0:+.1f}"


def lines_of(result, method):
    """Return the lines of a method, with the fewest columns first."""
    return [line for line in result["lines"] if line["method"] == method]


def mean(line, learner, what):
    """Return the mean over the splits."""
    return float(np.mean(line[learner][what]))


def accuracy(result, method, learner, width=0):
    """Return the accuracy in percent; None if it was not measured."""
    found = [line for line in lines_of(result, method) if line["asked"] == width]
    return 100 * mean(found[0], learner, "accuracy") if found else None


def at_width(result, method, learner, width=WIDTH):
    """Return the gain of a method, by about so many columns."""
    width = 0 if method in (RAW, BOOSTING) else width
    own = accuracy(result, method, learner, width)
    return None if own is None else own - accuracy(result, RAW, learner)


def at_time(result, method, learner):
    """Return the gain of a method within the time; that of boosting is without a limit.

    The shortest time is that of the raw features, whose gain is 0.
    """
    if method == BOOSTING:
        return at_width(result, method, learner)
    (raw,) = lines_of(result, RAW)
    lines = [raw, *(line for line in lines_of(result, method) if line is not raw)]
    times, gains = zip(
        *sorted(
            (mean(line, learner, "seconds"), mean(line, learner, "accuracy"))
            for line in lines
        )
    )
    found = np.interp(np.log(SECONDS), np.log(times), gains)
    return 100 * (float(found) - mean(raw, learner, "accuracy"))


def best_on(results, gain, learner):
    """Return method -> on how many datasets no other has a higher accuracy."""
    counts = dict.fromkeys([RAW, *METHODS], 0)
    for result in results:
        gains = {name: gain(result, name, learner) for name in counts}
        gains = {name: round(g, 6) for name, g in gains.items() if g is not None}
        for name, value in gains.items():
            counts[name] += value == max(gains.values())
    return counts


def mean_gain(results, gain, method, learner):
    """Return the mean over the datasets; None if one lacks it."""
    gains = [gain(result, method, learner) for result in results]
    return None if None in gains else float(np.mean(gains))


def contest_table(results, gain, title, legend, sizes):
    """Return gains and wins by learner; with `sizes` also columns and non-zeros."""
    counts = {learner: best_on(results, gain, learner) for learner in LEARNERS}
    rows = []
    for method in (RAW, *METHODS, BOOSTING):
        row = [method]
        if sizes:
            found = [x for r in results for x in lines_of(r, method) if x["asked"] == WIDTH]
            row += [
                Cell(float(np.mean([line[what] for line in found]))) if found else None
                for what in ("columns", "non-zeros")
            ]
        for learner in LEARNERS:
            value = mean_gain(results, gain, method, learner)
            row += [None if value is None else Gain(value), counts[learner].get(method)]
        rows.append(row)
    headings = ["features", *(["columns", "non-zeros"] if sizes else [])]
    short = ["\nfeatures", *(["\ncolumns", "non-\nzeros"] if sizes else [])]
    for learner in LEARNERS:
        headings += [f"{learner}: gain", "best on"]
        short += [f"{learner.removesuffix('Classifier')[:8]}\ngain", "best\non"]
    return Table(title, headings, rows, legend, short)


def datasets_table(results):
    """Return what the datasets are, and what the models reach that have no features."""
    rows = []
    for result in results:
        raw = [accuracy(result, RAW, learner) for learner in LEARNERS]
        figures = [*raw, accuracy(result, BOOSTING, next(iter(LEARNERS)))]
        sizes = [f"{result[what]:,}" for what in ("rows", "features", "classes")]
        cells = [None if a is None else Ratio(a, decimals=1) for a in figures]
        rows.append([result["dataset"], *sizes, *cells])
    headings = ["dataset", "rows", "features", "classes", *LEARNERS, BOOSTING]
    short = ["\ndataset", "\nrows", "\nfeatures", "\nclasses"]
    short += ["SGD\nraw", "Ridge\nraw", "Logistic\nraw", "Boost-\ning"]
    return Table("The datasets, and raw features", headings, rows, DATASETS_LEGEND, short)


def dataset_table(result):
    """Return all that was measured of a dataset."""
    rows = []
    for line in result["lines"]:
        sizes = [line.get(what) for what in ("columns", "non-zeros")]
        row = [line["method"], *(None if x is None else Cell(x) for x in sizes)]
        for learner in LEARNERS:
            row.append(spread(line[learner]["accuracy"]))
            row.append(Ratio(mean(line, learner, "seconds"), decimals=2))
        rows.append(row)
    headings = ["features", "columns", "non-zeros"]
    for learner in LEARNERS:
        headings += [f"{learner}: accuracy", "seconds"]
    return Table(result["dataset"], headings, rows, None)


def on_streams(checks, setting):
    """Return dataset -> (name of model -> mean accuracy), in one setting."""
    found = {}
    for stream in checks["streams"]:
        if stream["setting"] == list(setting):
            of = found.setdefault(stream["dataset"], {})
            for name, accuracy in stream["accuracy"].items():
                of.setdefault(name, []).append(accuracy)
    means = {}
    for dataset, of in found.items():
        means[dataset] = {name: float(np.mean(each)) for name, each in of.items()}
    return means


def streams_table(checks):
    """Return the accuracies of all streams."""
    rows = []
    for setting in SETTINGS:
        for dataset, of in on_streams(checks, setting).items():
            cells = [Ratio(100 * of[name], decimals=1) for name in NAMES]
            rows.append([dataset, *setting, *cells])
    headings = ["dataset", "features", "rows", *NAMES]
    return Table("Defaults on a stream", headings, rows, STREAMS_LEGEND)


def checks_table(results, checks):
    """Return what local features and defaults have to keep, figure by figure."""
    rows = []
    for result in results:
        if target := HINGE_TARGETS.get(result["dataset"]):
            widest = lines_of(result, LOCAL)[-1]
            what = f"{result['dataset']}: SGDClassifier, {widest['columns']:,.0f} columns"
            rows.append([what, Cell(mean(widest, SGD, "accuracy"), target=target)])
    letter = on_streams(checks, SETTINGS[0]).get(LETTER, {}).get("all rows")
    if letter:
        what = f"{LETTER}: progressive validation, k={LETTER_K}, all rows"
        rows.append([what, Cell(letter, target=0.84)])
    for setting in SETTINGS:
        every = on_streams(checks, setting).values()
        for name in (LEARNER, SGD_RAW):
            gains = [of[DEFAULTS] - of[name] for of in every]
            what = f"{', '.join(setting)}: defaults - {name}"
            rows.append([f"{what}, lowest", Cell(min(gains), target=-0.005)])
            target = 0.05 if setting == SETTINGS[0] else None
            cell = Cell(float(np.mean(gains)), target=target)
            rows.append([f"{what}, on average", cell])
    what = "time of transform, local / triangle"
    cell = Cell(checks["local / triangle"], target=1.0, less_is_better=True)
    rows.append([what, cell])
    return Table("Figure by figure", ["what", "measured"], rows, CHECKS_LEGEND)


def tables(results, checks=None):
    """Return name -> table, of all that there are."""
    width, seconds = f"At equal width: {WIDTH:,} columns", f"At equal time: {SECONDS:g} s"
    every = {
        "width": contest_table(results, at_width, width, WIDTH_LEGEND, sizes=True),
        "time": contest_table(results, at_time, seconds, TIME_LEGEND, sizes=False),
        "datasets": datasets_table(results),
    }
    if checks:
        every["streams"] = streams_table(checks)
        every["checks"] = checks_table(results, checks)
    for result in results:
        every[result["dataset"].replace(" ", "-")] = dataset_table(result)
    return every
