"""Rows that are proposed before their turn are decided as the paper's loop decides them.

Here one process does what workers and driver do on Dask, with proposals that know too
little: as many partitions are proposed at once as a lag says.
"""

import copy
import pickle
from collections import deque

import numpy as np
import pytest
from engines import tuned
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inside import positions_per_block, set_last_rows, set_stream, stream_of
from streams import (
    ALGORITHMS,
    STORAGES,
    STREAMS,
    WITHIN_FLOAT32,
    assert_equals_reference,
    blobs,
    dense,
    estimator_of,
    grid,
    reference_of,
    small_streams,
)

from onlinekmeans_sklearn._algorithm.cluster_sums import totals_by_block
from onlinekmeans_sklearn._algorithm.partition import decide, finish, online_labels, propose
from onlinekmeans_sklearn._nearest import centers_from

FLOAT32 = pytest.param(np.float32, marks=pytest.mark.slow)


def read_before_their_turn(estimator, X, first, sizes, lag):
    """Let an estimator read the first rows, then the rest in partitions of these sizes.

    What it knows of its last rows is then that of all the rest.
    """
    estimator.fit(X[:first])
    stream = copy.copy(stream_of(estimator))
    done, under_way, start, turn = [], deque(), first, 0
    while start < X.shape[0] or under_way:
        while start < X.shape[0] and len(under_way) < lag:
            part = stream.centers.as_rows(X[start : start + sizes[turn % len(sizes)]])
            uniforms = stream.numbers.between(start, start + part.shape[0])
            has_room = len(stream.centers) < stream.max_clusters
            cost = stream.schedule.facility_cost if has_room else None
            proposed = propose(stream.centers, cost, part, uniforms, X.dtype)
            under_way.append((part, stream.centers, *proposed))
            start, turn = start + part.shape[0], turn + 1
        part, known, labels, d2, found = under_way.popleft()
        if found.n_rows < part.shape[0]:  # a burst: the rest, and all after it, once more
            start -= part.shape[0] - found.n_rows
            start -= sum(later[0].shape[0] for later in under_way)
            under_way.clear()
            part = part[: found.n_rows]
        opened = decide(stream, len(known), found)
        unknown = centers_from(stream.centers.rows[len(known) :])
        labels, d2 = finish(part, labels, d2, known, unknown, opened)
        last = stream.totals.last_block()
        for block in totals_by_block(last, part, labels, d2, stream.centers):
            stream.totals = stream.totals.followed_by(pickle.loads(pickle.dumps(block)))
        done.append((labels, d2))
    set_stream(estimator, stream)
    set_last_rows(estimator, *map(np.concatenate, zip(*done)))


def check(name, X, k, seed, first, sizes, lag, **cap):
    """Check that the estimator is then what the reference says, and return it."""
    estimator = estimator_of(name, X.shape[0], k, seed).set_params(**cap)
    with positions_per_block(64):
        read_before_their_turn(estimator, X, first, sizes, lag)
        expected = reference_of(name, dense(X), k, seed, **cap)
    labels = np.append(expected.labels[:first], estimator.online_labels_)
    assert_equals_reference(estimator, labels, X, expected)
    return estimator


@pytest.mark.parametrize("dtype", [np.float64, FLOAT32])
@pytest.mark.parametrize("storage", ["F-order", "csr_array"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_proposals_before_their_turn_change_nothing(name, storage, dtype):
    for seed in range(3):
        X = blobs(seed, 600, d=2) if seed % 2 else grid(seed, 600, d=2, side=20)
        rows = STORAGES[storage](X.astype(dtype))
        check(name, rows, 1 + seed, seed, 1 + 40 * seed, [70, 1, 33], lag=1 + 2 * seed)


@pytest.mark.parametrize("stream", WITHIN_FLOAT32)
def test_awkward_streams_are_read_before_their_turn(stream):
    X = STREAMS[stream](0, 200)
    for name in ("practical", "semi-online, bound"):
        check(name, X, 3, 0, first=20, sizes=[30], lag=3)


@pytest.mark.parametrize("max_clusters", [1, 12, 30])
def test_no_more_open_than_there_is_room_for(max_clusters):
    for lag in (1, 4):
        check("practical", blobs(0, 500), 1, 0, 20, [50], lag, max_clusters=max_clusters)


def test_a_proposal_offers_no_more_candidates_than_it_may():
    X = np.concatenate([blobs(0, 300), 50 + blobs(1, 300, n_blobs=60)])
    with tuned(most_candidates=3):
        check("practical", X, 3, 0, first=100, sizes=[100], lag=3)
    with tuned(most_candidate_elements=1):  # for wide rows: one is offered all the same
        check("practical", X, 3, 0, first=100, sizes=[100], lag=3)


@pytest.mark.slow
@settings(deadline=None)
@given(
    X=small_streams(),
    name=st.sampled_from(sorted(ALGORITHMS)),
    first=st.integers(1, 10),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    lag=st.integers(1, 4),
    seed=st.integers(0, 5),
)
def test_any_stream_is_read_before_its_turn(X, name, first, sizes, lag, seed):
    assume(first < len(X))
    check(name, X, 2, seed, first, sizes, lag)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_online_labels_are_found_again(name):
    X = blobs(0, 500)
    estimator = estimator_of(name, len(X), 2, 0).fit(X)
    stream = stream_of(estimator)
    labels, d2 = online_labels(stream, X[200:], first=200)
    np.testing.assert_array_equal(labels, estimator.online_labels_[200:])
    np.testing.assert_array_equal(np.sqrt(d2), estimator.online_distances_[200:])
