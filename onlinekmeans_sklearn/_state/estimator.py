"""An estimator as a plain state, and back."""

import numpy as np

from .._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from .checks import expect, expect_same
from .fitted import fitted_from, plain_fitted

_ESTIMATORS = {kind.__name__: kind for kind in (OnlineKMeans, SemiOnlineKMeans)}
_PLAIN = (type(None), bool, int, float, str)


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
    model = _model_from(state)
    expect_same({**state, "fitted": None}, {**state_of(model), "fitted": None})
    return model


def _model_from(state):
    model = _ESTIMATORS[state["class"]](**state["parameters"])
    if state["random_state"] is not None:
        expect(a_random_state=0 <= state["random_state"]["position"] <= 624)
        model.random_state = np.random.RandomState(0)
        model.random_state.set_state(("MT19937", *state["random_state"].values()))
    if state["output"] is not None:
        expect(a_known_output=state["output"] in ("default", "pandas", "polars"))
        model.set_output(transform=state["output"])
    if state["fitted"] is not None:
        model._fitted, names = fitted_from(state["fitted"]), state["feature_names"]
        model.n_features_in_ = n_features = model._fitted.stream.centers.n_features
        if names is not None:
            expect(a_name_for_each_feature=len(names) == n_features)
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
    key, position = state["state"]["key"], int(state["state"]["pos"])
    gauss = {"has_gauss": int(state["has_gauss"]), "gauss": float(state["gauss"])}
    return {"key": key, "position": position, **gauss}
