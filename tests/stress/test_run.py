"""The command of the long form."""

import csv
import json

import pytest

from . import __main__ as stress
from . import report
from .__main__ import main
from .workers import Report


def test_one_case_can_be_run_again(capsys):
    assert main(["--case", "calls", "0"]) == 0
    assert "calls 0: 5 calls" in capsys.readouterr().out


@pytest.mark.slow
def test_numbers_are_printed_and_written(tmp_path, capsys):
    few = ["--streams", "3", "--calls", "10", "--arrays", "0", "--histories", "0"]
    few += ["--signals", "0", "--saves", "0"]
    assert main([*few, "--samples", "0", "--out", str(tmp_path), "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    for name in ("streams", "calls", "bugs found and", "failures"):
        assert name in printed
    written = json.loads((tmp_path / "stress.json").read_text())
    assert written["streams"]["tried"] == 3
    assert written["calls"]["amount"] == 10
    with open(tmp_path / "tried.csv", newline="") as file:
        tried = {row["tried"]: row for row in csv.DictReader(file)}
    assert tried["odd calls of public methods"]["how many"] == "10"
    assert tried["odd calls of public methods"]["failures"] == "0"


def test_failures_and_the_soak_count(tmp_path, monkeypatch, capsys):
    count = report.Count()
    count.add(Report("streams", 7, 0, "it died", 0.1))
    soak = {"samples": 10, "kills": 2, "calls": 3, "cycles": [{"saves": 4}], "lost": [1]}

    def run_soak(argv):
        text = json.dumps({**soak, "differences": ["counts_"]})
        (tmp_path / "soak.json").write_text(text)
        return 2

    monkeypatch.setattr(stress, "run_all", lambda *_: {"streams": count})
    monkeypatch.setattr(stress, "run_soak", run_soak)
    assert main(["--out", str(tmp_path)]) == 3
    rows = (tmp_path / "tried.csv").read_text().splitlines()
    assert [row.rsplit(",", 1)[1] for row in rows[1:4]] == ["1", "1", "1"]


def test_an_unknown_kind_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--case", "rivers", "0"])
    assert "streams, calls, arrays, histories" in capsys.readouterr().err
