"""How much a linear model gains by features, and what they take: time, columns, non-zeros.

Each split takes rows at random, 70 % to learn from. They are standardized. The features of
a method are put beside the raw ones, scaled so that both have the same root mean square
length of a row. A method has at most a third as many columns as there are rows to learn
from.

Time is that of making the features of the rows to learn from, and of learning, in seconds
of one core: every split is a process with one thread, and its processor time counts.
"""

import time
import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ..data import available, load, load_labels
from ..paper.accuracy import both, mean_squared_length
from ..speed.contest import dense
from .methods import BOOSTING, LEARNERS, METHODS, MODELS, MOST_COLUMNS, RAW, RIDGE

STUDIED = ("adult", "ijcnn1", "letter", "magic04", "poker", "shuttle", "skin")
BUNDLED = {"breast cancer": load_breast_cancer, "digits": load_digits}
FIRST_SPLIT = 500  # those before were looked at while methods were set up
TEST_SHARE = 0.3
ROWS_PER_COLUMN = 3
MOST_SOLVED = 1500  # columns up to which RidgeClassifier is faster with a dense matrix


def of_folder(folder, name):
    """Return the rows and classes of a dataset of the folder."""
    return dense(load(folder, name)), load_labels(folder, name)


def sources(folder):
    """Return name -> how to load the rows and classes, of all that there are."""
    real = {
        name: partial(of_folder, folder, name)
        for name in STUDIED
        if name in available(folder)
    }
    return {**real, **{name: partial(f, return_X_y=True) for name, f in BUNDLED.items()}}


def split_of(X, y, rows, seed):
    """Return the parts of a split of at most so many rows, standardized."""
    n_test = int(TEST_SHARE * min(rows, len(y)))
    X_train, X_test, y_train, y_test = train_test_split(
        X,
        y,
        train_size=min(rows, len(y)) - n_test,
        test_size=n_test,
        random_state=FIRST_SPLIT + seed,
    )
    scaler = StandardScaler().fit(X_train)
    return scaler.transform(X_train), scaler.transform(X_test), y_train, y_test


def with_features(transformer, X_train, X_test):
    """Return both parts with features, the seconds for those to learn from, and a sample.

    The sample is what the transformer gave for those, before it was scaled.
    """
    start = time.process_time()
    features = transformer.fit_transform(X_train)
    lengths = mean_squared_length(X_train), mean_squared_length(features)
    scale = np.sqrt(lengths[0] / lengths[1])
    train = both(X_train, features * scale)
    seconds = time.process_time() - start
    return train, both(X_test, transformer.transform(X_test) * scale), seconds, features


def learned(name, seed, X_train, X_test, y_train, y_test):
    """Return the accuracy of a learner, and the seconds that it took."""
    start = time.process_time()
    if name == RIDGE and X_train.shape[1] <= MOST_SOLVED:
        X_train = dense(X_train)
    model = MODELS[name](seed).fit(X_train, y_train)
    seconds = time.process_time() - start
    return float(model.score(X_test, y_test)), seconds


def figures(seed, train, test, y_train, y_test, seconds):
    """Return accuracy and seconds of each learner, with those of the features."""
    found = {}
    for name in LEARNERS:
        accuracy, more = learned(name, seed, train, test, y_train, y_test)
        found[name] = {"accuracy": accuracy, "seconds": seconds + more}
    return found


def measure_split(make, rows, widths, seed):
    """Return what a split is like, and (method, columns asked for) -> figures."""
    X, y = make()
    X_train, X_test, y_train, y_test = split_of(X, y, rows, seed)
    n, d = X_train.shape
    about = {"rows": n + len(y_test), "features": d, "classes": len(np.unique(y))}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # steps that end early, rows that are alike
        boosting = learned(BOOSTING, seed, X_train, X_test, y_train, y_test)
        found = {(RAW, 0): figures(seed, X_train, X_test, y_train, y_test, 0.0)}
        boosting = dict(zip(("accuracy", "seconds"), boosting))
        found[BOOSTING, 0] = dict.fromkeys(LEARNERS, boosting)
        for width in widths:
            for name, method in METHODS.items():
                if width > MOST_COLUMNS.get(name, width):
                    continue
                transformer = method(min(width, n // ROWS_PER_COLUMN), d, seed)
                train, test, seconds, block = with_features(transformer, X_train, X_test)
                line = figures(seed, train, test, y_train, y_test, seconds)
                n_stored = block.nnz if issparse(block) else block.size
                line |= {"columns": block.shape[1], "non-zeros": n_stored / n}
                found[name, width] = line
    return about, found


def summary(name, splits):
    """Return all figures of a dataset: a line for each method and number of columns."""
    lines = []
    for method, width in splits[0][1]:
        every = [found[method, width] for _, found in splits]
        line = {"method": method, "asked": width}
        for what in ("columns", "non-zeros"):
            if what in every[0]:
                line[what] = float(np.mean([figures[what] for figures in every]))
        for learner in LEARNERS:
            line[learner] = {
                what: [round(figures[learner][what], 5) for figures in every]
                for what in ("accuracy", "seconds")
            }
        lines.append(line)
    return {"dataset": name, **splits[0][0], "lines": lines}


def measure(chosen, rows, widths, seeds, n_jobs, advance):
    """Return the figures of the datasets; `advance` is told of each split that is done."""
    asked = [(name, seed) for name in chosen for seed in range(seeds)]
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(measure_split)(chosen[name], rows, widths, seed) for name, seed in asked
    )
    splits = {}
    for (name, seed), found in zip(asked, work):
        splits.setdefault(name, []).append(found)
        advance(f"{name}, split {seed + 1} of {seeds}", 1 / len(asked))
    return [summary(name, found) for name, found in splits.items()]
