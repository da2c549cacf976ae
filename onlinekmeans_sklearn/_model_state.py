"""The state of an estimator: its parameters and all that it has learned."""

import numpy as np

from ._base import fitted_attributes
from ._centers import centers_from_state
from ._rows import state_of_rows
from ._state import check_state, random_from, state_of_random
from ._stream_state import state_of_stream, stream_from

_PLAIN = (type(None), bool, int, float, str)
_OF_STREAM = {"of": "stream"}  # the random_state with which the stream goes on


def state_of_model(model):
    """Return the state of an estimator, fitted or not."""
    stream = getattr(model, "_stream", None)
    state = {
        "parameters": {
            name: _state_of_parameter(name, value, stream)
            for name, value in model.get_params(deep=False).items()
        },
        "output": getattr(model, "_output", None),
    }
    if stream is not None:
        names = getattr(model, "feature_names_in_", None)
        state["feature_names"] = None if names is None else list(map(str, names))
        state["stream"] = state_of_stream(stream)
        state["labels"] = model.online_labels_
        state["answers"] = {
            str(n_clusters): {"centers": state_of_rows(centers.rows), "merged": merged}
            for n_clusters, (centers, merged) in model._answers.items()
        }
    return state


def _state_of_parameter(name, value, stream):
    """Return a parameter as a plain value, or as the state of a RandomState."""
    if isinstance(value, np.random.RandomState):
        is_of_stream = stream is not None and stream.random_state is value
        return _OF_STREAM if is_of_stream else state_of_random(value)
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, _PLAIN):
        raise TypeError(
            f"Got {name}={value!r}, but expected None, a number, a string or a "
            "RandomState: other values of parameters cannot be saved."
        )
    return plain


def model_from(kind, state):
    """Return the estimator of this class that goes on exactly as the one did."""
    stream = stream_from(state.part("stream")) if "stream" in state else None
    model = kind(**_parameters_from(kind, state.part("parameters"), stream))
    if state.take("output") is not None:
        model.set_output(transform=state.text("output"))
    if stream is not None:
        labels = state.array("labels", (np.int32,))
        _check_ids(labels, len(stream.centers))
        vars(model).update(fitted_attributes(stream, labels))
        model._answers = _answers_from(state.part("answers"), stream)
        model.n_features_in_ = stream.centers.n_features
        names = state.take("feature_names")
        if names is not None:
            model.feature_names_in_ = _feature_names(names, model.n_features_in_)
    return model


def _parameters_from(kind, state, stream):
    """Return the parameters, if they are those of the class."""
    expected = kind().get_params(deep=False)
    if set(state) != set(expected):
        raise ValueError(
            f"Got the parameters {', '.join(sorted(state))} of {kind.__name__}, but "
            f"expected {', '.join(sorted(expected))}."
        )
    return {name: _parameter_from(name, state, stream) for name in expected}


def _parameter_from(name, state, stream):
    """Return a parameter that `_state_of_parameter` made plain."""
    value = state.take(name)
    if isinstance(value, _PLAIN):
        return value
    if name != "random_state" or not isinstance(value, dict):
        raise ValueError(f"Got {name}={value!r}, but expected a number or a string.")
    if value == _OF_STREAM and stream is not None:
        return stream.random_state
    return random_from(state.part(name))


def _answers_from(state, stream):
    """Return final centres and clusters by `n_clusters`, as they were merged."""
    answers = {}
    n_online = len(stream.centers)
    for n_clusters in state:
        part = state.part(n_clusters)
        centers = centers_from_state(part.part("centers"))
        merged = part.array("merged", (np.int32,))
        n_merged = min(int(n_clusters), n_online)
        check_state(
            len(centers) == n_merged
            and centers.n_features == stream.centers.n_features
            and len(merged) == n_online,
            "merged clusters are as many as asked for, of all online clusters",
        )
        _check_ids(merged, n_merged)
        answers[int(n_clusters)] = centers, merged
    return answers


def _check_ids(ids, n_clusters):
    """Raise ValueError if a cluster is not there."""
    is_there = len(ids) > 0 and 0 <= ids.min() <= ids.max() < n_clusters
    check_state(is_there, "labels are those of clusters")


def _feature_names(names, n_features):
    """Return feature names as scikit-learn keeps them."""
    are_strings = isinstance(names, list) and all(isinstance(name, str) for name in names)
    check_state(are_strings and len(names) == n_features, "every feature has a name")
    return np.array(names, dtype=object)
