"""Bad input gets an error that helps, and changes nothing."""

import copy

import joblib
import numpy as np
import pandas as pd
import pytest
from engines import tuned
from inside import before_step, stream_of
from scipy.sparse import csr_array
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
FOR_NEW = "fit", "fit_transform"
METHODS = [*FOR_NEW, "partial_fit", "partial_fit_predict", "partial_fit_transform"]
METHODS += ["predict", "transform"]
CASES = [
    (method, case)
    for method in METHODS
    for case in (BAD_FOR_ALL if method in FOR_NEW else BAD_FOR_ALL | BAD_FOR_A_FITTED_ONE)
    if (method, case) != ("partial_fit", "nothing")
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
    if method in ("fit", "partial_fit_predict") and case in BAD_FOR_ALL:
        model = OnlineKMeans()
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(model, method)(data)
        assert vars(model) == vars(OnlineKMeans())


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
    for method in ("predict", "transform", "partial_fit"):
        with pytest.warns(UserWarning, match="valid feature names"):
            getattr(model, method)(X)


AT_LEAST_1 = r"an int in the range \[1, inf\) or "
POSITIVE = r"a float in the range \(0.0, inf\) or None"
INT32 = 2**31 - 1
OF_ONLINE = [  # parameter, bad values, and what is expected
    ("k", (0, -1, 2.5, "many", None, True, np.nan, [3], np.array([1, 2])), "'auto'"),
    ("n_clusters", (0, -3, 2.0, "auto"), "None"),
    ("max_clusters", (0, -3, 2.0, "auto", np.inf), "None"),
    ("half_life", (0, -3, 1.5, "5", True, np.nan), "None"),
]
OF_ONLINE = [(name, some, AT_LEAST_1 + expected) for name, some, expected in OF_ONLINE]
OF_ONLINE += [
    (name, [10**400], rf"an int in the range \[1, {most}\] or .*an int of 1329")
    for name, most in [("k", 2**62), ("n_clusters", INT32), ("max_clusters", INT32)]
]
OF_ONLINE += [
    ("centers", ("medians", None, 3), "a str among {'samples', 'means'}"),
    (
        "algorithm",
        ("Practical", "auto", None, 3, ["practical"]),
        "a str among {'practical', 'theoretical'}",
    ),
    (
        "encode",
        ("one-hot", None, 1, ["onehot"]),
        "a str among {'onehot', 'onehot-dense', 'ordinal', 'dis",
    ),
]
OF_SEMI_ONLINE = [
    ("n_clusters", [2**31], rf"an int in the range \[1, {INT32}\] or None"),
    ("max_clusters", [2**31], rf"an int in the range \[1, {INT32}\] or None"),
    ("centers", ("medians", None, 3), "a str among {'samples', 'means'}"),
    ("lower_bound", (0, -1.0, np.nan, np.inf, "auto", [1.0], True), POSITIVE),
    ("n_samples", (0, -5, 10.5, "all", np.nan), AT_LEAST_1 + "None"),
    ("n_jobs", (0, 1.5, "all", True, np.nan, [2]), "an int other than 0 or None"),
]
BAD_PARAMETERS = [
    (kind, name, bad, expected)
    for kind, table in [(OnlineKMeans, OF_ONLINE), (SemiOnlineKMeans, OF_SEMI_ONLINE)]
    for name, some, expected in table
    for bad in some
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


@pytest.mark.parametrize(
    "good",
    [
        *(OnlineKMeans(k=k) for k in (16, np.int64(30), np.uint8(200), "auto")),
        *(
            SemiOnlineKMeans(lower_bound=b)
            for b in (1, np.float32(0.5), np.int64(7), 1e-300)
        ),
    ],
    ids=repr,
)
def test_good_values_are_taken(good):
    assert good.fit(X).n_clusters_ >= 1


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


def interrupt():
    raise KeyboardInterrupt


SOURCES = {
    "RandomState": lambda: np.random.RandomState(0),
    "other numbers": lambda: np.random.RandomState(np.random.PCG64(0)),
    "numpy's own": lambda: np.random.mtrand._rand,
}


@pytest.mark.parametrize("learn", ["fit", "partial_fit", "fit_transform", "fit_predict"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_stream_draws_one_seed_and_none_if_the_call_fails(source, learn):

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
