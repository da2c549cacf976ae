"""Table 2: a linear model with squared loss, on raw features and with cluster features.

The paper says which model, and neither how the rows were split and scaled, nor how long and
with which step it learned, nor how many clusters there were. This is done here, for every
dataset alike:

- The rows are split by seed, stratified: 70 % to learn from, 30 % to test.
- Features are divided by their largest absolute value in the training part, which works for
  dense and for sparse rows.
- Gradient descent has a constant step and gives the average of its second half: for the
  squared loss that converges to the least squares solution, and fast where the step is
  long (Bach & Moulines 2013, Jain et al. 2018). The step is a multiple of 1 / mean squared
  length of the rows, so that it means the same for rows with more columns.
- That multiple and the number of passes are chosen on the *raw* features, by the squared
  loss in cross-validation within the training part. Of all that are within one standard
  error of the best, the one that learns most (step times passes) is taken, for the raw
  features cannot tell them apart but rare columns need it. All columns of the table use it.
- The number of clusters to aim at is chosen by the accuracy in the same cross-validation,
  with one-hot features, and is used for every kind of cluster feature but one.
- Local features have a column for each raw feature and one more in each cluster. So they
  have fewer clusters, merged into a number that the same cross-validation chooses by the
  accuracy; columns are at most a third of the rows to learn from. Where a row has too many
  features for two such clusters, there are 16, and their centers are rows, not means, to
  stay sparse.

`choose_learner` and `choose_k` see nothing of the test part.
"""

import copy
import math
import sys
import warnings

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import MaxAbsScaler

from onlinekmeans_sklearn import OnlineKMeans

from .costs import merged, with_means

FIRST_SPLIT = 300  # those before were looked at while there were other protocols
FOLDS = 3
STEPS = (0.01, 0.03, 0.1, 0.3, 1.0)
PASSES = (3, 10, 30)
LOCAL_CLUSTERS = (2, 5, 10, 30, 100, 300, 1000)
FEW = 16  # clusters of wide rows
ROWS_PER_COLUMN = 3  # at least, with local features
ROWS = 8192  # that are made triangle features of at a time
MOST_TRIANGLES = 2**30  # or those features, 4 GiB of them, are left out


def mean_squared_length(X):
    """Return the mean squared length of the rows."""
    squares = X.multiply(X).sum() if issparse(X) else np.vdot(X, X)
    return float(squares) / X.shape[0]


def step_size(X, step):
    """Return the step of gradient descent: relative to the rows and their intercept."""
    return step / (mean_squared_length(X) + 1)


def learn(X, y, step, passes, seed):
    """Return the linear model with squared loss, or None if the step was too long."""
    model = SGDClassifier(
        loss="squared_error",
        alpha=1e-6,
        learning_rate="constant",
        eta0=step_size(X, step),
        average=max(1, passes * X.shape[0] // 2),
        max_iter=passes,
        tol=None,
        random_state=seed,
    )
    try:
        return model.fit(X, y)
    except ValueError as error:
        if "overflow" not in str(error):
            raise
        return None


def score(model, X, y):
    """Return the accuracy, 0 if there is no model."""
    return 0.0 if model is None else float(model.score(X, y))


def squared_loss(model, X, y):
    """Return the mean squared loss, larger than any if there is no model."""
    if model is None:
        return sys.float_info.max
    target = np.where(y == model.classes_[1], 1, -1)
    return float(np.mean((model.decision_function(X) - target) ** 2))


def folds_of(X, y, seed):
    """Return (X_train, X_test, y_train, y_test) of every fold, scaled."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return [scaled(X[a], X[b], y[a], y[b]) for a, b in folds.split(X, y)]


def scaled(X_train, X_test, y_train, y_test):
    """Return the parts with features of at most 1 in the training part."""
    scaler = MaxAbsScaler().fit(X_train)
    return scaler.transform(X_train), scaler.transform(X_test), y_train, y_test


def choose_learner(folds, seed):
    """Return the step and the passes that suit the raw features."""
    losses = {
        (step, passes): [
            squared_loss(learn(X_train, y_train, step, passes, seed), X_test, y_test)
            for X_train, X_test, y_train, y_test in folds
        ]
        for step in STEPS
        for passes in PASSES
    }
    return most_learning(losses)


def most_learning(losses):
    """Return the (step, passes) that learns most of those as good as the best.

    As good is: within one standard error of the best, over the folds.
    """
    best = min(losses.values(), key=np.mean)
    most = np.mean(best) + np.std(best, ddof=1) / math.sqrt(len(best))
    as_good = [learner for learner, each in losses.items() if np.mean(each) <= most]
    return max(as_good, key=lambda learner: (learner[0] * learner[1], learner[0]))


def choose_clusterer(folds, clusterers, step, passes, seed):
    """Return the clusterer whose features do best: the first of the best ones."""
    means = []
    for clusterer in clusterers:
        scores = []
        for X_train, X_test, y_train, y_test in folds:
            train, test = with_clusters(clone(clusterer), X_train, X_test)
            scores.append(score(learn(train, y_train, step, passes, seed), test, y_test))
        means.append(np.mean(scores))
    return clone(clusterers[int(np.argmax(means))])


def choose_k(folds, k_targets, step, passes, seed):
    """Return the number of clusters to aim at: the smallest of the best ones."""
    clusterers = [OnlineKMeans(k=k, random_state=seed) for k in k_targets]
    return choose_clusterer(folds, clusterers, step, passes, seed).k


def local_clusterers(X, seed):
    """Return the clusterers whose local features are not too many for the rows."""
    n, d = X.shape
    most = min(n // (ROWS_PER_COLUMN * (d + 1)), LOCAL_CLUSTERS[-1])
    numbers = sorted({most, *(number for number in LOCAL_CLUSTERS if number < most)})
    options = {"encode": "local", "random_state": seed}
    if most < LOCAL_CLUSTERS[0]:
        return [OnlineKMeans(k=FEW, **options)]
    return [OnlineKMeans(number, **options) for number in numbers]


def with_clusters(clusterer, X_train, X_test):
    """Return both parts with the features of clusters that are learned from the first."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="encode='local' gives")
        clusterer.fit(X_train)
        return [both(X, clusterer.transform(X)) for X in (X_train, X_test)]


def both(raw, features):
    """Return raw and cluster features side by side: dense only if both are."""
    if issparse(raw) or issparse(features):
        return hstack([csr_matrix(raw), features], format="csr")
    return np.hstack([raw, features])


def with_triangle(clusterer, X):
    """Return raw and triangle features, in single precision as they are many."""
    encoder = copy.copy(clusterer).set_params(encode="triangle")
    if issparse(X):
        return both(X, encoder.transform(X).astype(np.float32))
    n, d = X.shape
    features = np.empty((n, d + clusterer.n_clusters_), dtype=np.float32)
    features[:, :d] = X
    for start in range(0, n, ROWS):
        rows = slice(start, start + ROWS)
        features[rows, d:] = encoder.transform(X[rows])
    return features


def mini_batch_features(n_clusters, seed, X_train, X_test):
    """Return one-hot features by as many clusters of MiniBatchKMeans."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Number of distinct clusters")
        model = MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X_train)
    return [one_hot(model.predict(X), n_clusters) for X in (X_train, X_test)]


def one_hot(labels, n_clusters):
    """Return a row per label, with a one in its column."""
    n = len(labels)
    return csr_matrix((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))


def checks(X_train, X_test, y_train, y_test):
    """Return what other learners make of the raw features, to judge the first column.

    The squared loss solved exactly shows whether gradient descent has converged, and the
    logistic loss what the choice of the loss costs.
    """
    models = {
        "least squares": RidgeClassifier(),
        "logistic": LogisticRegression(max_iter=1000),
    }
    return {
        name: float(model.fit(X_train, y_train).score(X_test, y_test))
        for name, model in models.items()
    }


def accuracy(X, y, split, k_targets):
    """Return the figures of one split."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=FIRST_SPLIT + split
    )
    folds = folds_of(X_train, y_train, split)
    step, passes = choose_learner(folds, split)
    k_target = choose_k(folds, k_targets, step, passes, split)
    every = local_clusterers(X_train, split)
    local = choose_clusterer(folds, every, step, passes, split)
    X_train, X_test, y_train, y_test = scaled(X_train, X_test, y_train, y_test)

    def accuracy_of(train, test):
        return score(learn(train, y_train, step, passes, split), test, y_test)

    by_k, clusters = {}, {}
    for k in k_targets:
        clusters[k] = OnlineKMeans(k=k, random_state=split)
        by_k[str(k)] = accuracy_of(*with_clusters(clusters[k], X_train, X_test))
    clusterer = clusters[k_target]
    mini_batch = mini_batch_features(clusterer.n_clusters_, split, X_train, X_test)
    others = {
        "means": with_means(clusterer),
        "merged": merged(X_train, k_target, clusterer.n_clusters_, split),
    }
    return {
        "accuracy": {
            "raw": accuracy_of(X_train, X_test),
            "onehot": by_k[str(k_target)],
            **{
                name: accuracy_of(*(both(X, other.transform(X)) for X in (X_train, X_test)))
                for name, other in others.items()
            },
            "local": accuracy_of(*with_clusters(local, X_train, X_test)),
            "triangle": accuracy_of(
                *(with_triangle(clusterer, X) for X in (X_train, X_test))
            )
            if X_train.shape[0] * clusterer.n_clusters_ <= MOST_TRIANGLES
            else None,
            "minibatch": accuracy_of(
                *(both(X, features) for X, features in zip((X_train, X_test), mini_batch))
            ),
        },
        "by k": by_k,
        "checks": checks(X_train, X_test, y_train, y_test),
        "clusters": int(clusterer.n_clusters_),
        "local clusters": int(local.n_clusters_),
        "k_target": int(k_target),
        "step": step,
        "passes": passes,
    }
