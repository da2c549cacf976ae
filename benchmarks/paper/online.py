"""Table 2 on a stream: progressive validation, one pass, nothing chosen afterwards.

The rows come in an order shuffled by seed, for two of the files are sorted by class. The
first rows, at most 1,000, are not scored. They set the scale of the features, which later
rows are clipped to, and the step of gradient descent is chosen on them, with raw features.
It is a share of 1 / the largest squared length of a row, so that no update overshoots. From
then on the model predicts each block of rows before it learns from it. The clusters open as
the stream is read, and the features of a row are decided when it is read. Local features
have fewer clusters, for at most a third as many columns as rows, if that allows 16.
"""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MaxAbsScaler

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans

from .accuracy import (
    FEW,
    FIRST_SPLIT,
    FOLDS,
    ROWS_PER_COLUMN,
    STEPS,
    most_learning,
    squared_loss,
)

HEAD = 1000  # rows that are not scored; at most a tenth of them all
BLOCK = 25  # rows that are predicted, then learned
LENGTHS = {"onehot": 1.0, "local": 5.0}  # at most, of cluster features, squared


def learner(eta0, seed):
    """Return gradient descent with squared loss, a constant step and one pass."""
    return SGDClassifier(
        loss="squared_error",
        alpha=1e-6,
        learning_rate="constant",
        eta0=eta0,
        max_iter=1,
        tol=None,
        shuffle=False,
        random_state=seed,
    )


def largest_squared_length(X):
    """Return that of the rows, with 1 more for the intercept."""
    squares = X.multiply(X) if issparse(X) else X * X
    return float(squares.sum(axis=1).max()) + 1


def choose_step(X, y, seed):
    """Return the step for the raw features of the first rows, by the rule of Table 2."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    length = largest_squared_length(X)
    losses = {
        (step, 1): [
            squared_loss(learner(step / length, seed).fit(X[a], y[a]), X[b], y[b])
            for a, b in folds.split(X, y)
        ]
        for step in STEPS
    }
    return most_learning(losses)[0]


def scaled_by_head(X, head):
    """Return the rows with every feature from -1 to 1, by the first rows."""
    X = MaxAbsScaler().fit(X[:head]).transform(X)
    values = X.data if issparse(X) else X
    np.clip(values, -1, 1, out=values)
    return X


def blocks(start, stop):
    """Yield slices of consecutive rows."""
    for first in range(start, stop, BLOCK):
        yield slice(first, min(first + BLOCK, stop))


def progressive_accuracy(model, X, y, head):
    """Return the share of correct predictions of rows not yet learned from."""
    classes = np.unique(y)
    right = 0
    for rows in blocks(0, X.shape[0]):
        if rows.start >= head:
            right += int(np.sum(model.predict(X[rows]) == y[rows]))
        model.partial_fit(X[rows], y[rows], classes=classes)
    return right / (X.shape[0] - head)


def online(X, y, run, k_target):
    """Return the figures of one order of the rows."""
    order = np.random.RandomState(FIRST_SPLIT + run).permutation(X.shape[0])
    X, y = X[order], y[order]
    head = BLOCK * max(1, min(HEAD, X.shape[0] // 10) // BLOCK)
    X = scaled_by_head(X, head)
    step = choose_step(X[:head], y[:head], run)
    length = largest_squared_length(X[:head])
    models = {"raw": learner(step / length, run)}
    most = X.shape[0] // (ROWS_PER_COLUMN * (X.shape[1] + 1))
    numbers = {"onehot": k_target, "local": min(k_target, max(FEW, most))}
    for encode, k in numbers.items():
        models[encode] = ClusterFeaturesClassifier(
            learner(step / (length + LENGTHS[encode]), run),
            OnlineKMeans(k=k, encode=encode, random_state=run),
            scale_clusters=False,
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="encode='local' gives")
        accuracies = {
            name: progressive_accuracy(model, X, y, head) for name, model in models.items()
        }
    return {
        "accuracy": accuracies,
        "clusters": int(models["onehot"].clusterer_.n_clusters_),
        "local clusters": int(models["local"].clusterer_.n_clusters_),
        "step": step,
    }
