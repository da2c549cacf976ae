"""Processes that read a long stream: one undisturbed, the others until they are killed.

Each tells through a pipe how far it is. One that is to be killed saves after every few
calls, by `onlinekmeans_sklearn.save` or by pickle in turn, and its successor goes on from
its last checkpoint.
"""

import contextlib
import multiprocessing
import os
import pickle
import time
from pathlib import Path
from typing import NamedTuple

from onlinekmeans_sklearn import OnlineKMeans, load, save

from .rows import Purpose, Rows, numbers, parts

K_TARGET = 150
N_MARKS = 100  # of an undisturbed process
MOST_CALLS = 50  # between two checkpoints
RESUMED, SAVING, SAVED = "resumed", "saving", "saved"


class Job(NamedTuple):
    """The stream to read, how often to kill, the folder for checkpoints, and `n_jobs`."""

    samples: int
    kills: int
    seed: int
    folder: Path
    n_jobs: int | None = None

    def checkpoint(self, cycle):
        """Return the file that the process of a cycle saves to."""
        return self.folder / f"{cycle}.{'pickle' if cycle % 2 else 'npz'}"

    def end(self, kind):
        """Return the file for what came of a stream: undisturbed, or of the resumed one."""
        return self.folder / f"{kind}.pickle"


class Mark(NamedTuple):
    """The state of an undisturbed process; times are those of its calls."""

    samples: int
    calls: int
    clusters: int
    seconds: float
    cpu_seconds: float
    resident_bytes: int | None
    descriptors: int | None
    threads: int | None


class Event(NamedTuple):
    """What a process that saves does, and at which position of the stream."""

    what: str
    samples: int


def new_model(job):
    """Return the estimator before the first sample."""
    return OnlineKMeans(k=K_TARGET, n_jobs=job.n_jobs, random_state=job.seed)


def read_whole(job, send):
    """Read the stream in one go, and send a mark at every hundredth."""
    model, rng = new_model(job), numbers(job.seed, Purpose.WHOLE)
    seconds = cpu_seconds = 0.0
    n_marks = 0
    for calls, X in enumerate(parts(Rows(job.seed), job.samples, rng), start=1):
        start, cpu_start = time.perf_counter(), time.process_time()
        model.partial_fit(X)
        cpu_seconds += time.process_time() - cpu_start
        seconds += time.perf_counter() - start
        n_seen = model.n_samples_seen_
        if n_seen * N_MARKS >= (n_marks + 1) * job.samples:
            n_marks = n_seen * N_MARKS // job.samples
            times = seconds, cpu_seconds
            send(Mark(n_seen, calls, len(model.counts_), *times, *own_figures()))
    write_pickle(model, job.end("whole"))


def read_and_save(job, cycle, send):
    """Go on from the last checkpoint, saving and telling of it, to the end.

    A process that is to be killed cannot finish before: it saves until it is killed.
    """
    model = read_checkpoint(job.checkpoint(cycle - 1)) if cycle else new_model(job)
    start = getattr(model, "n_samples_seen_", 0)
    send(Event(RESUMED, start))
    rng = numbers(job.seed, Purpose.RESUMED, cycle)
    calls_left = calls_to_next(rng)
    for X in parts(Rows(job.seed), job.samples, rng, start):
        model.partial_fit(X)
        calls_left -= 1
        if calls_left == 0:
            write_checkpoint(model, job.checkpoint(cycle), send)
            calls_left = calls_to_next(rng)
    while cycle < job.kills:
        write_checkpoint(model, job.checkpoint(cycle), send)
    write_pickle(model, job.end("resumed"))


def calls_to_next(rng):
    """Return the number of calls before the next checkpoint, often small."""
    return int(MOST_CALLS ** rng.random_sample())


def read_checkpoint(path):
    """Return the estimator of a checkpoint."""
    return load(path) if path.suffix == ".npz" else pickle.loads(path.read_bytes())


def write_checkpoint(model, path, send):
    """Save an estimator in the way that the name of the file says."""
    send(Event(SAVING, model.n_samples_seen_))
    write = save if path.suffix == ".npz" else write_pickle
    write(model, path)
    send(Event(SAVED, model.n_samples_seen_))


def write_pickle(model, path):
    """Write a pickle completely, or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        pickle.dump(model, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def own_figures():
    """Return bytes in memory, open files and threads of this process, None if not Linux."""
    try:
        text = Path("/proc/self/status").read_text()
        descriptors = len(os.listdir("/proc/self/fd"))
    except OSError:
        return None, None, None
    status = dict(line.split(":", 1) for line in text.splitlines())
    return int(status["VmRSS"].split()[0]) * 1024, descriptors, int(status["Threads"])


class Reader:
    """A process, and what it tells."""

    def __init__(self, read, *args):
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(theirs, read, args), daemon=True)
        self._process.start()
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.kill()
        self._connection.close()

    def told(self):
        """Yield what it tells, until it has ended."""
        with contextlib.suppress(EOFError):
            while True:
                yield self._connection.recv()

    def kill(self):
        """End the process at once, by SIGKILL where there is one."""
        self._process.kill()
        self._process.join()

    def exit_code(self):
        """Return the exit code, when it has ended."""
        self._process.join()
        return self._process.exitcode


def _run(connection, read, args):
    """Let a function read, as long as the other end listens."""
    with contextlib.suppress(BrokenPipeError):
        read(*args, connection.send)
