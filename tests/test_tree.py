"""The k-d tree gives what products give, and is used where it is faster."""

import numpy as np
import pytest
from reference import nearest as nearest_by_loop
from streams import STREAMS

from onlinekmeans_sklearn import _tree
from onlinekmeans_sklearn._centers import centers_from
from onlinekmeans_sklearn._threads import ALONE


@pytest.mark.parametrize(
    ("n_rows", "n_centers", "n_features", "n_threads", "pays"),
    [
        (65_536, 5000, 2, 1, True),
        (65_536, 900, 2, 1, False),
        (65_536, 900, 2, 2, True),
        (65_536, 400, 2, 2, False),
        (65_536, 5000, 6, 1, True),
        (65_536, 2000, 6, 1, False),
        (65_536, 2000, 6, 2, True),
        (65_536, 10**6, 7, 2, False),
        (100, 5000, 2, 2, False),  # not for so few rows
        (65_536, 10**6, 100_000, 2, False),
    ],
)
def test_a_tree_is_for_few_features_and_many_centers(
    n_rows, n_centers, n_features, n_threads, pays
):
    assert _tree.tree_pays(n_rows, n_centers, n_features, n_threads) == pays


def test_many_centers_are_searched_by_a_tree(monkeypatch):
    calls = []
    by_tree = _tree.KDTree

    def noting_tree(*args, **kwargs):
        calls.append(args)
        return by_tree(*args, **kwargs)

    monkeypatch.setattr(_tree, "KDTree", noting_tree)
    X = np.random.RandomState(0).rand(3000, 2)
    ids, _, _ = centers_from(X[:1000]).nearest(X)
    assert len(calls) == 1
    assert (ids[:1000] == np.arange(1000)).all()
    by_products, _, _ = centers_from(X[:1000]).nearest(X, hidden=np.zeros(1000, dtype=int))
    assert len(calls) == 1
    np.testing.assert_array_equal(ids, by_products)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-150, 1e-170, 1e100])
def test_ties_go_to_the_oldest_at_any_scale(scale):
    rng = np.random.RandomState(0)
    C = rng.permutation(np.indices((6, 6)).reshape(2, -1).T) * scale
    X = rng.randint(0, 11, size=(300, 2)) / 2 * scale
    expected = [nearest_by_loop(v, C.tolist()) for v in X.tolist()]
    ids, d2, slack = _tree.nearest_by_tree(centers_from(C), X, ALONE)
    np.testing.assert_array_equal(ids, [label for label, _ in expected])
    exact = np.array([distance for _, distance in expected])
    assert (d2 - slack <= exact).all()
    assert (exact <= d2 + slack).all()


def test_a_second_center_that_the_tree_rounds_away_is_found():
    """A tie to within rounding is not left to the tree, even if it saw only one of them."""
    X = STREAMS["tenths"](0, 400)[:, :2]
    C = np.unique(X, axis=0)
    C = np.random.RandomState(0).permutation(C)
    expected = [nearest_by_loop(v, C.tolist())[0] for v in (X + 0.05).tolist()]
    ids, _, _ = _tree.nearest_by_tree(centers_from(C), X + 0.05, ALONE)
    np.testing.assert_array_equal(ids, expected)
