"""The command of the long form."""

import json

import pytest

from .__main__ import main


def test_one_case_can_be_run_again(capsys):
    assert main(["--case", "calls", "0"]) == 0
    assert "calls 0: 5 calls" in capsys.readouterr().out


def test_numbers_are_printed_and_written(tmp_path, capsys):
    out = tmp_path / "stress.json"
    assert main(["--seconds", "0", "--seed", "3", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("streams", "calls", "histories", "failed"))
    written = json.loads(out.read_text())
    assert written["seed"] == 3
    assert written["streams"]["cases"] == written["calls"]["amount"] == 0


def test_an_unknown_kind_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--case", "rivers", "0"])
    assert "streams, calls, histories" in capsys.readouterr().err
