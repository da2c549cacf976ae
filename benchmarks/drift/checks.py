"""What forgetting has to keep, each measured by itself.

How many clusters live, how soon a scale that shrank is found again, how pure clusters of
topics are, how much memory a long stream takes, and what half-lives and weights cost.
"""

import time
import tracemalloc
from statistics import median

import numpy as np
from sklearn.metrics import homogeneity_score

from onlinekmeans_sklearn import OnlineKMeans

from ..quality.study import cost
from .streams import SHRINK, TOPICS, topics

K = 100  # clusters aimed at
CHUNK = 10_000  # rows of a call
FEATURES = 10
FOUND = 2  # times the cost of the true groups: a scale is found again
SEEDS = 10  # of the scale
MIB = 2**20
LONE_ROWS = 1000
TOPIC_ROWS, TOPIC_SEEDS = 24_000, 5


def chunks(n, seed=0):
    """Yield n stationary rows of 50 groups, a call's rows at a time."""
    rng = np.random.default_rng(seed)
    places = 10 * rng.normal(size=(50, FEATURES))
    for start in range(0, n, CHUNK):
        rows = min(CHUNK, n - start)
        yield places[rng.integers(50, size=rows)] + rng.normal(size=(rows, FEATURES))


def live_clusters(n, half_life):
    """Return the most clusters with any weight, of those aimed at, after every call."""
    model = OnlineKMeans(k=K, half_life=half_life, random_state=0)
    live = [int(np.sum(model.partial_fit(X).counts_ > 0)) for X in chunks(n)]
    return max(live) / K


def half_lives_until_found(seed, half_life=1000, n_clusters=10):
    """Return after how many half-lives the clusters of a shrunken stream are good for ever.

    Good are clusters that cost at most twice as much as the true groups. The scale shrinks
    halfway between two ends of a half-life. None if they are not good in the end.
    """
    rng = np.random.default_rng(seed)
    places = 10 * rng.normal(size=(n_clusters, FEATURES))
    model = OnlineKMeans(n_clusters, half_life=half_life, random_state=seed)
    step, change, good = half_life // 10, 5 * half_life + half_life // 2, None
    for seen in range(0, 10 * half_life, step):
        scale = SHRINK if seen >= change else 1
        means = scale * places
        X = means[rng.integers(n_clusters, size=step)]
        X = X + scale * rng.normal(size=X.shape)
        if seen > change:
            is_good = cost(X, model.cluster_centers_) <= FOUND * cost(X, means)
            good = (good if good is not None else seen) if is_good else None
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


def seconds_of_stream(whole, weight=None, **options):
    """Return the seconds that a stream takes."""
    model = OnlineKMeans(k=K, random_state=0, **options)
    begin = time.perf_counter()
    for X in whole:
        keywords = {} if weight is None else {"sample_weight": np.full(len(X), weight)}
        model.partial_fit(X, **keywords)
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


def times(n, rounds=5):
    """Return how much longer streams and single rows take than without forgetting.

    All take turns, and the median of the ratios of a round counts.
    """
    whole = list(chunks(n))
    calls = {
        "half_life=100,000": lambda: seconds_of_stream(whole, half_life=100_000),
        "half_life=10,000": lambda: seconds_of_stream(whole, half_life=10_000),
        "sample_weight": lambda: seconds_of_stream(whole, weight=0.5),
    }
    ratios = {name: [] for name in (*calls, "one row")}
    seconds_of_stream(whole)
    for _ in range(rounds):
        alone = seconds_of_stream(whole)
        for name, call in calls.items():
            ratios[name].append(call() / alone)
        with_half_life = seconds_of_row(whole, half_life=10_000)
        ratios["one row"].append(with_half_life / seconds_of_row(whole))
    return {name: median(values) for name, values in ratios.items()}


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
