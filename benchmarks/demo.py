"""A linear model with squared loss, on raw features and on raw + cluster features.

Protocol, the same for every dataset: a third of the rows is held out, by seed. Features
are scaled to [0, 1] by the training part. The step size of stochastic gradient descent is
chosen by cross-validation of the *raw* model within the training part, and that learner is
then used for both columns. The clusters are those of one pass over the training part.
"""

import argparse

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_moons,
)
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

from onlinekmeans_sklearn import OnlineKMeans

DATASETS = {
    "digits": lambda: load_digits(return_X_y=True),
    "odd digits": lambda: _odd_or_even(*load_digits(return_X_y=True)),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "two moons*": lambda: make_moons(1500, noise=0.2, random_state=0),
}
STEP_SIZES = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2]


def _odd_or_even(X, y):
    return X, y % 2


def linear_model(seed):
    """Return stochastic gradient descent with squared loss and no step size yet."""
    return SGDClassifier(
        loss="squared_error",
        learning_rate="constant",
        alpha=1e-4,
        max_iter=60,
        tol=None,
        random_state=seed,
    )


def raw_model(X, y, scaler, seed):
    """Return the model of raw features, its step size chosen by cross-validation."""
    raw = make_pipeline(scaler, linear_model(seed))
    search = GridSearchCV(raw, {"sgdclassifier__eta0": STEP_SIZES}, cv=3)
    return search.fit(X, y).best_estimator_


def compare(X, y, k, seed):
    """Return the accuracy with raw and with added features, and the clusters opened."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=1 / 3, stratify=y, random_state=seed
    )
    raw = raw_model(X_train, y_train, MinMaxScaler(), seed)
    both = make_pipeline(
        MinMaxScaler(),
        make_union(FunctionTransformer(), OnlineKMeans(k, random_state=seed)),
        clone(raw[-1]),
    )
    both.fit(X_train, y_train)
    n_clusters = both.named_steps["featureunion"]["onlinekmeans"].n_clusters_
    return raw.score(X_test, y_test), both.score(X_test, y_test), n_clusters


def main(argv=None):
    """Run the demonstration and print its table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--k", type=int, default=100, help="clusters to aim at (100)")
    parser.add_argument("--seeds", type=int, default=5, help="train/test splits (5)")
    arguments = parser.parse_args(argv)

    console = Console()
    table = Table(
        box=SIMPLE_HEAD,
        title=f"Test accuracy of a linear model, {arguments.seeds} splits",
        caption="squared loss; mean ± standard deviation; k clusters opened; * generated",
    )
    table.add_column("dataset", no_wrap=True)
    for heading in ("n", "d", "k", "raw", "with clusters", "gain"):
        table.add_column(heading, justify="right", no_wrap=True)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=len(DATASETS) * arguments.seeds)
        for name, load in DATASETS.items():
            X, y = load()
            results = []
            for seed in range(arguments.seeds):
                progress.update(task, description=name)
                results.append(compare(X, y, arguments.k, seed))
                progress.advance(task)
            raw, both, n_clusters = np.array(results).T
            table.add_row(
                name,
                str(X.shape[0]),
                str(X.shape[1]),
                f"{n_clusters.mean():.0f}",
                f"{raw.mean():.3f} ± {raw.std():.3f}",
                f"{both.mean():.3f} ± {both.std():.3f}",
                f"{(both - raw).mean():+.3f}",
            )
    console.print(table)
