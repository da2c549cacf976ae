"""The kinds of cases, each known by a seed and an index."""

from collections.abc import Callable
from typing import NamedTuple

from .arbitrary import CALLS, run_arbitrary
from .fuzz_cases import CALLS_PER_CASE, fuzz_case
from .machine import RUNS, run_machine
from .signals import HAS_TIMER, SIGNALS, run_saves, run_signals
from .stream_cases import check_stream, stream_case


def run_stream(seed, index):
    """Compare the stream of this index with the reference; return how long it is."""
    case = stream_case(seed, index)
    try:
        check_stream(case)
    except Exception as error:
        raise AssertionError(f"{error!r} in {case}") from error
    return len(case.X)


class Kind(NamedTuple):
    """A kind of cases: what runs one, and tells how much was in it."""

    run: Callable  # with a seed and an index
    per_case: int  # how many a case is
    amount: str  # of what it has
    usual: int  # how many are tried
    what: str


OF_TIMER = 1 if HAS_TIMER else 0
KINDS = {
    "streams": Kind(
        *(run_stream, 1, "samples", 100_000, "generated streams, against the paper's loop")
    ),
    "calls": Kind(
        *(fuzz_case, CALLS_PER_CASE, "calls", 100_000, "odd calls of public methods")
    ),
    "arrays": Kind(
        *(run_arbitrary, CALLS, "calls", 50_000),
        "calls with arbitrary arrays and sparse structures",
    ),
    "histories": Kind(
        *(run_machine, RUNS, "steps", 2000),
        "random histories of an estimator, against the paper's loop",
    ),
    "signals": Kind(
        *(run_signals, SIGNALS, "repeated", 20_000 * OF_TIMER),
        "calls interrupted by signals, against an undisturbed stream",
    ),
    "saves": Kind(
        *(run_saves, SIGNALS, "resumed", 5000 * OF_TIMER),
        "checkpoints of signal handlers, against an undisturbed stream",
    ),
}


def run_case(kind, seed, index):
    """Run a case, and return how many samples, calls or steps it had, or several counts."""
    return KINDS[kind].run(seed, index)


def failures(kind, seed, indices):
    """Return a command for each case that fails, with what it says; for the test run."""
    found = []
    for index in indices:
        try:
            run_case(kind, seed, index)
        except Exception as error:
            found.append(f"{command(kind, seed, index)}\n{error!r}")
    return "\n".join(found)


def command(kind, seed, index):
    """Return the command that runs just this case."""
    return f"python -m tests.stress --seed {seed} --case {kind} {index}"
