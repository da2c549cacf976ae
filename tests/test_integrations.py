"""What the guide says of other tools works, with the code of its pages, where they are."""

import sys
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import numpy as np
import pytest
from sklearn.metrics import homogeneity_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize
from streams import blobs

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans

GUIDE = Path(__file__).resolve().parent.parent / "doc" / "guide"
X = blobs(0, 400)
PIPELINE = make_pipeline(StandardScaler(), OnlineKMeans(3, random_state=0)).fit(X)
MODELS = [PIPELINE, OnlineKMeans(3, random_state=0).fit(X)]


def run(page, text, **names):
    """Execute the block of code of a page that contains a text, and return its names."""
    paragraphs = (GUIDE / page).read_text(encoding="utf-8").split("\n\n")
    blocks, is_code = [], False
    for before, paragraph in pairwise(paragraphs):
        is_code = paragraph.startswith("    ") and (is_code or before.endswith("::"))
        if is_code and before.endswith("::"):
            blocks.append("")
        if is_code:
            blocks[-1] += paragraph + "\n\n"
    (block,) = (block for block in blocks if text in block)
    sys.modules["code_of_page"] = module = ModuleType("code_of_page")  # for pickles
    vars(module).update(names)
    exec(dedent(block), vars(module))
    return vars(module)


@pytest.mark.parametrize("model", MODELS, ids=["pipeline", "estimator"])
def test_onnx(model):
    pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    found = run("deployment.rst", "skl2onnx.to_onnx", model=model, X=X)
    np.testing.assert_array_equal(found["labels"], model.predict(X))
    np.testing.assert_array_equal(found["features"], model.transform(X).toarray())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # it warns, and its dependencies do
@pytest.mark.parametrize("model", MODELS, ids=["pipeline", "estimator"])
def test_mlflow(model, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow")
    skops_io = pytest.importorskip("skops.io")
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("test")
    trusted = skops_io.get_untrusted_types(data=skops_io.dumps(model))
    assert trusted == ["onlinekmeans_sklearn._online_kmeans.OnlineKMeans"]
    found = run("deployment.rst", "log_model", model=model, trusted=trusted, X=X)
    np.testing.assert_array_equal(found["labels"], model.predict(X))
    np.testing.assert_array_equal(found["same_model"].predict(X), model.predict(X))
    if model is not PIPELINE:
        assert found["same_model"].partial_fit(X).n_samples_seen_ == 2 * len(X)


def test_names_that_skops_must_trust():
    skops_io = pytest.importorskip("skops.io")
    model = ClusterFeaturesClassifier(random_state=0).fit(X, X[:, 0] > 0)
    page = (GUIDE / "deployment.rst").read_text(encoding="utf-8")
    for name in skops_io.get_untrusted_types(data=skops_io.dumps(model)):
        assert f"``{name}``" in page or f"'{name}'" in page


def test_river():
    checks = pytest.importorskip("river.checks")
    adapter = run("integrations.rst", "class RiverKMeans")["RiverKMeans"]
    checks.check_estimator(adapter())
    samples = [dict(zip("abc", row)) for row in X.tolist()]
    names = {"samples": samples, "RiverKMeans": adapter}
    found = run("integrations.rst", "for x in samples:", **names)
    clusterer = found["pipeline"]["RiverKMeans"].model
    assert clusterer.n_samples_seen_ == len(X)
    assert 0 <= found["cluster"] < clusterer.n_clusters_
    alone = adapter(seed=0)
    for sample in samples:
        alone.learn_one(sample)
    expected = OnlineKMeans(k=100, random_state=0).fit(X)
    np.testing.assert_array_equal(alone.model.counts_, expected.counts_)


WORDS = [
    "ship sea harbor sail wind",
    "bread oven flour yeast butter",
    "goal match player referee stadium",
    "star planet orbit comet galaxy",
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # its dependencies warn
def test_bertopic():
    pytest.importorskip("bertopic")
    rng = np.random.RandomState(0)
    centers = rng.normal(size=(len(WORDS), 32))

    def batch(size):
        topic = rng.randint(len(WORDS), size=size)
        documents = [" ".join(rng.choice(WORDS[i].split(), 8)) for i in topic]
        noise = 0.3 * rng.normal(size=(size, 32))
        return documents, normalize(centers[topic] + noise), topic

    batches = [batch(80) for _ in range(4)]
    names = run("integrations.rst", "BERTopic(", batches=[each[:2] for each in batches])
    assert homogeneity_score(batches[-1][2], names["found"]) == 1
    topics = names["topic_model"].get_topics().values()
    found = {frozenset(word for word, _ in words[:5]) for words in topics}
    assert found == {frozenset(words.split()) for words in WORDS}
