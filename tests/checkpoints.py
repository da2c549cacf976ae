"""Comparison of estimators, bit for bit, and checkpoints to try."""

import copy
import json
import zipfile

import numpy as np
from inside import stream_of
from streams import dense

from onlinekmeans_sklearn import load, save

TEXT = "onlinekmeans_sklearn.json"  # the member of a checkpoint that holds the JSON
FITTED = [
    *("cluster_centers_", "labels_", "n_clusters_", "counts_", "cluster_means_"),
    *("opened_at_", "online_centers_", "online_labels_", "online_to_merged_", "inertia_"),
    *("facility_cost_", "facility_costs_", "n_phases_", "phase_starts_"),
    *("online_inertia_", "online_distances_", "n_samples_seen_", "n_features_in_"),
]


def fingerprint(model):
    """Return all that is known of a fitted estimator, bit for bit."""
    values = {name: getattr(model, name) for name in FITTED}
    stream = stream_of(model)
    values["uniform numbers"] = stream.numbers.between(stream.n_seen, stream.n_seen + 5)
    values["seed"] = stream.numbers.seed
    return {
        name: (type(value), dense(value).dtype, dense(value).tobytes())
        for name, value in values.items()
    }


def through_file(model, path):
    """Return what load makes of what save writes."""
    save(model, path)
    return load(path)


def contents(path):
    """Return the JSON of a checkpoint without its arrays, and these by name."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    text = json.loads(arrays.pop(TEXT))
    for name in arrays:
        group, key = _place(text["state"], name)
        del group[key]
    return text, arrays


def craft(path, text, arrays):
    """Write a checkpoint with any content."""
    text = copy.deepcopy(text)
    if isinstance(text.get("state"), dict):
        for name in arrays:
            group, key = _place(text["state"], name)
            group[key] = {"/array": f"{name}.npy"}
    np.savez(path, **arrays)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(TEXT, json.dumps(text))


def _place(state, name):
    """Return the dict of a state that holds an array, and its key there."""
    *groups, key = name.split("/")
    for group in groups:
        state = state[group]
    return state, key
