"""Comparison of estimators, bit for bit, and checkpoints to try."""

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


def with_random_state_of(model, loaded):
    """Return what was loaded with the RandomState of the saved model, if it has one.

    Checkpoints do not hold it.
    """
    if isinstance(model.random_state, np.random.RandomState):
        assert loaded.random_state is None
        loaded.random_state = model.random_state
    return loaded


def contents(path):
    """Return the JSON of a checkpoint, and the arrays of its state by name."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(arrays.pop(TEXT)), arrays


def craft(path, text, arrays):
    """Write a checkpoint with any content."""
    np.savez(path, **arrays)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(TEXT, json.dumps(text))
