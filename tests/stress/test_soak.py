"""A short form of the soak; ``python -m tests.stress.soak`` has the long one."""

import copy
import importlib.util
import json

import inside
import numpy as np
import pytest

from . import SEED
from .soak import __main__ as soak
from .soak import process
from .soak.__main__ import KILLED, check_exit, differences, lost, main, told_until
from .soak.process import (
    Event,
    Job,
    Mark,
    new_model,
    read_and_save,
    read_checkpoint,
    read_whole,
)
from .soak.report import verdicts
from .soak.rows import BLOCK, N_FEATURES, Purpose, Rows, numbers, parts

pytestmark = pytest.mark.slow

SAMPLES = 20_000


@pytest.fixture
def few_checkpoints(monkeypatch):
    monkeypatch.setattr(process, "MOST_CALLS", 1000)


@pytest.fixture
def job(tmp_path):
    return Job(3000, kills=0, seed=SEED, folder=tmp_path)


def whole_in_this_process(job, show):
    """Stand in for a process of its own."""
    marks = []
    read_whole(job, marks.append)
    return marks


def test_killed_processes_come_to_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(soak, "run_whole", whole_in_this_process)
    out = tmp_path / "soak.json"
    arguments = ["--samples", str(SAMPLES), "--kills", "2", "--out", str(out)]
    assert main(arguments) == 0
    report = json.loads(out.read_text())
    assert report["differences"] == report["lost"] == []
    starts = [cycle["resumed_at"] for cycle in report["cycles"]]
    assert starts[0] == 0 < starts[1] < starts[2] <= SAMPLES
    hits = {cycle["hit"] for cycle in report["cycles"][:2]}
    assert hits <= {"saving", "saved", "file"}
    assert report["marks"][-1]["samples"] == SAMPLES
    if importlib.util.find_spec("matplotlib"):
        assert out.with_suffix(".png").exists()
        assert (tmp_path / "soak-dark.png").exists()
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("kills", "attributes that differ", "too short"))


def test_how_the_stream_is_cut_makes_no_difference(job, few_checkpoints):
    events = []
    read_whole(job, lambda mark: None)
    read_and_save(job, 0, events.append)
    assert differences(*soak.ends(job)) == []
    assert events[-1].samples > job.samples // 2
    assert job.checkpoint(0).name == "0.npz"
    assert read_checkpoint(job.checkpoint(0)).n_samples_seen_ == events[-1].samples


def with_other_random_numbers(model, X):
    inside.with_other_numbers(model)
    model.partial_fit(X)


def with_rounded_sums(model, X):
    inside.with_rounded_sums(model)
    model.partial_fit(X)


@pytest.mark.parametrize(
    "resume",
    [
        *(with_other_random_numbers, with_rounded_sums),
        lambda model, X: model.partial_fit(X[:99]).partial_fit(X[100:]),  # a row is lost
        lambda model, X: model.partial_fit(X[:100]).partial_fit(X[99:]),  # or read twice
    ],
)
def test_a_faulty_resume_is_told_apart(resume, job):
    X = Rows(SEED).between(0, 3000)
    model = new_model(job).partial_fit(X[:2000])
    right, wrong = copy.deepcopy(model), copy.deepcopy(model)
    model.partial_fit(X[2000:])
    assert differences(model, right.partial_fit(X[2000:])) == []
    resume(wrong, X[2000:])
    assert differences(model, wrong) != []


@pytest.mark.usefixtures("few_checkpoints")
def test_a_difference_fails_and_the_checkpoints_stay(tmp_path, monkeypatch, capsys):
    def faulty(job, show):
        read_and_save(job._replace(seed=7), 0, lambda event: None)
        return [{"cycle": 0, "resumed_at": 0, "saved_at": 7, "saves": 1}]

    monkeypatch.setattr(soak, "run_whole", whole_in_this_process)
    monkeypatch.setattr(soak, "run_killed", faulty)
    monkeypatch.setattr(soak, "write_chart", lambda folder, name, draw: None)
    monkeypatch.setattr(soak.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    out = tmp_path / "soak.json"
    assert main(["--samples", "2000", "--kills", "0", "--out", str(out)]) > 0
    assert "stream.clusters" in json.loads(out.read_text())["differences"]
    assert "stream.clusters" in capsys.readouterr().out
    assert (tmp_path / "whole.pickle").exists()


def test_a_checkpoint_that_is_not_there_any_more_is_lost():
    cycles = [
        {"cycle": 0, "resumed_at": 0, "saved_at": 10},
        {"cycle": 1, "resumed_at": 10, "saved_at": 20},
        {"cycle": 2, "resumed_at": 19, "saved_at": 30},
        {"cycle": 3, "resumed_at": 35, "saved_at": None},
    ]
    assert lost(cycles) == [1]


class Dead:
    """A process that has failed after its first checkpoint."""

    def told(self):
        yield from [Event("resumed", 0), Event("saving", 5), Event("saved", 5)]

    def exit_code(self):
        return 1


def test_a_process_that_fails_is_a_failure():
    with pytest.raises(RuntimeError, match="undisturbed process ended with exit code 1"):
        check_exit(Dead(), 0)
    with pytest.raises(RuntimeError, match="cycle 3 ended with exit code 1"):
        check_exit(Dead(), KILLED, 3)
    assert len(told_until(5, Dead(), 3, print)) == 3
    with pytest.raises(RuntimeError, match="cycle 3 ended with exit code 1"):
        told_until(6, Dead(), 3, print)


def test_too_short_a_stream_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--samples", "999"])
    assert "expected --samples from 1000 on" in capsys.readouterr().err


def test_rows_depend_on_their_positions_only():
    rows = Rows(3)
    X = rows.between(BLOCK - 5, 2 * BLOCK + 5)
    assert X.shape == (BLOCK + 10, N_FEATURES)
    assert len(np.unique(X, axis=0)) == len(X)
    for start, stop in [(BLOCK + 5, BLOCK + 10), (0, 5), (4, 6)]:
        part = rows.between(BLOCK - 5 + start, BLOCK - 5 + stop)
        np.testing.assert_array_equal(part, X[start:stop])
    np.testing.assert_array_equal(Rows(3).between(BLOCK - 5, 2 * BLOCK + 5), X)
    assert not np.array_equal(Rows(4).between(0, 5), rows.between(0, 5))


def test_parts_of_all_sizes_make_up_the_stream():
    rows = Rows(3)
    cuts = [list(parts(rows, BLOCK, numbers(3, Purpose.RESUMED, i), 7)) for i in range(2)]
    sizes = [[len(part) for part in cut] for cut in cuts]
    assert sizes[0] != sizes[1]
    assert min(sizes[0]) == 1
    assert 1000 < max(sizes[0]) <= BLOCK // 50
    for cut in cuts:
        np.testing.assert_array_equal(np.concatenate(cut), rows.between(7, BLOCK))
        assert len(cut[-1]) == 100


def marks_of(leak=0, slower=0.0, threads=0, n=100):
    """Return marks of a run that has settled early, with what is wrong with it."""
    marks = []
    for i in range(1, n + 1):
        clusters, seconds = 100 if i > 5 else 10 * i, i + slower * i**2
        used = 2**27 + leak * i, 9, 3 + i % 2 + threads * i
        marks.append(Mark(i * 10**6, i, clusters, seconds, seconds, *used))
    return marks


def test_what_is_flat_is_said_to_be():
    report = verdicts(marks_of())
    assert report["settled_at"] == 6_000_000
    assert report["memory"]["is_flat"] is report["time"]["is_flat"] is True
    assert report["memory"]["growth"] == report["memory"]["bytes_per_million"] == 0
    assert report["time"]["ratio"] == pytest.approx(1)
    assert report["time"]["nanoseconds"] == pytest.approx(1000)


def test_what_grows_is_found():
    leaking = verdicts(marks_of(leak=2**18))["memory"]
    assert leaking["is_flat"] is False
    assert leaking["growth"] == 94 * 2**18
    assert leaking["bytes_per_million"] == pytest.approx(2**18)
    assert verdicts(marks_of(threads=1))["memory"]["is_flat"] is False
    slower = verdicts(marks_of(slower=0.01))["time"]
    assert slower["is_flat"] is False
    assert slower["ratio"] > 2
    assert slower["nanoseconds_per_million"] == pytest.approx(20)


def test_of_a_short_run_or_another_system_nothing_is_said():
    assert verdicts(marks_of(n=20))["time"]["is_flat"] is None
    for other in ({"samples": 100_000}, {"resident_bytes": None}):
        marks = [mark._replace(**other) for mark in marks_of()]
        assert verdicts(marks)["memory"]["is_flat"] is None
