"""On Dask: workers that die or come, tasks that fail, and calls that are given up."""

import copy
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from contextlib import nullcontext
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da
from at_once import PATIENCE
from dask_clusters import (
    SMALL,
    assert_same,
    assert_same_numbers,
    cluster,
    cut,
    stream,
    tuned_everywhere,
    wait_until_forgotten,
)
from distributed import wait
from test_progress import Recorder

import onlinekmeans_sklearn
from onlinekmeans_sklearn._algorithm.stream import Stream
from onlinekmeans_sklearn._dask import driver, tasks
from onlinekmeans_sklearn.dask import OnlineKMeans

# of Dask in 2025, when a test without a cluster runs beside one
pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")

X = stream()
SIZES = [250] * 12


@pytest.fixture(scope="module")
def local():
    return onlinekmeans_sklearn.OnlineKMeans(k=60, random_state=0).fit(X)


def at_decision(number, function):
    """Return a patch: the function is called before a decision of the driver."""
    decisions, usual = [], driver.decide

    def decide(*args):
        decisions.append(args)
        if len(decisions) == number:
            function()
        return usual(*args)

    return mock.patch.object(driver, "decide", decide)


def kill_a_worker(client):
    """Kill the process of the worker that has most results."""
    pids, has_what = client.run(os.getpid, on_error="ignore"), client.has_what()
    fullest = max(pids, key=lambda address: len(has_what.get(address, ())))
    os.kill(pids[fullest], signal.SIGKILL)


@pytest.mark.slow
def test_workers_may_come_and_go(local):
    """On a cluster of its own, with others left to go on: a nanny may take its time."""
    computed = da.from_array(X, chunks=(250, 3)).map_blocks(np.negative)
    changes = []
    with cluster(4) as client, tuned_everywhere(client, **SMALL, seconds_between_counts=0):

        def come():
            client.cluster.scale(5)
            client.wait_for_workers(5, timeout=PATIENCE)
            changes.append("came")

        def die():
            kill_a_worker(client)
            changes.append("died")

        persisted = computed.persist()
        wait(persisted)
        for rows, number, change in [
            (computed, 2, come),
            (persisted, 4, die),
            (computed, 1, die),
            (computed, 7, die),
        ]:
            with at_decision(number, change):
                model = OnlineKMeans(k=60, random_state=0, client=client).fit(-rows)
            assert_same(model, local)
        assert changes == ["came", "died", "died", "died"]
        labels = model.labels_.persist()
        wait(labels)
        die()
        np.testing.assert_array_equal(labels.compute(), local.labels_)
        del model, rows, persisted, labels
        wait_until_forgotten(client)


@pytest.mark.slow
def test_a_call_gives_up_when_all_workers_are_gone():
    rows = da.from_array(X, chunks=(250, 3)).map_blocks(np.negative)
    settings = {**SMALL, "seconds_without_workers": 0.5}
    with cluster() as client, tuned_everywhere(client, **settings):
        model = OnlineKMeans(k=60, random_state=0, client=client)
        with (
            at_decision(3, lambda: client.cluster.scale(0)),
            pytest.raises(RuntimeError, match="start workers and call it again"),
        ):
            model.fit(rows)
        assert not hasattr(model, "n_samples_seen_")


@pytest.mark.parametrize("result", [3, CancelledError("by another client")])
def test_a_result_counts_though_its_worker_has_died_since(result):
    future = mock.Mock(key="answer", status="lost")
    done, received = mock.MagicMock(), []
    done.__next__.return_value = future, result
    with mock.patch.object(tasks, "as_completed", return_value=done):
        expected = tasks.Tasks(mock.Mock(status="running", submit=lambda *_, **__: future))
    expected.submit("add-up", received.append, print)
    with pytest.raises(CancelledError) if result != 3 else nullcontext():
        expected.wait()
    assert received == [3] * (result == 3)


def load_part(part, path, n_failures):
    """Return the part, but fail the first times, which a file counts."""
    with open(path, "ab+") as file:
        file.write(b".")
        file.flush()
        if os.path.getsize(path) <= n_failures:
            raise OSError("the disk is away")
    return part


def flaky(tmp_path, n_failures, index=9):
    """Return delayed parts of which one fails so many times."""
    parts = cut(X, SIZES)
    load = dask.delayed(load_part)
    return [
        load(part, str(tmp_path / str(i)), n_failures if i == index else 0)
        for i, part in enumerate(parts)
    ]


@pytest.mark.parametrize("index", [0, 9])
def test_a_task_that_fails_twice_is_tried_again(client, local, tmp_path, index):
    model = OnlineKMeans(k=60, random_state=0, client=client)
    assert_same(model.fit(flaky(tmp_path, 2, index)), local)


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("number", "method", "is_persisted"),
    [
        (1, "fit", True),
        (8, "fit", False),
        (1, "partial_fit", False),
        (8, "partial_fit", True),
    ],
)
def test_a_call_that_is_interrupted_leaves_nothing(client, number, method, is_persisted):
    model, before, numbers = fitted_model(client)
    rows = da.from_array(X, chunks=(250, 3), name=False).map_blocks(np.negative)
    if is_persisted:
        rows = rows.persist()
        wait(rows)
    with at_decision(number, interrupt), pytest.raises(KeyboardInterrupt):
        getattr(model, method)(rows)
    assert vars(model) == before
    assert_same_numbers(model.random_state, numbers)
    if is_persisted:  # they are the user's own
        np.testing.assert_array_equal(rows.compute(), -X)
    del rows
    wait_until_forgotten(client)


@pytest.mark.parametrize(("method", "index"), [("fit", 0), ("partial_fit", 9)])
def test_a_task_that_fails_for_good_leaves_nothing(where, tmp_path, method, index):
    model, before, numbers = fitted_model(where)
    with pytest.raises(OSError, match="the disk is away"):
        getattr(model, method)(flaky(tmp_path, 10**6, index))
    assert vars(model) == before
    assert_same_numbers(model.random_state, numbers)


def fitted_model(client):
    """Return an estimator that has read something, its attributes and random numbers."""
    source = np.random.RandomState(0)
    model = OnlineKMeans(k=60, random_state=source, client=client)
    model.fit(da.from_array(X[:500], chunks=(250, 3)))
    return model, vars(model).copy(), copy.deepcopy(source)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_without_a_cluster_the_next_partition_is_loading(scheduler):
    is_loading = [threading.Event() for _ in range(12)]

    def load(part, index):
        is_loading[index].set()
        return part

    usual, read = Stream.extend, []

    def extended(self, rows, *args, **options):
        read.append(rows)
        assert is_loading[min(len(read), 11)].wait(timeout=PATIENCE)
        assert not any(event.is_set() for event in is_loading[len(read) + 1 :])
        return usual(self, rows, *args, **options)

    parts = [dask.delayed(load)(part, i) for i, part in enumerate(cut(X, SIZES))]
    with (
        dask.config.set(scheduler=scheduler),
        mock.patch.object(Stream, "extend", extended),
    ):
        OnlineKMeans(k=60).fit(parts)
    assert len(read) == 12


@pytest.mark.usefixtures("where")
def test_callbacks_hear_of_every_partition():
    pytest.importorskip("sklearn.callback")
    recorder = Recorder()
    model = OnlineKMeans(k=60, random_state=0).set_callbacks(recorder)
    model.fit(da.from_array(X, chunks=(250, 3)))
    assert recorder.ended == [*["share of the rows"] * 12, "fit"]
    assert recorder.torn_down == 1
    for seen in recorder.fitted[:-1:5]:
        n = seen.n_samples_seen_
        expected = onlinekmeans_sklearn.OnlineKMeans(k=60, random_state=0).fit(X[:n])
        np.testing.assert_array_equal(seen.cluster_means_, expected.cluster_means_)
        assert seen.inertia_ == expected.inertia_
        labels = seen.labels_.compute()
        np.testing.assert_array_equal(labels[:n], expected.labels_)


WITHOUT = """
import sys
sys.modules["distributed"] = None
import onlinekmeans_sklearn
assert "dask" not in sys.modules
try:
    import onlinekmeans_sklearn.dask
except ImportError as error:
    print(error)
"""


@pytest.mark.slow
def test_the_package_does_not_need_dask():
    command = [sys.executable, "-c", WITHOUT]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "pip install 'onlinekmeans_sklearn[dask]'" in told
