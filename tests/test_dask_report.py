"""What the benchmark on Dask makes of its figures, and the model that it fits to them."""

import csv
import json

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks import dask as report
from benchmarks.dask.measure import rows_of_partition, steps
from benchmarks.dask.model import Costs, duration

SETTING = {"n_rows": 1_000_000, "n_features": 20, "partition": 100_000, "k": 50}
SECONDS = {
    "local, 1 thread": 4.0,
    "local, 2 threads": 2.5,
    "Dask, 1 worker": 4.4,
    "Dask, 2 workers": 2.2,
}
ON_DASK = {
    "moved": 8_000_000,
    "n_candidates": 1200,
    "n_openings": 300,
    "n_serial_rows": 100_000,
    "driver_seconds": 0.11,
    "adding_seconds": 0.18,
    "process_seconds": 0.5,
    "driver_memory": 250 * 2**20,
    "driver_memory_before": 200 * 2**20,
    "n_clusters": 48,
    "steps": {"read": 0.5, "propose": 2.7, "label": 0.6, "add-up": 0.48},
}


def results():
    best = {}
    for name, seconds in SECONDS.items():
        best[name] = {"seconds": seconds, "digest": "same"}
        if "Dask" in name:
            best[name] |= ON_DASK
    return [(SETTING, best)]


def test_table_and_headline_say_what_was_measured():
    rows = dict(report.rows_of_table(results()))
    assert rows["2 workers are faster than 1 by"] == "2.00"
    assert rows["1 worker / local, 1 thread"] == "1.10"
    assert rows["2 workers / local, 2 threads"] == "0.88"
    assert rows["data moved between workers"] == "5.0 %"
    assert rows["time in which the driver works"] == "5.0 %"
    assert rows["driver and scheduler compute"] == "0.5 s"
    assert rows["memory of the driver, at most"] == "250 MiB"
    assert rows["workers that help, by the model"] == "21"  # (2.7 + 0.9 + 0.18) / 0.18
    assert "**2.00 times** as fast" in report.headline(results())


def test_the_model_is_limited_by_the_chain_of_sums_on_many_workers():
    cost = Costs.of(SETTING, ON_DASK)
    assert cost.propose == pytest.approx(4e-6)
    assert cost.add == pytest.approx(0.2e-6)
    assert cost.most_workers == pytest.approx(21)
    few, many, more = (max(cost.seconds(10**9, n)) for n in (10, 100, 1000))
    assert few == pytest.approx(420.5)
    assert many == more == pytest.approx(200.5)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(40, "40 s"), (90, "1.5 min"), (7200, "2.0 h"), (1e6, "11.6 days")],
)
def test_durations_have_the_unit_that_suits_them(seconds, text):
    assert duration(seconds) == text


def test_results_are_written_and_drawn_again_from_their_json(tmp_path, capsys):
    report.write_results(tmp_path, results())
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert json.loads(written["dask.json"])[0][1]["Dask, 1 worker"]["seconds"] == 4.4
    (tmp_path / "dask.csv").unlink()
    report.main(["--redraw", "--out", str(tmp_path)])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == written
    with (tmp_path / "dask-model.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert {row[-1] for row in rows} == {"workers", "adding up"}
    assert "2.00" in capsys.readouterr().out


def test_results_that_differ_are_an_error(monkeypatch):
    digests = iter("aaab")
    monkeypatch.setattr(
        report, "measured", lambda setting: {"seconds": 1.0, "digest": next(digests)}
    )
    with pytest.raises(AssertionError, match="not the same"):
        report.study(SETTING, 1, lambda name: None)


def test_steps_are_those_of_our_tasks():
    def task(key, *actions):
        spans = [{"action": a, "start": 1.0, "stop": 3.0} for a in actions]
        return {"key": key, "startstops": spans}

    found = steps(
        [
            task(("online-kmeans-add-up-ab12cd34", 1), "compute", "transfer"),
            task(("online-kmeans-propose-ab12cd34", 2), "compute"),
            task(("online-kmeans-propose-ef56ab78", 3), "compute"),
            task("sum-ab12cd34", "compute"),
        ]
    )
    assert found == {"add-up": 2.0, "propose": 4.0, "sum": 2.0}


def test_partitions_are_blobs_of_the_same_means():
    first, second = (rows_of_partition(index, 500, 3) for index in (0, 1))
    assert first.shape == second.shape == (500, 3)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, rows_of_partition(0, 500, 3))
