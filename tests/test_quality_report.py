"""The quality benchmark tells what was measured: tables, targets, charts and files."""

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_refused, printed, written

from benchmarks import style
from benchmarks.quality import main, others, report, tables
from benchmarks.quality.contestants import (
    CONTESTANTS,
    CURVE,
    FAISS,
    MBK_FIT,
    MBK_PASS,
    OURS,
    REFERENCE,
    with_k,
)
from benchmarks.quality.study import BLOBS, COST, STUDIED, TIME
from benchmarks.report import Ratio, verdict

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
