"""Pickles go on bit for bit, are plain inside, and say when another version wrote them."""

import copy
import io
import pickle
import tempfile

import joblib
import numpy as np
import pytest
import skops.io
from checkpoints import fingerprint
from inside import replaced
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from streams import blobs

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    SemiOnlineKMeans,
    __version__,
)

X = blobs(0, 300)
MODELS = {
    "unfitted": OnlineKMeans(),
    "practical": OnlineKMeans(n_clusters=3, random_state=0).fit(X),
    "shared": OnlineKMeans(k=40, random_state=np.random.RandomState(0)).partial_fit(X),
    "sparse": SemiOnlineKMeans(k=2, random_state=0).fit(csr_array(X)),
    "classifier": ClusterFeaturesClassifier(random_state=0).fit(X, X[:, 0] > 0),
    "pipeline": make_pipeline(StandardScaler(), OnlineKMeans(random_state=0)).fit(X),
}


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file, compress=3)
    file.seek(0)
    return joblib.load(file)


def through_mapped_file(model):
    with tempfile.TemporaryDirectory() as folder:
        return joblib.load(joblib.dump(model, f"{folder}/model")[0], mmap_mode="r")


def through_skops(model):
    data = skops.io.dumps(model)
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


WAYS = [through_pickle, through_joblib, through_mapped_file, through_skops]
WAYS += [copy.copy, copy.deepcopy]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_the_same_version_says_nothing_and_leaves_nothing_behind(name, way):
    other = way(MODELS[name])  # a warning would be an error here
    assert vars(other).keys() == vars(MODELS[name]).keys()
    assert clone(other).get_params().keys() == MODELS[name].get_params().keys()
    if name in ("practical", "sparse"):
        assert fingerprint(other) == fingerprint(MODELS[name])


@pytest.mark.parametrize("name", MODELS)
def test_another_version_of_the_same_format_is_warned_of(name):
    with replaced("VERSION", "0.0.7"):
        data = pickle.dumps(MODELS[name])
    with pytest.warns(InconsistentVersionWarning) as caught:
        other = pickle.loads(data)
    warning = caught[0].message
    assert warning.original_sklearn_version == "0.0.7"
    assert warning.current_sklearn_version == __version__
    assert warning.estimator_name.endswith(("KMeans", "Classifier"))
    if name in ("practical", "sparse"):
        assert fingerprint(other) == fingerprint(MODELS[name])
    through_pickle(other)  # is of this version from now on


@pytest.mark.parametrize("number", [0, 2, "1", None])
@pytest.mark.parametrize("name", MODELS)
def test_another_format_is_refused(name, number):
    with replaced("FORMAT_VERSION", number):
        data = pickle.dumps(MODELS[name])
    message = rf"format version {number!r}.*expects format version 1\."
    with pytest.raises(ValueError, match=message):
        pickle.loads(data)


def test_a_pickle_without_a_version_is_refused():
    state = MODELS["practical"].__getstate__()
    del state["_onlinekmeans_sklearn_state"]
    with pytest.raises(ValueError, match="format version None"):
        OnlineKMeans.__new__(OnlineKMeans).__setstate__(state)


def test_another_version_may_have_a_wrong_parameter():
    model = copy.deepcopy(MODELS["practical"]).set_params(max_clusters=-1)
    other = through_pickle(model)
    with pytest.raises(ValueError, match="max_clusters"):
        other.partial_fit(X)


def plain_leaves(value):
    """Return the types of all that is in nested dicts and lists."""
    if type(value) in (dict, list):
        inside = value.values() if type(value) is dict else value
        return set().union(*map(plain_leaves, inside))
    return {type(value)}


@pytest.mark.parametrize("name", ["unfitted", "practical", "sparse"])
def test_a_state_is_plain(name):
    plain = {type(None), bool, int, float, str, np.ndarray}
    assert plain_leaves(MODELS[name].__getstate__()) <= plain


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("practical", ["_online_kmeans.OnlineKMeans"]),
        ("sparse", ["_online_kmeans.SemiOnlineKMeans"]),
        ("pipeline", ["_online_kmeans.OnlineKMeans"]),
        (
            "classifier",
            ["_classifier.ClusterFeaturesClassifier", "_online_kmeans.OnlineKMeans"],
        ),
    ],
)
def test_skops_needs_to_trust_nothing_but_the_estimators(name, expected):
    untrusted = skops.io.get_untrusted_types(data=skops.io.dumps(MODELS[name]))
    assert {*untrusted} == {f"onlinekmeans_sklearn.{each}" for each in expected}


@pytest.mark.parametrize("name", ["practical", "shared", "sparse"])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_copy_learns_is_its_own(name, way):
    model = copy.deepcopy(MODELS[name])
    before, other = fingerprint(model), way(model)
    rows = csr_array(X) if name == "sparse" else X
    for learn in ("fit", "fit_transform"):
        getattr(way(model), learn)(rows[:77])
    parts = [rows[:20], *(rows[i : i + 1] for i in range(5))]  # which take another way
    for part in parts:
        other.partial_fit(part)
    assert fingerprint(model) == before
    for part in parts:
        model.partial_fit(part)
    assert fingerprint(model) == fingerprint(other)


@pytest.mark.parametrize("way", [through_pickle, copy.deepcopy, list])
def test_estimators_go_on_sharing_a_random_state(way):
    numbers = np.random.RandomState(0)
    models = [OnlineKMeans(random_state=numbers).fit(X), OnlineKMeans(random_state=numbers)]
    assert copy.copy(models[0]).random_state is numbers  # as scikit-learn does
    first, second = way(models)
    assert first.random_state is second.random_state
    assert (first.random_state is numbers) == (way is list)
    one, other = first.fit(X), second.fit(X)
    assert not np.array_equal(one.opened_at_, other.opened_at_)


def test_a_state_that_cannot_be_is_refused():
    state = MODELS["sparse"].__getstate__()
    state["_fitted"]["stream"]["clusters"]["rows"]["columns"] += 1000
    with pytest.raises(ValueError, match="contradict each other"):
        OnlineKMeans.__new__(OnlineKMeans).__setstate__(state)


def test_a_very_wide_sparse_model_needs_no_memory_for_its_columns():
    wide = csr_array(([1.0, 2.0], [5, 2**40 - 1], [0, 1, 2]), shape=(2, 2**40))
    model = OnlineKMeans(random_state=0).fit(wide)
    with replaced("VERSION", "0.0.7"):
        data = pickle.dumps(model)
    with pytest.warns(InconsistentVersionWarning):
        other = pickle.loads(data)
    assert (other.cluster_centers_ != model.cluster_centers_).nnz == 0
    assert other.counts_.tolist() == model.counts_.tolist()


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_sums_may_be_larger_than_any_sample(storage):
    limit = np.sqrt(np.finfo(float).max / 2) / 16
    rows = storage(np.full((60, 2), limit) * np.linspace(-1, 1, 60)[:, None])
    model = OnlineKMeans(max_clusters=1, random_state=0).fit(rows)
    assert fingerprint(through_pickle(model)) == fingerprint(model)
