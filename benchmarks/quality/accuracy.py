"""A linear model with squared loss on the skin dataset: raw features, and with clusters.

A part of the rows is held out, by seed. Features are scaled by the training part, as in the
paper's Table 2, and the clusters are those of one pass over it. Two learners minimize the
squared loss:

least squares
    `RidgeClassifier` as it comes. It solves the problem, so there is nothing to choose.
gradient descent
    That of Table 2, see `benchmarks.paper.accuracy`: cross-validation of the
    *raw* model within the training part chooses how it learns, for all features.

Every combination is reported, and every one with clusters is held against the target.
"""

from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_union
from sklearn.preprocessing import FunctionTransformer

from onlinekmeans_sklearn import OnlineKMeans

from ..paper.accuracy import choose_learner, folds_of, learn, scaled, score

CLUSTERS = [(encode, k) for encode in ("onehot", "triangle") for k in (300, 1000)]
LEARNERS = ("least squares", "gradient descent")
FIRST_SPLIT = 100  # splits 0 to 4 were looked at while learners were compared


def split_accuracies(X, y, seed):
    """Yield the figures of one split: of raw features, then of every encoding and k."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=FIRST_SPLIT + seed
    )
    step, passes = choose_learner(folds_of(X_train, y_train, seed), seed)
    X_train, X_test, y_train, y_test = scaled(X_train, X_test, y_train, y_test)
    for encode, k in [(None, None), *CLUSTERS]:
        figures = {}
        features = FunctionTransformer()
        if encode is not None:
            clusters = OnlineKMeans(k=k, encode=encode, random_state=seed)
            features = make_union(features, clusters)
        train = features.fit_transform(X_train)
        test = features.transform(X_test)
        solved = RidgeClassifier().fit(train, y_train)
        descended = learn(train, y_train, step, passes, seed)
        for name, model in zip(LEARNERS, (solved, descended)):
            figures[name] = score(model, test, y_test)
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
