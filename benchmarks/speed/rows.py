"""One row at a time: what it costs to learn it, and to predict its cluster.

That is the paper's setting: a news item gets its cluster when it arrives. Every contestant
has as many clusters as ours opened. They take turns. Of a turn the median row counts, since
some rows open a center, which costs more; and of all turns the best.
"""

import importlib.util
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import normalize

from onlinekmeans_sklearn import OnlineKMeans

from .contest import seconds
from .shapes import blobs, texts

AIM = 140  # so that about 100 clusters open
TURNS = 5
LEARN, PREDICT = "one row", "one prediction"
OURS, MBK, RIVER = "ours", "MiniBatchKMeans", "river"


class Kind(NamedTuple):
    """How to make a number of rows, and how much slower MiniBatchKMeans shall be."""

    make: callable
    targets: dict


def unit_texts(d, words, n):
    """Return rows of unit length with the words of a text."""
    return normalize(texts(n, d, words))


def dense_blobs(d, n):
    """Return dense rows."""
    return blobs(n, d)


def binary(d, ones, n):
    """Return sparse rows of ones, and of zeros for the most part."""
    return texts(n, d, ones)


KINDS = {
    "dense, d=16": Kind(partial(dense_blobs, 16), {LEARN: 20, PREDICT: 4}),
    "text of 59,000 words": Kind(
        partial(unit_texts, 59_000, 100), {LEARN: 100, PREDICT: 30}
    ),
    "text of 15,000 words": Kind(
        partial(unit_texts, 15_000, 100), {LEARN: 50, PREDICT: 15}
    ),
    "300 binary columns": Kind(partial(binary, 300, 16), {LEARN: 8, PREDICT: 4}),
}


def contestants(head):
    """Return our model of the first rows, and the calls of all contestants by name."""
    ours = OnlineKMeans(k=AIM, random_state=0).fit(head)
    k = ours.n_clusters_
    peer = MiniBatchKMeans(k, n_init=1, random_state=0).partial_fit(head[: 10 * k])
    calls = {
        OURS: {LEARN: ours.partial_fit, PREDICT: ours.predict},
        MBK: {LEARN: peer.partial_fit, PREDICT: peer.predict},
    }
    if not issparse(head) and importlib.util.find_spec("river"):
        from river.cluster import KMeans as RiverKMeans

        model = RiverKMeans(n_clusters=k, seed=0)
        for row in head[:k]:
            model.learn_one(dict(enumerate(row)))
        calls[RIVER] = {LEARN: model.learn_one, PREDICT: model.predict_one}
    return ours, calls


def measure_rows(name, kind, n=5000, repeats=300):
    """Return the seconds of every contestant, for a row that it does not know."""
    X = kind.make(n + repeats)
    ours, calls = contestants(X[:n])
    clusters = ours.n_clusters_
    rows = [X[i : i + 1] for i in range(n, n + repeats)]
    taken = {contestant: {LEARN: [], PREDICT: []} for contestant in calls}
    for turn in np.array_split(np.arange(repeats), TURNS):
        for contestant, by_call in calls.items():
            its_rows = [rows[i] for i in turn]
            if contestant == RIVER:
                its_rows = [dict(enumerate(row[0])) for row in its_rows]
            for call in (PREDICT, LEARN):
                times = [seconds(by_call[call], row) for row in its_rows]
                taken[contestant][call].append(float(np.median(times)))
    return {
        "rows": name,
        "d": X.shape[1],
        "clusters": clusters,
        "seconds": {
            contestant: {call: min(medians) for call, medians in by_call.items()}
            for contestant, by_call in taken.items()
        },
    }
