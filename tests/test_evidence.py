"""The pages of evidence show what the commands wrote, in words that readers know."""

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks import scaling
from benchmarks.drift import report as drift
from benchmarks.features import report as features
from benchmarks.quality import report as quality
from benchmarks.speed import report as speed

EVIDENCE = Path(__file__).resolve().parent.parent / "doc" / "evidence"
INTERNAL = ("floor", "contestant", "MBK", "k_target", "k_actual", "f_online", "f_kmpp")
SHOWN = [
    path
    for pattern in ("*.rst", "*/*.csv", "*/*.txt")
    for path in sorted(EVIDENCE.glob(pattern))
    if path.name != "found.csv"  # the bugs, for developers
]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_internals_and_no_targets_are_shown(path):
    text = path.read_text(encoding="utf-8")
    assert not [word for word in (*INTERNAL, "we aim at", "Error:") if word in text]


def assert_written(path, headings, rows):
    with path.open(newline="", encoding="utf-8") as file:
        first, *others = csv.reader(file)
    assert first == headings
    assert others == [["" if cell is None else str(cell) for cell in row] for row in rows]


def found_in(path):
    """Return the JSON of a run, if it is kept."""
    if not path.exists():
        pytest.skip(f"{path.name} is not kept")
    return json.loads(path.read_text(encoding="utf-8"))


def test_speed_is_that_of_its_json():
    found = found_in(EVIDENCE / "speed" / "speed.json")
    for name, (_, table, _) in speed.tables_of(found).items():
        assert_written(EVIDENCE / "speed" / f"{name}.csv", *table)
    text = (EVIDENCE / "speed" / "index.txt").read_text(encoding="utf-8")
    assert text == f"{speed.headline(found)}.\n"


def test_scaling_is_that_of_its_json():
    studies = found_in(EVIDENCE / "speed" / "scaling.json")["studies"]
    for what, rows in studies.items():
        table = scaling.table_of(what, rows)
        assert_written(EVIDENCE / "speed" / f"scaling-{what}.csv", *table)
    text = (EVIDENCE / "speed" / "scaling.txt").read_text(encoding="utf-8")
    assert text == f"{scaling.headline(studies)}.\n"


def test_quality_is_that_of_its_json():
    found = found_in(EVIDENCE / "quality" / "quality.json")
    for name, table in quality.tables_of(found).items():
        path = EVIDENCE / "quality" / f"quality-{name}.csv"
        assert_written(path, table.headings, table.rows)
    text = (EVIDENCE / "quality" / "index.txt").read_text(encoding="utf-8")
    assert text == f"{quality.headline(found)}.\n"


def test_drift_is_that_of_its_json():
    found = found_in(EVIDENCE / "drift" / "drift.json")
    for name, table in drift.tables_of(found).items():
        path = EVIDENCE / "drift" / f"drift-{name}.csv"
        assert_written(path, table.headings, table.rows)
    text = (EVIDENCE / "drift" / "index.txt").read_text(encoding="utf-8")
    assert text == f"{drift.headline(found)}.\n"


def test_features_are_those_of_its_json():
    found = found_in(EVIDENCE / "features" / "features.json")
    for name, table in features.tables_of(found).items():
        path = EVIDENCE / "features" / f"features-{name}.csv"
        assert_written(path, table.headings, table.rows)
        assert f":file: features/{path.name}\n" in (EVIDENCE / "features.rst").read_text()
    text = (EVIDENCE / "features" / "index.txt").read_text(encoding="utf-8")
    assert text == f"{features.headline(found)}.\n"


@pytest.mark.parametrize("page", sorted(EVIDENCE.glob("*.rst")), ids=lambda page: page.stem)
def test_every_chart_comes_light_and_dark_with_words_for_those_who_cannot_see_it(page):
    lines = [line.strip() for line in page.read_text(encoding="utf-8").splitlines()]
    shown = [i for i, line in enumerate(lines) if line.startswith(".. image::")]
    for place in shown:
        name, options = lines[place].split(":: ")[1], lines[place + 1 : place + 4]
        dark = name.endswith("-dark.png")
        assert (EVIDENCE / name).exists()
        assert f":class: only-{'dark' if dark else 'light'}" in options
        assert any(option.startswith(":alt: ") for option in options)
        other = name.replace("-dark", "") if dark else name.replace(".png", "-dark.png")
        assert f".. image:: {other}" in lines
