"""Jobs are run once, remembered, and never stop the others; the commands say so."""

import io
import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_refused
from rich.console import Console

from benchmarks import demo, paper
from benchmarks.__main__ import main
from benchmarks.paper import jobs, sources, study, theory
from benchmarks.paper.jobs import Cache, Job
from benchmarks.paper.sources import Source

pytestmark = pytest.mark.slow

X = np.random.RandomState(0).normal(size=(400, 3))
Y = (X[:, 0] > 0).astype(int)


def rows():
    return X, Y


def other_rows():
    return X + 1, Y


def no_rows():
    raise OSError("the file is\nnot there")


class Silent:
    """Takes note of what a progress bar is told."""

    def __init__(self):
        self.told = []

    def loading(self, dataset):
        self.told.append(dataset)

    def start(self, jobs, count):
        self.told.append((len(jobs), count))

    def finished(self, job):
        self.told.append(job.setting)


@pytest.fixture
def counted(monkeypatch):
    """Make an experiment that counts how often it ran."""
    calls = []

    def count(X, y, power):
        calls.append(power)
        if power == 13:
            raise MemoryError
        if power == 14:
            raise KeyboardInterrupt
        return {"sum": float((X**power).sum())}

    monkeypatch.setitem(jobs.EXPERIMENTS, "count", count)
    monkeypatch.setitem(jobs.TITLES, "count", "counting")
    monkeypatch.setitem(jobs.COMPUTING, "count", ())
    jobs.loaded.cache_clear()
    return calls


def powers(*each):
    return lambda name, n: [Job(name, "count", {"power": power}) for power in each]


def run(folder, jobs_of, load=rows, progress=None, **more):
    every = {"rows": Source(load, "task"), **more}
    return jobs.run(every, jobs_of, Cache(folder), 1, progress or Silent())


def test_a_run_that_was_interrupted_resumes_where_it_stopped(tmp_path, counted):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, powers(1, 2, 14, 3))
    assert counted == [1, 2, 14]
    counted.clear()
    progress = Silent()
    records = run(tmp_path, powers(1, 2, 3), progress=progress)
    assert counted == [3]
    assert progress.told == ["rows", (1, 3), {"power": 3}]
    assert [r["result"]["sum"] for r in records[1:]] == [(X**p).sum() for p in (1, 2, 3)]
    assert records[0]["result"] == {"n": 400, "d": 3, "nnz": 1200}


def test_what_failed_is_reported_and_tried_again(tmp_path, counted):
    for _ in range(2):
        records = run(tmp_path, powers(1, 13))
        assert records[1]["result"]["sum"] == X.sum()
        assert records[2]["error"] == "MemoryError"
        assert "result" not in records[2]
    assert counted == [1, 13, 13]


def test_a_dataset_that_cannot_be_had_does_not_stop_the_others(tmp_path, counted):
    every = {"none": Source(no_rows, "task"), "more": Source(other_rows, "task")}
    records = run(tmp_path, powers(1), **every)
    assert [r["dataset"] for r in records] == ["rows", "rows", "none", "more", "more"]
    shape = {"dataset": "none", "experiment": "shape", "setting": {}}
    assert records[2] == {**shape, "error": "OSError: the file is not there"}


def test_other_rows_code_or_setting_is_another_result(tmp_path, counted, monkeypatch):
    run(tmp_path, powers(1))
    run(tmp_path, powers(1), load=other_rows)
    run(tmp_path, powers(2))
    assert counted == [1, 1, 2]
    monkeypatch.setattr(jobs, "code_digest", lambda experiment: "another")
    run(tmp_path, powers(1))
    assert counted == [1, 1, 2, 1]


@pytest.mark.parametrize("damage", ["", '{"setting": {"pow', '{"setting": {"power": 9}}'])
def test_a_damaged_result_is_computed_again(tmp_path, counted, damage):
    before = run(tmp_path, powers(2))
    (path,) = tmp_path.glob("rows/*")
    path.write_text(damage, encoding="utf-8")
    assert run(tmp_path, powers(2)) == before
    assert counted == [2, 2]
    assert json.loads(path.read_text(encoding="utf-8")) == before[1]


@pytest.mark.parametrize("name", ["a.py", "sub/b.py", "sub/deep/c.pyx", "sub/deep/d.h"])
def test_digest_tells_code_apart_at_every_depth(tmp_path, name):
    for path in ("a.py", "sub/b.py", "sub/deep/c.pyx", "sub/deep/d.h"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path, encoding="utf-8")
    before = jobs.source_digest(tmp_path)
    (tmp_path / "sub" / "c.c").write_text("made from c.pyx", encoding="utf-8")
    assert jobs.source_digest(tmp_path) == before
    (tmp_path / name).write_text("changed", encoding="utf-8")
    changed = jobs.source_digest(tmp_path)
    (tmp_path / name).rename(tmp_path / "moved.py")
    assert len({before, changed, jobs.source_digest(tmp_path)}) == 3


def test_digest_of_the_code_has_the_package_in_it(monkeypatch):
    before = jobs.code_digest("costs")
    assert before != jobs.code_digest("theory")
    jobs.code_digest.cache_clear()
    monkeypatch.setattr(jobs, "source_digest", lambda folder: f"another {folder.name}")
    assert jobs.code_digest("costs") != before
    jobs.code_digest.cache_clear()


def test_digest_tells_rows_apart():
    same = {jobs.rows_digest(X, Y), jobs.rows_digest(X.copy(), Y.copy())}
    assert len(same) == 1
    others = [(X.astype(np.float32), Y), (X.reshape(-1, 2), Y[:600]), (X, 1 - Y)]
    others += [(csr_matrix(X), Y), (csr_matrix(2 * X), Y)]
    assert len(same | {jobs.rows_digest(*each) for each in others}) == 6


def test_processes_give_the_records_of_one(tmp_path):
    plan = study.Plan([20, 40], [20], 20, runs=1, experiments=("costs", "online"))
    every = {"rows": Source(rows, "task")}
    caches, again = [Cache(tmp_path / name) for name in "12"], Silent()
    one = jobs.run(every, plan.jobs, caches[0], 1, Silent())
    assert all("result" in record for record in one)
    assert jobs.run(every, plan.jobs, caches[1], 2, Silent()) == one
    assert jobs.run(every, plan.jobs, caches[1], 2, again) == one
    assert again.told == ["rows", (0, len(one) - 1)]


def test_plan_leaves_out_what_the_rows_are_too_few_for():
    plan = study.Plan([20, 100, 1000], [30, 100, 3000], 50, runs=2)
    by_experiment = {}
    for job in plan.jobs("rows", 400):
        assert job.dataset == "rows"
        by_experiment.setdefault(job.experiment, []).append(job.setting)
    accuracy = [{"split": split, "k_targets": [30, 100]} for split in (0, 1)]
    assert by_experiment["accuracy"] == accuracy
    assert by_experiment["online"] == [{"run": run, "k_target": 50} for run in (0, 1)]
    costs = by_experiment["costs"]
    assert {setting["k_target"] for setting in costs} == {20, 100}
    assert all(s["baselines"] == (s["variant"] == "text") for s in costs)
    assert [s["order"] for s in costs] == ["file"] * 2 * 2 * 2 + ["shuffled"] * 2
    assert {s["k_target"] for s in costs if s["order"] == "shuffled"} == {100}
    shares = {setting["share"] for setting in by_experiment["theory"]}
    assert shares == {share for share in theory.SHARES if share >= 0.25}


def test_interrupt_says_how_to_go_on(tmp_path, counted, monkeypatch):
    console = Console(file=io.StringIO())
    monkeypatch.setattr(study.Plan, "jobs", lambda plan, name, n: powers(14)(name, n))
    source, plan = {"rows": Source(rows, "")}, study.Plan([], [], 1, 1)
    with pytest.raises(SystemExit) as stopped:
        study.records_of(console, source, plan, tmp_path, 1)
    assert stopped.value.code == 130
    assert "The same command resumes from here" in console.file.getvalue()


def test_bundled_data_have_two_classes_and_need_no_network():
    for name, source in sources.bundled_sources().items():
        rows, y = source.load()
        assert set(np.unique(y)) == {0, 1}, name
        assert rows.dtype == np.float64
        assert len(rows) == len(y)


def test_the_main_command_writes_a_report(tmp_path, monkeypatch, capsys):
    small = {"iris": sources.bundled_sources()["iris"], "none": Source(no_rows, "task")}
    monkeypatch.setattr(demo, "bundled_sources", lambda: small)
    main(["--runs", "1", "--n-jobs", "1", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "iris" in printed
    assert "index.html" in printed
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "the file is not there" in page
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    experiments = {record["experiment"] for record in written["records"]}
    assert experiments == {"shape", "accuracy", "online", "costs", "theory"}


def test_the_paper_command_reports_what_is_missing_and_goes_on(tmp_path, capsys):
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "letter.npz", X=X, y=Y)
    (folder / "skin.npz").write_bytes(b"not an archive")
    arguments = ["--datasets", "letter", "skin", "nomao", "--offline", "--runs", "1"]
    arguments += ["--k-targets", "20", "--experiments", "costs", "--n-jobs", "1"]
    main(["paper", "--data", str(folder), "--out", str(tmp_path), *arguments])
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    shapes = {r["dataset"]: r for r in written["records"] if r["experiment"] == "shape"}
    assert shapes["letter"]["result"]["n"] == 400
    assert "skin.npz cannot be used" in shapes["skin"]["error"]
    assert shapes["nomao"]["error"].startswith("The dataset nomao is not in")
    assert "nomao" in capsys.readouterr().out
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    for path in tmp_path.glob("*.[chp]*"):
        path.unlink()
    main(["paper", "--redraw", "--out", str(tmp_path)])  # without data, nor the cache
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.*")} == before


def test_the_paper_command_refuses_what_it_cannot_do(capsys):
    wrong = ["--runs", "0"], ["--k-targets", "0"], ["--datasets", "mnist"]
    assert_refused(paper.main, capsys, "usage", *wrong)
