"""A classifier with cluster features, for batches and on a stream."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array, csr_matrix, hstack, issparse
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits, make_circles, make_classification
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from streams import dense

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans, SemiOnlineKMeans

X, y = make_circles(1200, factor=0.5, noise=0.05, random_state=0)
X3, y3 = make_classification(
    1200, 6, n_informative=4, n_redundant=0, n_classes=3, random_state=0
)
SQUARED = SGDClassifier(
    loss="squared_error", learning_rate="constant", eta0=0.01, random_state=0
)


def learn(model, X, y, sizes, classes):
    start, turn = 0, 0
    while start < X.shape[0]:
        part = slice(start, start + sizes[turn % len(sizes)])
        model.partial_fit(X[part], y[part], classes=classes if start == 0 else None)
        start, turn = part.stop, turn + 1
    return model


@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "triangle", "local"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix, csr_array])
def test_fit_is_a_pipeline_of_a_union_and_the_classifier(storage, encode):
    rows = storage(X3)
    clusterer = OnlineKMeans(k=40, encode=encode, random_state=0)
    model = ClusterFeaturesClassifier(SQUARED, clusterer, scale_clusters=False)
    model.fit(rows, y3)
    union = make_union(FunctionTransformer(accept_sparse=True), clone(clusterer))
    pipeline = make_pipeline(union, clone(SQUARED)).fit(rows, y3)
    np.testing.assert_allclose(model.classifier_.coef_, pipeline[-1].coef_)
    np.testing.assert_allclose(
        model.decision_function(rows), pipeline.decision_function(rows)
    )
    np.testing.assert_array_equal(model.predict(rows), pipeline.predict(rows))


@pytest.mark.parametrize("passthrough", [True, False])
def test_clusters_tell_apart_what_is_not_linearly_separable(passthrough):
    assert clone(SQUARED).fit(X[:800], y[:800]).score(X[800:], y[800:]) < 0.7
    model = ClusterFeaturesClassifier(passthrough=passthrough, random_state=0)
    assert model.fit(X[:800], y[:800]).score(X[800:], y[800:]) > 0.97
    n_features, n_clusters = 2 * passthrough, model.clusterer_.n_clusters_
    assert model.classifier_.n_features_in_ == n_features + 1 + 3 * n_clusters


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("sizes", [[1], [50], [7, 300]], ids=str)
@pytest.mark.parametrize("encode", ["onehot", "ordinal", "triangle", "local"])
def test_a_growing_model_is_the_one_that_had_all_columns_from_the_start(
    encode, sizes, storage
):
    n = 60 if sizes == [1] else 500
    clusterer = OnlineKMeans(k=30, encode=encode, random_state=0)
    capped = clone(clusterer).set_params(max_clusters=200)
    for data, target in [(X[:n], y[:n]), (X3[:n], y3[:n])]:
        rows, classes = storage(data), np.unique(target)
        models = [
            learn(ClusterFeaturesClassifier(SQUARED, c), rows, target, sizes, classes)
            for c in (clusterer, capped)
        ]
        grown, wide = (model.classifier_.coef_ for model in models)
        width = models[0].clusterer_.n_clusters_ if encode != "ordinal" else 1
        width *= 1 + data.shape[1] if encode == "local" else 1
        assert grown.shape[1] == data.shape[1] + width
        np.testing.assert_array_equal(grown, wide[:, : grown.shape[1]])
        assert not wide[:, grown.shape[1] :].any()
        np.testing.assert_array_equal(models[0].predict(rows), models[1].predict(rows))


@pytest.mark.parametrize(("encode", "cap"), [("onehot", None), ("distance", 99)])
def test_the_classifier_learns_from_the_features_decided_online(encode, cap):
    online = OnlineKMeans(k=40, encode=encode, max_clusters=cap, random_state=0)
    model = ClusterFeaturesClassifier(SQUARED, online, scale_clusters=False)
    learn(model, X, y, [100], [0, 1])
    clusterer, classifier = clone(online).set_params(max_clusters=99), clone(SQUARED)
    for rows, target in zip(np.split(X, 12), np.split(y, 12)):
        features = clusterer.partial_fit_transform(rows)
        stack = hstack if issparse(features) else np.hstack
        classifier.partial_fit(stack([rows, features]), target, [0, 1])
    n_columns = model.classifier_.n_features_in_
    np.testing.assert_array_equal(model.classifier_.coef_, classifier.coef_[:, :n_columns])
    # not from those of the centers at the end
    whole = clone(online).fit(X)
    assert (clusterer.predict(X[:100]) != whole.labels_[:100]).any()


def test_partial_fit_goes_on_after_fit():
    model = ClusterFeaturesClassifier(random_state=0).fit(X[:200], y[:200])
    n_clusters = model.clusterer_.n_clusters_
    model.partial_fit(100 + X, y)
    assert model.clusterer_.n_samples_seen_ == 1400
    assert model.classifier_.n_features_in_ == 2 + 1 + 3 * model.clusterer_.n_clusters_
    assert model.clusterer_.n_clusters_ > n_clusters


def state(model):
    return joblib.hash(vars(model))


LEARNED = learn(ClusterFeaturesClassifier(random_state=0), X, y, [300], [0, 1])
BY_DISTANCE = ClusterFeaturesClassifier(SQUARED, OnlineKMeans(k=30, encode="distance"))
FAILURES = {
    "an unknown label": (X[:9], np.full(9, 7), {}, r"\[7\].*only classes.*\[0, 1\]"),
    "too wide": (np.ones((9, 3)), y[:9], {}, "3 features"),
    "NaN": (np.full((9, 2), np.nan), y[:9], {}, "NaN"),
    "other classes": (X[:9], y[:9], {"classes": [0, 1, 2]}, "classes"),
    "a continuous target": (X[:9], y[:9] + 0.5, {}, "(?i)label type|continuous"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failed_call_changes_nothing(case):
    rows, target, more, message = FAILURES[case]
    model, twin = copy.deepcopy(LEARNED), copy.deepcopy(LEARNED)
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(rows, target, **more)
    assert state(model) == before
    for each in (model, twin):
        each.partial_fit(X, y)
    np.testing.assert_array_equal(model.classifier_.coef_, twin.classifier_.coef_)
    means = model.clusterer_.cluster_means_, twin.clusterer_.cluster_means_
    np.testing.assert_array_equal(*means)


@pytest.mark.parametrize(
    ("model", "classes", "message"),
    [
        (ClusterFeaturesClassifier(), None, r"'classes' .* in the first call.*np.unique"),
        (BY_DISTANCE, [0, 1], r"encode='distance'.*max_clusters"),
    ],
    ids=["no classes", "columns that grow"],
)
def test_a_first_call_that_fails_changes_nothing(model, classes, message):
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y, classes=classes)
    assert state(model) == before


@pytest.mark.parametrize("random_state", [None, 0])
def test_a_classifier_that_fails_halfway_changes_nothing(random_state, monkeypatch):
    model = learn(ClusterFeaturesClassifier(random_state=random_state), X, y, [300], [0, 1])
    before = np.random.get_state()[1].tobytes(), state(model)

    def failing(self, X, y, classes=None, sample_weight=None):
        self.coef_ *= 0
        raise MemoryError

    monkeypatch.setattr(SGDClassifier, "partial_fit", failing)
    for n_rows in (1, 10, 1200):
        with pytest.raises(MemoryError):
            model.partial_fit(50 + X[:n_rows], y[:n_rows])
        assert (np.random.get_state()[1].tobytes(), state(model)) == before


@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "triangle"])
@pytest.mark.parametrize("form", [np.array, csr_array, csr_matrix])
def test_the_features_of_a_lone_row_are_those_it_has_among_others(form, encode):
    rows = np.where(X > 0.2, X, 0.0)
    model = ClusterFeaturesClassifier(clusterer=OnlineKMeans(k=30, encode=encode))
    model.set_params(random_state=0).fit(form(rows[:300]), y[:300])
    alone = [model.decision_function(form(rows[i : i + 1])) for i in range(0, 1200, 50)]
    whole = model.decision_function(form(rows))[::50]
    np.testing.assert_allclose(np.concatenate(alone), whole, atol=1e-12)


@pytest.mark.parametrize(
    "classifier", [SGDClassifier(average=True, random_state=0), MultinomialNB()], ids=str
)
def test_a_classifier_that_cannot_grow_says_what_to_do(classifier):
    rows = X + 2
    model = ClusterFeaturesClassifier(classifier, OnlineKMeans(k=30, random_state=0))
    model.partial_fit(rows[:5], y[:5], classes=[0, 1])
    before = state(model)
    with pytest.raises(ValueError, match=r"clusters have opened.*Give the clusterer a max"):
        model.partial_fit(rows[5:], y[5:])
    assert state(model) == before
    model.set_params(clusterer__max_clusters=300)
    model = learn(clone(model), rows, y, [300], [0, 1])
    assert model.score(rows, y) > 0.9


@pytest.mark.parametrize(
    "classifier", [Perceptron(), SGDClassifier(loss="log_loss")], ids=str
)
def test_other_linear_classifiers_grow_too(classifier):
    model = ClusterFeaturesClassifier(classifier, OnlineKMeans(k=60), random_state=0)
    assert learn(model, X, y, [100], [0, 1]).score(X, y) > 0.9


def test_methods_are_those_of_the_classifier():
    model = ClusterFeaturesClassifier()
    assert hasattr(model, "decision_function")
    assert hasattr(model, "predict_proba")
    assert not hasattr(model.set_params(classifier=SQUARED), "predict_proba")
    logistic = ClusterFeaturesClassifier(LogisticRegression(), random_state=0)
    assert not hasattr(logistic, "partial_fit")
    probabilities = logistic.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(np.log(probabilities), logistic.predict_log_proba(X))
    assert (logistic.classes_[probabilities.argmax(axis=1)] == logistic.predict(X)).all()


def test_any_clusterer_will_do_for_fit_but_not_for_a_stream():
    clusterer = MiniBatchKMeans(30, n_init=1)
    model = ClusterFeaturesClassifier(clusterer=clusterer, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9
    assert not hasattr(clone(model), "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit(X, y, classes=[0, 1])
    assert "must be an OnlineKMeans or SemiOnlineKMeans" in str(error.value.__cause__)


def test_merged_clusters_are_for_fit_not_for_a_stream():
    clusterer = SemiOnlineKMeans(n_clusters=12, random_state=0)
    model = ClusterFeaturesClassifier(SQUARED, clusterer, random_state=0)
    assert model.fit(X, y).classifier_.n_features_in_ == 2 + 12
    assert not hasattr(model, "partial_fit")
    assert not hasattr(clone(model), "partial_fit")
    model.set_params(clusterer__n_clusters=None)
    assert hasattr(clone(model), "partial_fit")
    assert not hasattr(model, "partial_fit")  # the clusters that it goes on with are merged


def test_one_random_state_is_enough():
    once, again = (
        ClusterFeaturesClassifier(SGDClassifier(), OnlineKMeans(k=40), random_state=3)
        for _ in range(2)
    )
    np.testing.assert_array_equal(
        once.fit(X, y).classifier_.coef_, again.fit(X, y).classifier_.coef_
    )
    kept = ClusterFeaturesClassifier(SQUARED, OnlineKMeans(random_state=5), random_state=3)
    kept.fit(X, y)
    assert (kept.clusterer_.random_state, kept.classifier_.random_state) == (5, 0)
    free = ClusterFeaturesClassifier().fit(X, y)
    assert free.clusterer_.random_state is free.classifier_.random_state is None


def test_what_users_do_by_habit():
    frame = pd.DataFrame(X, columns=["a", "b"])
    target = np.where(y == 1, "inner", "outer")
    model = ClusterFeaturesClassifier(random_state=0)
    with sklearn.config_context(transform_output="pandas"):
        pipeline = make_pipeline(StandardScaler(), model)
        assert pipeline.fit(frame, target).score(frame, target) > 0.97
    model.fit(frame, target)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert list(model.classes_) == ["inner", "outer"]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    grid = {"clusterer__k": [20, 100], "classifier__alpha": [1e-4, 1e-2]}
    search = ClusterFeaturesClassifier(SQUARED, OnlineKMeans(random_state=0))
    search = GridSearchCV(search, grid, cv=3, error_score="raise").fit(frame, target)
    assert search.best_params_["clusterer__k"] == 100
    assert "OnlineKMeans" in search.best_estimator_._repr_html_()


def test_sparse_in_sparse_throughout():
    model = ClusterFeaturesClassifier(random_state=0).fit(csr_array(X), y)
    assert issparse(model.clusterer_.cluster_centers_)
    np.testing.assert_array_equal(
        dense(model.clusterer_.cluster_centers_),
        ClusterFeaturesClassifier(random_state=0).fit(X, y).clusterer_.cluster_centers_,
    )


CLASSIFIERS = {
    "default": ClusterFeaturesClassifier(random_state=0),
    "one-hot": ClusterFeaturesClassifier(SQUARED, OnlineKMeans(k=30), random_state=0),
    "local": ClusterFeaturesClassifier(
        SQUARED, OnlineKMeans(k=30, encode="local"), random_state=0
    ),
}


def squared_length(n, n_features):
    """Return that of the cluster features of the first rows / that of the raw ones."""
    return 3 * n / (n + 32 * n_features)


def scale_of_first(model, rows, n):
    """Return the scale by the first rows of a stream, one after the other."""
    clusterer = clone(model.clusterer_)
    raw = clusters = 0.0
    for row in rows[:n]:
        raw += sum(value**2 for value in row)
        features = dense(clusterer.partial_fit_transform(row[None]))
        clusters += sum(value**2 for value in features[0])
    return np.sqrt(squared_length(n, rows.shape[1]) * raw / clusters)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_clusters_are_scaled_to_raw_rows_at_positions_that_are_powers_of_two(name, storage):
    rows = 7 * X3[:300] + 1
    cuts = [
        learn(clone(CLASSIFIERS[name]), storage(rows), y3[:300], sizes, [0, 1, 2])
        for sizes in ([300], [1], [7, 120], [256, 44])
    ]
    assert len({model.cluster_scale_ for model in cuts}) == 1
    assert len({model._lengths for model in cuts}) == 1
    expected = scale_of_first(cuts[0], rows, 256)
    assert cuts[0].cluster_scale_ == pytest.approx(expected, rel=1e-9)
    if name == "default":  # what it learns does not depend on the cut
        for model in cuts:
            coef = cuts[0].classifier_.coef_
            np.testing.assert_allclose(model.classifier_.coef_, coef, atol=1e-9)


@pytest.fixture
def taught(monkeypatch):
    """What classifiers are taught: pairs of rows and weights, one for each call."""
    calls, usual = [], SGDClassifier.partial_fit

    def noted(self, X, y, sample_weight=None, **rest):
        calls.append((dense(X), sample_weight))
        return usual(self, X, y, sample_weight=sample_weight, **rest)

    monkeypatch.setattr(SGDClassifier, "partial_fit", noted)
    return calls


def test_the_scale_of_a_row_is_that_of_the_power_of_two_before_it(taught):
    model = ClusterFeaturesClassifier(SQUARED, OnlineKMeans(k=30), random_state=0)
    learn(model, X3[:40], y3[:40], [23, 17], [0, 1, 2])
    found = np.concatenate([part[:, 6:].max(axis=1) for part, _ in taught])
    for t in range(40):  # one-hot: of length 1
        n = 2 ** int(np.log2(t + 1))
        mean = np.mean([row @ row for row in X3[:n]])
        expected = np.sqrt(squared_length(n, 6) * mean)
        assert found[t] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_fit_scales_all_rows_alike(storage):
    clusterer = OnlineKMeans(k=30, encode="local", random_state=0)
    model = ClusterFeaturesClassifier(SQUARED, clusterer).fit(storage(X3), y3)
    first = csr_array(model.clusterer_.transform(storage(X3[:1024])))
    squared = squared_length(1024, 6) * (X3[:1024] ** 2).sum() / (first.data**2).sum()
    assert model.cluster_scale_ == pytest.approx(np.sqrt(squared), rel=1e-9)
    features = dense(model.clusterer_.transform(storage(X3))) * model.cluster_scale_
    linear = clone(SQUARED).fit(csr_matrix(np.hstack([X3, features])), y3)
    np.testing.assert_allclose(model.classifier_.coef_, linear.coef_, atol=1e-9)


def test_clusters_grow_from_shorter_than_raw_rows_to_longer():
    lengths = []
    rows = np.random.RandomState(0).choice([-1.0, 1.0], size=(2**14, 2))
    model = ClusterFeaturesClassifier(SQUARED, OnlineKMeans(k=30), random_state=0)
    for n in (8, 32, 2**14):  # one-hot: of length 1
        start = 0 if n == 8 else model.clusterer_.n_samples_seen_
        model.partial_fit(rows[start:n], rows[start:n, 0] > 0, classes=[False, True])
        lengths.append(model.cluster_scale_ / np.sqrt(2))
    assert lengths[0] < 0.6
    assert lengths[1:] == pytest.approx([1, np.sqrt(3)], rel=0.01)


def test_clusters_of_a_few_words_do_not_drown_the_words():
    rng = np.random.RandomState(0)
    rows = (rng.uniform(size=(1000, 2000)) < 0.02).astype(float)
    target = rows[:, :50].sum(axis=1) > rows[:, 50:100].sum(axis=1)
    clusters = ClusterFeaturesClassifier(clusterer=OnlineKMeans(), random_state=0)
    raw = ClusterFeaturesClassifier(clusterer=OnlineKMeans(max_clusters=1))
    raw.set_params(scale_clusters=False, random_state=0)
    for model in (clusters, raw):
        learn(model, csr_array(rows[:800]), target[:800], [100], [False, True])
    scores = [model.score(rows[800:], target[800:]) for model in (clusters, raw)]
    assert min(scores) > 0.6
    assert scores[0] >= scores[1] - 0.05


@pytest.mark.parametrize("parameter", ["scale_clusters", "passthrough"])
def test_without_a_scale_it_is_one(parameter):
    model = ClusterFeaturesClassifier(random_state=0, **{parameter: False})
    assert model.fit(5 * X, y).cluster_scale_ == 1
    assert model.partial_fit(5 * X, y).cluster_scale_ == 1
    zeros = ClusterFeaturesClassifier(random_state=0)  # of no length
    assert zeros.partial_fit(0 * X, y, classes=[0, 1]).cluster_scale_ == 1
    with pytest.raises(ValueError, match=f"'{parameter}' parameter.*must be a bool"):
        model.set_params(**{parameter: "no"}).fit(X, y)


def test_the_scale_of_the_features_does_not_matter():
    first, *others = (
        learn(
            ClusterFeaturesClassifier(random_state=0), rows, y, [100], [0, 1]
        ).predict_proba(rows)
        for rows in (2.0**-20 * X, X, 2.0**20 * X)
    )
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-9)


def test_the_default_clusterer_suits_the_shape_of_the_data():
    model = ClusterFeaturesClassifier(random_state=0)
    local, few = (300, "local"), ("auto", "onehot")
    for n, d, expected in [
        (1200, 2, (100, "local")),  # 4 samples for each of 3 * 100 columns
        (60_000, 2, local),
        (100, 2, few),  # for local features too few samples
        (1200, 20, few),
    ]:
        rows = np.random.RandomState(0).normal(size=(n, d))
        clusterer = model.fit(rows, rows[:, 0] > 0).clusterer_
        assert (clusterer.k, clusterer.encode) == expected
    for d, expected in [(2, local), (99, (50, "local")), (101, few), (400, few)]:
        rows = np.random.RandomState(0).normal(size=(30, d))
        stream = clone(model).partial_fit(rows, rows[:, 0] > 0, classes=[False, True])
        assert (stream.clusterer_.k, stream.clusterer_.encode) == expected
    assert stream.cluster_scale_ == 1  # they are too many for clusters to matter


def test_the_default_classifier_learns_from_rows_by_their_squared_length(taught):
    rows = X3 * np.geomspace(1, 100, 1200)[:, None]
    model = ClusterFeaturesClassifier(random_state=0, scale_clusters=False)
    for size in ([1200], [7, 120]):
        taught.clear()
        learn(clone(model), rows, y3, size, [0, 1, 2])
        steps = np.concatenate([weights for _, weights in taught])
        squares = np.concatenate([(part**2).sum(axis=1) for part, _ in taught])
        means = np.cumsum(squares - 0.25) / np.arange(1, 1201)  # without the constant
        np.testing.assert_allclose(steps, 1 / np.maximum(squares, means))
    assert model.partial_fit(X3, y3, classes=range(8)).classifier_.eta0 == 7 * 3


@pytest.mark.parametrize(("n_features", "constant"), [(2, 0.5), (101, 1.0)])
def test_beside_many_raw_features_the_constant_is_as_long_as_a_one_hot_one(
    n_features, constant, taught
):
    rows = np.random.RandomState(0).normal(size=(30, n_features))
    model = ClusterFeaturesClassifier(random_state=0, scale_clusters=False)
    model.partial_fit(rows, rows[:, 0] > 0, classes=[False, True])
    assert set(taught[0][0][:, n_features]) == {constant}


def test_parameters_of_a_default_say_what_to_pass_instead():
    model = ClusterFeaturesClassifier()
    with pytest.raises(ValueError, match=r"clusterer__k.*clusterer=OnlineKMeans\(\)"):
        model.set_params(clusterer__k=20)
    with pytest.raises(ValueError, match=r"classifier__alpha: classifier=None"):
        GridSearchCV(model, {"classifier__alpha": [1.0]}, error_score="raise").fit(X, y)
    model.set_params(clusterer=OnlineKMeans(), clusterer__k=20)
    assert model.clusterer.k == 20
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(cluster__k=20)


def test_defaults_are_not_behind_the_same_model_of_raw_features():
    digits, target = load_digits(return_X_y=True)
    rate = {"learning_rate": "invscaling", "power_t": 0.3}
    raw = SGDClassifier("log_loss", eta0=10 / (digits**2).sum(axis=1).mean(), **rate)
    models = [raw.set_params(random_state=0), ClusterFeaturesClassifier(random_state=0)]
    models.append(SGDClassifier(random_state=0))
    hits = [[], [], []]
    for start in range(0, 1700, 50):
        part = slice(start, start + 50)
        for model, each in zip(models, hits):
            if start:
                each.append(model.score(digits[part], target[part]))
            model.partial_fit(digits[part], target[part], classes=np.arange(10))
    assert np.mean(hits[1]) >= max(np.mean(hits[0]), np.mean(hits[2])) - 0.005


@pytest.mark.parametrize("dtypes", ["ff", "fd", "df"])
@pytest.mark.parametrize("n_rows", [1, 50])
def test_a_stream_may_be_float32_or_change_its_dtype(dtypes, n_rows):
    X = np.random.RandomState(0).normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = ClusterFeaturesClassifier(random_state=0)
    for i, start in enumerate(range(0, 400, n_rows)):
        rows = slice(start, start + n_rows)
        model.partial_fit(X[rows].astype(dtypes[i % 2]), y[rows], classes=[0, 1])
    assert model.classifier_.coef_.dtype == dtypes[0]
    assert model.score(X, y) > 0.9
