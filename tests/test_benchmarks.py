"""The quality benchmark measures what it says, on rows small enough to check."""

import importlib.util
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans, MiniBatchKMeans

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks.quality import contestants, study
from benchmarks.quality.contestants import (
    CONTESTANTS,
    CURVE,
    FAISS,
    MBK_FIT,
    MBK_PASS,
    OURS,
    REFERENCE,
    Contestant,
)
from benchmarks.speed import contest
from benchmarks.speed.contest import peak_memory

pytestmark = pytest.mark.slow

ROWS = np.random.RandomState(0).normal(size=(400, 3)) + np.arange(400)[:, None] // 40
HAS_FAISS = importlib.util.find_spec("faiss") is not None
THERE = [name for name in CONTESTANTS if HAS_FAISS or name != FAISS]


def silent(description, share):
    """Tell nobody of the work done."""


def measured(make=lambda: ROWS, numbers=(4,), curve=None, seeds=2, limit=60):
    source = study.Source(make, "as it is")
    return study.measure("rows", source, numbers, curve, seeds, limit, advance=silent)


@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
def test_cost_of_many_rows_and_centers_takes_them_in_blocks(as_rows):
    X = np.random.RandomState(0).normal(size=(30_000, 3))
    centers = X[:1000]
    peak = peak_memory(lambda X: study.cost(X, centers), as_rows(X))
    assert peak < 30_000 * 1000 * 8 / 1.5
    d2 = [((X[i] - centers) ** 2).sum(axis=1).min() for i in range(2000)]
    assert study.cost(as_rows(X[:2000]), centers) == pytest.approx(sum(d2))


@pytest.mark.parametrize("as_rows", [np.asarray, np.float32, csr_matrix])
def test_figures_are_those_of_the_models(as_rows):
    X = as_rows(ROWS)
    result = measured(lambda: X, numbers=(10, 4))
    assert [line["n_clusters"] for line in result["lines"]] == [4, 10]
    for line in result["lines"]:
        n_clusters = line["n_clusters"]
        for seed in range(2):
            common = {"n_init": 1, "random_state": seed}
            passed = MiniBatchKMeans(n_clusters, **common).partial_fit(X)
            costs = {
                REFERENCE: KMeans(n_clusters, **common).fit(X).inertia_,
                OURS: -OnlineKMeans(n_clusters, random_state=seed).fit(X).score(X),
                MBK_PASS: -passed.score(X),
                MBK_FIT: -MiniBatchKMeans(n_clusters, **common).fit(X).score(X),
            }
            rel = 1e-5 if as_rows is np.float32 else 1e-6
            for name, expected in costs.items():
                assert line["costs"][name][seed] == pytest.approx(expected, rel)
                ratio = line[study.COST][name][seed]
                assert ratio == pytest.approx(expected / costs[REFERENCE], rel)
                own, theirs = (line["seconds"][who][seed] for who in (name, REFERENCE))
                assert line[study.TIME][name][seed] == own / theirs
                assert own > 0


@pytest.mark.skipif(not HAS_FAISS, reason="faiss is not installed")
def test_figures_of_faiss_are_those_of_its_iterations():
    import faiss

    (line,) = measured()["lines"]
    for seed in range(2):
        model = faiss.Kmeans(3, 4, niter=25, seed=seed, max_points_per_centroid=10**9)
        model.train(ROWS.astype(np.float32))
        cost = study.cost(ROWS, model.centroids)
        assert line["costs"][FAISS][seed] == pytest.approx(cost, rel=1e-4)


def test_ours_takes_part_with_every_k_for_one_number_of_clusters():
    four, six = measured(numbers=(4, 6), curve=6)["lines"]
    assert list(four["costs"]) == THERE
    assert list(six["costs"]) == [*THERE, *CURVE]
    assert list(CURVE) == [f"OnlineKMeans, k = {m} n_clusters" for m in (3, 5, 10, 20)]
    for name, k in zip(CURVE, (18, 30, 60, 120)):
        for seed in range(2):
            model = OnlineKMeans(6, k=k, random_state=seed).fit(ROWS)
            assert six["costs"][name][seed] == pytest.approx(-model.score(ROWS))
            assert six[study.TIME][name][seed] > 0


def test_contestants_take_turns_for_each_seed_and_only_the_fit_is_timed(monkeypatch):
    turns, clock = [], [0]

    def fit(name, X, n_clusters, seed):
        clock[0] += 1
        turns.append((name, n_clusters, seed))

    def centers(model):
        clock[0] += 100
        return ROWS[:2]

    names = [REFERENCE, OURS, MBK_PASS]
    three = {name: Contestant(partial(fit, name), centers) for name in names}
    monkeypatch.setattr(study, "CONTESTANTS", three)
    monkeypatch.setattr(study, "warm_up", lambda X, names: None)
    monkeypatch.setattr(study.time, "perf_counter", lambda: clock[0])
    (line,) = measured()["lines"]
    assert turns == [(name, 4, seed) for seed in range(2) for name in names]
    assert line["seconds"] == {name: [1, 1] for name in names}


def test_a_peer_that_fails_is_left_out_with_its_reason_and_others_are_not(monkeypatch):
    def fit(X, n_clusters, seed):
        if n_clusters == 4 and seed == 1:
            raise RuntimeError("has no luck\nsomewhere deep inside")
        return MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X)

    monkeypatch.setitem(CONTESTANTS, MBK_FIT, Contestant(fit))
    four, six = measured(numbers=(4, 6))["lines"]
    assert four["left out"][MBK_FIT] == "has no luck"
    for what in ("costs", "seconds", study.COST, study.TIME):
        assert list(four[what]) == [name for name in THERE if name != MBK_FIT]
        assert list(six[what]) == THERE


@pytest.mark.parametrize("name", [OURS, REFERENCE])
def test_a_failure_of_ours_or_of_the_reference_is_an_error(monkeypatch, name):
    def fit(X, n_clusters, seed):
        raise RuntimeError("broken")

    monkeypatch.setitem(CONTESTANTS, name, Contestant(fit))
    with pytest.raises(RuntimeError, match="broken"):
        measured()


def test_sparse_rows_and_a_missing_faiss_are_reasons(monkeypatch):
    reason = "takes part with dense rows only"
    (line,) = measured(partial(csr_matrix, ROWS))["lines"]
    assert line["left out"] == {FAISS: reason}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert contestants.stay_out(ROWS) == {FAISS: "is not installed"}


def test_who_is_expected_to_be_too_slow_is_left_out(monkeypatch):
    """Invented times: 0.1 s a cluster for the reference, 0.05 s for ours."""
    by_cluster = dict.fromkeys(CONTESTANTS, 0.01) | {REFERENCE: 0.1, OURS: 0.05}

    def one_turn(X, name, n_clusters, seed):
        return by_cluster[name] * n_clusters, 5.0 + seed

    monkeypatch.setattr(study, "one_turn", one_turn)
    lines = measured(numbers=(10, 50, 80, 100), limit=4)["lines"]
    reasons = [line["left out"] for line in lines]
    assert REFERENCE not in reasons[0]
    assert reasons[1][REFERENCE] == (
        "would take about 5 s, longer than 4 s, judged by 1 s for 10 clusters"
    )
    assert reasons[3][REFERENCE].startswith("would take about 10 s")
    assert [OURS in reason for reason in reasons] == [False, False, False, True]
    # without the reference there are no ratios, but all that was measured is there
    assert lines[1][study.COST] == lines[1][study.TIME] == {}
    assert lines[1]["costs"][OURS] == [5.0, 6.0]
    assert lines[1]["seconds"][OURS] == [2.5, 2.5]


def test_blobs_come_one_after_the_other():
    X = study.sorted_blobs()
    assert X.shape == (200_000, 10)
    assert np.ptp(X[:4000], axis=0).max() < 12  # of a blob, not of all


def test_what_a_call_costs_beside_its_rows_is_not_scaled_up(monkeypatch):
    monkeypatch.setattr(contest, "seconds", lambda call, X: 5 + 0.1 * len(X))
    rows = np.zeros((1000, 1))
    for n_rows in (101, 400, 1000):
        assert contest.seconds_for_all(None, rows, n_rows) == pytest.approx(105)
