"""The experiments on the paper's figures and theorems, against plain loops."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from reference import (
    Schedule,
    nearest,
    online_kmeans,
    semi_online,
    squared_distance,
    theoretical,
    uniform_numbers,
)
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from streams import STORAGES, STREAMS, assert_equals_reference, blobs, fit_in_chunks, grid

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks.paper.costs import cost, costs, kmpp_rows, merged, random_rows
from benchmarks.paper.theory import (
    BestCosts,
    clusters_constant,
    cost_constant,
    rows_of_share,
    theory,
)
from benchmarks.paper.variant import ScriptsOnlineKMeans

pytestmark = pytest.mark.slow

ROWS = blobs(0, 300)
KINDS = {"array": np.asarray, "float32": np.float32, "csr": csr_matrix}
SCRIPTED = ["blobs", "sorted", "far from the origin", "grid", "sparse counts", "constant"]
SETTING = {"k_target": 30, "run": 0, "variant": "text", "baselines": True}


def samples_of(X):
    X = X.toarray() if issparse(X) else X
    return np.asarray(X, dtype=np.float64).tolist()


def plain_cost(X, centers):
    samples, centers = samples_of(X), samples_of(centers)
    return math.fsum(nearest(v, centers)[1] for v in samples)


def uniforms_of(run, n):
    return uniform_numbers(np.random.RandomState(run), n)


def scripts_practical(samples, uniforms, k_target):
    """Algorithm 3 as the authors' scripts have it."""
    k = max(1, math.ceil((k_target - 15) / 5))

    def first_cost(prefix, weights):
        pairs = itertools.combinations(prefix, 2)
        return math.fsum(sorted(squared_distance(v, c) for v, c in pairs)[:10]) / 2

    schedule = Schedule(k + 10, first_cost, openings=lambda n: k + 1, growth=10)
    return online_kmeans(samples, uniforms, schedule)


def test_scripts_by_hand():
    # k_target = 20: k = 1, and 11 samples are centers: five pairs and a lone one
    prefix = [0, 1, 100, 101, 200, 201, 300, 301, 400, 401, 500]
    samples = [[float(v)] for v in [*prefix, 1000, 3000, 6000]]
    result = scripts_practical(samples, [0.5] * 14, 20)
    # each pair once: 5 at distance 1, and 5 at 99, as 1 and 100 or 401 and 500 are
    first = (5 + 5 * 99**2) / 2
    assert result.phases == [(11, first), (13, 10 * first)]
    model = ScriptsOnlineKMeans(k=20, random_state=0).fit(samples)
    assert model.facility_costs_[0] == first
    assert OnlineKMeans(k=20, random_state=0).fit(samples).facility_costs_[0] == 5


@pytest.mark.parametrize("storage", ["array", "csr_matrix"])
@pytest.mark.parametrize("name", SCRIPTED)
def test_variant_is_the_loop_of_the_scripts(name, storage):
    X = STORAGES[storage](STREAMS[name](1, 400))
    model = ScriptsOnlineKMeans(k=40, random_state=7).fit(X)
    expected = scripts_practical(samples_of(X), uniforms_of(7, X.shape[0]), 40)
    assert_equals_reference(model, model.labels_, X, expected)


def test_variant_does_not_depend_on_the_chunks():
    X = grid(4, 400, side=12).astype(np.float32)
    model = ScriptsOnlineKMeans(k=60, random_state=3)
    labels = fit_in_chunks(model, X, [1, 5, 1, 40])
    expected = scripts_practical(samples_of(X), uniforms_of(3, len(X)), 60)
    assert expected.phase > 1
    assert_equals_reference(model, labels, X, expected)


def test_variant_differs_from_the_text_and_can_be_cloned():
    model = clone(ScriptsOnlineKMeans(k=40, random_state=7))
    assert type(model) is ScriptsOnlineKMeans
    assert model.get_params() == OnlineKMeans(k=40, random_state=7).get_params()
    text = OnlineKMeans(k=40, random_state=7).fit(ROWS)
    assert not np.array_equal(model.fit(ROWS).opened_at_, text.opened_at_)
    with pytest.raises(ValueError, match=r"must be 'practical'\. Got 'theoretical'"):
        model.set_params(algorithm="theoretical").fit(ROWS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", ["text", "scripts"])
def test_costs_are_those_of_a_plain_loop(variant, kind):
    X = KINDS[kind](ROWS)
    model = {"text": OnlineKMeans, "scripts": ScriptsOnlineKMeans}[variant]
    model = model(k=30, random_state=2).fit(X)
    result = costs(X, None, k_target=30, run=2, variant=variant, baselines=True)
    assert {type(value) for value in result.values()} == {int, float}
    k = result.pop("k_actual")
    assert k == model.n_clusters_
    squares = math.fsum(v_j * v_j for v in samples_of(X) for v_j in v)
    assert result == pytest.approx(
        {
            "f_online": plain_cost(X, X[model.opened_at_]),
            "f_0": squares,
            "f_random": plain_cost(X, random_rows(X, k, 2)),
            "f_kmpp": plain_cost(X, kmpp_rows(X, k, 2)),
            "f_means": plain_cost(X, model.cluster_means_),
            "f_merged": plain_cost(X, merged(X, 30, k, 2).cluster_centers_),
        },
        rel=1e-12,
    )
    assert result["f_online"] < model.inertia_  # of the final centers, not of the moment


@pytest.mark.parametrize("kind", ["array", "csr"])
def test_cost_is_exact_far_from_the_origin(kind):
    X = KINDS[kind](1e8 + grid(0, 500, d=3, side=9))
    centers = X[::50]
    assert cost(X, centers) == plain_cost(X, centers)


@pytest.mark.parametrize("kind", KINDS)
def test_few_distinct_rows_leave_no_cost(kind):
    X = KINDS[kind](grid(0, 400, side=3) + 1000)  # 9 of them, fewer than the prefix takes
    result = costs(X, None, **SETTING)
    assert result["k_actual"] == 9
    assert result["f_online"] == result["f_kmpp"] == 0
    assert result["f_random"] == plain_cost(X, random_rows(X, 9, 0))


def test_baselines_can_be_left_out_and_variants_are_two():
    result = costs(ROWS, None, **{**SETTING, "baselines": False})
    assert set(result) == {"k_actual", "f_online", "f_0"}
    with pytest.raises(ValueError, match=r"variant='paper'.*'text', 'scripts'"):
        costs(ROWS, None, **{**SETTING, "variant": "paper"})


@pytest.mark.parametrize("kind", KINDS)
def test_rows_can_come_in_any_order(kind):
    X = KINDS[kind](np.sort(ROWS, axis=0))
    file, first, again = (
        costs(X, None, **SETTING, order=order) for order in ("file", "shuffled", "shuffled")
    )
    other = costs(X, None, **{**SETTING, "run": 1}, order="shuffled")
    assert first == again
    assert file != first != other
    assert first["f_0"] == pytest.approx(file["f_0"], rel=1e-12)  # the same rows
    with pytest.raises(ValueError, match=r"order='sorted'.*'file', 'shuffled'"):
        costs(X, None, **SETTING, order="sorted")


def test_random_rows_are_uniform_and_without_replacement():
    X = np.arange(6.0)[:, None]
    chosen = [frozenset(random_rows(X, 3, run).ravel()) for run in range(2000)]
    assert {len(rows) for rows in chosen} == {3}
    times = Counter(chosen)
    assert len(times) == 20
    assert max(abs(count - 100) for count in times.values()) < 5 * math.sqrt(100)


@pytest.mark.parametrize("kind", KINDS)
def test_kmpp_rows_follow_the_squared_distances(kind):
    values = [0.0, 4.0, 5.0, 6.0]
    X = KINDS[kind](np.array(values)[:, None])
    runs = 800
    times = Counter()
    for run in range(runs):
        times[tuple(v for (v,) in samples_of(kmpp_rows(X, 2, run)))] += 1
    for first, second in itertools.permutations(values, 2):
        share = (first - second) ** 2 / sum((first - v) ** 2 for v in values) / 4
        deviation = math.sqrt(runs * share * (1 - share))
        assert abs(times[first, second] - runs * share) < 4 * deviation


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", ["semi-online", "online"])
def test_theory_is_the_paper_s_loop_on_the_first_rows(algorithm, kind):
    X = KINDS[kind](blobs(3, 400, d=2))
    samples = samples_of(X)[:200]
    loop = {"semi-online": semi_online, "online": theoretical}[algorithm]
    expected = loop(samples, uniforms_of(5, 200), 3)
    result = theory(X, None, algorithm=algorithm, k=3, share=0.5, run=5)
    assert {type(value) for value in result.values()} == {int, float}
    assert result["n"] == 200
    assert result["k_actual"] == len(expected.opened_at)
    assert result["W"] == pytest.approx(expected.inertia, rel=1e-12)
    assert result["W"] > 0
    w = min(squared_distance(v, c) for v, c in itertools.combinations(samples[:4], 2)) / 2
    assert result["w_star"] == pytest.approx(w, rel=1e-12)


def best_split(values):
    """Return the least cost of two clusters on a line, each of them an interval."""

    def cost_of(part):
        mean = math.fsum(part) / len(part)
        return math.fsum((v - mean) ** 2 for v in part)

    values = sorted(values)
    return min(cost_of(values[:i]) + cost_of(values[i:]) for i in range(1, len(values)))


@pytest.mark.parametrize("kind", KINDS)
def test_w_star_is_the_best_cost_of_k_clusters(kind):
    X = KINDS[kind](blobs(8, 120, d=1))
    ways = itertools.product(("semi-online", "online"), range(3))
    results = [theory(X, None, algorithm=a, k=2, share=1.0, run=run) for a, run in ways]
    best = best_split([v for (v,) in samples_of(X)])
    assert results[0]["W_star"] == pytest.approx(best, rel=1e-9)
    assert len({result["W_star"] for result in results}) == 1
    assert len({result["W"] for result in results}) == 6


def test_best_cost_is_computed_once_for_a_dataset(monkeypatch):
    best_cost, computed = BestCosts(), []

    def counted(k, **options):
        computed.append(k)
        return KMeans(k, **options)

    monkeypatch.setitem(theory.__globals__, "KMeans", counted)
    asked = [(ROWS, 100, 3), (ROWS, 100, 3), (ROWS, 200, 3), (ROWS, 100, 2)]
    costs_of_rows = [best_cost(*each) for each in asked]
    assert computed == [3, 3, 2]
    assert costs_of_rows[0] == costs_of_rows[1]
    assert len(set(costs_of_rows)) == 3
    assert best_cost(2 * ROWS, 100, 3) == pytest.approx(4 * costs_of_rows[0])


def test_theory_needs_one_distinct_row_more_than_the_prefix():
    X = np.repeat(np.arange(9.0), 5)[:, None]
    setting = {"algorithm": "online", "run": 0}
    assert theory(X, None, k=7, share=1.0, **setting)["W_star"] > 0
    with pytest.raises(ValueError, match=r"45 rows, 9 of them distinct.* k \+ 2 = 10"):
        theory(X, None, k=8, share=1.0, **setting)
    with pytest.raises(ValueError, match="22 rows, 5 of them distinct"):
        theory(X, None, k=7, share=0.5, **setting)


def test_share_and_algorithm_are_checked():
    assert [rows_of_share(ROWS, share) for share in (1, 0.25, 1e-9)] == [300, 75, 1]
    for share in (0, -1, 1.01, math.nan):
        with pytest.raises(ValueError, match="more than 0 and at most 1"):
            rows_of_share(ROWS, share)
    with pytest.raises(ValueError, match=r"algorithm='offline'.*'semi-online', 'online'"):
        theory(ROWS, None, algorithm="offline", k=3, share=1.0, run=0)


def test_constants_by_hand():
    result = {"n": 16, "k_actual": 60, "W": 48.0, "W_star": 24.0, "w_star": 3.0}
    assert clusters_constant(result, k=10) == 60 / (10 * 4 * 3)
    assert cost_constant(result, "semi-online") == 2
    assert cost_constant(result, "online") == 0.5
