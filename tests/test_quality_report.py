"""The quality benchmark tells what was measured: tables, targets, charts and files."""

import io
import json

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from rich.console import Console

from benchmarks import style
from benchmarks.quality import accuracy, main, others, report, study, tables
from benchmarks.quality.contestants import (
    BIRCH,
    CONTESTANTS,
    FAISS,
    MBK_FIT,
    MBK_PASS,
    OURS,
    REFERENCE,
)
from benchmarks.quality.study import BLOBS, COST, STUDIED, TIME
from benchmarks.report import Cell

pytestmark = pytest.mark.slow

MERGES = {
    "growth": {
        "few": 200,
        "many": 2000,
        "seconds of few": [0.1, 0.2, 0.1],
        "seconds of many": [1.0, 1.2, 9.0],
        "ratio": 12.0,
    },
    "evenness": [{"dataset": "letter", "seconds": [0.1, 0.1, 0.3], "ratio": 3.0}],
}


def line_of(n_clusters, cost=1.01, time=0.4, others=1.5):
    """Return invented figures of three seeds: those of ours, and of all others."""
    costs = {name: [others] * 3 for name in CONTESTANTS}
    times = {name: [others] * 3 for name in CONTESTANTS}
    costs |= {REFERENCE: [1.0] * 3, OURS: [cost - 0.01, cost, cost + 0.01]}
    times |= {REFERENCE: [1.0] * 3, OURS: [time / 2, time, 100 * time]}
    line = {"n_clusters": n_clusters, "seconds": times, "costs": costs, "left out": {}}
    return {**line, TIME: times, COST: costs}


def result_of(name, *lines):
    about = {"n": 20_000, "d": 16, "sparse": False, "scaling": "StandardScaler"}
    return {"dataset": name, **about, "lines": list(lines)}


def found_of(results, merges=(), accuracies=(), busy=None):
    """Return what the JSON holds."""
    return {
        "machine": "2 cores, invented",
        "cores used by others": busy,
        "options": {"seeds": 2},
        "results": results,
        "merge": dict(merges),
        "skin accuracy": list(accuracies),
    }


def printed(*found):
    console = Console(width=80, record=True, file=io.StringIO())
    report.print_report(console, found_of(*found))
    return console.export_text()


def test_cells_are_the_mean_of_costs_and_the_median_of_times():
    table = tables.contest_table([result_of("letter", line_of(10))], 10)
    (row,) = table.rows
    assert row[0] == "letter"
    assert row[1].value == pytest.approx(1.01)
    assert row[2].value == pytest.approx(0.4)
    assert [str(cell) for cell in row[1:4]] == ["1.010", "0.40", "1.500"]
    assert len(row) == len(table.headings) == len(table.short) == 11
    assert table.headings[:3] == ["dataset", "OnlineKMeans: cost", "OnlineKMeans: time"]
    assert all(cell.target is None for cell in row[3:])


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1.03, 3, "1.030"),
        (0.043, 2, "0.04"),
        (0.0043, 2, "0.004"),
        (0.996, 2, "1.00"),
        (12.34, 2, "12.3"),
        (99.97, 2, "100"),
        (1234.5, 2, "1,234"),
    ],
)
def test_a_ratio_is_short(value, decimals, text):
    assert str(tables.Ratio(value, decimals=decimals)) == text


@pytest.mark.parametrize(
    ("n_clusters", "time_target"), [(10, 1.0), (50, 1.0), (200, 0.5), (1000, 0.5)]
)
def test_targets_are_met_or_missed(n_clusters, time_target):
    def outcomes(cost, time):
        result = result_of("letter", line_of(n_clusters, cost, time))
        cells = tables.contest_table([result], n_clusters).rows[0][1:3]
        return [cell.verdict for cell in cells]

    assert outcomes(1.03, time_target) == ["met", "met"]
    assert outcomes(1.031, time_target + 0.001) == ["missed", "missed"]


@pytest.mark.parametrize(
    ("value", "less_is_better", "verdict"),
    [
        (1.0, True, "met"),
        (1.0, False, "met"),
        (1.1, True, "missed"),
        (0.9, False, "missed"),
    ],
)
def test_a_target_is_met_when_it_is_reached(value, less_is_better, verdict):
    assert Cell(value, target=1.0, less_is_better=less_is_better).verdict == verdict


def test_average_is_over_the_datasets_only_and_has_a_target_if_all_are_there():
    costs = {"letter": 1.0, "skin": 1.02, BLOBS: 9.0}
    results = [result_of(name, line_of(10, cost)) for name, cost in costs.items()]
    rows = tables.contest_table(results, 10).rows
    assert [row[0] for row in rows] == ["letter", "skin", "average", BLOBS]
    average = rows[2]
    assert average[1].value == pytest.approx(1.01)
    assert average[1].target is average[2].target is None
    results = [result_of(name, line_of(10, 1.01)) for name in STUDIED]
    average = tables.contest_table(results, 10).rows[-1]
    assert (average[1].target, average[1].verdict) == (1.0, "missed")
    del results[0]["lines"][0][COST][BIRCH], results[0]["lines"][0][TIME][BIRCH]
    average = tables.contest_table(results, 10).rows[-1]
    assert average[-2:] == [None, None]  # not of fewer datasets than that of the others


def test_without_the_reference_there_are_dashes():
    line = {**line_of(1000), TIME: {}, COST: {}, "left out": {REFERENCE: "is slow"}}
    del line["seconds"][REFERENCE]
    results = [result_of("letter", line_of(10), line)]
    assert tables.contest_table(results, 1000).rows == [["letter", *[None] * 10]]
    assert tables.datasets_table(results).rows[0][-1] is None
    assert tables.left_out(results) == ["letter, 1,000 clusters: KMeans is slow"]
    (text,) = tables.deviation(results)
    assert "at most 0.008: that of letter, 10 clusters" in text
    assert tables.deviation([result_of("letter", line)]) == []


def test_a_reason_is_told_once_with_the_numbers_of_clusters():
    lines = [line_of(n_clusters) for n_clusters in (10, 50, 200)]
    for line in lines[1:]:
        line["left out"] = {BIRCH: "is slow"}
    found = tables.left_out([result_of("letter", *lines)])
    assert found == ["letter, 50 / 200 clusters: Birch is slow"]


def test_verdict_counts_the_targets_and_names_the_missed():
    results = [result_of("letter", line_of(10), line_of(200, cost=1.04, time=0.51))]
    every = tables.tables(results, MERGES, [])
    assert tables.verdict(every) == (
        "3 of 6 targets are met; missed: letter, 200 clusters, OnlineKMeans: cost 1.040 "
        "(1.03); letter, 200 clusters, OnlineKMeans: time 0.51 (0.5); letter: slowest, "
        "median, ratio 3.00 (2)."
    )
    every = tables.tables([result_of("letter", line_of(10))], {}, [])
    assert tables.verdict(every) == "2 of 2 targets are met."


def test_merge_table_tells_both_times_and_their_ratio():
    growth, letter = tables.merge_table(MERGES).rows
    assert growth[0] == "growth: 2,000 clusters, 200"
    assert [str(cell) for cell in growth[1:]] == ["1.2", "0.1", "12.0"]
    assert [str(cell) for cell in letter] == [
        "letter: slowest, median",
        "0.3",
        "0.1",
        "3.00",
    ]


def test_tables_fit_the_terminal():
    numbers = (10, 50, 200, 1000)
    lines = [line_of(number, 12.345, 123.4, 1234.5) for number in numbers]
    tiny = [line_of(number, 1.0, 0.0123, 0.0456) for number in numbers]
    results = [result_of("magic04", *lines), result_of("shuttle", *tiny)]
    text = printed(results, MERGES, [])
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "magic04  12.3  123 1,234 1,234" in text
    assert "shuttle 1.000 0.01 0.046  0.05" in text


def test_report_holds_every_number(tmp_path):
    lines = line_of(10), line_of(1000)
    results = [result_of(name, *lines) for name in ("letter", BLOBS)]
    X = np.random.RandomState(0).normal(size=(400, 3))
    accuracies = accuracy.accuracies(X, (X[:, 0] > 0).astype(int), 2, lambda *_: None)
    found = found_of(results, MERGES, accuracies)
    report.write_report(tmp_path, found)
    written = json.loads((tmp_path / "quality.json").read_text(encoding="utf-8"))
    assert written["results"] == results
    assert written["merge"] == MERGES
    assert written["skin accuracy"] == accuracies
    assert written["options"] == {"seeds": 2}
    page = (tmp_path / "index.html").read_text("utf-8")
    every = tables.tables(results, MERGES, accuracies)
    assert written["targets"] == tables.verdict(every)
    assert "targets are met" not in page
    assert list(every) == ["summary", "10", "1000", "datasets", "merge", "accuracy"]
    for name, table in every.items():
        assert f">{table.title}</" in page
        first, *others = (tmp_path / f"quality-{name}.csv").read_text("utf-8").splitlines()
        assert first.startswith(table.headings[0])
        assert "(" not in "".join([first, *others])
        assert len(others) == len(table.rows)
    assert "1.010,0.40,1.500" in (tmp_path / "quality-10.csv").read_text("utf-8")


def test_charts_show_the_figures_of_the_tables(tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.quality import charts

    lines = line_of(10, 0.98, 0.5), line_of(1000, 1.02, 0.1)
    for line in lines:
        line[COST] |= dict.fromkeys((MBK_PASS, MBK_FIT, FAISS, BIRCH), [1.1] * 3)
    lines[1][COST][MBK_PASS] = [4.0] * 3
    results = [result_of("letter", *lines), result_of(BLOBS, *lines)]
    for theme in style.THEMES:
        for axes in (
            charts.draw(results[0], theme).axes[0],
            *charts.draw_all(results).axes,
        ):
            drawn = {line.get_gid(): line.get_xydata() for line in axes.get_lines()}
            assert drawn[OURS] == pytest.approx(np.array([[0.5, 0.98], [0.1, 1.02]]))
            assert drawn[BIRCH] == pytest.approx(np.array([[1.5, 1.1], [1.5, 1.1]]))
            assert drawn[MBK_PASS] == pytest.approx(np.array([[1.5, 1.1], [1.5, 4.0]]))
            low, high = axes.get_ylim()
            assert low <= charts.LOWEST < 4 < high
            few, many = axes.collections[-1].get_sizes()
            assert few < many  # marks grow with the number of clusters
            assert not axes.texts
    names = charts.write_charts(tmp_path, results)
    assert names == {"letter": "chart-letter", BLOBS: "chart-blobs"}
    files = {path.name for path in tmp_path.iterdir()}
    stems = ("chart-letter", "chart-blobs", "quality")
    assert files == {f"{stem}{theme}.png" for stem in stems for theme in ("", "-dark")}


def test_summary_averages_over_who_takes_part():
    results = [
        result_of(name, line_of(10, cost)) for name, cost in (("a", 1.0), ("b", 1.2))
    ]
    results.append(result_of(BLOBS, line_of(10, 9.0)))
    del results[0]["lines"][0][COST][BIRCH], results[0]["lines"][0][TIME][BIRCH]
    results[1]["lines"][0][COST][BIRCH] = [2.0] * 3
    table = tables.summary_table(results)
    assert table.headings == ["", "cost, 10", "time, 10", "highest cost"]
    rows = {row[0]: [cell.value for cell in row[1:]] for row in table.rows}
    assert rows["OnlineKMeans, one pass"] == pytest.approx([1.1, 0.4, 1.2])
    assert rows[BIRCH] == pytest.approx([2.0, 1.5, 2.0])
    assert REFERENCE not in rows


def test_headline_is_computed():
    results = [
        result_of(name, line_of(10, cost)) for name, cost in (("a", 1.0), ("b", 1.2))
    ]
    assert report.headline(found_of(results)) == (
        "One pass: 1.10 times the cost of KMeans in 0.40 times its time, for 10 clusters "
        "of 2 datasets"
    )
    assert f"{MBK_PASS}: 1.50 times the cost in 1.50 times the time." in report.findings(
        found_of(results)
    )
    blobs = [result_of(BLOBS, line_of(10), line_of(50))]
    assert report.headline(found_of(blobs)).endswith("for 10 to 50 clusters of blobs")
    nobody = {**line_of(10), TIME: {}, COST: {}}
    assert report.headline(found_of([result_of("a", nobody)])) == report.TITLE


def test_a_report_can_be_drawn_again_from_its_json(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(style, "DPI", 20)
    results = [result_of("letter", line_of(10), line_of(1000))]
    report.write_report(tmp_path, found_of(results, MERGES))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        if path.suffix != ".json":
            path.unlink()
    monkeypatch.setattr(study, "measure", None)  # nothing is measured
    main(["--redraw", "--out", str(tmp_path)])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert before["index.txt"].decode() == f"{report.headline(found_of(results))}.\n"
    assert "2 cores, invented" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--redraw", "--out", str(tmp_path / "nothing")])
    assert "--redraw needs the JSON of an earlier run" in capsys.readouterr().err


def test_a_busy_machine_is_told(tmp_path):
    results = [result_of("letter", line_of(10))]
    text = " ".join(printed(results, {}, [], 1.25).split())
    assert "in 1.50 times the time. But other processes used 1.2 cores" in text
    assert "other processes" not in printed(results, {}, [], 0.1)
    assert "other processes" not in printed(results, {}, [], None)
    report.write_report(tmp_path, found_of(results, busy=1.25))
    assert "other processes" in (tmp_path / "index.html").read_text("utf-8")
    written = json.loads((tmp_path / "quality.json").read_text(encoding="utf-8"))
    assert written["cores used by others"] == 1.25


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
    for wrong in (["--datasets", "nothing"], ["--n-clusters", "0"], ["--seeds", "0"]):
        with pytest.raises(SystemExit):
            main(wrong)
    assert "unknown datasets ['nothing']; there are" in capsys.readouterr().err
