"""Calls of the public methods with odd data and odd parameters, in odd orders.

A call may return a result, or raise ValueError or TypeError with a message. NotFittedError
is a ValueError. Besides there is MemoryError where more memory was asked for than there is,
ImportError where a library for data frames is missing, and AttributeError where
scikit-learn's conventions have it: for attributes of what is not fitted, and for methods
that the classifier inside does not have. After an exception nothing has changed, neither
the estimator nor the data nor numpy's random numbers.
"""

import copy
import pickle
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from checkpoints import FITTED, with_random_state_of
from inside import stream_of
from scipy.sparse import issparse
from sklearn.base import clone

from onlinekmeans_sklearn import (
    ClusterFeaturesClassifier,
    OnlineKMeans,
    SemiOnlineKMeans,
    load,
    save,
)

from . import odd_parameters as values
from .odd_data import good_rows, odd_rows, odd_targets
from .state import changes, plain_input, state

CALLS_PER_CASE = 5
N_FEATURES = 3
LEARNING = (
    *("fit", "fit_predict", "fit_transform", "partial_fit"),
    *("partial_fit_predict", "partial_fit_transform"),
)
ASKING = ("predict", "transform", "score")
OF_MODEL = ("fit", "partial_fit", "predict", "score", "decision_function", "predict_proba")
SPECIAL = ("repr", "clone", "pickle", "checkpoint", "attribute")
WITHOUT_DATA = ("set_params", "get_params", *SPECIAL)
ENDLESS = 10**9  # columns that nobody has memory for


class Call(NamedTuple):
    """A call of a method: its name, what kind of data it gets, and its arguments."""

    method: str
    data: str
    arguments: tuple
    keywords: dict


class Outcome(NamedTuple):
    """A result, or an exception; and the warnings that were given."""

    result: object
    error: Exception | None
    warnings: list


def fuzz_case(seed, index):
    """Make the calls of the case of this index, and return how many."""
    usual = np.random.get_state()
    try:
        _fuzz(np.random.RandomState([seed, index]))
        return CALLS_PER_CASE
    finally:
        np.random.set_state(usual)


def _fuzz(rng):
    """Make calls of an estimator."""
    np.random.seed(rng.randint(2**31))
    estimator = _estimator(rng)
    if rng.random_sample() < 0.6:
        _prepare(rng, estimator)
    if rng.random_sample() < 0.3:
        estimator.set_params(**_parameter(rng, estimator, odd=True))
    for _ in range(CALLS_PER_CASE):
        call = _call(rng, estimator)
        try:
            check_call(estimator, call)
        except Exception as error:
            text = f"{error!r} in {call!r:.2000} of {estimator!r:.2000}"
            raise AssertionError(text) from error


def _estimator(rng):
    """Return an estimator with good parameters."""
    kind = (OnlineKMeans, SemiOnlineKMeans, ClusterFeaturesClassifier)[rng.randint(3)]
    good = _choices(kind(), odd=False)
    parameters = {name: values.draw(rng, good[name]) for name in sorted(good)}
    caps = parameters.get("n_clusters"), parameters.get("max_clusters")
    if None not in caps and caps[0] > caps[1]:
        parameters["n_clusters"] = None
    if None not in (parameters.get("half_life"), parameters.get("max_clusters")):
        parameters["max_clusters"] = None
    return kind(**parameters)


def _choices(estimator, odd):
    """Return values for the parameters of an estimator."""
    if isinstance(estimator, ClusterFeaturesClassifier):
        return values.ODD_PARTS if odd else values.GOOD_PARTS
    choices = values.ODD_PARAMETERS if odd else values.GOOD_PARAMETERS
    names = estimator.get_params(deep=False)
    return {name: choices[name] for name in choices if name in names}


def _parameter(rng, estimator, odd):
    """Return one parameter with a value, good or odd."""
    choices = _choices(estimator, odd)
    name = sorted(choices)[rng.randint(len(choices))]
    return {name: values.draw(rng, choices[name])}


def _prepare(rng, estimator):
    """Let the estimator learn from good rows, if it can."""
    X = good_rows(rng, N_FEATURES)
    y = np.arange(_length(X)) % 2
    with warnings.catch_warnings(), suppress(ValueError, TypeError):  # a single class
        warnings.simplefilter("ignore")
        estimator.fit(X, y)


def _length(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _call(rng, estimator):
    """Return a call with data of some sort."""
    if rng.random_sample() < 0.2:
        return _call_without_data(rng, estimator)
    is_classifier = isinstance(estimator, ClusterFeaturesClassifier)
    methods = OF_MODEL if is_classifier else LEARNING + ASKING
    method = str(rng.choice(methods))
    name, X = "good", None
    if rng.random_sample() < 0.4:
        X = good_rows(rng, N_FEATURES)
    else:
        name, X = odd_rows(rng, N_FEATURES)
    arguments, keywords = (X,), {}
    if is_classifier and method in ("fit", "partial_fit", "score"):
        n = _length(X) if name == "good" else 5
        arguments += (odd_targets(rng, n),)
    elif method not in ("predict", "transform") and rng.random_sample() < 0.1:
        arguments += (odd_targets(rng, 5),)
    if is_classifier and method == "partial_fit" and rng.random_sample() < 0.7:
        classes = ([0, 1], [0, 1, 2], ["a", "b"], [], 3, [[0, 1]], [0, np.nan], [0])
        keywords["classes"] = classes[rng.randint(len(classes))]
    if rng.random_sample() < 0.05:
        keywords["sample_weight"] = np.ones(5)
    return Call(method, name, arguments, keywords)


def _call_without_data(rng, estimator):
    """Return a call of a method that takes no rows."""
    is_classifier = isinstance(estimator, ClusterFeaturesClassifier)
    some = ["set_output", "get_feature_names_out"]
    if is_classifier or rng.random_sample() < 0.6:
        some = list(WITHOUT_DATA)
    method = str(rng.choice(some))
    arguments, keywords = (), {}
    if method == "set_params":
        keywords = _parameter(rng, estimator, odd=rng.random_sample() < 0.5)
        if rng.random_sample() < 0.1:
            keywords = {"no_such_parameter": 3}
    elif method == "attribute":
        arguments = (str(rng.choice(FITTED)),)
    elif method == "set_output":
        keywords = {"transform": values.draw(rng, values.ODD_OUTPUTS)}
    elif method == "get_feature_names_out":
        names = (None, ["a", "b", "c"], ["a"], 3, [1, 2, 3], "abc", np.array("a"))
        arguments = (names[rng.randint(len(names))],)
    return Call(method, "none", arguments, keywords)


def check_call(estimator, call):
    """Make the call, and check what came of it."""
    twin = _twin(estimator, call)
    before = _everything(estimator)
    inputs = [plain_input(value) for value in call.arguments]
    outcome = _made(estimator, call)
    changed = changes(before, _everything(estimator))
    if outcome.error is not None:
        _check_error(estimator, call, outcome.error)
        assert changed == [], f"a failed call has changed {changed}"
    elif call.method not in LEARNING and not call.method.startswith("set_"):
        assert changed == [], f"{call.method} has changed {changed}"
    assert inputs == [plain_input(value) for value in call.arguments], "input changed"
    for warning in outcome.warnings:
        is_ours = "onlinekmeans_sklearn" in warning.filename
        assert not (is_ours and warning.category is RuntimeWarning), warning
    if outcome.error is None:
        _check_result(estimator, call, outcome.result)
        if twin is not None:
            _check_same_answer(twin, call, outcome.result)


def _twin(estimator, call):
    """Return a copy that can answer the same call, if the answer depends on the rows."""
    if isinstance(estimator, ClusterFeaturesClassifier) or call.keywords:
        return None
    if call.data == "huge width":
        return None  # an array of that would take too much memory
    is_seeded = isinstance(estimator.random_state, int)
    asks = call.method.endswith("predict")
    return copy.deepcopy(estimator) if is_seeded and asks else None


def _everything(estimator):
    """Return the state of an estimator and of the random numbers that all share."""
    return {**state(estimator), "numpy.random": plain_input(np.random.get_state())}


def _made(estimator, call):
    """Return what comes of a call."""
    special = {
        "repr": repr,
        "clone": clone,
        "pickle": lambda estimator: pickle.loads(pickle.dumps(estimator)),
        "checkpoint": _loaded,
        "attribute": getattr,
    }
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            if call.method in special:
                result = special[call.method](estimator, *call.arguments)
            else:
                method = getattr(estimator, call.method)
                result = method(*call.arguments, **call.keywords)
        except Exception as error:
            return Outcome(None, error, given)
    return Outcome(result, None, given)


def _loaded(estimator):
    """Return an estimator that went through a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "estimator.npz"
        save(estimator, path)
        return with_random_state_of(estimator, load(path))


def _check_error(estimator, call, error):
    """Check that the exception is one that is allowed, and says something."""
    assert str(error).strip(), f"{type(error).__name__} without a message"
    if isinstance(error, (ValueError, TypeError)):
        return
    allowed = (
        (isinstance(error, AttributeError) and _may_be_missing(estimator, call))
        or (isinstance(error, ImportError) and "polars" in str(error))
        or (isinstance(error, MemoryError) and _asks_for_much(estimator, call))
        or (call.method in ("pickle", "clone") and _holds_what_cannot_be_copied(estimator))
    )
    if not allowed:
        raise error


def _may_be_missing(estimator, call):
    """Return whether scikit-learn would raise AttributeError, too."""
    if call.method == "attribute":
        return True
    return call.method in ("partial_fit", "decision_function", "predict_proba")


def _asks_for_much(estimator, call):
    """Return whether more columns were asked for than there is memory for."""
    cap = stream_of(estimator).max_clusters if hasattr(estimator, "inertia_") else 0
    caps = [cap, estimator.get_params(deep=False).get("max_clusters")]
    is_endless = [isinstance(cap, int) and cap > ENDLESS for cap in caps]
    return call.data == "huge width" or any(is_endless)


def _holds_what_cannot_be_copied(estimator):
    try:
        pickle.dumps(estimator.get_params(deep=False))
    except Exception:
        return True
    return False


def _check_result(estimator, call, result):
    """Check the result of a call that succeeded."""
    if call.method in ("fit", "partial_fit"):
        assert result is estimator
    is_classifier = isinstance(estimator, ClusterFeaturesClassifier)
    if call.method in ("pickle", "checkpoint") and not is_classifier:
        assert changes(state(result), state(estimator)) == []
    if call.method not in (*LEARNING, *ASKING) or call.method in ("fit", "partial_fit"):
        return
    if is_classifier:
        return
    if call.method == "score":
        assert result <= 0
        return
    n_rows = getattr(call.arguments[0], "shape", np.shape(result))[0]
    if call.method.endswith("predict"):
        assert result.dtype.kind == "i"
        assert result.shape == (n_rows,)
        assert result.min() >= 0
        assert result.max() < len(estimator.opened_at_)
    else:
        numbers = result.data if issparse(result) else np.asarray(result)
        assert np.isfinite(numbers).all()
        assert result.shape[0] == n_rows


def _check_same_answer(twin, call, result):
    """Check that the form of the rows makes no difference."""
    X = call.arguments[0]
    is_single = getattr(X, "dtype", None) == np.float32
    dtype = np.float32 if is_single else np.float64
    plain = X.astype(dtype).toarray() if issparse(X) else np.array(X, dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = getattr(twin, call.method)(plain)
    np.testing.assert_array_equal(answer, result)
