"""Our package beside the same package of another checkout, or beside its own fallback.

Each runs in a process of its own, from the same file, on the same rows. They take turns,
and the best round counts, as in the contest with the peers.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
from scipy.sparse import issparse, save_npz

import onlinekmeans_sklearn

from .contest import about

OURS = "ours"
FALLBACK = "fallback"  # ours, without the compiled kernels
SWITCH = "ONLINEKMEANS_FALLBACK"
CALLS = ("fit", "predict", "one row", "one prediction")


class Worker:
    """A process with the package of a folder."""

    def __init__(self, folder, fallback=False):
        here = Path(__file__).with_name("worker.py")
        # the file's own folder is not to be looked at for modules
        more = {"PYTHONPATH": str(Path(folder).resolve()), "PYTHONSAFEPATH": "1"}
        if fallback:
            more[SWITCH] = "1"
        self.process = subprocess.Popen(
            [sys.executable, str(here)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **more},
            cwd=here.parent,
            text=True,
            encoding="utf-8",
        )
        with ExitStack() as stack:
            stack.callback(self.close)
            package = Path(self._answer()["package"]).resolve()
            if package.parent.parent != Path(folder).resolve():
                raise RuntimeError(f"expected the package of {folder}, got {package}")
            stack.pop_all()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            raise RuntimeError(f"a worker ended with {code}; its error is above")
        return json.loads(line)

    def prepare(self, rows, k, n_jobs):
        """Let it read the rows of a file and fit them once; return what came out."""
        return self._ask({"rows": str(rows), "k": k, "n_jobs": n_jobs})

    def time(self):
        """Return the seconds of every call on the rows."""
        return self._ask({})

    def _ask(self, order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self):
        """Let the process end."""
        with suppress(BrokenPipeError):  # if it has ended already
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def has_package(other):
    """Return whether a folder is a checkout, or stands for our own."""
    return other == FALLBACK or Path(other, "onlinekmeans_sklearn", "__init__.py").exists()


def label_of(other):
    """Return the name by which a report calls a checkout."""
    return other if other == FALLBACK else Path(other).resolve().name


def start_workers(stack, others):
    """Return the workers by name, ours first."""
    own = Path(onlinekmeans_sklearn.__file__).resolve().parent.parent
    workers = {OURS: stack.enter_context(Worker(own))}
    for other in others:
        is_own = other == FALLBACK
        worker = Worker(own if is_own else other, fallback=is_own)
        workers[label_of(other)] = stack.enter_context(worker)
    return workers


def save_rows(X, folder):
    """Write the rows to a file, and return its path."""
    path = Path(folder) / ("rows.npz" if issparse(X) else "rows.npy")
    if issparse(X):
        save_npz(path, X, compressed=False)
    else:
        np.save(path, X)
    return path


def measure_against(name, shape, others, rounds, n_jobs, advance):
    """Return the best seconds of every call, for ours and the others.

    `advance` is told of the work done, as a share of all there is for the shape.
    """
    with ExitStack() as stack:
        advance(f"{name}: rows", 0)
        X = shape.make()
        path = save_rows(X, stack.enter_context(tempfile.TemporaryDirectory()))
        workers = start_workers(stack, others)
        step = 1 / (len(workers) * (rounds + 1))
        came_out = {}
        for label, worker in workers.items():
            advance(f"{name}: {label}", 0)
            came_out[label] = worker.prepare(path, shape.k, n_jobs)
            advance(f"{name}: {label}", step)
        best = {label: dict.fromkeys(CALLS, np.inf) for label in workers}
        for turn in range(rounds):
            for label in list(workers)[:: 1 if turn % 2 == 0 else -1]:
                advance(f"{name}: {label}", 0)
                for call, taken in workers[label].time().items():
                    best[label][call] = min(best[label][call], taken)
                advance(f"{name}: {label}", step)
    return {
        **about(name, X),
        "clusters": came_out[OURS]["clusters"],
        "seconds": best,
        "same labels": {label: came_out[label] == came_out[OURS] for label in workers},
    }
