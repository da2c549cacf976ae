"""Bad input gets an error that helps, and changes nothing."""

import copy

import joblib
import numpy as np
import pandas as pd
import pytest
from engines import tuned
from inside import before_step, stream_of
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

X = blobs(0, 200)


def with_value(value):
    bad = X[:20].copy()
    bad[7, 1] = value
    return bad


BAD_FOR_ALL = {
    "NaN": (with_value(np.nan), "NaN"),
    "infinity": (with_value(np.inf), "infinity"),
    "NaN in CSR": (csr_array(with_value(np.nan)), "NaN"),
    "no rows": (np.empty((0, 3)), "0 sample"),
    "no columns": (np.empty((5, 0)), "0 feature"),
    "1-d": (X[0], "2D array"),
    "3-d": (X[None], "dim 3"),
    "scalar": (3.0, "2D array"),
    "complex": (X + 1j, "[Cc]omplex"),
    "strings": (np.array([["a", "b", "c"]]), "(?i)could not convert|numeric"),
    "objects": (np.array([[{}, [], None]], dtype=object), "float|number"),
    "ragged": ([[1.0, 2.0, 3.0], [1.0]], "inhomogeneous|sequence"),
    "overflow": (with_value(1e200), r"up to 1e\+200.*overflow.*up to .*e\+152"),
    "overflow in CSR": (csr_array(with_value(-1e200)), r"up to 1e\+200.*overflow"),
    "nothing": (None, "(?i)array|NoneType"),
}
BAD_FOR_A_FITTED_ONE = {
    "too wide": (np.ones((5, 4)), "4 features.*3 features"),
    "too narrow": (csr_array(np.ones((5, 2))), "2 features.*3 features"),
}
CASES = [
    (method, case)
    for method in (
        "fit",
        "fit_transform",
        "partial_fit",
        "partial_fit_predict",
        "partial_fit_transform",
        "predict",
        "transform",
    )
    for case in [
        *(case for case in BAD_FOR_ALL if (method, case) != ("partial_fit", "nothing")),
        *([] if method in ("fit", "fit_transform") else BAD_FOR_A_FITTED_ONE),
    ]
]


def fingerprint(model):
    """Return a hash of everything the estimator knows, its random numbers included."""
    return joblib.hash(vars(model))


@pytest.mark.parametrize(("method", "case"), CASES)
def test_bad_data_leaves_the_fitted_state_as_it_was(method, case):
    data, message = {**BAD_FOR_ALL, **BAD_FOR_A_FITTED_ONE}[case]
    model = OnlineKMeans(k=30, random_state=0).fit(X)
    before = fingerprint(model)
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, method)(data)
    assert fingerprint(model) == before
    model.partial_fit(X)
    assert fingerprint(model) != before


@pytest.mark.parametrize("method", ["fit", "partial_fit_predict"])
@pytest.mark.parametrize("case", BAD_FOR_ALL)
def test_bad_first_data_leaves_the_estimator_unfitted(method, case):
    data, message = BAD_FOR_ALL[case]
    model = OnlineKMeans()
    before = fingerprint(model)
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, method)(data)
    assert fingerprint(model) == before
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_wrong_feature_names_are_an_error_and_change_nothing():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = OnlineKMeans(k=30, random_state=0).fit(frame)
    before = fingerprint(model)
    for method in ("partial_fit", "predict", "transform"):
        with pytest.raises(ValueError, match="feature names"):
            getattr(model, method)(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(pd.DataFrame({"other": [1.0, np.nan]}))
    assert fingerprint(model) == before
    assert list(model.feature_names_in_) == ["a", "b", "c"]


def test_arrays_for_a_model_of_frames_are_a_warning():
    model = OnlineKMeans(k=30, random_state=0).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    for method in ("predict", "transform", "partial_fit"):
        with pytest.warns(UserWarning, match="valid feature names"):
            getattr(model, method)(X)


BAD_PARAMETERS = [
    (OnlineKMeans, "k", bad, r"an int in the range \[1, inf\) or 'auto'")
    for bad in (0, -1, 2.5, "many", None, True, np.nan, [3], np.array([1, 2]))
]
BAD_PARAMETERS += [
    (OnlineKMeans, name, 10**400, rf"an int in the range \[1, {most}\] or .*an int of 1329")
    for name, most in [("k", 2**62), ("n_clusters", 2**31 - 1), ("max_clusters", 2**31 - 1)]
]
BAD_PARAMETERS += [
    (SemiOnlineKMeans, name, 2**31, rf"an int in the range \[1, {2**31 - 1}\] or None")
    for name in ("n_clusters", "max_clusters")
]
BAD_PARAMETERS += [
    (kind, "centers", bad, "a str among {'samples', 'means'}")
    for kind in (OnlineKMeans, SemiOnlineKMeans)
    for bad in ("medians", None, 3)
]
BAD_PARAMETERS += [
    (OnlineKMeans, "algorithm", bad, "a str among {'practical', 'theoretical'}")
    for bad in ("Practical", "auto", None, 3, ["practical"])
]
BAD_PARAMETERS += [
    (OnlineKMeans, "n_clusters", bad, r"an int in the range \[1, inf\) or None")
    for bad in (0, -3, 2.0, "auto")
]
BAD_PARAMETERS += [
    (OnlineKMeans, "max_clusters", bad, r"an int in the range \[1, inf\) or None")
    for bad in (0, -3, 2.0, "auto", np.inf)
]
BAD_PARAMETERS += [
    (OnlineKMeans, "encode", bad, "a str among {'onehot', 'onehot-dense', 'ordinal', 'dis")
    for bad in ("one-hot", None, 1, ["onehot"])
]
BAD_PARAMETERS += [
    (SemiOnlineKMeans, "lower_bound", bad, r"a float in the range \(0.0, inf\) or None")
    for bad in (0, -1.0, np.nan, np.inf, "auto", [1.0], True)
]
BAD_PARAMETERS += [
    (SemiOnlineKMeans, "n_samples", bad, r"an int in the range \[1, inf\) or None")
    for bad in (0, -5, 10.5, "all", np.nan)
]
BAD_PARAMETERS += [
    (SemiOnlineKMeans, "n_jobs", bad, "an int other than 0 or None")
    for bad in (0, 1.5, "all", True, np.nan, [2])
]


@pytest.mark.parametrize(("estimator", "name", "bad", "expected"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_say_what_came_and_what_was_expected(estimator, name, bad, expected):
    model = estimator().fit(X)
    before = vars(model).copy()
    model.set_params(**{name: bad})
    ends = r"^(?=.*\. Got .+ instead\.$)"
    text = f"{ends}The '{name}' parameter of {estimator.__name__} must be {expected}"
    methods = ["partial_fit", "partial_fit_predict", "predict", "transform", "score"]
    if name != "n_clusters":  # which must be None there
        methods.append("partial_fit_transform")
    for method in ("fit", *methods):
        for rows in (X, X[:1]):
            with pytest.raises(ValueError, match=text):
                getattr(model, method)(rows)
    with pytest.raises(ValueError, match=text):
        model.partial_fit()
    before[name] = bad
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is before[key] for key in before)


def test_fewer_clusters_allowed_than_asked_for_is_an_error():
    model = OnlineKMeans(n_clusters=6, max_clusters=5)
    with pytest.raises(
        ValueError, match=r"'max_clusters' .* no smaller than n_clusters=6.*Got 5"
    ):
        model.fit(X)
    assert model.set_params(max_clusters=6, k=20).fit(X).n_clusters_ == 6


@pytest.mark.parametrize("good", [16, np.int64(30), np.uint8(200), "auto"])
def test_good_values_of_k_are_taken(good):
    assert OnlineKMeans(k=good).fit(X).n_clusters_ >= 1


@pytest.mark.parametrize("good", [1, np.float32(0.5), np.int64(7), 1e-300])
def test_good_values_of_lower_bound_are_taken(good):
    assert SemiOnlineKMeans(lower_bound=good).fit(X).n_clusters_ >= 1


@pytest.mark.parametrize("step", ["look_up", "open_centers", "label", "accumulate"])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_call_changes_nothing(interruption, step):
    calls = []

    def interrupt():
        calls.append(step)
        if len(calls) == 2:
            raise interruption

    whole = OnlineKMeans(k=100, random_state=0).fit(X)
    with tuned(first_block_rows=16, most_block_rows=32):
        model = OnlineKMeans(k=100, random_state=0).partial_fit(X[:20])
        before = fingerprint(model)
        with before_step(step, interrupt), pytest.raises(interruption):
            model.partial_fit(X[20:])
    assert len(calls) == 2
    assert fingerprint(model) == before

    model.partial_fit(X[20:])
    np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(model.labels_, whole.labels_[20:])


def test_an_interrupted_row_changes_nothing():
    def interrupt():
        raise KeyboardInterrupt

    whole = OnlineKMeans(k=2, algorithm="theoretical", random_state=0).fit(X)
    model = OnlineKMeans(k=2, algorithm="theoretical", random_state=0).partial_fit(X[:20])
    interrupted = 0
    for row in X[20:, None]:
        before = fingerprint(model)
        try:
            with before_step("open_centers", interrupt):
                model.partial_fit(row)
        except KeyboardInterrupt:
            interrupted += 1
            assert fingerprint(model) == before
            model.partial_fit(row)
    assert 5 < interrupted < 180
    np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(model.counts_, whole.counts_)
    assert model.inertia_ == whole.inertia_


SOURCES = {
    "RandomState": lambda: np.random.RandomState(0),
    "other numbers": lambda: np.random.RandomState(np.random.PCG64(0)),
    "numpy's own": lambda: np.random.mtrand._rand,
}


@pytest.mark.parametrize("learn", ["fit", "partial_fit", "fit_transform", "fit_predict"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_stream_draws_one_seed_and_none_if_the_call_fails(source, learn):
    def interrupt():
        raise KeyboardInterrupt

    numbers = SOURCES[source]()
    numbers.normal()  # which leaves another number for the next time
    before = joblib.hash(numbers.get_state(legacy=False))
    model = OnlineKMeans(k=30, random_state=numbers)
    with before_step("open_centers", interrupt), pytest.raises(KeyboardInterrupt):
        getattr(model, learn)(X)
    assert joblib.hash(numbers.get_state(legacy=False)) == before

    expected = copy.deepcopy(numbers)
    seed = expected.randint(2**63 - 1, dtype=np.int64)
    getattr(model, learn)(X)
    model.partial_fit(X).predict(X)
    assert stream_of(model).numbers.seed == seed
    after = joblib.hash(expected.get_state(legacy=False))
    assert joblib.hash(numbers.get_state(legacy=False)) == after


def test_the_largest_values_allowed_do_not_overflow():
    d = 3
    limit = np.sqrt(np.finfo(float).max / d) / 16
    edge = np.array([[limit, limit, limit], [-limit, -limit, -limit]] * 8)
    edge[2:] *= np.linspace(0.1, 0.9, 14)[:, None]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        model = OnlineKMeans(k=16, random_state=0).fit(edge * (1 - 1e-15))
        model.predict(edge * (1 - 1e-15))
    assert np.isfinite(model.facility_cost_)
    with pytest.raises(ValueError, match="overflow"):
        model.fit(edge * (1 + 1e-9))
