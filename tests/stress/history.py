"""What an estimator has been through, and what it must therefore be."""

import copy
import math
import warnings
from dataclasses import dataclass

import numpy as np
from reference import practical, semi_online, theoretical, uniform_numbers
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from streams import assert_same_stream, expected_features


@dataclass(frozen=True)
class Past:
    """What an estimator has been through since its stream started."""

    rows: np.ndarray
    last_call: int
    first_call: int
    parameters: dict
    random_numbers: np.random.RandomState
    n_clusters: int | None  # of the last call
    weights: tuple  # of all rows

    def reference(self):
        """Return what the plain loop makes of it."""
        numbers = copy.deepcopy(self.random_numbers)
        weights = {"weights": self.weights}
        return loop_of(self.parameters, self.rows, numbers, self.first_call, **weights)


def loop_of(parameters, rows, random_numbers, first_call, **options):
    """Return what the plain loop makes of rows, by the parameters of an estimator."""
    samples, k = rows.astype(np.float64).tolist(), parameters["k"]
    uniforms = uniform_numbers(random_numbers, len(samples))
    options["max_clusters"] = parameters["max_clusters"] or math.inf
    options["half_life"] = parameters.get("half_life") or math.inf
    if "lower_bound" in parameters:
        bound, n = parameters["lower_bound"], parameters["n_samples"] or first_call
        return semi_online(samples, uniforms, k, bound, n, **options)
    algorithm = {"practical": practical, "theoretical": theoretical}
    return algorithm[parameters["algorithm"]](samples, uniforms, k, **options)


def check_past(model, past):
    """Check that a fitted estimator is what the reference says."""
    expected = past.reference()
    assert model.online_labels_.tolist() == expected.labels[-past.last_call :]
    assert_same_stream(model, past.rows, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        n_live = np.count_nonzero(expected.counts)
        n_final = min(past.n_clusters, n_live) if past.n_clusters else len(expected.counts)
        assert model.n_clusters_ == n_final
        merged = model.online_to_merged_[model.online_labels_]
        np.testing.assert_array_equal(model.labels_, merged)


def check_features(features, encode, X, centers, labels, live):
    """Check what `transform` has returned; other clusters than the live ones are absent."""
    if encode == "ordinal":
        np.testing.assert_array_equal(features[:, 0], labels)
        return
    expected = expected_features(encode, X, centers[live], live, features.shape[1])
    atol = 1e-9 * cdist(X, centers).max() + 1e-150
    np.testing.assert_allclose(features, expected, rtol=1e-7, atol=atol)
