"""The quality benchmark measures what it says, on a few rows, and tells all of it."""

import importlib.util
from functools import partial

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_refused, printed, written
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans, MiniBatchKMeans

from benchmarks import style
from benchmarks.quality import contestants, main, others, report, study, tables
from benchmarks.quality.contestants import (
    CONTESTANTS,
    CURVE,
    FAISS,
    MBK_FIT,
    MBK_PASS,
    OURS,
    REFERENCE,
    Contestant,
    with_k,
)
from benchmarks.quality.study import BLOBS, COST, STUDIED, TIME
from benchmarks.report import Ratio, verdict
from benchmarks.speed import contest
from onlinekmeans_sklearn import OnlineKMeans

pytestmark = pytest.mark.slow


def line_of(n_clusters, cost=1.01, time=0.4, others=1.5):
    """Return invented figures of three seeds: those of ours, and of all others."""
    costs = {name: [others] * 3 for name in (*CONTESTANTS, *CURVE)}
    times = {name: [others] * 3 for name in (*CONTESTANTS, *CURVE)}
    costs |= {REFERENCE: [1.0] * 3, OURS: [cost - 0.01, cost, cost + 0.01]}
    times |= {REFERENCE: [1.0] * 3, OURS: [time / 2, time, 100 * time]}
    line = {"n_clusters": n_clusters, "seconds": times, "costs": costs, "left out": {}}
    return {**line, TIME: times, COST: costs}


def result_of(name, *lines):
    about = {"n": 20_000, "d": 16, "sparse": False, "scaling": "StandardScaler"}
    return {"dataset": name, **about, "lines": list(lines)}


def found_of(results, busy=None, curve=10):
    """Return what the JSON holds."""
    return {
        "machine": "2 cores, invented",
        "cores used by others": busy,
        "options": {"seeds": 2, "curve_clusters": curve},
        "results": results,
    }


def contest_of(results, n_clusters):
    return tables.contest_table("title", results, n_clusters, tables.COLUMNS)


def test_cells_are_the_mean_of_costs_and_the_median_of_times():
    table = contest_of([result_of("letter", line_of(10))], 10)
    (row,) = table.rows
    assert row[0] == "letter"
    assert row[1].value == pytest.approx(1.01)
    assert row[2].value == pytest.approx(0.4)
    assert [str(cell) for cell in row[1:4]] == ["1.010", "0.40", "1.500"]
    assert len(row) == len(table.headings) == len(table.short) == 9
    assert table.headings[:3] == ["dataset", "OnlineKMeans: cost", "OnlineKMeans: time"]
    assert all(cell.target is None for cell in row[2:])


def test_a_ratio_is_short():
    values = (1.03, 0.043, 0.0043, 0.996, 12.34, 99.97, 1234.5)
    texts = ["1.03", "0.04", "0.004", "1.00", "12.3", "100", "1,234"]
    assert [str(Ratio(value, decimals=2)) for value in values] == texts


@pytest.mark.parametrize("n_clusters", [10, 50, 200, 1000])
def test_averages_have_targets_if_all_datasets_are_there(n_clusters):
    target = 0.35 if n_clusters == 10 else 0.2

    def rows(names, cost=1.0, time=target):
        results = [result_of(name, line_of(n_clusters, cost, time)) for name in names]
        table = tables.numbers_table(results, [n_clusters])
        return {row[0]: row[1] for row in table.rows}

    names = ("OnlineKMeans: time", "OnlineKMeans: cost")
    for options, word in (((), "met"), ((1.001, target + 0.001), "missed")):
        whole = rows(STUDIED, *options)
        assert [whole[name].verdict for name in names] == [word] * 2
    assert whole["faiss Kmeans: time"].target is None
    part = rows(STUDIED[1:])
    assert [part[name].target for name in names] == [None, None]


def test_the_coarser_pass_has_a_target_for_200_clusters():
    def cells(n_clusters):
        lines = [line_of(n_clusters) for _ in STUDIED]
        lines[0][COST][with_k(5)] = [1.5 + 0.9] * 3
        results = [result_of(*pair) for pair in zip(STUDIED, lines)]
        table = tables.summary_table(results, n_clusters)
        return {row[0]: row[1:] for row in table.rows}[with_k(5)]

    time, cost, *others = cells(200)
    assert (cost.value, cost.target) == (pytest.approx(1.6), 1.05)
    assert [str(cell) for cell in (time, *others)] == ["1.50", "1.500", "2.400", "9"]
    assert all(cell.target is None for cell in (time, *others[:2], cells(50)[1]))


def test_without_the_reference_there_are_dashes():
    line = {**line_of(1000), TIME: {}, COST: {}, "left out": {REFERENCE: "is slow"}}
    del line["seconds"][REFERENCE]
    results = [result_of("letter", line_of(10), line)]
    assert contest_of(results, 1000).rows == [["letter", *[None] * 8]]
    assert tables.summary_table(results, 1000).rows == []
    *_, kmeans, _, ours = tables.datasets_table(results, [10, 1000]).rows[0]
    assert kmeans is None
    assert ours.value == pytest.approx(0.4)
    assert tables.left_out(results) == ["letter, 1,000 clusters: KMeans is slow"]
    (text,) = tables.deviation(results)
    assert "at most 0.008: that of letter, 10 clusters" in text
    assert tables.deviation([result_of("letter", line)]) == []
    without = {"left out": {FAISS: "is slow"}}
    lines = line_of(10), line_of(50) | without, line_of(200) | without
    found = tables.left_out([result_of("letter", *lines)])
    assert found == ["letter, 50 / 200 clusters: faiss Kmeans is slow"]  # told once


def test_verdict_counts_the_targets_and_names_the_missed():
    lines = line_of(10, 1.03), line_of(200, cost=1.031)
    every = tables.tables([result_of("letter", *lines)], 10)
    assert verdict(every) == (
        "1 of 2 targets are met; missed: letter, 200 clusters, OnlineKMeans: cost 1.031 "
        "(1.03)."
    )
    every = tables.tables([result_of(name, line_of(10, 1.0)) for name in STUDIED], 10)
    assert verdict(every) == (
        "10 of 11 targets are met; missed: OnlineKMeans: time, 10 clusters 0.40 (0.35)."
    )


def test_tables_fit_the_terminal():
    numbers = (10, 50, 200, 1000)
    lines = [line_of(number, 12.345, 123.4, 1234.5) for number in numbers]
    tiny = [line_of(number, 1.0, 0.0123, 0.0456) for number in numbers]
    results = [result_of("magic04", *lines), result_of("shuttle", *tiny)]
    text = printed(report.print_report, found_of(results, curve=200))
    assert "magic04  12.3  123 1,234 1,234" in text
    assert "shuttle 1.000 0.01 0.046  0.05" in text


def test_report_holds_every_number_and_can_be_drawn_again(tmp_path, capsys):
    lines = line_of(10), line_of(1000)
    found = found_of([result_of(name, *lines) for name in ("letter", BLOBS)], busy=1.25)
    kept, page = written(tmp_path, "quality", report, found, main)
    every = report.tables_of(found)
    assert list(every) == ["summary", "numbers", "10", "1000", "curve", "datasets"]
    assert kept["targets"] == verdict(every)
    assert "targets are met" not in page
    titles = [table.title for name, table in every.items() if name != "summary"]
    assert all(f">{title}</" in page for title in titles)
    assert "1.010,0.40,1.500" in (tmp_path / "quality-10.csv").read_text("utf-8")
    message = "--redraw needs the JSON of an earlier run"
    assert_refused(main, capsys, message, ["--redraw", "--out", str(tmp_path / "nothing")])


def test_charts_show_the_figures_of_the_tables(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from benchmarks.quality import charts

    monkeypatch.setattr(style, "DPI", 20)
    lines = [line_of(10, cost, 0.5) for cost in (0.98, 1.02, 1.02)]
    for line in lines:
        line[COST] |= dict.fromkeys(CURVE, [1.1] * 3)
        line[TIME] |= {name: [0.1 * index] * 3 for index, name in enumerate(CURVE, 1)}
        line[COST] |= dict.fromkeys((MBK_PASS, MBK_FIT), [1.2] * 3)
    lines[1][COST][MBK_PASS] = [4.2] * 3
    for line in lines[:2]:
        del line[COST][FAISS], line[TIME][FAISS]
    results = [result_of(name, line) for name, line in zip("abc", lines)]
    results.append(result_of(BLOBS, line_of(10, 9.0)))

    def shown(some):
        axes = charts.draw(some, 10, "gray").axes[0]
        drawn = {line.get_gid(): line.get_xydata() for line in axes.get_lines()}
        return axes, {name: points.tolist() for name, points in drawn.items() if name}

    axes, average = shown(results[:3])
    curve = [[0.1, 1.1], [0.2, 1.1], [0.3, 1.1], [0.4, 1.1], [0.5, 3.02 / 3]]
    np.testing.assert_allclose(average[OURS], curve)
    np.testing.assert_allclose(average[MBK_PASS], [[1.5, 2.2]])
    np.testing.assert_allclose(average[FAISS], [[1.5, 1.5]])  # of those that it supports
    assert average[REFERENCE] == [[1, 1]]
    medians = [line.get_xydata().tolist() for line in axes.get_lines()]
    assert [[1.5, pytest.approx(1.2)]] in medians
    labels = [text.get_text() for text in axes.texts]
    assert labels == ["k = 3 n", "5 n", "10 n", "20 n", "auto"]
    low, high = axes.get_ylim()
    assert low <= charts.LOWEST < 2.2 < high
    _, one = shown(results[1:2])
    np.testing.assert_allclose(one[MBK_PASS], [[1.5, 4.2]])
    assert FAISS not in one
    assert charts.draw(results, 50, "gray") is None
    charts.write_charts(tmp_path, results, 10)
    names = "quality", *(f"chart-{name}" for name in ("a", "b", "c", BLOBS))
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {f"{name}{theme}.png" for name in names for theme in ("", "-dark")}


def test_averages_are_over_the_real_datasets_that_a_method_supports():
    results = [result_of("a", line_of(10, 1.0)), result_of("b", line_of(10, 1.2))]
    results.append(result_of(BLOBS, line_of(10, 9.0)))
    del results[0]["lines"][0][COST][FAISS], results[0]["lines"][0][TIME][FAISS]
    results[1]["lines"][0][COST][FAISS] = [2.0] * 3
    table = tables.summary_table(results, 10)
    assert len(table.headings) == len(table.short) == 6
    rows = {row[0]: row[1:] for row in table.rows}
    names = [*CURVE, 'OnlineKMeans, k = "auto"', MBK_PASS, MBK_FIT, FAISS]
    assert list(rows) == names
    values = [cell.value for cell in rows['OnlineKMeans, k = "auto"'][:4]]
    assert values == pytest.approx([0.4, 1.1, 1.1, 1.2])
    assert [cell.value for cell in rows[FAISS][:4]] == pytest.approx([1.5, 2.0, 2.0, 2.0])
    assert [row[-1] for row in rows.values()] == [2] * (len(names) - 1) + [1]


def test_headline_is_computed():
    results = [result_of("a", line_of(10, 1.0)), result_of("b", line_of(10, 1.2))]
    assert report.headline(found_of(results)) == (
        "One pass: 1.10 times the cost of KMeans in 0.40 times its time, for 10 clusters "
        "of 2 datasets"
    )
    ratios = "1.50 times the cost in 1.50 times the time."
    peers = [f"{name}: {ratios}" for name in (MBK_PASS, MBK_FIT, FAISS)]
    coarser = f"OnlineKMeans, k = 5 n_clusters, 10 clusters: {ratios}"
    assert report.findings(found_of(results)) == [*peers, coarser]
    assert report.findings(found_of(results, curve=20)) == peers
    blobs = [result_of(BLOBS, line_of(10), line_of(50))]
    assert report.headline(found_of(blobs)).endswith("for 10 to 50 clusters of blobs")
    nobody = {**line_of(10), TIME: {}, COST: {}}
    assert report.headline(found_of([result_of("a", nobody)])) == report.TITLE


def test_a_busy_machine_is_told():
    results = [result_of("letter", line_of(10))]
    for busy, is_told in ((1.25, True), (0.1, False), (None, False)):
        last = report.findings(found_of(results, busy=busy))[-1]
        assert last.startswith("But other processes used 1.2 cores") == is_told


def test_cores_of_others_are_all_but_ours(monkeypatch):
    clock = {"wall": 0.0, "own": 0.0, "all": 100.0}
    monkeypatch.setattr(others.time, "perf_counter", lambda: clock["wall"])
    monkeypatch.setattr(others.time, "process_time", lambda: clock["own"])
    monkeypatch.setattr(others, "processor_seconds", lambda: clock["all"])
    watch = others.Watch()
    clock |= {"wall": 10.0, "own": 5.0, "all": 120.0}
    assert watch.cores_of_others() == 1.5
    clock["all"] = 104.9  # clocks differ a little
    assert watch.cores_of_others() == 0.0
    clock["all"] = None
    assert watch.cores_of_others() is None


def test_command_line_says_what_is_wrong(capsys):
    wrong = ["--n-clusters", "0"], ["--seeds", "0"], ["--datasets", "nothing"]
    assert_refused(main, capsys, "unknown datasets ['nothing']; there are", *wrong)


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
    peak = contest.peak_memory(lambda X: study.cost(X, centers), as_rows(X))
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
