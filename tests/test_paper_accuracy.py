"""The two protocols of Table 2: what they choose, from what, and what they report."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.linear_model import RidgeClassifier

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from benchmarks.paper import accuracy as table
from benchmarks.paper import online as stream
from benchmarks.paper.sources import cut_in_two

pytestmark = pytest.mark.slow

RANDOM = np.random.RandomState(0)
X = RANDOM.uniform(-2, 2, size=(600, 2))
RINGS = (np.hypot(*X.T).astype(int) % 2).astype(int)  # no line separates them


def test_learner_converges_to_least_squares():
    rows = np.random.RandomState(1).normal(size=(2000, 3)) * [1, 0.5, 0.2]
    y = (rows @ [1, 2, -1] + np.random.RandomState(2).normal(size=2000) > 0.3).astype(int)
    model = table.learn(rows, y, step=0.1, passes=100, seed=0)
    exact = RidgeClassifier(alpha=1e-6 * len(y)).fit(rows, y)
    assert_allclose(model.coef_.ravel(), exact.coef_.ravel(), rtol=0.03)
    assert_allclose(model.intercept_, exact.intercept_, atol=0.02)


def test_a_step_that_is_too_long_is_no_model_and_scores_nothing():
    rows = np.full((50, 1), 10.0)
    model = table.learn(rows, np.arange(50) % 2, step=1e300, passes=3, seed=0)
    assert model is None
    assert table.score(model, rows, None) == 0.0


def test_other_errors_of_the_learner_are_not_swallowed():
    with pytest.raises(ValueError, match="class"):
        table.learn(np.ones((4, 1)), np.zeros(4), step=0.1, passes=1, seed=0)


def test_step_is_relative_to_the_rows():
    rows = np.array([[3.0, 4.0], [0.0, 1.0]])
    assert table.mean_squared_length(rows) == 13
    assert table.mean_squared_length(csr_matrix(rows)) == 13
    assert table.step_size(rows, 0.5) == 0.5 / 14


def test_of_what_is_as_good_as_the_best_the_one_that_learns_most_is_taken():
    losses = {
        (0.1, 3): [0.06, 0.08, 0.10],  # the best: 0.08 with a standard error of 0.0115
        (0.1, 10): [0.09, 0.09, 0.09],
        (1.0, 3): [0.09, 0.09, 0.09],
        (1.0, 10): [0.10, 0.10, 0.10],  # learns more, but is not as good
    }
    assert table.most_learning(losses) == (1.0, 3)
    losses[1.0, 10] = [0.091, 0.091, 0.091]
    assert table.most_learning(losses) == (1.0, 10)


def test_squared_loss_is_of_classes_at_minus_1_and_1():
    y = np.array([0, 1, 1])
    rows = np.array([[0.0], [1.0], [3.0]])
    model = table.learn(rows, y, step=0.1, passes=3, seed=0)
    answers = model.decision_function(rows)
    expected = ((answers[0] + 1) ** 2 + (answers[1] - 1) ** 2 + (answers[2] - 1) ** 2) / 3
    assert table.squared_loss(model, rows, y) == pytest.approx(expected)
    model.classes_ = np.array([5, 7])
    other = np.array([5, 7, 7])
    assert table.squared_loss(model, rows, other) == pytest.approx(expected)
    assert table.squared_loss(None, None, None) > 1e300


def test_folds_are_scaled_by_their_training_part():
    rows = X * [100, 1]
    for X_train, X_test, y_train, y_test in table.folds_of(rows, RINGS, seed=0):
        assert_allclose(np.abs(X_train).max(axis=0), 1)
        assert len(X_train) + len(X_test) == len(rows)
        assert (len(y_train), len(y_test)) == (len(X_train), len(X_test))


def test_clusters_are_chosen_that_separate_the_rings():
    folds = table.folds_of(X, RINGS, seed=0)
    assert table.choose_k(folds, [16, 100], 1.0, 10, seed=0) == 100


def test_features_stand_side_by_side():
    raw, features = np.ones((2, 1)), csr_matrix([[0.0, 1.0], [1.0, 0.0]])
    expected = [[1, 0, 1], [1, 1, 0]]
    for one in (raw, csr_matrix(raw)):
        assert_array_equal(table.both(one, features).toarray(), expected)
    assert_array_equal(table.both(raw, features.toarray()), expected)


@pytest.mark.parametrize("as_rows", [np.asarray, np.float32, csr_matrix])
def test_triangle_features_stand_beside_the_raw_ones(as_rows, monkeypatch):
    monkeypatch.setattr(table, "ROWS", 70)
    rows = as_rows(X)
    clusterer = OnlineKMeans(k=30, random_state=0).fit(rows)
    features = table.with_triangle(clusterer, rows)
    features = features.toarray() if as_rows is csr_matrix else features
    centers = csr_matrix(clusterer.cluster_centers_).toarray()
    distances = np.sqrt(((X[:, None] - centers) ** 2).sum(axis=2))
    expected = np.maximum(0, distances.mean(axis=1, keepdims=True) - distances)
    assert_allclose(features, np.hstack([X, expected]), atol=1e-5)
    assert clusterer.encode == "onehot"


def test_too_many_triangle_features_are_left_out(monkeypatch):
    monkeypatch.setattr(table, "MOST_TRIANGLES", 100)
    result = table.accuracy(X, RINGS, split=0, k_targets=[30])
    assert result["accuracy"]["triangle"] is None
    assert result["accuracy"]["onehot"] > 0


ALL_LOCAL = list(table.LOCAL_CLUSTERS)


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [((600, 2), [2, 5, 10, 30, 66]), ((90, 9), [2, 3]), ((90_000, 2), ALL_LOCAL)],
)
def test_local_features_have_at_most_a_third_as_many_columns_as_rows(shape, numbers):
    found = table.local_clusterers(np.zeros(shape), seed=3)
    assert [clusterer.n_clusters for clusterer in found] == numbers
    assert {(each.encode, each.random_state) for each in found} == {("local", 3)}


def test_wide_rows_have_local_features_of_few_clusters_that_are_rows():
    (clusterer,) = table.local_clusterers(csr_matrix((500, 1000)), seed=3)
    assert (clusterer.n_clusters, clusterer.k) == (None, table.FEW)
    rows = csr_matrix(np.eye(60, 200) + np.eye(60, 200, 1))
    train, test = table.with_clusters(clusterer, rows[:50], rows[50:])  # no warning
    assert train.shape == (50, 200 + 201 * clusterer.n_clusters_)
    assert test.shape[0] == 10


def test_mini_batch_features_say_which_center_is_the_nearest():
    train, test = table.mini_batch_features(4, 0, X[:300], X[300:])
    assert train.shape == test.shape == (300, 4)
    assert_array_equal(test.sum(axis=1), 1)
    label = test.toarray().argmax(axis=1)
    middles = np.array([X[300:][label == j].mean(axis=0) for j in range(4)])
    distances = ((X[300:, None] - middles) ** 2).sum(axis=2)
    assert np.mean(distances.argmin(axis=1) == label) > 0.9


@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
def test_clusters_lift_the_accuracy_on_rings(as_rows):
    result = table.accuracy(as_rows(X), RINGS, split=0, k_targets=[30, 100])
    accuracies = result["accuracy"]
    names = ["local", "means", "merged", "minibatch", "onehot", "raw", "triangle"]
    assert sorted(accuracies) == names
    assert accuracies["raw"] < 0.75
    assert min(accuracies["onehot"], accuracies["minibatch"]) > accuracies["raw"] + 0.05
    assert accuracies["local"] > accuracies["onehot"]
    assert result["local clusters"] * 3 <= 420 / 3
    assert result["k_target"] in (30, 100)
    assert result["by k"][str(result["k_target"])] == accuracies["onehot"]
    assert abs(result["checks"]["least squares"] - accuracies["raw"]) < 0.1
    assert table.accuracy(as_rows(X), RINGS, 0, [30, 100]) == result
    assert table.accuracy(as_rows(X), RINGS, 1, [30, 100]) != result


def test_test_part_is_not_seen_by_the_choices(monkeypatch):
    """What is chosen stays if the rows of the test part are others."""
    seen = []
    for name in ("choose_learner", "choose_k"):
        original = getattr(table, name)

        def spy(folds, *arguments, original=original):
            seen.append(sum(len(X_test) for _, X_test, _, _ in folds))
            return original(folds, *arguments)

        monkeypatch.setattr(table, name, spy)
    table.accuracy(X, RINGS, split=0, k_targets=[30])
    assert seen == [420, 420]  # 70 % of 600: every training row once


def test_head_is_not_scored_and_the_rest_is_predicted_before_it_is_learnt():
    class Model:
        """Knows the classes that it was shown, and nothing of others."""

        def __init__(self):
            self.shown = 0

        def predict(self, rows):
            assert rows[0, 0] == self.shown  # the next one, not learned yet
            return np.where(rows[:, 0] % 2 == 0, 0, 1)

        def partial_fit(self, rows, y, classes):
            assert classes.tolist() == [0, 1]
            self.shown += len(rows)

    rows = np.arange(110.0)[:, None]
    y = (rows[:, 0] % 2).astype(int)
    y[-10:] = 1 - y[-10:]
    model = Model()
    assert stream.progressive_accuracy(model, rows, y, head=25) == 75 / 85
    assert model.shown == 110


@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
def test_rows_of_a_stream_are_clipped_to_the_scale_of_the_first(as_rows):
    rows = as_rows([[1.0, -4.0], [2.0, 2.0], [50.0, -9.0]])
    scaled = stream.scaled_by_head(rows, head=2)
    scaled = scaled.toarray() if as_rows is csr_matrix else scaled
    assert_array_equal(scaled, [[0.5, -1], [1, 0.5], [1, -1]])
    assert stream.largest_squared_length(as_rows(scaled)) == 3


@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
def test_clusters_lift_the_accuracy_on_a_stream_of_rings(as_rows):
    random = np.random.RandomState(5)
    rows = random.uniform(-2, 2, size=(3000, 2))
    rings = (np.hypot(*rows.T).astype(int) % 2).astype(int)
    result = stream.online(as_rows(rows), rings, run=0, k_target=60)
    assert result["accuracy"]["onehot"] > result["accuracy"]["raw"] + 0.1
    assert result["accuracy"]["local"] > result["accuracy"]["raw"] + 0.1
    assert stream.online(as_rows(rows), rings, run=0, k_target=60) == result


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([1, 2, 2], [0, 1, 1]),
        ([-1, 1, -1], [0, 1, 0]),
        ([0, 1, 2, 3], [0, 0, 1, 1]),
        ([1, 1, 1, 1, 2, 3, 4], [0, 0, 0, 0, 1, 1, 1]),
        ([3, 1, 3, 3, 2, 3], [1, 0, 1, 1, 0, 1]),
        (["b", "a", "c", "c"], [0, 0, 1, 1]),
    ],
)
def test_classes_are_cut_where_the_parts_differ_least(y, expected):
    assert cut_in_two(np.array(y)).tolist() == expected
