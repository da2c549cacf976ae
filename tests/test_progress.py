"""Callbacks of scikit-learn 1.9 during `fit`."""

import numpy as np
import pytest
from engines import tuned
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

pytest.importorskip("sklearn.callback")

X = blobs(0, 1000)


class Recorder:
    """A callback that remembers what it is told."""

    max_propagation_depth = None

    def __init__(self):
        self.begun, self.ended, self.fitted, self.torn_down = [], [], [], 0

    def setup(self, estimator, context):
        self.estimator = estimator

    def teardown(self, estimator, context):
        self.torn_down += 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
        self.ended.append(context.task_name)
        self.fitted.append(fitted_estimator)


class FailingRecorder(Recorder):
    def on_fit_task_end(self, estimator, context):
        raise RuntimeError("no more")


@pytest.fixture(autouse=True)
def small_blocks():
    with tuned(first_block_rows=64, most_block_rows=64):
        yield


@pytest.mark.parametrize(
    "model",
    [
        OnlineKMeans(k=40, random_state=0),
        OnlineKMeans(n_clusters=3, random_state=0),
        OnlineKMeans(k=40, half_life=130, random_state=0),
        SemiOnlineKMeans(k=3, random_state=0),
    ],
    ids=str,
)
def test_callbacks_hear_of_every_share_of_the_rows(model):
    recorder = Recorder()
    model = clone(model).set_callbacks(recorder).fit(X)
    assert recorder.begun == ["fit", *["share of the rows"] * 50]
    assert recorder.ended == [*["share of the rows"] * 50, "fit"]
    assert recorder.torn_down == 1
    plain = clone(model).set_callbacks().fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)


@pytest.mark.parametrize("half_life", [None, 130])
def test_what_callbacks_see_is_the_fit_of_the_rows_so_far(half_life):
    recorder = Recorder()
    model = OnlineKMeans(k=40, half_life=half_life, random_state=0)
    clone(model).set_callbacks(recorder).fit(X)
    for seen in recorder.fitted[:-7:7]:
        n = seen.n_samples_seen_
        expected = clone(model).fit(X[:n])
        np.testing.assert_array_equal(seen.cluster_centers_, expected.cluster_centers_)
        np.testing.assert_array_equal(seen.predict(X), expected.predict(X))
        np.testing.assert_array_equal(seen.labels_, expected.labels_)
        rest = seen.partial_fit(X[n:]), expected.partial_fit(X[n:])
        np.testing.assert_array_equal(rest[0].cluster_means_, rest[1].cluster_means_)
    assert recorder.fitted[-1].n_samples_seen_ == 1000


def test_a_pipeline_hands_its_callbacks_on():
    recorder = Recorder()
    model = make_pipeline(StandardScaler(), OnlineKMeans(k=40, random_state=0))
    model.set_callbacks(recorder).fit(X)
    assert recorder.ended.count("share of the rows") == 50


def test_a_progress_bar_runs(capsys):
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar

    OnlineKMeans(k=40).set_callbacks(ProgressBar()).fit(X)
    assert "100%" in capsys.readouterr().out


def test_callbacks_are_torn_down_when_fit_fails():
    recorder = Recorder()
    model = OnlineKMeans(k=40, random_state=0).set_callbacks(recorder).fit(X)
    before = vars(model).copy()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((20, 3), np.nan))
    model.set_callbacks(failing := FailingRecorder())
    before["_skl_callbacks"] = [failing]
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X)
    assert failing.torn_down == 1
    assert vars(model) == before
