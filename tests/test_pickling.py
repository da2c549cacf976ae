"""Pickles go on to the last bit, and say when another version wrote them."""

import copy
import io
import pickle
import warnings

import joblib
import numpy as np
import pytest
from checkpoints import fingerprint
from inside import del_stream, replaced, set_stream, stream_of
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
    "sparse": SemiOnlineKMeans(k=2, random_state=0).fit(csr_array(X)),
    "classifier": ClusterFeaturesClassifier(random_state=0).fit(X, X[:, 0] > 0),
    "pipeline": make_pipeline(StandardScaler(), OnlineKMeans(random_state=0)).fit(X),
}


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def written_by(version, model):
    """Return the pickle that another version would have written of a model."""
    with replaced("_VERSION", version):
        return pickle.dumps(model)


@pytest.mark.parametrize("way", [through_pickle, through_joblib, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", MODELS)
def test_the_same_version_says_nothing_and_leaves_nothing_behind(name, way):
    other = way(MODELS[name])  # a warning would be an error here
    assert vars(other).keys() == vars(MODELS[name]).keys()
    assert clone(other).get_params().keys() == MODELS[name].get_params().keys()
    if name in ("practical", "sparse"):
        assert fingerprint(other) == fingerprint(MODELS[name])


@pytest.mark.parametrize("name", MODELS)
def test_another_version_is_warned_of(name):
    data = written_by("0.0.7", MODELS[name])
    with pytest.warns(InconsistentVersionWarning) as caught:
        other = pickle.loads(data)
    warning = caught[0].message
    assert warning.original_sklearn_version == "0.0.7"
    assert warning.current_sklearn_version == __version__
    assert warning.estimator_name.endswith(("KMeans", "Classifier"))
    if name in ("practical", "sparse"):
        assert fingerprint(other) == fingerprint(MODELS[name])
    through_pickle(other)  # is of this version from now on


def test_a_pickle_without_a_version_is_of_an_unknown_one():
    state = MODELS["practical"].__getstate__()
    assert state.pop("_onlinekmeans_sklearn_version") == __version__
    with pytest.warns(InconsistentVersionWarning, match="from version unknown"):
        OnlineKMeans.__new__(OnlineKMeans).__setstate__(state)


def without_counts(model):
    del stream_of(model).counts


def without_schedule(model):
    del stream_of(model).schedule


def as_a_dict(model):
    set_stream(model, vars(stream_of(model)))


@pytest.mark.parametrize("name", ["practical", "sparse"])
@pytest.mark.parametrize(
    "change",
    [without_counts, without_schedule, del_stream, as_a_dict],
)
def test_a_pickle_that_cannot_be_used_says_so(name, change):
    model = copy.deepcopy(MODELS[name])
    change(model)
    data = written_by("0.0.7", model)
    with pytest.raises(ValueError, match=r"Cannot unpickle.*0\.0\.7, and.*fit the"):
        pickle.loads(data)


def test_a_wrong_parameter_is_not_taken_for_another_version():
    model = copy.deepcopy(MODELS["practical"]).set_params(max_clusters=-1)
    with pytest.warns(InconsistentVersionWarning):
        other = pickle.loads(written_by("0.0.7", model))
    with pytest.raises(ValueError, match="max_clusters"):
        other.partial_fit(X)


def test_the_trial_changes_nothing():
    np.random.seed(3)
    model = OnlineKMeans(k=40, random_state=None).fit(X)  # numpy's global numbers
    data = written_by("0.0.7", model)
    before = np.random.get_state()[1].tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        other = pickle.loads(data)
    assert np.random.get_state()[1].tobytes() == before
    assert other.n_samples_seen_ == len(X)
    assert fingerprint(other) == fingerprint(model)
