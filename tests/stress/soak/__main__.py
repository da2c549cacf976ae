"""``python -m tests.stress.soak``: a long stream, and the same with a process killed often.

One process reads the stream undisturbed. Of another series each is killed with SIGKILL at
a random moment, and the next goes on from its last checkpoint, with calls cut differently.
In the end both must know the same, bit for bit.
"""

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from inside import plain_state
from rich.console import Console

from benchmarks.report import print_table, write_csv
from benchmarks.style import write_chart

from .. import SEED
from ..report import progress_bar, versions
from ..state import changes, plain, state
from .process import (
    RESUMED,
    SAVED,
    SAVING,
    Job,
    Reader,
    read_and_save,
    read_checkpoint,
    read_whole,
)
from .report import draw, rows_of, verdicts
from .rows import Purpose, numbers

FEWEST_SAMPLES = 1000
LONGEST_DELAY = 0.05  # seconds between a checkpoint and a kill
KILLED = -getattr(signal, "SIGKILL", signal.SIGTERM)  # as an exit code


def main(argv=None):
    """Run both, print a table and write its numbers; return how much went wrong."""
    arguments = parsed(argv)
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    console.print(f"Checkpoints are in {folder} until all has gone well.")
    job = Job(arguments.samples, arguments.kills, arguments.seed, folder, arguments.jobs)
    report, marks = run(job, console)
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    write_chart(arguments.out.parent, arguments.out.stem, lambda pale: draw(marks))
    header, rows = ["a long stream", ""], list(rows_of(report))
    write_csv(arguments.out.with_suffix(".csv"), header, rows)
    print_table(console, header, rows, None)
    console.print(f"The numbers are in {arguments.out}.")
    is_growing = report["memory"]["is_flat"] is False
    n_wrong = len(report["differences"]) + len(report["lost"]) + is_growing
    if n_wrong == 0:
        shutil.rmtree(folder)
    return n_wrong


def run(job, console):
    """Let both read the stream, and return all that is known then, and the marks."""
    with progress_bar(console) as progress:
        marks, whole_seconds = timed(run_whole, job, progress)
        cycles, resumed_seconds = timed(run_killed, job, progress)
    report = {
        **{name: getattr(job, name) for name in ("samples", "kills", "seed", "n_jobs")},
        "versions": versions(),
        "seconds": {"whole": whole_seconds, "resumed": resumed_seconds},
        "differences": differences(*ends(job)),
        "lost": lost(cycles),
        **verdicts(marks),
        "cycles": cycles,
        "marks": [mark._asdict() for mark in marks],
    }
    return report, marks


def ends(job):
    """Return what the undisturbed and the resumed stream have come to."""
    return [read_checkpoint(job.end(kind)) for kind in ("whole", "resumed")]


def parsed(argv):
    """Return the arguments of the command line."""
    what = "A long stream, often interrupted."
    parser = argparse.ArgumentParser(prog="python -m tests.stress.soak", description=what)
    parser.add_argument("--samples", type=int, default=10**8, help="of the stream (10**8)")
    parser.add_argument("--kills", type=int, default=50, help="of a process (50)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of everything ({SEED})")
    parser.add_argument("--jobs", type=int, help="n_jobs of the estimator (its default)")
    parser.add_argument("--out", type=Path, default=Path("soak.json"))
    arguments = parser.parse_args(argv)
    if arguments.samples < FEWEST_SAMPLES or arguments.kills < 0:
        parser.error(f"expected --samples from {FEWEST_SAMPLES} on and --kills from 0 on")
    return arguments


def timed(run, job, progress):
    """Return what a run returns, and its seconds; show how far it is."""
    names = {run_whole: "undisturbed", run_killed: f"killed {job.kills} times"}
    bar = progress.add_task(names[run], total=job.samples)
    start = time.monotonic()
    result = run(job, lambda samples: progress.update(bar, completed=samples))
    return result, round(time.monotonic() - start, 1)


def run_whole(job, show):
    """Let one process read the stream, and return its marks."""
    with Reader(read_whole, job) as reader:
        marks = list(shown(reader.told(), show))
        check_exit(reader, 0)
    return marks


def run_killed(job, show):
    """Let processes read, one after the other, kill all but the last; return the cycles."""
    rng = numbers(job.seed, Purpose.KILLS)
    cycles = []
    for cycle in range(job.kills):
        position = job.samples * (cycle + rng.random_sample()) / (job.kills + 1)
        delay = rng.uniform(0, LONGEST_DELAY)
        cycles.append(run_cycle(job, cycle, position, delay, show))
    with Reader(read_and_save, job, job.kills) as reader:
        events = list(shown(reader.told(), show))
        check_exit(reader, 0, job.kills)
    return [*cycles, {"cycle": job.kills, **figures(events)}]


def run_cycle(job, cycle, position, delay, show):
    """Kill a process some time after it has saved at a position or later."""
    with Reader(read_and_save, job, cycle) as reader:
        events = told_until(position, reader, cycle, show)
        time.sleep(delay)
        reader.kill()
        events += reader.told()
        check_exit(reader, KILLED, cycle)
    leftovers = list(job.folder.glob("*.tmp"))
    for path in [*leftovers, job.checkpoint(cycle - 1)]:
        path.unlink(missing_ok=True)
    return {
        "cycle": cycle,
        **figures(events),
        "delay": round(delay, 4),
        "hit": "file" if leftovers else events[-1].what,
    }


def told_until(position, reader, cycle, show):
    """Return what a process tells until it has saved at a position or later."""
    events = []
    for event in shown(reader.told(), show):
        events.append(event)
        if event.what == SAVED and event.samples >= position:
            return events
    raise unexpected_end(reader, cycle)


def shown(told, show):
    """Yield what a process tells, and show how far it is."""
    for item in told:
        show(item.samples)
        yield item


def figures(events):
    """Return from where to where a process came, by what it told."""
    return {
        "resumed_at": next(event.samples for event in events if event.what == RESUMED),
        "saved_at": max((e.samples for e in events if e.what == SAVED), default=None),
        "saves": sum(event.what == SAVING for event in events),
    }


def check_exit(reader, expected, cycle=None):
    """Raise RuntimeError if a process has ended in another way than it should."""
    if reader.exit_code() != expected:
        raise unexpected_end(reader, cycle)


def unexpected_end(reader, cycle):
    """Return the error for a process that has ended as it should not."""
    name = "undisturbed process" if cycle is None else f"process of cycle {cycle}"
    return RuntimeError(
        f"The {name} ended with exit code {reader.exit_code()}, too early or not by our "
        "kill: see what it has printed."
    )


def lost(cycles):
    """Return the cycles whose last checkpoint was not there for their successor."""
    pairs = pairwise(cycles)
    return [one["cycle"] for one, then in pairs if then["resumed_at"] < one["saved_at"]]


def differences(one, other):
    """Return the names of the attributes that differ at all, for a stream in detail."""
    names = changes(state(one), state(other))
    if "_fitted" in names:
        streams = [plain_state(model._fitted)["stream"] for model in (one, other)]
        before, after = ({k: plain(v) for k, v in stream.items()} for stream in streams)
        names += [f"stream.{name}" for name in changes(before, after)]
    return names


if __name__ == "__main__":
    sys.exit(min(main(), 1))
