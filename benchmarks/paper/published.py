"""The numbers that the paper prints, and what we aim at, which only the JSON tells.

Targets are set where our data and task are the paper's, or near enough: the accuracy of
raw features is to be that of the paper, that with cluster features at least the paper's,
and the clusters opened are to vary from run to run no more than the paper saw.
"""

from typing import NamedTuple


class Published(NamedTuple):
    """What the paper's Tables 1 and 2 say of a dataset."""

    n: float
    d: float
    nnz: float
    raw: float  # accuracy with raw features
    clusters: float  # accuracy with k-means features added


PAPER = {
    "20news": Published(1.88e4, 6.12e4, 2.44e6, 0.9532, 0.9510),
    "adult": Published(4.88e4, 104, 5.86e5, 0.8527, 0.8721),
    "ijcnn1": Published(2.50e4, 21, 3.22e5, 0.9167, 0.9405),
    "letter": Published(2.00e4, 15, 2.94e5, 0.7581, 0.7485),
    "magic04": Published(1.90e4, 9, 1.71e5, 1.0, 1.0),
    "maptaskcoref": Published(1.59e5, 5.94e3, 6.41e6, 0.8894, 0.8955),
    "nomao": Published(3.45e4, 173, 2.84e6, 0.5846, 0.5893),
    "poker": Published(9.47e5, 9, 8.52e6, 0.5436, 0.6209),
    "shuttle": Published(4.35e4, 8, 2.90e5, 0.9247, 0.9973),
    "skin": Published(2.45e5, 2, 4.84e5, 0.9247, 0.9988),
    "vehv2binary": Published(2.99e5, 104, 1.45e7, 0.9666, 0.9645),
    "w8a": Published(5.92e4, 299, 7.54e5, 0.9638, 0.9635),
}
COLUMNS = {"n": "rows", "d": "columns", "nnz": "nonzeros"}
SLIP = "†"
_MAGIC = "magic04: 1.0000 in both columns, of a linear model on classes that overlap"
_TWINS = (
    "shuttle and skin: the same raw accuracy to four digits, on datasets that have nothing "
    "in common"
)
SLIPS = {  # numbers that cannot be right: (dataset, column) -> why
    ("magic04", "raw"): _MAGIC,
    ("magic04", "clusters"): _MAGIC,
    ("shuttle", "raw"): _TWINS,
    ("skin", "raw"): _TWINS,
}

REMARKS = {
    "20news": "A bag of words, made anew from the text.",
    "ijcnn1": "Which rows the paper has is not known.",
    "w8a": "Rows without entries are kept; the paper seems to have dropped them.",
}

SAME_RAW = ("adult", "ijcnn1", "skin")  # same data and task
RAW_TOLERANCE = 0.01
AT_LEAST_THE_PAPER = ("ijcnn1", "letter", "shuttle", "skin")
LEAST_GAIN = {"poker": 0.05}  # our copy has 13 % of the rows; the paper: 0.077
MOST_DEVIATION = 0.1  # standard deviation of k_actual / k_target


def targets(dataset):
    """Return what we aim at in Table 2: heading -> options of its cell."""
    every = {}
    if dataset in SAME_RAW:
        every["raw"] = {"target": PAPER[dataset].raw, "tolerance": RAW_TOLERANCE}
    if dataset in AT_LEAST_THE_PAPER:
        every["one-hot"] = {"target": PAPER[dataset].clusters}
    if dataset in LEAST_GAIN:
        every["gain"] = {"target": LEAST_GAIN[dataset]}
    return every


def size(dataset, column):
    """Return a number of Table 1 to the three digits printed, or None if there is none."""
    if dataset not in PAPER:
        return None
    return f"{getattr(PAPER[dataset], column):,.0f}"


def accuracy(dataset, column):
    """Return a number of Table 2, marked if it cannot be right, or None."""
    if dataset not in PAPER:
        return None
    mark = SLIP if (dataset, column) in SLIPS else ""
    return f"{getattr(PAPER[dataset], column):.4f}{mark}"


def slips(datasets):
    """Return why numbers of these datasets cannot be right, as a footnote."""
    reasons = dict.fromkeys(why for (name, _), why in SLIPS.items() if name in datasets)
    if not reasons:
        return ""
    return f"{SLIP} cannot be right: {'; '.join(reasons)}."


def differences(dataset, shape):
    """Return how a copy of that shape differs from the paper's, or None."""
    if dataset not in PAPER:
        return None
    paper, parts = PAPER[dataset], []
    for column in COLUMNS:
        ours, theirs = shape[column], getattr(paper, column)
        if f"{ours:.2e}" != f"{theirs:.2e}":  # the digits that the paper prints
            small = column == "d" and theirs < 1000
            change = f"{ours - theirs:+d}" if small else f"{ours / theirs - 1:+.1%}"
            parts.append(f"{COLUMNS[column]} {change}")
    text = ", ".join(parts) if parts else "as in the paper"
    if shape["d"] == paper.d + 1:
        text += ": the paper's matrix seems to lack a column"
    return f"{text}. {REMARKS[dataset]}" if dataset in REMARKS else f"{text}."
