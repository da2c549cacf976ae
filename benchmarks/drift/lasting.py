"""Whether the ids of a fixed number of clusters last, and what a look at them takes.

Streams are read in batches and looked at after each. The share of earlier rows whose id has
changed since the last look is, for ours, the weight of the online clusters that go to
another merged one, and for MiniBatchKMeans the rows that it predicts differently. Ids may
also last because clusters stay where they are though better ones are known, so the cost is
compared with that of a merge from scratch.
"""

import time
from copy import copy
from itertools import pairwise, product

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import MiniBatchKMeans

from onlinekmeans_sklearn import OnlineKMeans

from ..quality.study import scaled
from .contestants import MINI_BATCH, OURS

NUMBERS, BATCHES, MOST_ROWS = (20, 100), 20, 60_000
ORDERS = ("file order", "shuffled")
GROUPS, BEFORE, GROUP_SEEDS = 10, 5, 20  # groups, those before the first batch, and runs
ROWS_BEFORE, ROWS, LOOKS = 40_000, 100, 500  # of the time of a look


def models_of(n_clusters, seed):
    """Return the two whose ids are compared, by name."""
    mini_batch = MiniBatchKMeans(n_clusters, n_init=1, random_state=seed)
    return {OURS: OnlineKMeans(n_clusters, random_state=seed), MINI_BATCH: mini_batch}


def cost_from_scratch(model):
    """Return what the clusters cost if the merge does not continue the last look."""
    anew = copy(model).set_params(n_clusters=None).partial_fit()
    return anew.set_params(n_clusters=model.n_clusters).partial_fit().inertia_


def shares_that_change(looks):
    """Return the share of earlier rows whose id has changed, for every further look.

    A look is the ids, and the weights, of all that was read.
    """
    shares = []
    for (before, _), (ids, weights) in pairwise(looks):
        weights, ids = weights[: len(before)], ids[: len(before)]
        shares.append(round(float(weights @ (ids != before) / weights.sum()), 5))
    return shares


def changes(X, n_clusters, seed):
    """Return the shares that change by name, and cost / that of a merge from scratch."""
    models, costs = models_of(n_clusters, seed), []
    ours, mini_batch = models.values()
    looks = {name: [] for name in models}
    for start, stop in pairwise(np.linspace(0, len(X), BATCHES + 1).astype(int)):
        for model in models.values():
            model.partial_fit(X[start:stop])
        looks[OURS].append((ours.online_to_merged_, ours.counts_))
        looks[MINI_BATCH].append((mini_batch.predict(X[:stop]), np.ones(stop)))
        costs.append(round(ours.inertia_ / cost_from_scratch(ours), 5))
    shares = {name: shares_that_change(some) for name, some in looks.items()}
    return {**shares, "cost / from scratch": costs[1:]}  # the first look is from scratch


def main_id_changes(model, seed, rows=2000):
    """Return how often the main id of a group changes, and how often it could.

    In each batch there is one group more.
    """
    rng, main, changed, possible = np.random.default_rng(seed), {}, 0, 0
    centers = 6 * rng.normal(size=(GROUPS, 4))
    for n_groups in range(BEFORE + 1, GROUPS + 1):
        group = rng.integers(n_groups, size=rows)
        X = centers[group] + rng.normal(size=(rows, 4))
        ids = model.partial_fit(X).predict(X)
        now = {g: int(np.bincount(ids[group == g]).argmax()) for g in range(n_groups)}
        changed += sum(now[g] != main[g] for g in main)
        possible += len(main)
        main = now
    return changed, possible


def milliseconds_of_looks(rows_before=ROWS_BEFORE, looks=LOOKS):
    """Return the milliseconds of predict after every few rows of a stream."""
    rng, taken = np.random.default_rng(0), []
    centers = 3 * rng.normal(size=(25, 6))
    n = rows_before + looks * ROWS
    X = centers[rng.integers(25, size=n)] + rng.normal(size=(n, 6))
    model = OnlineKMeans(10, random_state=0).partial_fit(X[:rows_before])
    model.predict(X[:ROWS])
    for start in range(rows_before, n, ROWS):
        model.partial_fit(X[start : start + ROWS])
        begin = time.perf_counter()
        model.predict(X[:ROWS])
        taken.append(round(1000 * (time.perf_counter() - begin), 3))
    return taken


def measure_ids(folder, names, most_rows, seeds, advance):
    """Return all figures of ids and looks: of dense datasets, and of generated rows.

    `advance` is told of the work done, as a share of all there is.
    """
    found = {"changes": []}
    for name in names:
        advance(f"ids: {name}", 1 / (1 + len(names)))
        X = scaled(folder, name)
        if issparse(X):
            continue
        X = X[: min(MOST_ROWS, most_rows)]
        for seed, n_clusters in product(range(seeds), NUMBERS):
            mixed = X[np.random.RandomState(seed).permutation(len(X))]
            for order, rows in zip(ORDERS, (X, mixed)):
                about = {"dataset": name, "order": order, "n_clusters": n_clusters}
                found["changes"].append({**about, **changes(rows, n_clusters, seed)})
    advance("ids: new groups", 1 / (1 + len(names)))
    runs = [models_of(GROUPS, seed) for seed in range(GROUP_SEEDS)]
    found["new groups"] = {
        name: np.sum(
            [main_id_changes(run[name], seed) for seed, run in enumerate(runs)], axis=0
        ).tolist()
        for name in (OURS, MINI_BATCH)
    }
    found["ms of looks"] = milliseconds_of_looks()
    return found
