"""Clusters of processes, Dask collections and the comparison with the local estimator."""

import gc
import os
import time
import uuid
from contextlib import contextmanager
from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from at_once import PATIENCE
from checkpoints import FITTED
from distributed import Client, LocalCluster
from engines import tuned
from scipy.sparse import csr_array, csr_matrix, issparse
from streams import blobs, grid

from onlinekmeans_sklearn._algorithm import moving
from onlinekmeans_sklearn._utils.tuning import TUNING

# small streams soon have many partitions under way
SMALL = {
    "calm_rows": 64,
    "calm_openings": 0.2,
    "partitions_per_thread": 4,
    "small_partition_elements": 0,
}


@contextmanager
def cluster(n_workers=2):
    """Start workers of one thread each, in processes of their own, and a client."""
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    environment = os.environ.copy()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": PATIENCE}),
        LocalCluster(n_workers=n_workers, **options) as local_cluster,
        Client(local_cluster) as client,
    ):
        _restore(environment)
        try:
            yield client
        finally:
            _restore(environment)


def _restore(environment):
    """Undo what workers set here for themselves, one thread of BLAS among it."""
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)


def _tune(values):
    vars(TUNING).update(values)


@contextmanager
def tuned_everywhere(client, **values):
    """Use other numbers here and on the workers meanwhile."""
    before = {name: getattr(TUNING, name) for name in values}
    try:
        with tuned(**values):
            client.run(_tune, values)
            yield
    finally:
        client.run(_tune, before, on_error="ignore")  # one may be leaving


def _move_at(positions):
    moving.POSITIONS[:] = positions


@contextmanager
def moves_everywhere(client, positions):
    """Let centers move at these positions meanwhile, here and on the workers."""
    before = moving.POSITIONS.copy()
    try:
        _move_at(positions)
        if client is not None:
            client.run(_move_at, positions)
        yield
    finally:
        _move_at(before)
        if client is not None:
            client.run(_move_at, before, on_error="ignore")


def stream(n=3000, seed=0):
    """Return blobs whose last part has clusters that were not there before."""
    calm = blobs(seed, n - n // 6, n_blobs=30)
    return np.concatenate([calm, 40 + blobs(seed + 1, n // 6, n_blobs=20)])


def repeats(n=3000, seed=0):
    """Return few different samples time and again, and some late ones that are new."""
    X = grid(seed, n, d=3, side=4)
    X[n // 2 :: 97] += 10
    return X


def cut(X, sizes):
    """Return the parts of these sizes, and the rest."""
    ends = np.cumsum([0, *sizes]).tolist()
    if ends[-1] < X.shape[0]:
        ends.append(X.shape[0])
    return [X[a:b] for a, b in pairwise(ends)]


def _array(X, sizes):
    chunks = tuple(len(part) for part in cut(X, sizes)), -1
    return da.from_array(X, chunks=chunks, name=f"rows-{uuid.uuid4().hex}")


def _csr(kind):
    return lambda X, sizes: _array(X, sizes).map_blocks(kind)


def _unknown(X, sizes):
    parts = [dask.delayed(part) for part in cut(X, sizes)]
    shape = (np.nan, X.shape[1])
    return da.concatenate([da.from_delayed(p, shape, dtype=X.dtype) for p in parts])


def frame_of(X, first=0):
    """Return a frame with names, and an index that does not start at 0."""
    index = pd.RangeIndex(100 + first, 100 + first + len(X))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])], index=index)


def _frame(X, sizes):
    parts = cut(X, sizes)
    firsts = np.cumsum([0, *map(len, parts)])[:-1].tolist()
    return dd.from_map(frame_of, parts, firsts, meta=frame_of(X[:0]))


def _frame_of_delayed(X, sizes):
    parts = [dask.delayed(frame_of)(part) for part in cut(X, sizes)]
    return dd.from_delayed(parts, meta=frame_of(X[:0]), verify_meta=False)


def _delayed(X, sizes):
    return [dask.delayed(part) for part in cut(X, sizes)]


# name: the collection, and the same rows for the local estimator
STORAGES = {
    "array": (_array, np.asarray),
    "float32": (lambda X, sizes: _array(X.astype("f4"), sizes), lambda X: X.astype("f4")),
    "integers": (lambda X, sizes: _array(X.astype(int), sizes), lambda X: X.astype(int)),
    "columns in chunks": (lambda X, sizes: _array(X, sizes).rechunk({1: 2}), np.asarray),
    "csr_matrix": (_csr(csr_matrix), csr_matrix),
    "csr_array": (_csr(csr_array), csr_array),
    "unknown sizes": (_unknown, np.asarray),
    "frame": (_frame, frame_of),
    "frame of delayed": (_frame_of_delayed, frame_of),
    "delayed": (_delayed, np.asarray),
}

OF_SAMPLES = ("labels_", "online_labels_", "online_distances_")


def computed(collection):
    """Return the numbers of a lazy collection."""
    assert hasattr(collection, "__dask_graph__")
    return np.asarray(collection.compute())


def assert_same(model, local):
    """Check that an estimator on Dask is bit for bit the local one."""
    assert_same_clusters(model, local)
    for name in OF_SAMPLES:
        np.testing.assert_array_equal(computed(getattr(model, name)), getattr(local, name))


def assert_same_clusters(model, local):
    """Check that all is the same but for what there is for each sample."""
    for name in [name for name in FITTED if name not in OF_SAMPLES]:
        found, expected = getattr(model, name), getattr(local, name)
        if issparse(expected):
            assert issparse(found)
            found, expected = found.toarray(), expected.toarray()
        np.testing.assert_array_equal(found, expected, err_msg=name)
        assert np.asarray(found).dtype == np.asarray(expected).dtype, name
    assert model.to_local()._stream.numbers.seed == local._stream.numbers.seed


def assert_same_numbers(random_state, expected):
    """Check that two sources of random numbers go on alike."""
    for found, wanted in zip(random_state.get_state(), expected.get_state()):
        np.testing.assert_array_equal(found, wanted)


def wait_until_forgotten(client):
    """Check that the scheduler comes to know of no task."""
    wait_while(lambda: client.run_on_scheduler(_known_tasks))


def wait_while(something):
    """Wait until a call returns nothing, which takes a moment or never happens."""
    deadline = time.monotonic() + PATIENCE
    while left := something():
        gc.collect()  # of collections in the traceback of an error that was expected
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


def _known_tasks(dask_scheduler):
    """Return the tasks, their states, and who wants them."""
    tasks = dask_scheduler.tasks.values()
    return [
        (str(task.key), task.state, list(map(str, task.who_wants or ()))) for task in tasks
    ]
