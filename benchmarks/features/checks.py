"""What the defaults promise on a stream, and what local features have to keep.

Progressive validation: the rows come 100 at a time, and are predicted before they are
learned. The default classifier is compared with the same learner on raw features, where a
single cluster is no more than a constant, and with SGDClassifier and its defaults.
"""

import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans

from .study import FIRST_SPLIT

BATCH = 100
DEFAULTS, LEARNER, SGD_RAW = "defaults", "same learner, raw", "SGDClassifier, raw"
LETTER, LETTER_K = "letter", 300
TIMED_K, TIMED_FEATURES, ROUNDS = 1000, 16, 5
SETTINGS = [
    (scaling, order)
    for scaling in ("standardized", "as they are")
    for order in ("shuffled", "file order")
]


def classifiers(seed):
    """Return what learns on the streams."""
    constant = OnlineKMeans(max_clusters=1)
    raw = {"clusterer": constant, "scale_clusters": False}
    return {
        DEFAULTS: ClusterFeaturesClassifier(random_state=seed),
        LEARNER: ClusterFeaturesClassifier(**raw, random_state=seed),
        SGD_RAW: SGDClassifier(random_state=seed),
    }


def stream_of(make, rows, scaling, order, seed):
    """Return at most so many rows, drawn at random, and their classes, in this order."""
    X, y = make()
    chosen = np.random.RandomState(FIRST_SPLIT + seed).permutation(len(y))[:rows]
    chosen = np.sort(chosen) if order == "file order" else chosen
    X = X[chosen].astype(float)
    X = StandardScaler().fit_transform(X) if scaling == "standardized" else X
    return X, y[chosen]


def progressive_accuracy(model, X, y):
    """Return the share of correct predictions of rows not yet learned from."""
    right, classes = 0, np.unique(y)
    for start in range(0, len(y), BATCH):
        batch = slice(start, start + BATCH)
        if start:
            right += np.sum(model.predict(X[batch]) == y[batch])
        model.partial_fit(X[batch], y[batch], classes=classes)
    return float(right / (len(y) - BATCH))


def accuracies(models, make, rows, setting, seed):
    """Return the accuracy of each model on one stream."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = stream_of(make, rows, *setting, seed)
        return {name: progressive_accuracy(m, X, y) for name, m in models.items()}


def local_per_triangle(n):
    """Return the time of local features / that of triangle features, the best of each."""
    X = np.random.RandomState(0).normal(size=(n, TIMED_FEATURES))
    model, taken = OnlineKMeans(k=TIMED_K, random_state=0, n_jobs=1).fit(X), []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many columns
        for _ in range(ROUNDS):
            for encode in ("local", "triangle"):
                model.set_params(encode=encode)
                start = time.process_time()
                model.transform(X)
                taken.append(time.process_time() - start)
    return min(taken[::2]) / min(taken[1::2])


def measure_checks(chosen, rows, seeds, n_jobs, advance):
    """Return the accuracies on streams of at most so many rows, and the time."""
    asked = [
        (name, setting, seed, classifiers(seed), rows)
        for name in chosen
        for setting in SETTINGS
        for seed in range(seeds)
    ]
    for seed in range(seeds if LETTER in chosen else 0):
        local = OnlineKMeans(k=LETTER_K, encode="local")
        local = ClusterFeaturesClassifier(clusterer=local, random_state=seed)
        asked.append((LETTER, SETTINGS[0], seed, {"all rows": local}, None))
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(accuracies)(models, chosen[name], n, setting, seed)
        for name, setting, seed, models, n in asked
    )
    streams = []
    for (name, setting, *_), found in zip(asked, work):
        streams.append({"dataset": name, "setting": list(setting), "accuracy": found})
        advance(f"streams of {name}", 1 / len(asked))
    return {"streams": streams, "local / triangle": local_per_triangle(rows)}
