"""The development pages say what the code says: bugs, targets and measuring commands."""

from pathlib import Path

import pytest

from benchmarks.__main__ import NAMED
from benchmarks.paper import published
from benchmarks.quality import tables
from benchmarks.speed.rows import KINDS
from benchmarks.speed.tables import ELSE, RATIOS, THREADS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "doc" / "development"
SET_UP = (
    'python3 -m venv .venv && .venv/bin/pip install -q -e ".[{}]" && .venv/bin/python -m '
)


def text_of(page):
    """Return the text of a page with single spaces."""
    return " ".join((PAGES / page).read_text(encoding="utf-8").split())


def in_words(targets):
    """Return targets by shape as the page has them."""
    return ", ".join(
        f"{'others' if shape == ELSE else shape} {target:g}"
        for shape, target in targets.items()
    )


COMMANDS = {  # what they need: those that measure
    "benchmarks": ["benchmarks", "benchmarks paper", "benchmarks features"],
    "speed": [
        *("benchmarks quality", "benchmarks drift", "benchmarks speed"),
        *("benchmarks speed --against fallback", "benchmarks scaling"),
    ],
    "benchmarks,dask": ["benchmarks dask"],
    "test": ["tests.stress"],
}


@pytest.mark.parametrize("extra", COMMANDS)
def test_every_measuring_command_is_one_line(extra):
    page = (PAGES / "measuring.rst").read_text(encoding="utf-8")
    for command in COMMANDS[extra]:
        assert f"\n    {SET_UP.format(extra)}{command}\n" in page


def test_no_benchmark_is_left_out():
    page = text_of("measuring.rst")
    for name in NAMED:
        assert f"-m benchmarks {name} " in page


@pytest.mark.parametrize("heading", [name for name, (*_, aims) in RATIOS.items() if aims])
def test_targets_of_speed_are_those_of_the_benchmark(heading):
    targets = RATIOS[heading][2]
    expected = f"{targets[ELSE]:g}" if [*targets] == [ELSE] else in_words(targets)
    assert f"least: {expected} " in text_of("measuring.rst").replace(
        "at most:", "at least:"
    )


def test_other_targets_are_those_of_the_benchmarks():
    page = text_of("measuring.rst")
    assert f"all threads at least: {in_words(THREADS)} " in page
    for kind, about in KINDS.items():
        assert f"- {kind}: {in_words(about.targets)} " in page
    assert f"cost of at most {tables.COST_TARGET:g} on every dataset and" in page
    assert f"and {tables.AVERAGE_TARGET:g} on average" in page
    numbers, times = (
        ", ".join(f"{n:,}" for n in some) for some in zip(*tables.TIME_TARGETS.items())
    )
    assert f"time of at most {times} on average for {numbers} clusters" in page
    assert f"clusters, a cost of at most {tables.FAST_TARGET:g} on average" in page
    assert f"within {published.RAW_TOLERANCE} of the paper's" in page
    assert f"({', '.join(published.SAME_RAW)})" in page
    assert f"({', '.join(published.AT_LEAST_THE_PAPER)})" in page
    assert f"at least {published.LEAST_GAIN['poker']} on poker" in page
    assert f"at most {published.MOST_DEVIATION} of those aimed at" in page
