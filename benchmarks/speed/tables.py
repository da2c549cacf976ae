"""The tables of ``python -m benchmarks speed``, and what became of the targets."""

from ..report import Cell
from .against import CALLS, FALLBACK, OURS
from .contest import ALONE, LOOK_UP
from .rows import KINDS, LEARN, MBK, PREDICT, RIVER
from .shapes import label
from .steps import STEPS

FIT = "ours: fit"
FAISS, PASS = "faiss Kmeans, one iteration", "MiniBatchKMeans, one pass"
ELSE = "any other shape"
FIT_TO_LOOK_UP = "fit / look-up"
# heading: (slower, faster, target by shape)
RATIOS = {
    FIT_TO_LOOK_UP: (
        FIT,
        LOOK_UP,
        {"A": 0.4, "B": 0.5, "C": 0.2, "D": 0.8, "E": 1, "F": 0.25, "G": 0.06, ELSE: 1},
    ),
    "MiniBatch pass": (
        PASS,
        FIT,
        {"A": 5, "B": 5, "C": 10, "D": 5, "E": 30, "F": 7, "G": 30},
    ),
    "MiniBatch fit": ("MiniBatchKMeans.fit", FIT, {}),
    "k-means++": ("kmeans_plusplus seeding", FIT, {"A": 20, "B": 20, "C": 20, "D": 20}),
    "Birch": ("Birch(n_clusters=None)", FIT, {}),
    "faiss": (FAISS, FIT, {}),
    "river": ("river KMeans, by sample", FIT, {"A": 500}),
    "KMeans predict": ("KMeans.predict", "ours: predict", {ELSE: 1.5}),
}
THREADS = {"A": 1.7, "B": 1.7, "F": 1.7}  # one thread / as many as there are
GROWTH = 8.3  # most that 8 n rows may take longer than n
# ours / another checkout: at most that much slower, which is within what varies
NOT_SLOWER = {"D": 1.3, ELSE: 1.05}
MIB = 2**20
SHORT_LEGEND = (
    "Seconds of our fit. Then how many times as long others take, best times: one pass of "
    "MiniBatchKMeans by partial_fit, and one iteration of faiss, with as many clusters as "
    "ours opened. MiB: the most that our fit allocates beside the rows. ~: from a slice of "
    "the rows, extrapolated. *: generated."
)
LEGEND = (
    "Ratios of best times. First our fit / one call of scikit-learn's "
    "pairwise_distances_argmin_min, which looks every row up once. Then others / our fit: "
    "one pass of MiniBatchKMeans by partial_fit, its fit, k-means++ seeding, Birch, one "
    "iteration of faiss, river by sample. Last KMeans.predict / our predict. ~: from a "
    "slice of the rows, extrapolated. *: generated."
)
STEPS_LEGEND = (
    "Where the time of our fit goes, in units of one look-up of every row: check the rows, "
    "look up the nearest of the centers from before the block, decide which rows open one, "
    "label the rest, add rows up by cluster, and all else. They add up to a fit with one "
    "thread. Then one with all threads, which share the steps of several blocks at a time, "
    "as in the first column of the table above, and how much faster that is."
)
ROWS_LEGEND = (
    "One row at a time: microseconds of ours to learn a row that is new by partial_fit, "
    "and to predict its cluster; and how many times as long others take."
)
AGAINST_LEGEND = (
    "Ours / {other}, best times: above 1 ours is slower. Rows come all at once for fit and "
    "predict, then one at a time for partial_fit (one row) and predict (one prediction)."
)


def ratio(result, heading):
    """Return a ratio of the table, or None if it cannot be."""
    slower, faster, targets = RATIOS[heading]
    contestants = result["contestants"]
    if slower not in contestants or faster not in contestants:
        return None
    value = contestants[slower]["seconds"] / contestants[faster]["seconds"]
    sliced = min(contestants[name]["rows"] for name in (slower, faster)) < result["n"]
    target = targets.get(result["shape"], targets.get(ELSE))
    return Cell(value, sliced, target, heading == FIT_TO_LOOK_UP)


def memory(result):
    """Return the peak memory of fit: at most 32 MiB on F, at most that of X on E."""
    target = {"F": 32, "E": result["bytes"] / MIB}.get(result["shape"])
    return Cell(result["peak bytes of fit"] / MIB, False, target, True)


def short_table(results):
    """Return the sizes, our seconds and memory, and the nearest of the others."""
    shown = ("MiniBatch pass", "faiss")
    headings = ["rows of", "rows", "columns", "clusters", "seconds", *shown, "MiB"]
    rows = []
    for result in results:
        sizes = [f"{result[name]:,}" for name in ("n", "d", "clusters")]
        taken = Cell(result["contestants"][FIT]["seconds"])
        others = [ratio(result, heading) for heading in shown]
        rows.append([label(result["shape"]), *sizes, taken, *others, memory(result)])
    return headings, rows


def all_table(results):
    """Return the headings and the cells, None where there is nothing to say."""
    rows = [
        [label(result["shape"]), *(ratio(result, heading) for heading in RATIOS)]
        for result in results
    ]
    return ["rows of", *RATIOS], rows


def steps_table(results):
    """Return the headings and the cells of the steps of fit, in units of a look-up.

    They are those of one thread: several do many of them at once.
    """
    headings = ["rows of", *STEPS, "else", "all threads", "gain"]
    rows = []
    for result in results:
        contestants = result["contestants"]
        taken = result["seconds of the steps of fit, one thread"]
        steps = [taken.get(step, 0.0) for step in STEPS]
        whole, alone, unit = (
            contestants[name]["seconds"] for name in (FIT, ALONE, LOOK_UP)
        )
        steps.append(alone - sum(steps))
        threads = Cell(alone / whole, target=THREADS.get(result["shape"]))
        cells = [Cell(t / unit) for t in [*steps, whole]]
        rows.append([label(result["shape"]), *cells, threads])
    return headings, rows


def rows_table(lone):
    """Return the headings and the cells of single rows: ours, and others / ours."""
    rows = []
    for result in lone:
        targets, times = KINDS[result["rows"]].targets, result["seconds"]
        cells = [result["rows"], str(result["clusters"])]
        for call in (LEARN, PREDICT):
            ours = times[OURS][call]
            cells.append(Cell(1e6 * ours))
            for peer, target in ((MBK, targets[call]), (RIVER, None)):
                value = times[peer][call] / ours if peer in times else None
                cells.append(None if value is None else Cell(value, target=target))
        rows.append(cells)
    calls = [
        f"{call}: {name}" for call in ("learn", "predict") for name in ("µs", MBK, RIVER)
    ]
    return ["one row at a time", "clusters", *calls], rows


def against_table(results, other):
    """Return the headings and the cells of ours / another checkout, or the fallback."""
    targets = {} if other == FALLBACK else NOT_SLOWER
    rows = []
    for result in results:
        ours, theirs = (result["seconds"][name] for name in (OURS, other))
        cells = [label(result["shape"])]
        for call in CALLS:
            is_whole = call in ("fit", "predict")
            target = targets.get(result["shape"] if is_whole else ELSE, targets.get(ELSE))
            cells.append(Cell(ours[call] / theirs[call], False, target, True))
        rows.append([*cells, "yes" if result["same labels"][other] else "NO"])
    return ["rows of", *CALLS, "same labels"], rows


def growth_cell(growth):
    """Return how much longer eight times the rows take."""
    return Cell(growth["eight times"] / growth["once"], target=GROWTH, less_is_better=True)
