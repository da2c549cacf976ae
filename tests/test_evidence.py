"""The pages of evidence show what the commands wrote, in words that readers know."""

import json
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_tables_are_written

from benchmarks import drift, features, quality, scaling, speed

EVIDENCE = Path(__file__).resolve().parent.parent / "doc" / "evidence"
INTERNAL = ("floor", "contestant", "MBK", "k_target", "k_actual", "f_online", "f_kmpp")
PATTERNS = ("*.rst", "*/*.csv", "*/*.txt")
SHOWN = sorted(path for pattern in PATTERNS for path in EVIDENCE.glob(pattern))


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_internals_and_no_targets_are_shown(path):
    text = path.read_text(encoding="utf-8")
    assert not [word for word in (*INTERNAL, "we aim at", "Error:") if word in text]


@pytest.mark.parametrize(
    ("folder", "name", "report"),
    [
        ("speed", "speed", speed.report),
        ("speed", "scaling", scaling),
        ("quality", "quality", quality.report),
        ("drift", "drift", drift.report),
        ("features", "features", features.report),
    ],
)
def test_tables_and_headlines_are_those_of_their_json(folder, name, report):
    folder = EVIDENCE / folder
    if not (folder / f"{name}.json").exists():
        pytest.skip(f"{name}.json is not kept")
    found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert_tables_are_written(folder, name, report.tables_of(found))
    page = "scaling" if report is scaling else "index"
    text = (folder / f"{page}.txt").read_text(encoding="utf-8")
    assert text == f"{report.headline(found)}.\n"


def test_every_table_of_features_is_shown():
    page = (EVIDENCE / "features.rst").read_text(encoding="utf-8")
    for path in (EVIDENCE / "features").glob("*.csv"):
        assert f":file: features/{path.name}\n" in page


@pytest.mark.parametrize("page", sorted(EVIDENCE.glob("*.rst")), ids=lambda page: page.stem)
def test_every_chart_comes_light_and_dark_with_words_for_those_who_cannot_see_it(page):
    lines = [line.strip() for line in page.read_text(encoding="utf-8").splitlines()]
    shown = [i for i, line in enumerate(lines) if line.startswith(".. image::")]
    for index in shown:
        name, options = lines[index].split(":: ")[1], lines[index + 1 : index + 4]
        dark = name.endswith("-dark.png")
        assert (EVIDENCE / name).exists()
        assert f":class: only-{'dark' if dark else 'light'}" in options
        assert any(option.startswith(":alt: ") for option in options)
        other = name.replace("-dark", "") if dark else name.replace(".png", "-dark.png")
        assert f".. image:: {other}" in lines
