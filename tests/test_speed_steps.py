"""The speed benchmark times steps of a fit, single rows, and checkouts side by side."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_drawn_again, assert_refused, printed, written
from reports import assert_tables_are_written as assert_written

import onlinekmeans_sklearn
from benchmarks import scaling, speed, style
from benchmarks.speed import against, contest, report, rows, tables
from benchmarks.speed.shapes import GENERATED, Shape
from benchmarks.speed.steps import STEPS, timed_steps
from onlinekmeans_sklearn import OnlineKMeans

pytestmark = pytest.mark.slow

X = np.random.RandomState(0).normal(size=(600, 3))
TINY = Shape(lambda: X, 20)


def silent(description, share):
    """Tell nobody of the work done."""


# The steps of a fit


def test_every_step_is_timed_and_none_twice():
    alone = OnlineKMeans(k=20, n_jobs=1, random_state=0).fit(X)
    with timed_steps() as steps:
        whole = contest.seconds(alone.fit, X)
        assert set(steps) == set(STEPS)
        assert min(steps.values()) > 0
        assert sum(steps.values()) <= whole
        steps.clear()
    OnlineKMeans(k=20, random_state=0).fit(X)
    assert steps == {}


def test_steps_add_up_to_the_fit_in_units_of_the_floor():
    result = contest.measure("tiny", TINY, 2, 0.01, None, silent)
    headings, [row] = tables.steps_table([result])
    assert headings == ["rows of", *STEPS, "else", "all threads", "gain"]
    values = [cell.value for cell in row[1:-2]]
    assert all(value > 0 for value, _ in zip(values, STEPS))
    together, gain = row[-2:]
    whole = tables.ratio(result, tables.FIT_TO_LOOK_UP).value
    assert together.value == pytest.approx(whole)
    assert gain.value == pytest.approx(sum(values) / whole)


def test_targets_are_those_of_the_shape_or_of_all_others():
    result = contest.measure("A", TINY, 1, 0.01, None, silent)
    assert tables.ratio(result, tables.FIT_TO_LOOK_UP).target == 0.4
    headings = {tables.FIT_TO_LOOK_UP: 1, "KMeans predict": 1.5, "MiniBatch pass": None}
    for heading, target in headings.items():
        assert tables.ratio({**result, "shape": "letter"}, heading).target == target


# One row at a time


def test_rows_are_what_their_names_say():
    made = {name: kind.make(50) for name, kind in rows.KINDS.items()}
    dense, *texts, binary = made.values()
    assert not issparse(dense)
    assert dense.shape == (50, 16)
    assert [text.shape[1] for text in texts] == [59_000, 15_000]
    for text in texts:
        words = np.diff(text.indptr)
        assert 60 <= words.min() <= words.max() <= 100
        np.testing.assert_allclose(text.multiply(text).sum(axis=1), 1)
    assert binary.shape == (50, 300)
    assert set(binary.data) == {1}


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_single_rows_of_every_contestant_are_timed(storage, monkeypatch):
    kind = rows.Kind(lambda n: storage(X[:n]), {rows.LEARN: 20, rows.PREDICT: 4})
    monkeypatch.setitem(rows.KINDS, "tiny", kind)
    result = rows.measure_rows("tiny", kind, n=590, repeats=6)
    with_river = storage is np.asarray and importlib.util.find_spec("river")
    peers = [rows.MBK, rows.RIVER] if with_river else [rows.MBK]
    assert list(result["seconds"]) == [rows.OURS, *peers]
    headings, [cells] = tables.rows_table([result])
    assert len(headings) == len(cells)
    assert [cell is None for cell in cells[2:]] == 2 * [False, False, not with_river]
    assert [cell.target for cell in cells[3::3]] == [20, 4]
    ours = result["seconds"][rows.OURS][rows.LEARN]
    assert cells[2].value == pytest.approx(1e6 * ours)
    assert cells[3].value == result["seconds"][rows.MBK][rows.LEARN] / ours
    assert all(t > 0 for times in result["seconds"].values() for t in times.values())


# Side by side


@pytest.fixture
def checkout(tmp_path):
    """Make another checkout of the package."""
    folder = tmp_path / "other"
    own = Path(onlinekmeans_sklearn.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(own, folder / own.name, ignore=ignored)
    return folder


def test_other_checkouts_are_measured_side_by_side(checkout, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(GENERATED, "tiny", TINY)
    options = ["--shapes", "tiny", "--rounds", "2", "--out", str(tmp_path / "report")]
    speed.main([*options, "--against", str(checkout), "fallback"])
    assert "Ours / other" in capsys.readouterr().out
    text = (tmp_path / "report" / "against.json").read_text(encoding="utf-8")
    results = json.loads(text)["results"]
    times = results[0]["seconds"]
    assert list(times) == ["ours", "other", "fallback"]
    assert results[0]["same labels"] == dict.fromkeys(times, True)
    for taken in times.values():
        assert list(taken) == list(against.CALLS)
        assert 0 < min(taken.values()) <= max(taken.values()) < np.inf
    _, [cells] = tables.against_table(results, "other")
    assert [cell.target for cell in cells[1:-1]] == [1.05] * 4
    assert cells[1].value == times["ours"]["fit"] / times["other"]["fit"]
    _, [cells] = tables.against_table(results, "fallback")
    assert [cell.target for cell in cells[1:-1]] == [None] * 4
    assert (tmp_path / "report" / "against-other.csv").exists()
    busy = {"machine": "invented", "load before": 5.0, "results": results}
    assert "The machine was busy before (load 5.0)" in printed(report.print_against, busy)
    for load in (0.1, None):
        assert report.conditions({**busy, "load before": load}) == ["invented"]
    speed.main([*options, "--against", "fallback", "--redraw"])
    assert "Our fit takes" in capsys.readouterr().out


def test_it_is_the_other_package_that_works_and_its_end_is_noticed(checkout, capfd):
    with (checkout / "onlinekmeans_sklearn" / "__init__.py").open("a") as file:
        file.write("\nOnlineKMeans.n_clusters_ = 7\n")
    path = against.save_rows(csr_matrix(X), checkout)
    with against.Worker(checkout) as worker:
        assert worker.prepare(path, 20, None)["clusters"] == 7
        with pytest.raises(RuntimeError, match="a worker ended with 1"):
            worker.prepare(checkout / "none.npy", 20, None)
    assert "FileNotFoundError" in capfd.readouterr().err


def test_folders_that_cannot_be_measured_are_errors(capsys):
    twice = ["--against", "fallback", "fallback"]
    assert_refused(speed.main, capsys, "cannot be told apart", twice)
    assert_refused(speed.main, capsys, "doc has no package", ["--against", "doc"])


# The reports


def test_speed_is_reported_in_words_and_can_be_drawn_again(tmp_path, monkeypatch):
    results = [contest.measure(name, TINY, 1, 0.01, None, silent) for name in ("A", "skin")]
    kind = rows.Kind(lambda n: X[:n], {rows.LEARN: 20, rows.PREDICT: 4})
    monkeypatch.setitem(rows.KINDS, "tiny", kind)
    found = {
        "machine": "2 cores, invented",
        "load before": None,
        "results": results,
        "one row at a time": [rows.measure_rows("tiny", kind, n=590, repeats=6)],
        "eight times the rows": {"n": 9, "d": 2, "k": 3, "once": 1.0, "eight times": 9.0},
    }
    kept, page = written(tmp_path, "speed", report, found, speed.main)
    assert "eight times the rows, growth 9 (8.3)" in kept["targets"]
    times = [tables.ratio(result, "MiniBatch pass").value for result in results]
    assert f"{np.median(times):.1f} times faster than one pass" in report.headline(found)
    words = re.sub(r"base64,[\w+/=]+", "", page)  # of pictures any letters are drawn
    for unwanted in ("floor", "MBK", "contestant", "targets are met", ">A<"):
        assert unwanted not in words
    assert "blobs*, d=10" in page


def test_scaling_is_reported_and_can_be_drawn_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(style, "DPI", 20)
    small = {"n": ([200, 400], {"d": 2, "k": 20}), "k": ([20, 30], {"n": 300, "d": 2})}
    small["d"] = [2, 3], {"n": 300, "k": 20}
    monkeypatch.setattr(scaling, "STUDIES", small)
    scaling.main(["--rounds", "1", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "scaling.json").read_text(encoding="utf-8"))
    assert [row["n"] for row in found["studies"]["n"]] == [200, 400]
    assert scaling.headline(found).startswith("400 rows take")
    assert_written(tmp_path, "scaling", scaling.tables_of(found))
    assert_drawn_again(tmp_path, scaling.main)
    assert "The report is in" in capsys.readouterr().out
