"""The driver of a cluster decides alike in whatever order its workers answer.

Here workers are only pretended, so that any order can be had: it is drawn at random. Rows
that are proposed before their turn are decided as the paper's loop decides them.
"""

import pickle
from collections import Counter
from itertools import cycle
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
from dask_clusters import SMALL, STORAGES, assert_same, repeats, stream
from engines import tuned
from hypothesis import given
from hypothesis import strategies as st
from inside import positions_per_block
from sklearn.base import clone
from streams import (
    ALGORITHMS,
    WITHIN_FLOAT32,
    assert_equals_reference,
    blobs,
    estimator_of,
    grid,
    reference_of,
    small_streams,
)
from streams import STREAMS as LOCAL_STREAMS

import onlinekmeans_sklearn.dask
from onlinekmeans_sklearn._dask import driver, tasks
from onlinekmeans_sklearn._utils.tuning import TUNING

SIZES = [500, 0, 90, 130, *[170] * 12, 3, 3, 3]
STREAMS = {"blobs": stream(), "repeats": repeats()}
X = STREAMS["blobs"]
# nothing is read serially after the prefix, and all is proposed at once
SOON = {"calm_rows": 1, "calm_openings": 10.0, "partitions_per_thread": 50}
FLOAT32, CSR = (pytest.param(x, marks=pytest.mark.slow) for x in (np.float32, "csr_array"))


class Pretended:
    """A future, computed when somebody asks for its result, on the worker of its input."""

    def __init__(self, function, *args, address=""):
        found = [address, *(place for arg in args if (place := address_of(arg)))]
        self.address = found[-1]
        self._function, self._args, self._results = function, args, []

    def result(self):
        if not self._results:
            args = [resolved(arg) for arg in self._args]
            self._results.append(self._function(*args))
        return self._results[0]

    def lose(self):
        """Let the result come from another worker."""
        self._results = [pickle.loads(pickle.dumps(result)) for result in self._results]


def address_of(arg):
    """Return where an argument is, or the first of several."""
    arg = arg[0] if type(arg) is list else arg
    return arg.address if isinstance(arg, Pretended) else ""


def resolved(arg):
    """Return an argument with results in the place of futures, as Dask does."""
    if isinstance(arg, Pretended):
        return arg.result()
    return type(arg)(map(resolved, arg)) if type(arg) in (list, tuple) else arg


class PretendedTasks:
    """Tasks of workers with one thread each, which answer in an order of chance.

    `places` says where partitions are, over and over; "" if nobody knows yet. Now and then
    a proposal comes from another worker, as if its own had died. No proposal that is given
    up, or decided, is answered once more.
    """

    def __init__(self, seed, addresses, places):
        self._rng = np.random.RandomState(seed)
        self._addresses, self._places = addresses, cycle(places)
        self._expected, self.submitted, self._proposals = [], [], []
        self.added_up = Counter()  # tasks, by proposal

    def load(self, delayed):
        return [Pretended(part.compute, address=next(self._places)) for part in delayed]

    def submit(self, step, receive, function, *args):
        chosen = self._addresses[self._rng.randint(len(self._addresses))]
        future = Pretended(function, *args, address=chosen)
        self.submitted.append((step, future.address))
        if step == "propose":
            self._proposals.append(future)
        if step == "add-up":
            self.added_up[args[3]] += 1
        self._expected.append((future, receive))
        return future

    def wait(self):
        future, receive = self._expected.pop(self._rng.randint(len(self._expected)))
        if self._rng.random_sample() < 0.1:
            for proposal in self._proposals:
                proposal.lose()
        receive(pickle.loads(pickle.dumps(future.result())))

    def release(self, futures):
        futures = list(futures)
        self._expected = [pair for pair in self._expected if pair[0] not in futures]

    def release_all(self):
        self._expected.clear()

    def n_threads(self):
        return len(self._addresses)

    result = tasks.Tasks.result


def fitted(rows, pretended, local=None, **tuning):
    """Return an estimator on Dask whose partitions pretended workers have read."""
    local = local or onlinekmeans_sklearn.OnlineKMeans(k=60, random_state=0)
    model = getattr(onlinekmeans_sklearn.dask, type(local).__name__).from_local(local)
    with (
        mock.patch.object(model, "_client", return_value=mock.Mock()),
        mock.patch.object(driver, "Tasks", return_value=pretended),
        tuned(**SMALL | tuning),
        dask.config.set(scheduler="synchronous"),
    ):
        return model.fit(rows)


def assert_local(model, X):
    """Check that the estimator is what the local one becomes, and return that."""
    local = clone(model.to_local()).fit(X)
    with dask.config.set(scheduler="synchronous"):
        assert_same(model, local)
    return local


def check(name, X, k, seed, sizes, storage="array", cap=None, **tuning):
    """Check rows that are proposed before their turn by the loop; return figures."""
    collection, local_rows = STORAGES[storage]
    pretended = PretendedTasks(seed, ["a", "b"], ["a", "b"])
    model = estimator_of(name, len(X), k, seed).set_params(max_clusters=cap)
    with positions_per_block(64):
        model = fitted(collection(X, sizes), pretended, model, **SOON, **tuning)
        local = assert_local(model, local_rows(X))
        expected = reference_of(name, X, k, seed, max_clusters=cap or np.inf)
    assert_equals_reference(local, local.labels_, local_rows(X), expected)
    assert "propose" in [step for step, _ in pretended.submitted] or len(X) <= 200
    return model._fitted.figures


@pytest.mark.parametrize("dtype", [np.float64, FLOAT32])
@pytest.mark.parametrize("storage", ["array", CSR])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_proposals_before_their_turn_change_nothing(name, storage, dtype):
    for seed in range(3):
        X = blobs(seed, 600, d=2) if seed % 2 else grid(seed, 600, d=2, side=20)
        sizes = [1 + 40 * seed, *[70, 1, 33] * 4]
        figures = check(name, X.astype(dtype), 1 + seed, seed, sizes, storage)
        assert figures["n_candidates"] > figures["n_openings"] > 0 == figures["n_bursts"]


@pytest.mark.parametrize("stream", WITHIN_FLOAT32)
def test_awkward_streams_are_read_before_their_turn(stream):
    for name in ("practical", "semi-online, bound"):
        check(name, LOCAL_STREAMS[stream](0, 200), 3, 0, [20, *[30] * 6])


@pytest.mark.parametrize("cap", [1, 12, 30])
def test_no_more_open_than_there_is_room_for(cap):
    check("practical", blobs(0, 500), 1, 0, [20, *[50] * 9], cap=cap)


@pytest.mark.parametrize("tuning", [{"most_candidates": 3}, {"most_candidate_elements": 1}])
def test_a_burst_of_new_clusters_is_read_by_one_worker(tuning):
    X = np.concatenate([blobs(0, 300), 50 + blobs(1, 300, n_blobs=60)])
    assert check("practical", X, 3, 0, [100] * 6)["n_bursts"] == 0
    assert check("practical", X, 3, 0, [100] * 6, **tuning)["n_bursts"] > 0


@pytest.mark.slow
@given(
    X=small_streams(),
    name=st.sampled_from(sorted(ALGORITHMS)),
    sizes=st.lists(st.integers(0, 20), min_size=1, max_size=9),
    seed=st.integers(0, 5),
    cap=st.sampled_from([None, None, 1, 8]),
)
def test_any_stream_is_read_before_its_turn(X, name, sizes, seed, cap):
    check(name, X, 2, seed, sizes, cap=cap)


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["array", "csr_matrix", "unknown sizes"])
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("most_candidates", [TUNING.most_candidates, 2])
def test_any_order_of_answers_gives_the_local_result(storage, name, most_candidates):
    collection, local_rows = STORAGES[storage]
    rows = STREAMS[name]
    steps, n_tasks = set(), Counter()
    for seed, n_positions in enumerate([2**16, 90, 400, 30]):
        rng = np.random.RandomState(seed)
        addresses = list("abcd"[: rng.randint(1, 5)])
        places = rng.choice([*addresses, ""], size=len(SIZES))
        pretended = PretendedTasks(seed, addresses, places)
        with positions_per_block(n_positions):
            lazy = collection(rows, SIZES)
            model = fitted(lazy, pretended, most_candidates=most_candidates)
            assert_local(model, local_rows(rows))
        steps.update(step for step, _ in pretended.submitted)
        n_tasks.update(pretended.added_up.values())
    assert {"propose", "add-up"} < steps
    assert n_tasks.keys() == {1, 2}  # some were cut where a block ends


def test_all_workers_propose_though_one_has_the_next_partitions():
    places = ["a"] * 7 + ["b"] * 12
    pretended = PretendedTasks(0, ["a", "b"], places)
    fitted(STORAGES["array"][0](X, [160] * 19), pretended, partitions_per_thread=6)
    first = [step for step, _ in pretended.submitted].index("propose")
    before_any_answer = pretended.submitted[first : first + 9]
    assert before_any_answer == [("propose", "a")] * 7 + [("propose", "b")] * 2


@pytest.mark.parametrize("joins", [False, True])
def test_a_cluster_of_one_thread_reads_some_partitions_in_each_task(joins):
    pretended = PretendedTasks(0, ["a"], ["a"])
    if joins:  # another worker
        pretended.n_threads = lambda: 1 + (len(pretended.submitted) > 3)
    model = fitted(STORAGES["array"][0](X, [100] * 30), pretended)
    read = pretended.submitted[: 4 if joins else None]
    assert read == [("read", "a")] * (4 if joins else 8)  # four partitions, or the rest
    assert joins == ("propose" in {step for step, _ in pretended.submitted})
    assert_local(model, X)


def test_many_empty_partitions_in_a_row_do_not_stop_those_after_them():
    sizes = [1000, *[100] * 5, *[0] * 40, *[100] * 15]
    for storage in ("array", "unknown sizes"):
        pretended = PretendedTasks(0, ["a", "b"], ["a", "b"])
        model = fitted(STORAGES[storage][0](X, sizes), pretended)
        assert "propose" in {step for step, _ in pretended.submitted}
        assert_local(model, X)
