"""The quality benchmark measures what it says, on rows small enough to check."""

import io
import json
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from rich.console import Console

from benchmarks.quality import accuracy, report, study
from benchmarks.report import Cell

ROWS = np.random.RandomState(0).normal(size=(400, 3)) + np.arange(400)[:, None] // 40


def silent(description, share):
    """Tell nobody of the work done."""


def measured(make=lambda: ROWS, name="rows"):
    source = study.Source(make, "as it is", n_clusters=4, target=1.03)
    return study.measure(name, source, seeds=2, rounds=2, limit=60, advance=silent)


@pytest.mark.parametrize("as_rows", [np.asarray, np.float32, csr_matrix])
def test_cost_is_the_score_of_every_contestant(as_rows):
    X = as_rows(ROWS)
    ours = OnlineKMeans(n_clusters=4, random_state=0).fit(X)
    theirs = KMeans(4, n_init=1, random_state=0).fit(X)
    assert study.cost(X, ours.cluster_centers_) == pytest.approx(-ours.score(X), rel=1e-5)
    assert study.cost(X, theirs.cluster_centers_) == pytest.approx(
        theirs.inertia_, rel=1e-5
    )


def test_every_contestant_has_a_ratio_per_seed_on_dense_rows():
    result = measured()
    assert set(result["ratios"]) == {study.REFERENCE, *report.COLUMNS.values()}
    assert result["ratios"][study.REFERENCE] == [1.0, 1.0]
    assert {len(ratios) for ratios in result["ratios"].values()} == {2}
    assert {len(times) for times in result["seconds"].values()} == {2}
    assert not result["left out"]


def test_a_peer_that_raises_is_a_dash_with_a_reason():
    result = measured(partial(csr_matrix, ROWS))
    assert result["left out"] == {study.BIRCH: "takes part with dense rows only"}
    _, rows = report.cost_table([result])
    assert [cell is None for cell in rows[0]] == [False, False, False, False, True]


def test_birch_is_left_out_where_it_would_take_too_long_or_too_much(monkeypatch):
    with pytest.raises(TimeoutError, match="longer than 0 s"):
        study.birch_centers(ROWS, 4, limit=0)
    monkeypatch.setattr(study, "MOST_DISTANCES", 10)
    with pytest.raises(MemoryError, match="subclusters in 200 rows"):
        study.birch_centers(ROWS, 4, limit=60)


def test_the_merge_is_not_timed_against_another_pass(monkeypatch):
    monkeypatch.setattr(study, "AUTO_K", (20, 1))
    with pytest.raises(RuntimeError, match="AUTO_K is out of date"):
        study.merge_times(ROWS, 4, rounds=1)


def test_blobs_come_one_after_the_other():
    X = study.sorted_blobs()
    assert X.shape == (200_000, 10)
    assert np.ptp(X[:4000], axis=0).max() < 12  # of a blob, not of all


def test_average_is_over_the_datasets_only():
    results = [measured(name=name) for name in ("letter", "skin", study.BLOBS)]
    results[0]["ratios"][study.OURS] = [1.0, 1.2]
    results[1]["ratios"][study.OURS] = [1.2, 1.4]
    _, rows = report.cost_table(results)
    assert [row[0] for row in rows] == ["letter", "skin", "average", study.BLOBS]
    average = rows[2][1]
    assert average.target is None  # that is for all datasets
    assert (average.value, average.deviation) == pytest.approx((1.2, 0.1))


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


def test_report_fits_the_terminal_and_holds_every_number(tmp_path):
    results = [measured(name=name) for name in ("letter", study.BLOBS)]
    y = (ROWS[:, 0] > 5).astype(int)
    accuracies = accuracy.accuracies(ROWS, y, 2, silent)
    console = Console(width=80, record=True, file=io.StringIO())
    report.print_report(console, results, accuracies)
    assert "…" not in console.export_text()
    report.write_report(tmp_path, results, accuracies, {"seeds": 2})
    written = json.loads((tmp_path / "quality.json").read_text(encoding="utf-8"))
    assert written["results"] == results
    assert written["skin accuracy"] == accuracies
    assert "<h2>Cost against KMeans</h2>" in (tmp_path / "index.html").read_text("utf-8")
    for name in ("cost", "time", "accuracy"):
        assert (tmp_path / f"quality-{name}.csv").exists()
