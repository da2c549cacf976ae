"""What the benchmark on Dask makes of its figures, and the simulation that they go into."""

import csv
import json

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_drawn_again

from benchmarks import dask as report
from benchmarks.dask.growth import limit, simulated
from benchmarks.dask.measure import rows_of_partition, steps
from benchmarks.dask.simulation import Costs, simulate, useful_workers

pytestmark = pytest.mark.slow

SETTING = {"n_rows": 1_000_000, "n_features": 20, "partition": 100_000, "k": 50}
ON_DASK = {
    **{"moved": 8_000_000, "n_candidates": 1200, "n_openings": 300, "n_clusters": 48},
    **{"n_serial_rows": 100_000, "driver_seconds": 0.11, "process_seconds": 0.5},
    **{"driver_memory": 250 * 2**20, "driver_memory_before": 200 * 2**20},
    "task_costs": {"task": 2e-3, "byte": 1e-9, "latency": 8e-3},
    "steps": {"read": 0.5, "propose": 2.7, "add-up": 0.9},
}
SAME = {"digest": "same"}
RESULTS = [
    (
        SETTING,
        {
            "local, 1 thread": {"seconds": 4.0, **SAME},
            "local, 2 threads": {"seconds": 2.5, **SAME},
            "Dask, 1 worker": {"seconds": 4.4, **SAME, **ON_DASK},
            "Dask, 2 workers": {"seconds": 2.2, **SAME, **ON_DASK},
        },
    )
]


def test_table_and_headline_say_what_was_measured():
    found = simulated(RESULTS, 10, lambda text: None)
    rows = dict(report.rows_of_table(RESULTS, found))
    expected = {
        "2 workers are faster than 1 by": "2.00",
        "1 worker / local, 1 thread": "1.10",
        "2 workers / local, 2 threads": "0.88",
        "data moved between workers": "5.0 %",
        "time in which the driver works": "5.0 %",
        "driver and scheduler compute": "0.5 s",
        "memory of the driver, at most": "250 MiB",
        "workers that help, partitions of 512 MiB": "10",  # as many as asked for
    }
    assert rows.items() >= expected.items()
    assert float(rows["2 workers, simulated / measured"]) == round(found[0]["agreement"], 2)
    assert "**2.00 times** as fast" in report.headline(RESULTS)


def test_costs_are_those_of_a_row():
    cost = Costs.of(SETTING, ON_DASK)
    assert (cost.read, cost.propose, cost.add_up) == pytest.approx((5e-6, 3e-6, 1e-6))


@pytest.mark.parametrize("partition", [2**17, 150_000])
def test_in_the_simulation_workers_share_the_work_until_the_driver_is_busy(partition):
    cost = Costs.of(SETTING, ON_DASK)
    n_rows = 3000 * partition
    work = n_rows * (cost.propose + cost.add_up)
    two, ten, many, more = (simulate(cost, n_rows, n, partition) for n in (2, 10, 400, 800))
    assert two.seconds == pytest.approx(work / 2, rel=0.05)
    assert ten.seconds == pytest.approx(work / 10, rel=0.1)
    assert two.worker_share > 0.95
    # two tasks for each partition, or three if blocks straddle partitions, 2 ms each
    assert many.seconds == pytest.approx(more.seconds, rel=0.25)
    assert many.seconds > 3000 * 2 * cost.task
    assert many.driver_share > 0.8


def test_workers_help_as_long_as_the_driver_has_time():
    cost = Costs.of(SETTING, ON_DASK)
    few, more = (useful_workers(cost._replace(task=s), 2**17) for s in (20e-3, 4e-3))
    # work of a partition / driver's time for it: 0.52 s / 40 ms, and 0.52 s / 8 ms
    assert few in (10, 20)
    assert 3 * few <= more <= 100


@pytest.mark.parametrize(
    ("partitions", "driver", "workers", "expected"),
    [
        (15, 0.1, 0.5, "few partitions"),
        (100, 0.9, 0.9, "driver"),
        (100, 0.5, 0.9, "workers"),
        (100, 0.5, 0.2, "waiting"),
    ],
)
def test_what_limits_is_said(partitions, driver, workers, expected):
    shares = {"driver_share": driver, "worker_share": workers}
    assert limit({"workers": 10, "partitions": partitions, **shares}) == expected


def test_results_are_written_and_drawn_again_from_their_json(tmp_path, capsys):
    report.write_results(tmp_path, RESULTS, simulated(RESULTS, 10, lambda text: None))
    kept = json.loads((tmp_path / "dask.json").read_text(encoding="utf-8"))
    assert kept["measured"][0][1]["Dask, 1 worker"]["seconds"] == 4.4
    assert_drawn_again(tmp_path, report.main)
    with (tmp_path / "dask-simulated.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert [row[2] for row in rows] == ["2", "10"] * 3
    assert "2.00" in capsys.readouterr().out


def test_results_that_differ_are_an_error(monkeypatch):
    results = iter([{"seconds": 1.0, "digest": digest} for digest in "aaab"])
    monkeypatch.setattr(report, "measured", lambda setting: next(results))
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
