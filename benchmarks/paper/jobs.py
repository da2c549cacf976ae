"""The experiments as jobs: each is run once, remembered on disk, and never stops the rest.

A job is a dataset, an experiment and its setting. Its record is kept in a file of its own
as soon as it is done, under a name that stands for the job, the rows, and the code that
computes. So an interrupted run resumes where it left off, and one with other rows
or other code starts anew.
"""

import hashlib
import json
import multiprocessing
import os
import platform
import signal
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
import scipy
import sklearn
from scipy.sparse import issparse

import onlinekmeans_sklearn

from ..data import DatasetBroken, DatasetMissing
from .accuracy import accuracy
from .costs import costs
from .online import online
from .theory import theory

EXPERIMENTS = {"accuracy": accuracy, "online": online, "costs": costs, "theory": theory}
TITLES = {
    "accuracy": "Table 2",
    "online": "Table 2 online",
    "costs": "Figures 1 to 5",
    "theory": "theory",
}
COMPUTING = {  # the modules that an experiment is made of
    "accuracy": ("accuracy", "costs"),
    "online": ("accuracy", "costs", "online"),
    "costs": ("costs", "variant"),
    "theory": ("theory",),
}
SOURCES = {".py", ".pyx", ".pxi", ".h"}  # of the package, at every depth


class Job(NamedTuple):
    """One experiment on one dataset."""

    dataset: str
    experiment: str
    setting: dict


class Cache:
    """A folder with a file per job that is done."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def path(self, job, digest):
        """Return where the record of a job on the rows of that digest is kept."""
        key = [job.experiment, job.setting, digest, code_digest(job.experiment)]
        name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / job.dataset.strip("*") / f"{job.experiment}-{name}.json"


def kept(path, job):
    """Return the record of a job, or None if there is none that can be read."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return record if record["setting"] == job.setting else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path, record):
    """Write the record of a job: the whole of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(record), encoding="utf-8")
    part.replace(path)


@cache
def code_digest(experiment):
    """Return a digest of all that computes: package, experiment and libraries."""
    package = Path(onlinekmeans_sklearn.__file__).parent
    digest = hashlib.sha256(source_digest(package).encode())
    for name in COMPUTING[experiment]:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    versions = [library.__version__ for library in (np, scipy, sklearn)]
    digest.update(" ".join([*versions, platform.machine()]).encode())
    return digest.hexdigest()


def source_digest(folder):
    """Return a digest of all source files below a folder: their paths and contents."""
    digest = hashlib.sha256()
    paths = [path for path in Path(folder).rglob("*") if path.suffix in SOURCES]
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def rows_digest(X, y):
    """Return a digest of the rows and their classes."""
    digest = hashlib.sha256(repr((X.shape, X.dtype)).encode())
    arrays = (X.data, X.indices, X.indptr, y) if issparse(X) else (X, y)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@lru_cache(maxsize=1)  # the jobs of a dataset come one after the other
def loaded(load):
    """Return the rows and classes of a source."""
    return load()


def reason(error):
    """Return an error as a line of a table; those of datasets need only their text."""
    text = " ".join(str(error).split())
    if isinstance(error, DatasetMissing | DatasetBroken):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def look_at(name, source):
    """Return the record of a dataset's shape, or why there is none, and its digest."""
    record = {"dataset": name, "experiment": "shape", "setting": {}}
    try:
        X, y = loaded(source.load)
    except Exception as error:  # whatever is wrong with one dataset, the others go on
        return {**record, "error": reason(error)}, None
    nnz = X.count_nonzero() if issparse(X) else np.count_nonzero(X)
    result = {"n": X.shape[0], "d": X.shape[1], "nnz": int(nnz)}
    return {**record, "result": result}, rows_digest(X, y)


def work(job, load, path):
    """Run a job, keep its record and return it; one that fails says why and is not kept."""
    if multiprocessing.parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process above deals with it
    record = {"dataset": job.dataset, "experiment": job.experiment, "setting": job.setting}
    try:
        X, y = loaded(load)
        record["result"] = EXPERIMENTS[job.experiment](X, y, **job.setting)
    except Exception as error:  # whatever goes wrong with one job, the others go on
        return {**record, "error": reason(error)}
    keep(path, record)
    return record


def run(sources, jobs_of, cache, n_jobs, progress):
    """Return the records of all jobs on all datasets, in their order.

    Parameters
    ----------
    sources : dict
        The datasets by name.
    jobs_of : callable
        Gives the jobs on a dataset of that name with so many rows.
    cache : Cache
        Where records are kept, and may be already.
    n_jobs : int
        How many processes work at the same time.
    progress : Progress
        Is told of the work.
    """
    records, todo = {}, []
    for name, source in sources.items():
        progress.loading(name)
        shape, digest = look_at(name, source)
        records[name] = shape
        if digest is None:
            continue
        for job in jobs_of(name, shape["result"]["n"]):
            path = cache.path(job, digest)
            records[path] = kept(path, job)
            if records[path] is None:
                todo.append((job, source.load, path))
    progress.start([job for job, _, _ in todo], len(records) - len(sources))
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    done = parallel(joblib.delayed(work)(*each) for each in todo)
    for record, (job, _, path) in zip(done, todo):  # all of done, or it never ends
        records[path] = record
        progress.finished(job)
    return list(records.values())
