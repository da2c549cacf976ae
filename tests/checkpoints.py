"""Comparison of estimators to the last bit, and checkpoints to try."""

import json

import numpy as np
from inside import stream_of
from streams import dense

from onlinekmeans_sklearn import load, save

FITTED = [
    "cluster_centers_",
    "labels_",
    "n_clusters_",
    "counts_",
    "cluster_means_",
    "opened_at_",
    "online_centers_",
    "online_labels_",
    "online_to_merged_",
    "inertia_",
    "online_inertia_",
    "online_distances_",
    "facility_cost_",
    "facility_costs_",
    "n_phases_",
    "phase_starts_",
    "n_samples_seen_",
    "n_features_in_",
]


def fingerprint(model):
    """Return all that is known of a fitted estimator, to the last bit."""
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
    """Return the JSON of a checkpoint, and its arrays by name."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(arrays.pop("checkpoint").tobytes()), arrays


def craft(path, text, arrays):
    """Write a checkpoint with any content."""
    text = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    np.savez(path, **arrays, checkpoint=text)
