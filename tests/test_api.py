"""What a user of scikit-learn expects by habit."""

import copy
import inspect
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from checkpoints import FITTED, fingerprint, through_file
from inside import before_step
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from streams import blobs, dense

import onlinekmeans_sklearn
from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 400)


@pytest.mark.parametrize("estimator", [OnlineKMeans, SemiOnlineKMeans])
def test_the_only_positional_parameter_is_n_clusters_as_in_kmeans(estimator):
    first, *others = inspect.signature(estimator).parameters.values()
    assert first.name == next(iter(inspect.signature(KMeans).parameters)) == "n_clusters"
    assert {parameter.kind for parameter in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert estimator(8, random_state=0).fit(X).n_clusters_ == 8
    with pytest.raises(TypeError, match="positional"):
        estimator(8, 100)


@pytest.mark.parametrize("k", [1, 15, np.uint8(3)])
def test_a_k_below_16_warns_once_a_stream(k):
    advice = rf"The 'k' parameter of OnlineKMeans is {k}, .*fewer than 16.*n_clusters={k}"
    model = OnlineKMeans(k=k, random_state=0)
    with pytest.warns(UserWarning, match=advice) as given:
        model.partial_fit(X[:200]).partial_fit(X[200:])
    assert len(given) == 1
    assert given[0].filename == __file__
    smallest = OnlineKMeans(k=16, random_state=0).fit(X)
    np.testing.assert_array_equal(model.opened_at_, smallest.opened_at_)
    with pytest.warns(UserWarning, match=advice) as given:
        model.fit(X)
    assert (len(given), given[0].filename) == (1, __file__)
    OnlineKMeans(k=k, algorithm="theoretical").fit(X)
    OnlineKMeans(2, max_clusters=5).fit(X)  # "auto" is small then, and that is right


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_set_params_alone_changes_nothing_that_was_learned(learn):
    model = getattr(OnlineKMeans(4, random_state=0), learn)(X)
    before, labels = fingerprint(model), model.predict(X)
    for parameters in (
        {"n_clusters": 7, "k": 20, "algorithm": "theoretical"},
        {"n_clusters": None, "max_clusters": 3, "centers": "means"},
        {"n_clusters": 0, "k": -1, "encode": "none", "n_jobs": 0, "random_state": "x"},
    ):
        model.set_params(**parameters)
        assert fingerprint(model) == before
        assert all(hasattr(model, name) for name in FITTED)
    model.set_params(**OnlineKMeans(7, random_state=0).get_params())
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.transform(X).shape == (400, 4)
    assert len(model.get_feature_names_out()) == 4


def test_partial_fit_without_rows_does_the_last_step_again():
    model = OnlineKMeans(k=60, random_state=0).partial_fit(X[:150]).partial_fit(X[150:])
    without = copy.deepcopy(model).set_params(n_clusters=5).partial_fit(X)
    for n_clusters, centers in [
        (20, "samples"),
        (None, "means"),
        (None, "samples"),
        (5, "means"),
    ]:
        options = {"n_clusters": n_clusters, "centers": centers}
        assert model.set_params(**options).partial_fit() is model
        whole = OnlineKMeans(k=60, random_state=0, **options).fit(X)
        assert model.inertia_ == whole.inertia_
        np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)
        np.testing.assert_array_equal(model.predict(X), whole.predict(X))
        np.testing.assert_array_equal(model.labels_, whole.labels_[150:])
        assert model.n_samples_seen_ == 400
    with pytest.raises(ValueError, match="'n_clusters'"):
        model.set_params(n_clusters=0).partial_fit()
    assert model.n_clusters_ == 5
    model.set_params(n_clusters=5).partial_fit(X)  # by the same random numbers
    assert fingerprint(model) == fingerprint(without)
    for estimator in (OnlineKMeans, SemiOnlineKMeans):
        with pytest.raises(NotFittedError, match=estimator.__name__):
            estimator(3).partial_fit()


def test_the_merge_waits_until_it_is_needed_and_is_done_once():
    calls = []
    model = OnlineKMeans(4, random_state=0)
    pipeline = make_pipeline(StandardScaler(), model)
    pipeline[0].fit(X)
    with before_step("merge", lambda: calls.append("merge")):
        for part in np.split(X, 4):
            model.partial_fit(part)
            for shown in (model, pipeline):
                assert "OnlineKMeans" in shown._repr_html_()
                assert "OnlineKMeans" in estimator_html_repr(shown)
            assert "OnlineKMeans" in model._repr_mimebundle_()["text/html"]
            assert len(model.get_feature_names_out()) == model.n_clusters_ == 4
            copy.copy(model)
        assert calls == []
        assert "cluster_means_" in dir(model)
        assert not {"labels_", "cluster_centers_", "online_to_merged_"} & {*dir(model)}
        model.predict(X)
        fingerprint(model)
    assert len(calls) == 1
    assert {*FITTED} <= {*dir(model)}
    assert "cluster_centers_" in model._repr_html_() or sklearn.__version__ < "1.9"


def test_fitted_attributes_are_missing_before_fit_and_nothing_else():
    for model in (OnlineKMeans(3), SemiOnlineKMeans(k=-1, n_jobs=0)):
        for name in FITTED:
            assert not hasattr(model, name)
            with pytest.raises(AttributeError, match=f"{name}|not fitted yet"):
                getattr(model, name)
        assert type(model).__name__ in model._repr_html_()
    with pytest.raises(
        NotFittedError, match=r"OnlineKMeans .* not fitted yet\. Call 'fit'"
    ):
        OnlineKMeans().labels_  # noqa: B018
    for name in FITTED[:-1]:  # n_features_in_ is scikit-learn's
        assert isinstance(getattr(OnlineKMeans, name), property)


def test_attributes_do_not_raise_where_too_few_clusters_would_warn():
    model = OnlineKMeans(300, random_state=0).partial_fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(hasattr(model, name) for name in FITTED)


def test_a_semi_online_stream_that_starts_by_a_batch_wants_its_length():
    for method in ("partial_fit", "partial_fit_predict", "partial_fit_transform"):
        model = SemiOnlineKMeans(random_state=0)
        text = "'n_samples' parameter of SemiOnlineKMeans is None.*taken to be 10,"
        with pytest.warns(UserWarning, match=text) as given:
            getattr(model, method)(X[:10])
        assert (len(given), given[0].filename) == (1, __file__)
        model.partial_fit(X[10:15])
    SemiOnlineKMeans(random_state=0).fit(X)
    SemiOnlineKMeans(n_samples=400, random_state=0).partial_fit(X)


@pytest.mark.parametrize(
    ("n_samples", "learn"), [(None, "fit"), (100, "fit"), (100, "partial_fit")]
)
def test_a_semi_online_stream_twice_as_long_as_said_warns_once(n_samples, learn):
    model = SemiOnlineKMeans(n_samples=n_samples, random_state=0)
    getattr(model, learn)(X[:100]).partial_fit(X[100:199])
    with pytest.warns(UserWarning, match=r"now has 200 samples.* 100 of.*n_samples"):
        model.partial_fit(X[199:200])
    model.partial_fit(X[200:])
    with pytest.warns(UserWarning, match="now has 400 samples"):
        SemiOnlineKMeans(n_samples=100).fit(X)


def test_a_warning_that_is_an_error_changes_nothing():
    numbers = np.random.RandomState(0)
    model = SemiOnlineKMeans(n_samples=100, random_state=numbers).partial_fit(X[:150])
    before, state = fingerprint(model), joblib.hash(numbers)
    with pytest.raises(UserWarning, match="now has"):
        model.partial_fit(X[150:])
    assert (fingerprint(model), joblib.hash(numbers)) == (before, state)


def test_labels_and_features_of_a_batch_are_the_callers_own(path):
    model = OnlineKMeans(k=40, random_state=0)
    for rows in (X[:300], X[300:301]):
        labels = model.partial_fit_predict(rows)
        expected = labels.copy()
        labels[:] = -1
        np.testing.assert_array_equal(model.online_labels_, expected)
        np.testing.assert_array_equal(model.labels_, expected)
        model.online_to_merged_[:] = -1
        np.testing.assert_array_equal(model.labels_, expected)
        assert model.labels_ is model.labels_
        features = model.partial_fit_transform(rows)
        expected = features.indices.copy()
        features.indices[:] = -1
        np.testing.assert_array_equal(model.online_labels_, expected)
        for known in (model, through_file(model, path)):
            for name in ("labels_", "online_labels_"):
                with pytest.raises(ValueError, match="read-only"):
                    getattr(known, name)[:] = -1


def test_the_package_lists_its_public_names_only():
    names = {name for name in dir(onlinekmeans_sklearn) if not name.startswith("__")}
    assert names == {*onlinekmeans_sklearn.__all__}
    assert {"__version__", "__doc__", "__all__"} <= {*dir(onlinekmeans_sklearn)}


@pytest.mark.parametrize("estimator", [OnlineKMeans(), SemiOnlineKMeans()])
def test_errors_about_arguments_name_no_private_class(estimator):
    for name in ("fit", "partial_fit", "predict", "score", "transform", "fit_predict"):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword"):
            getattr(estimator, name)(X, other=3)


@pytest.mark.parametrize(
    "model", [OnlineKMeans(k=60), SemiOnlineKMeans(), ClusterFeaturesClassifier()], ids=str
)
def test_a_dask_collection_is_loaded_whole_with_a_warning(model):
    rows = pytest.importorskip("dask.array").from_array(X, chunks=(100, 3))
    model.set_params(random_state=0)
    expected = clone(model).fit(X, X[:, 0] > 0).predict(X)
    text = f"{type(model).__name__} got a Dask collection.*as a whole"
    with pytest.warns(UserWarning, match=text) as given:
        model.fit(rows, X[:, 0] > 0)
    assert (len(given), given[0].filename) == (1, __file__)
    with pytest.warns(UserWarning, match=text):
        np.testing.assert_array_equal(model.predict(rows), expected)


def lone_row(data=(1.0, 2.0), indices=(0, 2), ends=(0, 2), dtype=np.float64):
    """Return one row of CSR with such arrays, whatever scipy would say to them."""
    row = sparse.csr_array(np.array([[1.0, 0.0, 2.0]]))
    row.data = np.array(data, dtype=dtype)
    row.indices, row.indptr = np.array(indices, np.int32), np.array(ends, np.int32)
    return row


LONE_ROWS = {  # what is broken otherwise is refused as such a row among others is
    "as usual": (lone_row(), [1, 0, 2]),
    "empty": (lone_row((), (), (0, 0)), [0, 0, 0]),
    "not sorted": (lone_row((2.0, 1.0), (2, 0)), [1, 0, 2]),
    "twice": (lone_row((1.0, 2.0), (1, 1)), [0, 3, 0]),
    "more than there is": (lone_row((5.0, 9.0), (1, 1), (0, 1)), [0, 5, 0]),
    "integers": (lone_row(dtype=np.int64), [1, 0, 2]),
    "other columns": (lone_row(indices=(0, 3)), "contradict"),
    "columns up and down": (lone_row((1.0, 2.0, 3.0), (0, 9, 1), (0, 3)), "contradict"),
    "backwards": (lone_row(ends=(0, -2)), "contradict"),
    "NaN": (lone_row((1.0, np.nan)), "NaN"),
    "too large": (lone_row((1.0, 1e200)), "overflow"),
    "too wide": (sparse.csr_array(np.ones((1, 4))), "4 features"),
}


@pytest.mark.parametrize("case", LONE_ROWS)
def test_a_lone_sparse_row_is_looked_at_before_it_is_trusted(case):
    row, expected = LONE_ROWS[case]
    model = OnlineKMeans(random_state=0).fit(sparse.csr_array(np.eye(3)))
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            model.partial_fit(row)
        assert model.n_samples_seen_ == 3
    else:
        model.partial_fit(row)
        np.testing.assert_array_equal(dense(model.online_centers_)[-1], expected)
