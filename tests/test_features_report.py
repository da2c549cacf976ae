"""The benchmark of features: its methods, its figures, its tables, its files."""

import json

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import StandardScaler

from onlinekmeans_sklearn import OnlineKMeans

pytest.importorskip("rich", reason="the benchmarks print with rich")

from reports import assert_refused, printed, written

from benchmarks import style
from benchmarks.features import checks, main, report, study, tables
from benchmarks.features.methods import (
    BOOSTING,
    LEARNERS,
    LOCAL,
    METHODS,
    MOST_COLUMNS,
    ONE_HOT,
    RAW,
    RIDGE,
    SGD,
)

pytestmark = pytest.mark.slow

ROWS = np.random.RandomState(0).normal(size=(600, 4))


def line_of(method, asked, accuracy, seconds):
    """Return invented figures, the same for all learners."""
    figures = {"accuracy": [accuracy - 0.01, accuracy + 0.01], "seconds": [seconds] * 2}
    sizes = {} if method in (RAW, BOOSTING) else {"columns": asked, "non-zeros": 7.0}
    return {"method": method, "asked": asked, **sizes, **dict.fromkeys(LEARNERS, figures)}


def result_of(name, **accuracies):
    """Return an invented result: accuracies with 1,000 columns, all others have 0.75."""
    lines = [line_of(RAW, 0, 0.7, 0.05), line_of(BOOSTING, 0, 0.9, 3.0)]
    for asked, seconds in {250: 0.2, 1000: 0.8, 4000: 5.0}.items():
        for method in METHODS:
            if asked <= MOST_COLUMNS.get(method, asked):
                value = accuracies.get(method.split()[-1], 0.75) if asked == 1000 else 0.75
                lines.append(line_of(method, asked, value, seconds))
    about = {"rows": 20_000, "features": 16, "classes": 26}
    return {"dataset": name, **about, "lines": lines}


def found_of(*results):
    """Return what the JSON holds."""
    options = {"rows": 20_000, "columns": [250, 1000, 4000], "seeds": 2}
    streams = [
        {
            "dataset": result["dataset"],
            "setting": list(setting),
            "accuracy": {checks.DEFAULTS: 0.8, checks.LEARNER: 0.7, checks.SGD_RAW: 0.6},
        }
        for result in results
        for setting in checks.SETTINGS
        for _ in range(2)
    ]
    found = {"streams": streams, "local / triangle": 0.5}
    about = {"machine": "2 cores, invented", "options": options}
    return {**about, "results": list(results), "checks": found}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_method_has_about_as_many_columns_as_asked_for(name):
    features = METHODS[name](200, 4, 0).fit_transform(ROWS)
    assert features.shape[0] == 600
    assert 0.7 * 200 <= features.shape[1] <= 200  # a tree has up to 32 leaves
    assert issparse(features) == (name not in ("Nystroem", "RBFSampler"))


def test_features_are_as_long_as_the_raw_ones():
    model = OnlineKMeans(20, encode="local", random_state=0)
    train, test, seconds, block = study.with_features(model, ROWS[:400], ROWS[400:])
    lengths = [(part.toarray() ** 2).sum() for part in (train[:, :4], train[:, 4:])]
    assert lengths[0] == pytest.approx(lengths[1])
    assert lengths[0] == pytest.approx((ROWS[:400] ** 2).sum())
    ratio = train[:, 4:].toarray()[0].max() / block.toarray()[0].max()
    expected = model.transform(ROWS[400:]).toarray() * ratio
    np.testing.assert_allclose(test[:, 4:].toarray(), expected)
    assert seconds > 0


def test_figures_are_those_of_the_models():
    make = study.sources(None)["breast cancer"]
    (result,) = study.measure({"it": make}, 500, [250], 2, 1, lambda *_: None)
    assert [result[what] for what in ("rows", "features", "classes")] == [500, 30, 2]
    lines = {line["method"]: line for line in result["lines"]}
    assert list(lines) == [RAW, BOOSTING, *METHODS]
    X, y = load_breast_cancer(return_X_y=True)
    for seed in range(2):
        X_train, X_test, y_train, y_test = study.split_of(X, y, 500, seed)
        assert (len(y_train), len(y_test)) == (350, 150)
        np.testing.assert_allclose(StandardScaler().fit_transform(X_train), X_train)
        raw = RidgeClassifier().fit(X_train, y_train).score(X_test, y_test)
        assert lines[RAW][RIDGE]["accuracy"][seed] == pytest.approx(raw, abs=1e-5)
    assert lines[ONE_HOT]["columns"] == 350 // 3  # not 250
    assert lines[ONE_HOT]["non-zeros"] == 1
    assert lines[LOCAL]["columns"] == 116 // 31 * 31
    for line in lines.values():
        for learner in LEARNERS:
            assert min(line[learner]["seconds"]) > 0
            assert 0.8 < min(line[learner]["accuracy"]) <= 1


def test_gains_at_equal_width_and_who_is_ahead():
    results = [result_of("a", local=0.85, Nystroem=0.8), result_of("b", Nystroem=0.9)]
    rows = {row[0]: row[1:] for row in report.tables_of(found_of(*results))["width"].rows}
    assert [str(cell) for cell in rows[LOCAL]][:4] == ["1,000", "7", "+10.0", "1"]
    assert [str(cell) for cell in rows["Nystroem"]][2:4] == ["+15.0", "1"]
    assert [str(cell) for cell in rows[RAW]][2:4] == ["+0.0", "0"]
    assert rows[BOOSTING][:2] == [None, None]
    assert (str(rows[BOOSTING][2]), rows[BOOSTING][3]) == ("+20.0", None)
    assert tables.best_on([result_of("c")], tables.at_width, SGD)[LOCAL] == 1  # all are
    assert tables.best_on([result_of("c")], tables.at_width, SGD)[RAW] == 0


def test_gains_at_equal_time_are_interpolated(monkeypatch):
    result = result_of("a", local=0.85)
    gains = {0.01: 0, 0.1: 2.5, 0.2: 5, 0.4: 10, 0.8: 15, 9: 5}
    for seconds, gain in gains.items():
        monkeypatch.setattr(tables, "SECONDS", seconds)
        found = [tables.at_time(result, name, SGD) for name in (LOCAL, RAW, BOOSTING)]
        assert found == pytest.approx([gain, 0, 20])


def test_streams_are_rows_drawn_at_random_in_the_order_asked_for():
    values, classes = np.arange(600.0)[:, None] ** 2, np.arange(600)
    for scaling, order in checks.SETTINGS:
        X, y = checks.stream_of(lambda: (values, classes), 200, scaling, order, 0)
        assert len(set(y)) == 200
        assert (np.diff(y) > 0).all() == (order == "file order")
        if scaling == "standardized":
            np.testing.assert_allclose([X.mean(), X.std()], [0, 1], atol=1e-12)
        else:
            np.testing.assert_array_equal(X, values[y])


def test_progressive_validation_predicts_before_it_learns():
    class Parrot:
        """Predicts the class of the batch before."""

        def predict(self, X):
            return np.full(len(X), self.last)

        def partial_fit(self, X, y, classes):
            self.last = y[-1]

    y = np.repeat([0, 0, 1, 1, 1], 100)
    assert checks.progressive_accuracy(Parrot(), y[:, None], y) == 0.75


def test_the_same_learner_of_raw_features_has_a_constant_beside_them():
    models = checks.classifiers(0)
    for model in models.values():
        model.partial_fit(ROWS, ROWS[:, 0] > 0, classes=[False, True])
    learner = models[checks.LEARNER]
    assert learner.classifier_.n_features_in_ == 4 + 1 + 1
    clusters = learner.clusterer_.transform(ROWS)
    constants = learner._with_raw(ROWS, clusters, 1.0, learner.clusterer_)[:, 4:]
    assert np.ptp(constants.toarray(), axis=0).tolist() == [0, 0]
    default = models[checks.DEFAULTS].classifier_.get_params()
    assert learner.classifier_.get_params() == default


def test_figures_beside_their_targets():
    found = found_of(result_of("letter"), result_of("b"))
    found["checks"]["streams"][0]["accuracy"] |= {checks.DEFAULTS: 0.6}
    every = {"dataset": "letter", "setting": list(checks.SETTINGS[0])}
    found["checks"]["streams"].append({**every, "accuracy": {"all rows": 0.85}})
    cells = [*dict(report.tables_of(found)["checks"].rows).values()]
    # the hinge loss; all rows; the lowest, of letter: the mean of -0.1 and 0.1
    values = [cell.value for cell in (*cells[:4], cells[-1])]
    assert values == pytest.approx([0.75, 0.85, 0, 0.05, 0.5])
    assert [cell.verdict for cell in (*cells[:4], cells[-1])] == ["missed"] + 4 * ["met"]
    assert report.tables_of(found)["streams"].rows[0][3].value == pytest.approx(70)


def test_report_fits_holds_every_number_and_can_be_drawn_again(tmp_path):
    found = found_of(result_of("letter", local=0.85), result_of("breast cancer"))
    printed(report.print_report, found)
    written(tmp_path, "features", report, found, main)
    assert (tmp_path / "features-breast-cancer.csv").exists()
    assert report.headline(found) == (
        "In 0.5 s of one core, local features lift SGDClassifier by 8.3 points of accuracy "
        "on average over 2 datasets, MiniBatchKMeans, one-hot by 5.0; HistGradientBoosting "
        "is 20.0 above"
    )


def test_chart_shows_gains_against_time():
    pytest.importorskip("matplotlib")
    from benchmarks.features import charts

    results = [result_of("a", local=0.85), result_of("b", local=0.75)]
    for theme in style.THEMES:
        figure = style.drawn(lambda pale: charts.draw(results, pale), theme)
        assert [axes.get_title() for axes in figure.axes] == list(LEARNERS)
        for axes in figure.axes:
            lines = {line.get_gid(): line for line in axes.get_lines()}
            expected = [[0.2, 5], [0.8, 10], [5, 5]]
            np.testing.assert_allclose(lines[LOCAL].get_xydata(), expected)
            np.testing.assert_allclose(lines["Nystroem"].get_xydata(), [[0.2, 5], [0.8, 5]])
            np.testing.assert_allclose(lines[BOOSTING].get_xydata(), [[3, 20]])


def test_the_command_runs_on_a_little(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ONLINEKMEANS_DATA", raising=False)
    main(["--quick", "--n-jobs", "1", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    assert "No folder with datasets: only data of scikit-learn are used." in text
    found = json.loads((tmp_path / "features.json").read_text(encoding="utf-8"))
    assert [result["dataset"] for result in found["results"]] == ["breast cancer", "digits"]


def test_command_line_says_what_is_wrong(capsys):
    wrong = ["--rows", "10"], ["--seeds", "0"], ["--datasets", "nothing"]
    assert_refused(main, capsys, "unknown datasets ['nothing']; there are", *wrong)
