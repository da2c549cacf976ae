"""Merged clusters whose ids last: a look continues the look before."""

import itertools
import logging
import pickle

import numpy as np
import pytest
from checkpoints import through_file
from engines import THREADS, tuned
from scipy.sparse import csr_array
from sklearn.cluster import KMeans

from onlinekmeans_sklearn import OnlineKMeans

ATTRIBUTES = ["cluster_centers_", "online_to_merged_", "merged_since_", "inertia_"]


def groups(seed, n, n_groups, d=4):
    """Return samples of some of ten groups, and the group of each."""
    rng = np.random.RandomState(seed)
    means = np.random.RandomState(99).normal(scale=6, size=(10, d))
    group = rng.randint(n_groups, size=n)
    return means[group] + rng.normal(size=(n, d)), group


X = np.concatenate([groups(i, 600, n)[0] for i, n in enumerate([4, 4, 6, 6, 10, 10])])


def after_looks(rows, cuts, looks, between=lambda model: model, **options):
    """Return a model that has read rows in calls, looked at after some samples."""
    model = OnlineKMeans(5, random_state=0, **options)
    for start, stop in itertools.pairwise([0, *cuts, rows.shape[0]]):
        model = between(model.partial_fit(rows[start:stop]))
        if stop in looks:
            model.predict(rows[:5])
    return model


def assert_same(one, other):
    """Check that merged clusters are the same, bit for bit."""
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("half_life", [None, 900])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_merged_clusters_depend_only_on_where_was_looked(kind, half_life, path):
    rows, options = kind(X), {"half_life": half_life}
    looks = [700, 1300, 2000, 3000]
    expected = after_looks(rows, looks, looks, **options)

    finer = sorted({*looks, *range(100, 3600, 170)})
    for between in (
        lambda model: model,
        lambda model: through_file(model, path),
        lambda model: pickle.loads(pickle.dumps(model)),
    ):
        assert_same(after_looks(rows, finer, looks, between, **options), expected)
    with tuned(**THREADS):
        assert_same(after_looks(rows, looks, looks, n_jobs=2, **options), expected)


def test_the_first_look_is_that_of_fit():
    whole = OnlineKMeans(5, random_state=0).fit(X)
    assert_same(after_looks(X, [100, 2000], []), whole)
    assert (whole.merged_since_ == len(X)).all()
    anew = after_looks(X, [2000], [2000]).set_params(n_clusters=7).partial_fit()
    assert_same(anew, OnlineKMeans(7, k=132, random_state=0).fit(X))
    again = OnlineKMeans(5, random_state=0).fit(X[:500]).fit(X)
    assert_same(again, whole)


def test_to_look_twice_changes_nothing():
    model = after_looks(X, [2000], [2000])
    before = {name: getattr(model, name) for name in ATTRIBUTES}
    model.partial_fit()
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    repr(model), dir(model), model._repr_html_()
    assert model.labels_ is model.labels_


@pytest.mark.parametrize("n_new", [1, 100, 900])
def test_ids_last_on_a_stream_that_stands_still(n_new):
    rows, group = groups(7, 6000, 5)
    model = OnlineKMeans(5, random_state=0).partial_fit(rows[:3000])
    before = model.predict(rows)
    assert len(np.unique([before[group == g][0] for g in range(5)])) == 5
    for start in range(3000, 6000, n_new)[:10]:
        model.partial_fit(rows[start : start + n_new])
        assert (model.predict(rows) == before).mean() > 0.999
    assert (model.merged_since_ == 3000).all()


def test_a_group_keeps_its_id_when_others_arrive():
    changes = n_seen = 0
    for seed in range(10):
        model, ids = OnlineKMeans(10, random_state=seed), {}
        for n_groups in (6, 7, 8, 9, 10):
            rows, group = groups(100 * seed + n_groups, 1500, n_groups)
            labels = model.partial_fit(rows).predict(rows)
            for g in range(n_groups):
                main = np.bincount(labels[group == g]).argmax()
                changes += ids.get(g, main) != main
                n_seen += g in ids
                ids[g] = main
    assert changes <= 0.15 * n_seen


def test_continued_clusters_cost_what_fresh_ones_do():
    for seed in range(5):
        rng = np.random.RandomState(seed)
        rows = np.sort(rng.normal(size=(6000, 3)) * [5, 2, 1], axis=0)
        model = OnlineKMeans(8, random_state=seed)
        for part in np.split(rows, 12):
            model.partial_fit(part).predict(part[:1])
        best = KMeans(8, n_init=3, random_state=0).fit(rows)
        assert -model.score(rows) < 1.05 * best.inertia_


def test_an_id_that_means_something_new_is_told(caplog):
    rows = X[:600]  # of four groups, so that one of them has two of five ids
    model = OnlineKMeans(5, random_state=0).partial_fit(rows)
    before = model.predict(rows)
    far = 500 + rows[:200]
    with caplog.at_level(logging.INFO, logger="onlinekmeans_sklearn"):
        model.partial_fit(far)
        new = np.unique(model.predict(far))
    np.testing.assert_array_equal(np.flatnonzero(model.merged_since_ == 800), new)
    for cluster in new:
        assert f"Merged cluster {cluster} has a new meaning" in caplog.text
    kept = np.isin(before, new, invert=True)
    np.testing.assert_array_equal(model.predict(rows)[kept], before[kept])
    with pytest.raises(AttributeError, match="needs merged clusters"):
        _ = OnlineKMeans().fit(rows).merged_since_


def test_a_small_batch_of_something_new_is_not_overlooked():
    """Though it is little, it costs much."""
    model = OnlineKMeans(4, random_state=0).partial_fit(X[:1200])
    model.predict(X[:1])
    far = X[:20] - 300
    assert len(np.unique(model.partial_fit(far).predict(far))) == 1
    assert -model.score(far) < 0.01 * ((far - X[:1200].mean(axis=0)) ** 2).sum()


@pytest.mark.parametrize("seed", range(4))
def test_all_parts_of_a_merged_cluster_may_retire(seed):
    """Then its id is free for something new, also after few samples."""
    rng = np.random.RandomState(seed)
    model = OnlineKMeans(6, k=40, half_life=100, random_state=seed)
    for step in range(80):
        far = 60 * rng.randint(3, size=2) * (step % 15 == 0) + 30 * (step // 25)
        labels = model.partial_fit(rng.normal(size=(7, 2)) + far).predict([far, [0, 0]])
        n_clusters = model.n_clusters_
        assert model.cluster_centers_.shape == (n_clusters, 2)
        assert labels.max() < n_clusters == len(model.merged_since_)
        assert {*model.online_to_merged_[model.counts_ > 0]} == {*range(n_clusters)}
    assert (model.counts_ == 0).any()


def test_labels_of_fit_predict_are_the_callers_own():
    model = OnlineKMeans(5, random_state=0)
    labels = model.fit_predict(X)
    labels[:] = -1
    assert model.labels_.min() == 0
