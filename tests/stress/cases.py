"""The kinds of cases, each known by a seed and an index."""

from .arbitrary import CALLS, run_arbitrary
from .fuzz_cases import CALLS_PER_CASE, fuzz_case
from .machine import RUNS, run_machine
from .signals import SIGNALS, run_saves, run_signals
from .stream_cases import check_stream, stream_case


def run_stream(seed, index):
    """Compare the stream of this index with the reference; return how long it is."""
    case = stream_case(seed, index)
    try:
        check_stream(case)
    except Exception as error:
        raise AssertionError(f"{error!r} in {case}") from error
    return len(case.X)


def run_calls(seed, index):
    """Make the odd calls of this index, and return how many."""
    return fuzz_case(seed, index)


def run_history(seed, index, shrink=False):
    """Let estimators go through the histories of this index; return the steps of all."""
    return run_machine(seed, index, shrink)


RUNNERS = {
    "streams": run_stream,
    "calls": run_calls,
    "arrays": run_arbitrary,
    "histories": run_history,
    "signals": run_signals,
    "saves": run_saves,
}
PER_CASE = {
    "streams": 1,
    "calls": CALLS_PER_CASE,
    "arrays": CALLS,
    "histories": RUNS,
    "signals": SIGNALS,
    "saves": SIGNALS,
}
AMOUNTS = {
    "streams": "samples",
    "calls": "calls",
    "arrays": "calls",
    "histories": "steps",
    "signals": "repeated",
    "saves": "resumed",
}


def run_case(kind, seed, index):
    """Run a case, and return how many samples, calls or steps it had, or several counts."""
    return RUNNERS[kind](seed, index)


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
