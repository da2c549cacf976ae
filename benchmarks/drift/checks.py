"""What forgetting has to keep, each measured by itself.

How many clusters live, how soon a scale that shrank is found again, how pure clusters of
topics are, how much memory a long stream takes, and what half-lives and weights cost.
"""

import time
import tracemalloc
from functools import partial
from statistics import median

import numpy as np
from sklearn.metrics import homogeneity_score

from onlinekmeans_sklearn import OnlineKMeans

from ..quality.study import cost
from .streams import SHRINK, TOPICS, topics

K = 100  # clusters aimed at
CHUNK = 10_000  # rows of a call
FEATURES, GROUPS, FEW_GROUPS = 10, 50, 10
FOUND = 2  # times the cost of the true groups: a scale is found again
SEEDS = 10  # of the scale
MIB = 2**20
LONE_ROWS = 1000
TOPIC_ROWS, TOPIC_SEEDS = 12_000, 5


def chunks(n, seed=0):
    """Yield n stationary rows, those of a call at a time."""
    rng = np.random.default_rng(seed)
    centers = 10 * rng.normal(size=(GROUPS, FEATURES))
    for start in range(0, n, CHUNK):
        rows = min(CHUNK, n - start)
        yield centers[rng.integers(GROUPS, size=rows)] + rng.normal(size=(rows, FEATURES))


def live_clusters(n, half_life):
    """Return the most clusters with any weight, of those aimed at, after every call."""
    model = OnlineKMeans(k=K, half_life=half_life, random_state=0)
    live = [int(np.sum(model.partial_fit(X).counts_ > 0)) for X in chunks(n)]
    return max(live) / K


def half_lives_until_found(seed, half_life=1000):
    """Return after how many half-lives the clusters of a shrunken stream are good for ever.

    Good are live clusters whose means cost at most twice as much as the true groups. The
    scale shrinks halfway between two ends of a half-life. None: not good in the end.
    """
    rng = np.random.default_rng(seed)
    centers = 10 * rng.normal(size=(FEW_GROUPS, FEATURES))
    model = OnlineKMeans(k=K, half_life=half_life, random_state=seed)
    step, change, good = half_life // 10, 5 * half_life + half_life // 2, None
    for seen in range(0, 10 * half_life, step):
        scale = SHRINK if seen >= change else 1
        groups = scale * centers
        X = groups[rng.integers(FEW_GROUPS, size=step)]
        X = X + scale * rng.normal(size=X.shape)
        if seen > change:
            means = model.cluster_means_[model.counts_ > 0]
            is_good = cost(X, means) <= FOUND * cost(X, groups)
            good = (seen if good is None else good) if is_good else None
        model.partial_fit(X)
    return None if good is None else (good - change) / half_life


def homogeneity(n, half_life, seed, k=50):
    """Return how pure the clusters of topics in turn are, by the labels at arrival."""
    X, topic = topics(n, seed)
    model = OnlineKMeans(k=k, half_life=half_life, random_state=seed)
    return homogeneity_score(topic, model.partial_fit_predict(X))


def memory(n, half_life=10_000):
    """Return MiB that a stream holds after a tenth of its rows and after all of them.

    And how many clusters have opened in between, nearly all of which have retired.
    """
    model = OnlineKMeans(k=K, half_life=half_life, random_state=0)
    held = {}
    tracemalloc.start()
    try:
        for seen, X in enumerate(chunks(n), 1):
            model.partial_fit(X)
            del X
            if seen * CHUNK in (n // 10, n):
                held[seen * CHUNK] = tracemalloc.get_traced_memory()[0], len(model.counts_)
    finally:
        tracemalloc.stop()
    (early, few), (late, many) = held[n // 10], held[n]
    return {"early": early / MIB, "late": late / MIB, "opened": many - few}


def seconds_of_stream(whole, weights=None, **options):
    """Return the seconds that a stream takes."""
    model = OnlineKMeans(k=K, random_state=0, **options)
    begin = time.perf_counter()
    for X in whole:
        model.partial_fit(X, sample_weight=weights)
    return time.perf_counter() - begin


def seconds_of_row(whole, **options):
    """Return the median seconds of a call with one row."""
    model = OnlineKMeans(k=K, random_state=0, **options).partial_fit(whole[0])
    taken = []
    for row in whole[-1][:LONE_ROWS]:
        begin = time.perf_counter()
        model.partial_fit(row[None])
        taken.append(time.perf_counter() - begin)
    return median(taken)


def times(n, rounds=9):
    """Return how much longer streams and single rows take than without forgetting.

    All take turns, and the best round counts.
    """
    whole = list(chunks(n - n % CHUNK or CHUNK))
    weights = np.random.default_rng(0).uniform(0.5, 1.5, size=CHUNK)
    stream, row = partial(seconds_of_stream, whole), partial(seconds_of_row, whole)
    calls = {  # name -> what is timed, and beside what
        "half_life=100,000": (partial(stream, half_life=100_000), stream),
        "half_life=10,000": (partial(stream, half_life=10_000), stream),
        "sample_weight": (partial(stream, weights), stream),
        "one row": (partial(row, half_life=10_000), row),
    }
    taken = [
        {name: [call() for call in pair] for name, pair in calls.items()}
        for _ in range(rounds)
    ]
    best = {name: np.min([each[name] for each in taken], axis=0) for name in calls}
    return {name: float(with_it / without) for name, (with_it, without) in best.items()}


def measure_checks(largest, advance):
    """Return all that the checks need, for streams of at most so many rows."""
    found = {"rows": largest}
    advance("live clusters", 0)
    found["live / k"] = {f"{h:,}": live_clusters(largest // 10, h) for h in (1000, 10_000)}
    advance("a scale that shrank", 0.2)
    found["half-lives until found"] = [half_lives_until_found(s) for s in range(SEEDS)]
    advance("homogeneity of topics", 0.2)
    n = min(TOPIC_ROWS, largest // 10)
    half_lives = {"one topic": n // TOPICS, "two topics": 2 * n // TOPICS, "None": None}
    found["homogeneity"] = {
        name: [homogeneity(n, half_life, seed) for seed in range(TOPIC_SEEDS)]
        for name, half_life in half_lives.items()
    }
    advance("time of half-lives and weights", 0.2)
    found["time / None"] = times(largest // 10)
    advance("memory", 0.2)
    found["memory"] = memory(largest)
    advance("memory", 0.2)
    return found
