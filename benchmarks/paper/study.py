"""The whole study: which jobs there are, run with progress bars, and the report of them."""

import re
import sys
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

from ..report import machine
from . import accuracy, costs, online, theory
from .jobs import TITLES, Cache, Job, run

ROWS_PER_CLUSTER = 3  # at least so many, or the setting is left out
LEAST_ROWS = 100  # of a share of the rows that the theory is checked on


def about_of(title, plan, sources, **others):
    """Return what the records of a run are about."""
    return {
        "machine": machine(),
        "title": title,
        "datasets": list(sources),
        "k_targets": plan.k_targets,
        "variant": plan.variant,
        "protocol": protocol(),
        "tasks": {name: source.task for name, source in sources.items()},
        "options": plan._asdict(),
        **others,
    }


def log_spaced(first, last, count):
    """Return whole numbers whose ratios are about the same."""
    return [round(float(k)) for k in np.geomspace(first, last, count)]


class Plan(NamedTuple):
    """The settings of the study."""

    k_targets: list  # of Figures 1 to 5
    feature_k_targets: list  # of Table 2: cross-validation chooses
    online_k_target: int  # of Table 2 on a stream, where nothing can be chosen
    runs: int
    variant: str = "text"
    experiments: tuple = tuple(TITLES)

    def jobs(self, dataset, n):
        """Return the jobs on a dataset with n rows."""
        every = {
            "accuracy": self.accuracy_settings(n),
            "online": self.online_settings(),
            "costs": self.cost_settings(n),
            "theory": self.theory_settings(n),
        }
        return [
            Job(dataset, experiment, setting)
            for experiment in self.experiments
            for setting in every[experiment]
        ]

    def accuracy_settings(self, n):
        """Return a setting per split."""
        k_targets = [k for k in self.feature_k_targets if ROWS_PER_CLUSTER * k <= n]
        return [{"split": split, "k_targets": k_targets} for split in range(self.runs)]

    def online_settings(self):
        """Return a setting per order of the rows."""
        return [{"run": run, "k_target": self.online_k_target} for run in range(self.runs)]

    def cost_settings(self, n):
        """Return the settings of the figures, of the other variant, and of another order.

        The order of the rows is tried with one k_target, in the middle.
        """
        k_targets = [k for k in self.k_targets if ROWS_PER_CLUSTER * k <= n]
        chosen = [(k, variant, "file") for k in k_targets for variant in costs.VARIANTS]
        chosen += [
            (k, self.variant, "shuffled") for k in k_targets[len(k_targets) // 2 :][:1]
        ]
        return [
            {
                "k_target": k,
                "run": run,
                "variant": variant,
                "baselines": variant == self.variant,
                "order": order,
            }
            for k, variant, order in chosen
            for run in range(self.runs)
        ]

    def theory_settings(self, n):
        """Return the settings for a growing number of rows."""
        return [
            {"algorithm": algorithm, "k": theory.K, "share": share, "run": run}
            for share in theory.SHARES
            if share * n >= LEAST_ROWS
            for algorithm in theory.ALGORITHMS
            for run in range(self.runs)
        ]


class Bars:
    """A bar for all the work, and one for the experiment on a dataset that is on."""

    def __init__(self, console, progress):
        self.console, self.progress = console, progress
        self.total = progress.add_task("reading the datasets", total=None)
        self.counts, self.bar = {}, None

    def loading(self, dataset):
        """Show which dataset is read."""
        self.progress.update(self.total, description=f"reading {dataset}")

    def start(self, jobs, count):
        """Show how much there is to do."""
        if len(jobs) < count:
            self.console.print(f"{count - len(jobs)} of {count} results are there already.")
        for job in jobs:
            name = job.dataset, TITLES[job.experiment]
            self.counts[name] = self.counts.get(name, 0) + 1
        self.progress.update(self.total, description="all", total=len(jobs))
        self.next()

    def next(self):
        """Show the experiment whose results are waited for."""
        if self.counts:
            name, count = next(iter(self.counts.items()))
            self.bar = self.progress.add_task(": ".join(name), total=count)

    def finished(self, job):
        """Show that a job is done."""
        self.progress.advance(self.total)
        self.progress.advance(self.bar)
        if self.progress.tasks[-1].finished:
            self.progress.remove_task(self.bar)
            del self.counts[job.dataset, TITLES[job.experiment]]
            self.next()


@contextmanager
def bars(console):
    """Show bars while there is work."""
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bars(console, progress)


def protocol():
    """Return how the two tables of accuracies are made, as sentences without markup.

    Sentences that begin with a name of the code are for readers of the code.
    """
    texts = [module.__doc__.split("\n\n", 1)[1] for module in (accuracy, online)]
    texts = [re.sub(r"\n\n`[^\n]*|\*(?=\w)|(?<=\w)\*", "", text) for text in texts]
    parts = [part for text in texts for part in re.split("\n\n|\n- ", text)]
    return [" ".join(part.removeprefix("- ").split()) for part in parts]


def records_of(console, sources, plan, folder, n_jobs):
    """Return the records of the study; what there is already is not computed again."""
    try:
        with bars(console) as progress:
            return run(sources, plan.jobs, Cache(folder / "cache"), n_jobs, progress)
    except KeyboardInterrupt:
        console.print("Interrupted. The same command resumes from here.")
        sys.exit(130)
