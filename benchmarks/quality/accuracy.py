"""A linear model with squared loss on the skin dataset: raw features, and with clusters.

A part of the rows is held out, by seed. Features are scaled by the training part, and the
clusters are those of one pass over it. Two learners minimise the squared loss:

least squares
    `RidgeClassifier` as it comes. It solves the problem, so there is nothing to choose.
gradient descent
    The demonstration's `SGDClassifier`: a step size that cross-validation of the *raw*
    model chose within the training part, the same for all features.

Every combination is reported, and every one with clusters is held against the target.
"""

from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from onlinekmeans_sklearn import OnlineKMeans

from ..demo import raw_model

CLUSTERS = [(encode, k) for encode in ("onehot", "triangle") for k in (300, 1000)]
LEARNERS = ("least squares", "gradient descent")
FIRST_SPLIT = 100  # splits 0 to 4 were looked at while learners were compared


def split_accuracies(X, y, seed):
    """Yield the figures of one split: of raw features, then of every encoding and k."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=FIRST_SPLIT + seed
    )
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    # Scaled once more inside the cross-validation, which changes next to nothing.
    descent = raw_model(X_train, y_train, StandardScaler(), seed)[-1]
    for encode, k in [(None, None), *CLUSTERS]:
        figures = {}
        features = FunctionTransformer()
        if encode is not None:
            clusters = OnlineKMeans(k, encode=encode, random_state=seed)
            features = make_union(features, clusters)
        train = features.fit_transform(X_train)
        test = features.transform(X_test)
        for name, learner in zip(LEARNERS, (RidgeClassifier(), clone(descent))):
            figures[name] = learner.fit(train, y_train).score(test, y_test)
        if encode is not None:
            figures["clusters"] = clusters.n_clusters_
        yield figures


def accuracies(X, y, seeds, advance):
    """Return the figures by seed: of raw features, then of every encoding and k.

    `advance` is told of the work done, as a share of all there is.
    """
    results = [{"features": "raw"}]
    results += [{"features": encode, "k": k} for encode, k in CLUSTERS]
    for seed in range(seeds):
        description = f"linear model, split {seed + 1} of {seeds}"
        advance(description, 0)
        for result, figures in zip(results, split_accuracies(X, y, seed)):
            for name, value in figures.items():
                result.setdefault(name, []).append(value)
            advance(description, 1 / (seeds * len(results)))
    return results
