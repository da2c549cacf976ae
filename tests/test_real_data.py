"""The engine is the paper's loop on the paper's datasets, where a folder has them."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from streams import assert_equals_reference, estimator_of, reference_of

from benchmarks.data import load

FOLDER = os.environ.get("ONLINEKMEANS_DATA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="ONLINEKMEANS_DATA is not set"),
]

LONG = ("ijcnn1", "letter", "magic04", "poker", "shuttle", "skin")
ROWS = {"20news": 100, "adult": 500, **dict.fromkeys(LONG, 1500), "w8a": 400}


def first_rows(name):
    """Return the first rows of a dataset, without columns that are zero in all of them."""
    path = Path(FOLDER) / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"there is no {path.name} in ONLINEKMEANS_DATA")
    X = load(FOLDER, name)[: ROWS[name]]
    if isinstance(X, np.ndarray):
        return X.astype(np.float64)
    return X[:, np.unique(X.indices)]


@pytest.mark.parametrize("dataset", ROWS)
@pytest.mark.parametrize("name", ["practical", "theoretical", "semi-online"])
def test_fit_is_the_papers_loop_on_real_data(name, dataset):
    X = first_rows(dataset)
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    expected = reference_of(name, dense, 5, seed=0)
    for rows in (dense, csr_matrix(X)):
        estimator = estimator_of(name, X.shape[0], 5, seed=0).fit(rows)
        assert_equals_reference(estimator, estimator.labels_, rows, expected)
