"""An estimator as a dict of arrays and plain values by dotted names, and back.

The state holds everything that affects the future results of the estimator. The number of
rows that are read at once affects only the speed, so it is not saved.
"""

import numpy as np
from scipy.sparse import csr_array, issparse

from .._algorithm.cluster_sums import sums_from
from .._algorithm.facility_cost import Practical, SemiOnline, Theoretical
from .._algorithm.stream import Stream
from .._nearest import centers_from
from .._online_kmeans import OnlineKMeans, SemiOnlineKMeans

ESTIMATORS = {kind.__name__: kind for kind in (OnlineKMeans, SemiOnlineKMeans)}
SCHEDULES = {kind.__name__: kind for kind in (SemiOnline, Theoretical, Practical)}
# field of the state: attribute of a fitted estimator
_ATTRIBUTES = {
    "labels": "online_labels_",
    "squared_distances": "_online_d2",
    "n_clusters": "_n_clusters",
    "centers": "_centers",
}
_RANDOM_STATE = ("key", "position", "has_gauss", "gauss")


def state_of(model):
    """Return the state of an estimator, fitted or not."""
    if type(model) not in ESTIMATORS.values():
        raise TypeError(
            f"Got a model of type {type(model).__module__}.{type(model).__name__}, but "
            "expected an OnlineKMeans or SemiOnlineKMeans of onlinekmeans_sklearn. Of an "
            "estimator on Dask save model.to_local(); save others with skops.io.dump, or "
            "with pickle."
        )
    fitted = vars(model).copy()  # a snapshot, since another thread may call `partial_fit`
    parameters = model.get_params(deep=False)
    state = {
        "class": type(model).__name__,
        "output": fitted.get("_output"),
        "parameters": {name: _plain(name, value) for name, value in parameters.items()},
    }
    if isinstance(model.random_state, np.random.RandomState):
        state.update(_state_of_random_state("random_state", model.random_state))
    if "_stream" in fitted:
        names, stream = fitted.get("feature_names_in_"), fitted["_stream"]
        state["feature_names"] = None if names is None else list(map(str, names))
        state.update({field: fitted[name] for field, name in _ATTRIBUTES.items()})
        state["shares_random_state"] = stream.random_state is fitted["random_state"]
        merged = {n: final for n, final in fitted["_final"].items() if n is not None}
        state.update(_state_of_stream(stream), merged=list(merged))
        for n_clusters, (centers, labels) in merged.items():
            state.update(_state_of_rows(f"merged.{n_clusters}.centers", centers.rows))
            state[f"merged.{n_clusters}.labels"] = labels
    return state


def model_from(state):
    """Return the estimator with a state that `check_state` has accepted."""
    model = ESTIMATORS[state["class"]](**state["parameters"])
    if "random_state.key" in state:
        model.random_state = _random_state_from(state, "random_state")
    if state["output"] is not None:
        model.set_output(transform=state["output"])
    if "labels" in state:
        model._stream = _stream_from(state)
        vars(model).update({name: state[field] for field, name in _ATTRIBUTES.items()})
        model.online_labels_.flags.writeable = False
        model.n_features_in_ = model._stream.centers.n_features
        model._final = {}
        for n_clusters in state["merged"]:
            centers = centers_from(rows_from(state, f"merged.{n_clusters}.centers"))
            model._final[n_clusters] = centers, state[f"merged.{n_clusters}.labels"]
        if state["feature_names"] is not None:
            model.feature_names_in_ = np.array(state["feature_names"], dtype=object)
        if state["shares_random_state"]:
            model.random_state = model._stream.random_state
    return model


def _plain(name, value):
    """Return the value of a parameter for JSON; None stands for a RandomState."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    if isinstance(value, np.random.RandomState):
        return None
    raise TypeError(
        f"Got {name}={value!r}, but expected None, a number, a string or a RandomState: "
        "other values of parameters cannot be saved."
    )


def _state_of_random_state(name, random_state):
    state = random_state.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(
            f"Got a RandomState with {state['bit_generator']}, but expected one with "
            "MT19937: make it with numpy.random.RandomState(seed)."
        )
    key, position = state["state"]["key"], int(state["state"]["pos"])
    parts = key, position, int(state["has_gauss"]), float(state["gauss"])
    return {f"{name}.{field}": part for field, part in zip(_RANDOM_STATE, parts)}


def _random_state_from(state, name):
    random_state = np.random.RandomState()
    parts = (state[f"{name}.{field}"] for field in _RANDOM_STATE)
    random_state.set_state(("MT19937", *parts))
    return random_state


def _state_of_stream(stream):
    is_capped = stream.max_clusters != np.inf
    schedule = {"class": type(stream.schedule).__name__, **vars(stream.schedule)}
    schedule.pop("facility_cost", None)  # which is that of the last phase
    return {
        "schedule": schedule,
        "stream.max_clusters": int(stream.max_clusters) if is_capped else None,
        "stream.counts": stream.counts,
        "stream.opened_at": stream.opened_at,
        "stream.inertia": float(stream.inertia),
        "stream.n_seen": int(stream.n_seen),
        **_state_of_random_state("stream.random_state", stream.random_state),
        **_state_of_rows("stream.centers", stream.centers.rows),
        **_state_of_rows("stream.sums", stream.sums.rows),
    }


def _stream_from(state):
    rows = rows_from(state, "stream.centers")
    random_state = _random_state_from(state, "stream.random_state")
    max_clusters = state["stream.max_clusters"] or np.inf
    fields = state["schedule"].copy()
    schedule = object.__new__(SCHEDULES[fields.pop("class")])
    vars(schedule).update(fields, phases=tuple(map(tuple, fields["phases"])))
    if schedule.phases:
        schedule.facility_cost = schedule.phases[-1][1]
    stream = Stream(schedule, random_state, max_clusters)
    stream.centers = centers_from(rows)
    stream.sums = sums_from(rows_from(state, "stream.sums"))
    for name in ("counts", "opened_at", "inertia", "n_seen"):
        setattr(stream, name, state[f"stream.{name}"])
    return stream


def _state_of_rows(name, X):
    if not issparse(X):
        return {f"{name}.values": X}
    return {
        f"{name}.n_features": int(X.shape[1]),
        f"{name}.values": X.data,
        f"{name}.columns": X.indices,
        f"{name}.row_ends": X.indptr,
    }


def rows_from(state, name):
    """Return the array or CSR stored under a name in a state."""
    values, row_ends = state[f"{name}.values"], state.get(f"{name}.row_ends")
    if row_ends is None:
        return values
    shape = (len(row_ends) - 1, state[f"{name}.n_features"])
    return csr_array((values, state[f"{name}.columns"], row_ends), shape=shape)
