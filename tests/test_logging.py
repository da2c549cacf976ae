"""The logger tells of phases and merges, once each; by default nothing."""

import logging

import pytest
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans

X = blobs(0, 2000)


@pytest.fixture
def messages(caplog):
    caplog.set_level(logging.INFO, logger="onlinekmeans_sklearn")
    return lambda word: [m for m in caplog.messages if word in m]


def test_each_phase_is_told_once(messages):
    model = OnlineKMeans(k=60, random_state=0)
    for start in range(0, len(X), 250):
        model.partial_fit(X[start : start + 250])
    assert model.n_phases_ > 2
    phases = zip(model.phase_starts_, model.facility_costs_)
    after = "New phase after {} samples, with facility cost {:g}"
    assert messages("phase") == [after.format(*phase) for phase in phases]


def test_a_merge_is_told_when_it_is_done(messages):
    model = OnlineKMeans(4, random_state=0).partial_fit(X)
    assert not messages("merged")
    model.predict(X)
    model.transform(X)
    told = f"{len(model.counts_)} online clusters merged into 4 after 2000 samples"
    assert messages("merged") == [told]


def test_each_call_is_told_at_debug_only(caplog):
    model = OnlineKMeans(k=60, random_state=0)
    caplog.set_level(logging.INFO, logger="onlinekmeans_sklearn")
    model.partial_fit(X[:500])
    n_before = len(model.counts_)
    assert not [m for m in caplog.messages if m.startswith("Read")]
    caplog.set_level(logging.DEBUG, logger="onlinekmeans_sklearn")
    model.partial_fit(X[500:])
    n_now = len(model.counts_)
    assert [m for m in caplog.messages if m.startswith("Read")] == [
        f"Read 1500 rows, opened {n_now - n_before} centers: 2000 samples, {n_now} centers"
    ]


def test_nothing_is_printed_by_default(capfd):
    OnlineKMeans(4, random_state=0).fit(X)
    assert capfd.readouterr() == ("", "")
