"""An estimator as a plain state, and back."""

import numpy as np

from .._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from .fields import Fields, expect
from .fitted import fitted_from, plain_fitted

_ESTIMATORS = {kind.__name__: kind for kind in (OnlineKMeans, SemiOnlineKMeans)}
_PLAIN = (type(None), bool, int, float, str)
_KEY_LENGTH = 624  # of the Mersenne Twister


def state_of(model):
    """Return the state of an estimator, fitted or not."""
    if type(model) not in _ESTIMATORS.values():
        raise TypeError(
            f"Got a model of type {type(model).__module__}.{type(model).__name__}, but "
            "expected an OnlineKMeans or SemiOnlineKMeans of onlinekmeans_sklearn. For a "
            "Dask estimator, save model.to_local(); save others with skops.io.dump, or "
            "with pickle."
        )
    attributes = vars(model).copy()  # at one moment: another thread may call partial_fit
    parameters = {name: attributes[name] for name in model.get_params(deep=False)}
    source = parameters["random_state"]
    is_source = isinstance(source, np.random.RandomState)
    fitted, names = attributes.get("_fitted"), attributes.get("feature_names_in_")
    return {
        "class": type(model).__name__,
        "parameters": {name: _plain(name, value) for name, value in parameters.items()},
        "random_state": _plain_random_state(source) if is_source else None,
        "output": attributes.get("_output"),
        "feature_names": None if names is None else list(map(str, names)),
        "fitted": None if fitted is None else plain_fitted(fitted),
    }


def model_from(state):
    """Return the estimator with a state, which is checked."""
    fields = Fields(state)
    model = _ESTIMATORS[fields.choice("class", _ESTIMATORS)]()
    parameters, expected = fields.take("parameters", dict), model.get_params()
    is_plain = all(type(value) in _PLAIN for value in parameters.values())
    expect(is_plain and parameters.keys() == expected.keys(), f"parameters {[*expected]}")
    model.set_params(**parameters)
    source = fields.take("random_state", dict, type(None))
    if source is not None:
        model.random_state = _random_state_from(Fields(source, "random_state."))
    output = fields.take("output", str, type(None))
    expect(output in (None, "default", "pandas", "polars"), "a known output")
    if output is not None:
        model.set_output(transform=output)
    fitted, names = fields.take("fitted", dict, type(None)), fields.take("feature_names")
    fields.end()
    if fitted is not None:
        model._fitted = fitted_from(fitted)
        model.n_features_in_ = n_features = model._fitted.stream.centers.n_features
        if names is not None:
            are_names = type(names) is list and {*map(type, names)} == {str}
            expect(are_names and len(names) == n_features, "a name for each feature")
            model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _plain(name, value):
    """Return the value of a parameter for JSON; None stands for a RandomState."""
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) in _PLAIN:
        return plain
    if isinstance(value, np.random.RandomState):
        return None
    raise TypeError(
        f"Got {name}={value!r}, but expected None, a number, a string or a RandomState: "
        "other values of parameters cannot be saved."
    )


def _plain_random_state(source):
    state = source.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(
            f"Got a RandomState with {state['bit_generator']}, but expected one with "
            "MT19937: make it with numpy.random.RandomState(seed)."
        )
    return {
        "key": state["state"]["key"],
        "position": int(state["state"]["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def _random_state_from(fields):
    source = np.random.RandomState(0)
    key = fields.array("key", ["uint32"], (_KEY_LENGTH,))
    position = fields.number("position", int, 0, _KEY_LENGTH)
    has_gauss = fields.number("has_gauss", int, 0, 1)
    gauss = fields.number("gauss", float, -np.inf, np.inf)
    fields.end()
    source.set_state(("MT19937", key, position, has_gauss, gauss))
    return source
