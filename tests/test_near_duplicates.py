"""Near-duplicates among texts, by cluster and distance: the recipe of the guide."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, vstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from benchmarks.data import load
from onlinekmeans_sklearn import SemiOnlineKMeans

pytestmark = pytest.mark.slow

FOLDER = os.environ.get("ONLINEKMEANS_DATA")
N_TEXTS, N_COPIES = 600, 120
FACILITY_COST = 1.0  # between the squared distances of near copies and of other texts
LIMIT = 0.7  # of the distance to a near copy


def planted(rng, originals, near_copy):
    """Return originals with near copies of earlier ones among them, and which are."""
    is_copy = np.zeros(N_TEXTS + N_COPIES, dtype=bool)
    is_copy[rng.choice(np.arange(50, len(is_copy)), size=N_COPIES, replace=False)] = True
    stream, left = [], list(originals[::-1])
    for index in range(len(is_copy)):
        if is_copy[index]:
            older = np.flatnonzero(~is_copy[:index])
            stream.append(near_copy(stream[rng.choice(older)]))
        else:
            stream.append(left.pop())
    return stream, is_copy


def generated_texts(rng):
    """Return vectors of texts whose words are as frequent as words are."""
    odds = 1 / np.arange(10, 4010)
    numbers = rng.choice(4000, size=(N_TEXTS, 120), p=odds / odds.sum())
    texts = [" ".join(f"w{number}" for number in row) for row in numbers]

    def near_copy(text):
        words = np.array(text.split(), dtype=object)
        is_changed = rng.random_sample(len(words)) < 0.05
        words[is_changed] = [f"x{n}" for n in rng.randint(10**6, size=is_changed.sum())]
        return " ".join(words)

    stream, is_copy = planted(rng, texts, near_copy)
    return HashingVectorizer(alternate_sign=False).transform(stream), is_copy


def news(rng):
    """Return vectors of real news, and of copies that lack some words and have others."""
    if not FOLDER or not (Path(FOLDER) / "20news.npz").exists():
        pytest.skip("there is no 20news.npz in ONLINEKMEANS_DATA")
    X = csr_array(load(FOLDER, "20news"))
    X = X[np.flatnonzero(np.diff(X.indptr) >= 50)]  # of so many words
    rows = rng.choice(X.shape[0], size=N_TEXTS, replace=False)

    def near_copy(row):
        row = row.copy()
        is_changed = rng.random_sample(row.nnz) < 0.05
        row.indices[is_changed] = rng.randint(row.shape[1], size=is_changed.sum())
        row.sum_duplicates()
        return row

    stream, is_copy = planted(rng, [X[[row]] for row in rows], near_copy)
    transformer = TfidfTransformer(sublinear_tf=True).fit(X)
    return transformer.transform(vstack(stream, format="csr")), is_copy


def near_duplicates(vectors, n_calls):
    """Return which texts are close to the cluster that they join, as they come."""
    n = 10_000  # how long the stream may become, about
    bound = FACILITY_COST * n * np.log2(n)
    model = SemiOnlineKMeans(k=n, lower_bound=bound, n_samples=n, random_state=0)
    found = []
    for rows in np.array_split(np.arange(vectors.shape[0]), n_calls):
        model.partial_fit_predict(vectors[rows])
        joins = ~np.isin(rows, model.opened_at_)
        found.append(joins & (model.online_distances_ < LIMIT))
    return np.concatenate(found)


@pytest.mark.parametrize("texts", [generated_texts, news])
def test_near_copies_are_told_as_they_come(texts):
    vectors, is_copy = texts(np.random.RandomState(0))
    np.testing.assert_allclose((vectors.multiply(vectors)).sum(axis=1), 1)
    found = near_duplicates(vectors, n_calls=8)
    recall, precision = found[is_copy].mean(), is_copy[found].mean()
    print(f"recall {recall:.2f}, precision {precision:.2f}")
    assert recall > 0.75  # near copies that open a cluster are missed
    assert precision > 0.9
    np.testing.assert_array_equal(near_duplicates(vectors, len(is_copy)), found)
