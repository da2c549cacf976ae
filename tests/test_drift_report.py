"""The benchmark of streams that change: its streams, its rivals, its figures, its files."""

import json
from itertools import pairwise

import numpy as np
import pytest
from sklearn.cluster import KMeans

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_refused, printed, written

from benchmarks import style
from benchmarks.drift import checks, contestants, lasting, main, report, study, tables
from benchmarks.drift import streams as made
from benchmarks.drift.contestants import CONTESTANTS, MINI_BATCH, OURS, RIVAL, RIVER
from benchmarks.drift.streams import MOVING, RETURN, SCALE, STATIONARY, SUDDEN
from benchmarks.drift.tables import SOON

pytestmark = pytest.mark.slow

CHECKS = {
    "rows": 10_000_000,
    "live / k": {"1,000": 0.9, "10,000": 1.4},
    "half-lives until found": [1.6] * 9 + [None],
    "homogeneity": {"one topic": [0.8, 0.9], "two topics": [0.7], "None": [0.5]},
    "time / None": dict.fromkeys(["half_life=100,000", "sample_weight", "one row"], 1.0)
    | {"half_life=10,000": 1.6},
    "memory": {"early": 1.0, "late": 1.5, "opened": 2**10},
}
IDS = {
    "changes": [
        {"dataset": "letter", "order": order, "n_clusters": n_clusters}
        | {OURS: [0.0, 0.0, 0.3], MINI_BATCH: [0.1, 0.1, 0.4]}
        | {"cost / from scratch": [1.0, 1.03]}
        for order in ("file order", "shuffled")
        for n_clusters in (20, 100)
    ],
    "new groups": {OURS: [60, 600], MINI_BATCH: [30, 600]},
    "ms of looks": [1.0, 2.0, 50.0],
}


def result_of(name, **ratios):
    """Return invented figures; `ratios` are those of each window, by name."""
    other = {"ms per 1,000 rows": 2.0, "rows read of a window": 100, "by seed": [1.0]}
    figures = {who: {**other, "cost / best": list(some)} for who, some in ratios.items()}
    shape = {"n_clusters": 5, "windows": len(next(iter(ratios.values()))) + 1}
    shape |= {"rows": 100, "features": 3}
    about = {"stream": name, "about": "invented", **shape}
    return {**about, "contestants": figures, "left out": {}}


def figures_of(name, soon, ours=4.0, mini_batch=20.0, rival=1.25):
    """Return invented figures of everybody that the checks and the chart need."""
    every = {with_it: [ours] * 3 for with_it in CONTESTANTS if with_it not in RIVER}
    every |= {SOON: [soon] * 3, MINI_BATCH: [mini_batch] * 3, RIVAL: [rival] * 3}
    return result_of(name, **every)


def found_of(*results, checks=CHECKS, ids=IDS, busy=None):
    """Return what the JSON holds."""
    found = {"machine": "2 cores, invented", "cores used by others": busy}
    found |= {"options": {"seeds": 2}, "results": list(results)}
    return {**found, "checks": checks, "ids": ids}


def windows_of(name, windows=6, rows=200, seed=0):
    return made.all_streams(None, windows, rows)[name].make(seed)


def test_a_moving_group_travels_its_own_width_in_five_windows():
    rng = np.random.default_rng(0)
    row = np.repeat([0, 5000], 400)
    centers = made.moving(rng, row, rows=1000)
    first, later = centers[:400], centers[400:]
    nearest = np.linalg.norm(first[:, None] - later[None], axis=2).min(axis=1)
    assert nearest.max() == pytest.approx(np.sqrt(made.FEATURES))


def test_streams_change_as_they_say():
    def costs(name):
        """Return those of all windows for the clusters of the first, compared with its."""
        windows = windows_of(name)
        assert [X.shape for X in windows] == [(200, made.FEATURES)] * 6
        fitted = KMeans(made.GROUPS, n_init=5, random_state=0).fit(windows[0])
        return [-fitted.score(X) / fitted.inertia_ for X in windows]

    assert costs(STATIONARY)[-1] < 2
    assert costs(MOVING)[-1] > 2
    assert costs(RETURN)[-1] > 2
    _, _, before, after, *_ = costs(SUDDEN)
    assert before < 2 < after


def test_scale_shrinks_by_a_million_in_the_middle():
    windows, still = windows_of(SCALE), windows_of(STATIONARY)
    for index, (X, same) in enumerate(zip(windows, still)):
        np.testing.assert_array_equal(X, same if index < 3 else same * 1e-6)


def test_topics_are_unit_vectors_in_turn():
    X, topic = made.topics(1200, seed=0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    assert np.array_equal(topic, np.repeat(np.arange(12), 100))
    cosines = X[:100] @ X[:100].T
    assert cosines[np.triu_indices(100, 1)].mean() == pytest.approx(0.5, abs=0.03)
    assert abs((X[:100] @ X[100:].T).mean()) < 0.03


def test_datasets_come_in_file_order(tmp_path):
    X = np.arange(6000.0).reshape(3000, 2)
    np.savez(tmp_path / "letter.npz", X=X, y=np.zeros(3000, dtype=int))
    every = made.all_streams(tmp_path, 4, 100)
    assert "skin" not in every
    windows = every["letter"].make(seed=1)
    assert len(windows) == 3  # of at least 1,000 rows
    np.testing.assert_array_equal(np.concatenate(windows), X)


def test_spark_moves_centers_to_the_faded_mean():
    first = np.array([[0.0], [0.0], [10.0], [10.0]])
    learn = contestants.spark(half_life=1)(first, 2, seed=0)
    assert sorted(learn(first).ravel()) == [0, 10]
    # weights of 2 fade to 1, so the rows at 4 count two thirds in one cluster
    assert sorted(learn(np.array([[4.0], [4.0]])).ravel()) == pytest.approx([8 / 3, 10])
    # a cluster that dies joins the heaviest
    first = np.array([[0.0], [10.0]])
    learn = contestants.spark(half_life=0.01)(first, 2, seed=0)
    learn(first)
    one, other = learn(np.full((4, 1), 0.5)).ravel()
    assert (one, other) == (pytest.approx(0.5), pytest.approx(0.5))
    assert one != other


def test_figures_are_those_of_the_models():
    windows = windows_of(STATIONARY, windows=3)
    stream = made.Stream(lambda seed: windows, 5, "as it is")
    result = study.measure("rows", stream, 2, 0.01, lambda *_: None)
    expected = {contestants.with_half_life(OURS, 4): [], RIVAL: []}
    for seed in range(2):
        model = OnlineKMeans(5, half_life=4 * 200, random_state=seed)
        models = dict(zip(expected, (model, KMeans(5, n_init=1, random_state=seed))))
        for X, following in pairwise(windows):
            best = KMeans(5, n_init=5, random_state=seed).fit(following).inertia_
            model.partial_fit(X)
            models[RIVAL].fit(X)
            for who, each in models.items():
                expected[who].append(-each.score(following) / best)
    for who, ratios in expected.items():
        figures, logs = result["contestants"][who], np.log(ratios).reshape(2, 2)
        over_time, by_seed = np.exp(logs.mean(axis=0)), np.exp(logs.mean(axis=1))
        assert figures["cost / best"] == pytest.approx(over_time, rel=1e-3)
        assert figures["by seed"] == pytest.approx(by_seed, rel=1e-3)
        assert figures["ms per 1,000 rows"] > 0
        assert study.ratio(result, who) == pytest.approx(np.exp(logs.mean()), rel=1e-3)
    assert study.ratio(result, "nobody") is None


def test_river_reads_what_the_limit_allows(monkeypatch):
    clock = [0.0]

    def start(first, n_clusters, seed):
        def learn(X):
            clock[0] += 0.01 * len(X)
            return X[:n_clusters]

        return learn

    monkeypatch.setattr(study.time, "perf_counter", lambda: clock[0])
    windows = windows_of(STATIONARY)  # 6 of 200 rows, 12 s
    assert study.rows_within(start, windows, 5, 0, limit=6) == 100
    assert study.rows_within(start, windows, 5, 0, limit=60) == 200
    with pytest.raises(TimeoutError, match="would take longer than"):
        study.rows_within(start, windows, 5, 0, limit=0.1)


@pytest.mark.parametrize("name", RIVER)
def test_rivals_of_river_give_centers(name):
    pytest.importorskip("river")
    windows = windows_of(STATIONARY, windows=2)
    learn = CONTESTANTS[name](windows[0], 5, 0)
    for X in windows:
        centers = learn(X)
        assert 1 <= len(centers) <= 5
        assert centers.shape[1] == made.FEATURES
        assert np.isfinite(centers).all()


def test_checks_are_measured():
    found = checks.measure_checks(100_000, lambda *_: None)
    assert set(found) == set(CHECKS)
    model = OnlineKMeans(k=checks.K, half_life=1000, random_state=0)
    model.partial_fit(next(checks.chunks(10_000)))
    live = np.sum(model.counts_ > 0) / checks.K
    assert found["live / k"]["1,000"] == live
    assert all(0 < t < 3 for t in found["half-lives until found"])
    assert found["memory"]["opened"] > 0
    assert found["memory"]["early"] > 0.5  # MiB: labels and distances of a call


def test_costs_are_compared_with_a_merge_from_scratch():
    X = np.concatenate(windows_of(MOVING))
    model = OnlineKMeans(50, random_state=3)
    for rows in np.split(X, 4):
        before = model.partial_fit(rows).inertia_
    whole = OnlineKMeans(50, random_state=3).fit(X)
    assert lasting.cost_from_scratch(model) == whole.inertia_ != before
    assert model.inertia_ == before  # the stream itself goes on as it was


@pytest.mark.parametrize("n_clusters", lasting.NUMBERS)
def test_changes_are_those_of_both_models(n_clusters):
    X = np.concatenate(windows_of(RETURN, rows=350))
    found = lasting.changes(X, n_clusters, seed=1)
    models = lasting.models_of(n_clusters, 1)
    ids, shares = {}, {name: [] for name in models}
    for start in range(0, len(X), len(X) // 20):
        seen = X[: start + len(X) // 20]
        ours, theirs = (each.partial_fit(seen[start:]) for each in models.values())
        if start > 0:
            moved = ours.online_to_merged_[: len(ids[OURS])] != ids[OURS]
            weights = ours.counts_[: len(moved)]
            shares[OURS].append(weights[moved].sum() / weights.sum())
            moved = theirs.predict(seen[:start]) != ids[MINI_BATCH]
            shares[MINI_BATCH].append(moved.mean())
        ids = {OURS: ours.online_to_merged_, MINI_BATCH: theirs.predict(seen)}
    for name, expected in shares.items():
        assert found[name] == pytest.approx(expected, abs=1e-5)
    assert len(found["cost / from scratch"]) == 19
    assert 0.9 < np.mean(found["cost / from scratch"]) < 1.1


def test_a_group_has_a_main_id_that_can_change():
    class Forgetful:
        """Gives every group its own id in the first batches, and one to all in the last."""

        def partial_fit(self, X):
            self.calls = getattr(self, "calls", 0) + 1
            return self

        def predict(self, X):
            return np.full(len(X), self.calls == 5, dtype=int)

    assert lasting.main_id_changes(Forgetful(), 0, rows=200) == (9, 30)


def test_looks_are_timed(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(lasting.time, "perf_counter", lambda: next(clock) ** 2)
    taken = lasting.milliseconds_of_looks(rows_before=300, looks=3)
    assert taken == [1000, 5000, 9000]


def test_ids_of_dense_datasets_are_measured_in_both_orders(tmp_path, monkeypatch):
    monkeypatch.setattr(lasting, "GROUP_SEEDS", 1)
    monkeypatch.setattr(lasting, "NUMBERS", (20, 30))
    monkeypatch.setattr(lasting, "milliseconds_of_looks", lambda: [1.0])
    X = np.concatenate(windows_of(STATIONARY, rows=400))
    np.savez(tmp_path / "letter.npz", X=X, y=np.zeros(len(X), dtype=int))
    found = lasting.measure_ids(tmp_path, ["letter"], 2100, 1, lambda *_: None)
    cases = [(c["dataset"], c["order"], c["n_clusters"]) for c in found["changes"]]
    assert cases == [("letter", o, n) for n in (20, 30) for o in lasting.ORDERS]
    measured = lasting.changes(X[:2100], 20, seed=0)
    assert found["changes"][0].items() >= {"order": "file order", **measured}.items()
    assert found["new groups"][OURS][1] == found["new groups"][MINI_BATCH][1] == 30
    assert list(found) == list(IDS)


def test_ids_have_targets():
    rows = {row[0]: row[1:] for row in tables.ids_table(IDS).rows}
    shown = {what: [str(cell) for cell in cells] for what, cells in rows.items()}
    median = shown["file order: share whose id changes, median"]
    of_groups = shown["new groups arrive: a group's main id changes, times of 100"]
    assert (median, of_groups) == (["0", "0.100"], ["10.0", "5.0"])
    assert shown["cost / merged from scratch, highest"] == ["1.0300", "None"]
    missed = [what for what, cells in rows.items() if cells[0].verdict == "missed"]
    assert missed == [
        *(f"shuffled, {n} clusters: share whose id changes, mean" for n in (20, 100)),
        *(f"cost / merged from scratch, {which}" for which in ("mean", "highest")),
        "milliseconds of predict after 100 rows, slowest",
    ]
    assert len(tables.ids_table({**IDS, "changes": []}).rows) == 3  # without datasets


def test_targets_are_met_or_missed():
    found = found_of(
        figures_of(MOVING, soon=1.5), figures_of(STATIONARY, soon=4.08), checks=CHECKS
    )
    outcome = {what: cell.verdict for what, cell in report.tables_of(found)["checks"].rows}
    assert [what for what, verdict in outcome.items() if verdict == "missed"] == [
        "stationary: cost with half-life 1 window / without",
        "1,000,000 stationary rows, half_life=10,000: live clusters / k",
        "scale / 10^6: seeds of 10 that find it within 3 half-lives",
        "time with half_life=10,000 / without",
    ]
    assert sum(verdict == "met" for verdict in outcome.values()) == 11
    cells = dict(report.tables_of(found)["checks"].rows)
    assert str(cells["bytes more for each cluster that retired"]) == "512"
    what = "moving groups: MiniBatchKMeans / OnlineKMeans with half-life 1 window"
    assert cells[what].value == pytest.approx(20 / 1.5)


def test_a_figure_of_some_rows_is_marked_and_who_is_left_out_is_told():
    result = figures_of(SUDDEN, soon=1.5)
    river = next(iter(RIVER))
    other = list(RIVER)[1]
    figures = {"cost / best": [123456.0] * 3, "ms per 1,000 rows": 9.0}
    result["contestants"][river] = {**figures, "rows read of a window": 25}
    result["left out"][other] = "is slow"
    table = tables.contest_table("title", [result], None)
    rows = {row[0]: row[1:] for row in table.rows}
    assert [str(cell) for cell in rows[river]] == ["~1e+05", "9.0"]
    assert [str(cell) for cell in rows[SOON]] == ["1.500", "2.0"]
    assert other not in rows
    assert report.notes(found_of(result))[:2] == [
        f"{other} is slow: {SUDDEN}",
        f"{river} read 25% to 25% of the rows of 1 streams.",
    ]


def test_report_holds_every_number_and_can_be_drawn_again(tmp_path):
    found = found_of(*(figures_of(name, soon=1.5) for name in (MOVING, RETURN, "letter")))
    kept, _ = written(tmp_path, "drift", report, found, main)
    assert kept["targets"].startswith("13 of 21 targets are met; missed: 1,000,000 stat")
    assert report.headline(found) == (
        "When groups move, and when they come back, the next window costs 1.5 and 1.5 "
        "times the best with a half-life, 4 and 4 times without, 20 and 20 times with "
        "MiniBatchKMeans, 1.2 and 1.2 times with KMeans on the last window"
    )


def test_tables_fit_the_terminal():
    names = (MOVING, SUDDEN, SCALE, RETURN, STATIONARY, *made.DATASETS)
    results = [figures_of(name, soon=1.5, mini_batch=123456.7) for name in names]
    text = printed(report.print_report, found_of(*results, busy=1.25))
    assert "at most 1.5" in text
    assert "But other processes used 1.2 cores" in text


def test_chart_shows_costs_over_time():
    pytest.importorskip("matplotlib")
    from benchmarks.drift import charts

    result = figures_of(MOVING, soon=1.5)
    result["contestants"][SOON]["cost / best"] = [1.0, 2.0, 4.0]
    results = [result, figures_of(STATIONARY, soon=1.0)]
    for theme in style.THEMES:
        figure = style.drawn(lambda pale: charts.draw(results, pale), theme)
        lines = {line.get_gid(): line for line in figure.axes[0].get_lines()}
        assert list(lines) == list(charts.STYLES)
        np.testing.assert_allclose(lines[SOON].get_xydata(), [[100, 1], [200, 2], [300, 4]])
    assert charts.draw([figures_of("letter", soon=1.0)], None) is None


def test_the_command_runs_on_a_little(tmp_path, capsys):
    small = ["--windows", "3", "--rows", "120", "--seeds", "1", "--limit", "0.02"]
    names = [MOVING, RETURN]
    main([*small, "--largest", "0", "--out", str(tmp_path), "--streams", *names])
    assert "No datasets: only generated streams are run." in capsys.readouterr().out
    found = json.loads((tmp_path / "drift.json").read_text(encoding="utf-8"))
    assert [result["stream"] for result in found["results"]] == names
    for result in found["results"]:
        there = [name for name in CONTESTANTS if name not in result["left out"]]
        assert list(result["contestants"]) == there
        assert [name for name in result["left out"] if name not in RIVER] == []
    assert found["checks"] == found["ids"] == {}


def test_command_line_says_what_is_wrong(capsys):
    wrong = ["--windows", "1"], ["--seeds", "0"], ["--streams", "nothing"]
    message = "unknown streams ['nothing']; there are moving groups"
    assert_refused(main, capsys, message, *wrong)
