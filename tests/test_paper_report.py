"""The report of the paper benchmark shows what the records say, and nothing else."""

import json
import math
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

pytest.importorskip("rich", reason="the benchmarks print with rich")

from paper_records import (
    BROKEN,
    HALF_BROKEN,
    K_TARGETS,
    LOST,
    SHUFFLED,
    job,
    made_about,
    made_records,
)
from reports import assert_tables_are_written, printed

from benchmarks import style
from benchmarks.paper import charts, cost_tables, published, report, tables
from benchmarks.paper.records import digits
from benchmarks.report import Cell

pytestmark = pytest.mark.slow

DATASETS = ["adult", "letter", "nomao", "poker", "shuttle", "skin", "w8a"]
DEMO = ["digits", "wine", "moons*"]
RECORDS = made_records(DATASETS)
ABOUT = made_about(DATASETS)
VOID = {"meta", "source", "img", "br"}


def results_of(dataset, experiment, **setting):
    """Return the results of some jobs."""
    return [
        record["result"]
        for record in RECORDS
        if "result" in record
        and record["dataset"] == dataset
        and record["experiment"] == experiment
        and record["setting"].items() >= setting.items()
    ]


def row_of(name, *key, every=None):
    """Return the row of a table that begins with the key, by heading."""
    table = (every or tables.tables(RECORDS, ABOUT))[name]
    rows = [cells for cells in table.rows if tuple(cells[: len(key)]) == key]
    assert len(rows) == 1
    return dict(zip(table.headings, rows[0]))


def agrees(cell, values):
    """Return whether a figure is the mean and the deviation of the values."""
    expected = (np.mean(values), np.std(values))
    return (cell.value, cell.deviation) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def with_accuracies(dataset, raw, onehot):
    """Return the records of a dataset with these accuracies in every split."""
    figures = {"raw": raw, "onehot": onehot, "triangle": 0.999, "minibatch": 0.5}
    result = {
        "accuracy": figures,
        "by k": {"9": onehot},
        "checks": {"least squares": raw, "logistic": 0.8527},
        "clusters": 9,
        "k_target": 9,
    }
    jobs = ({"split": split, "k_targets": [9]} for split in (0, 1))
    return [job(dataset, "accuracy", dict(result), **each) for each in jobs]


def verdict_of(records, dataset):
    """Return what the report says of the targets of a dataset."""
    about = made_about([dataset])
    return " ".join(report.verdict(tables.tables(records, about), about))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "DPI", 20)
        index = report.write_report(folder, RECORDS, ABOUT)
    assert index == folder / "index.html"
    return folder


@pytest.mark.parametrize(
    ("experiment", "dataset", "clusters", "names"),
    [
        ("accuracy", "skin", 999, ["onehot", "local", "triangle", "minibatch"]),
        ("online", "letter", 1001, ["onehot", "local"]),
    ],
)
def test_accuracies_are_means_over_the_runs(experiment, dataset, clusters, names):
    found = [r["accuracy"] for r in results_of(dataset, experiment)]
    row = row_of(experiment, dataset)
    headings = {"onehot": "one-hot", "minibatch": "MiniBatch"}
    for name in ("raw", *names):
        assert agrees(row[headings.get(name, name)], [each[name] for each in found])
    assert row["clusters"].value == clusters
    if experiment == "accuracy":
        assert agrees(row["gain"], [each["onehot"] - each["raw"] for each in found])
        assert (row["paper, raw"], row["paper, clusters"]) == ("0.9247†", "0.9988")


def test_a_k_target_may_be_chosen_by_every_split():
    records = with_accuracies("skin", 0.92, 0.99)
    for record, k in zip(records, (300, 100)):
        record["result"] |= {"k_target": k, "by k": {"100": 0.98, "300": 0.97 + k / 1e5}}
        record["result"]["checks"] = {"least squares": 0.9 + k / 1e4}
    every = tables.tables(records, made_about(["skin"]))
    assert "k from 100 to 300" in every["accuracy"].legend
    assert row_of("accuracy", "skin", every=every)["one-hot"].value == pytest.approx(0.99)
    by_k = row_of("accuracy-by-k", "skin", every=every)
    assert agrees(by_k["k = 300"], [0.973, 0.971])
    checks = row_of("checks", "skin", every=every)
    assert agrees(checks["least squares"], [0.93, 0.91])


def test_features_that_were_left_out_are_a_dash_and_no_mark(tmp_path):
    lacking, other = (with_accuracies(name, 0.92, 0.99) for name in ("poker", "skin"))
    for record in lacking:
        record["result"]["accuracy"] = {**record["result"]["accuracy"], "triangle": None}
    about = made_about(["poker", "skin"])
    every = tables.tables(lacking + other, about)
    assert row_of("accuracy", "poker", every=every)["triangle"] is None
    assert row_of("accuracy", "skin", every=every)["triangle"].value == 0.999
    pytest.importorskip("matplotlib")
    axes = charts.draw("accuracy", lacking + other, about).axes[0]
    marks = [line.get_gid() for line in axes.get_lines() if line.get_marker() == "^"]
    assert marks == ["skin"]


def test_clusters_and_how_far_they_vary():
    row = row_of("clusters", "poker")
    shares = []
    for k in K_TARGETS:
        found = results_of("poker", "costs", k_target=k, variant="text", order="file")
        opened = [r["k_actual"] for r in found]
        assert agrees(row[f"k = {k}"], opened)
        shares.append(np.std(opened) / k)
    worst = row["largest ± / k"]
    assert worst.value == pytest.approx(max(shares))
    assert (worst.target, worst.verdict) == (0.1, "met")


def test_ratios_of_costs_are_averaged_over_the_runs():
    row = row_of("costs", "adult", 400)
    found = results_of("adult", "costs", k_target=400, variant="text")
    assert list(row)[2:] == list(cost_tables.RATIOS)
    for heading, (ours, base) in cost_tables.RATIOS.items():
        assert agrees(row[heading], [r[ours] / r[base] for r in found])


def test_small_ratios_keep_three_digits():
    assert str(digits([0.00123, 0.00125])) == "0.00124 ± 0.00001"
    assert str(digits([12.3456])) == "12.346 ± 0.000"
    assert str(digits([0.0000126, 0.0000128])) == "1.27e-05 ± 1e-07"
    assert digits([]) is None


@pytest.mark.parametrize("algorithm", ["semi-online", "online"])
def test_constants_of_the_theorems(algorithm):
    key = ["skin", {"semi-online": 1, "online": 2}[algorithm]]
    rows = [r for r in tables.tables(RECORDS, ABOUT)["theory"].rows if r[:2] == key]
    assert [cells[2] for cells in rows] == ["30,632", "245,057"]
    found = results_of("skin", "theory", algorithm=algorithm, share=1.0)
    spread = [r["k_actual"] / math.log2(r["W_star"] / r["w_star"]) for r in found]
    opened, clusters, cost, by_log = rows[1][3:]
    assert opened.value == np.mean([r["k_actual"] for r in found])
    assert clusters.value == pytest.approx(np.mean(spread) / (10 * math.log2(245057)))
    ratio = np.mean([r["W"] / r["W_star"] for r in found])
    assert cost.value == pytest.approx(ratio)
    if algorithm == "online":
        assert by_log.value == pytest.approx(ratio / math.log2(245057))
    else:
        assert by_log is None


def test_scripts_against_the_text():
    row = row_of("variant", "skin", 150)
    setting = {"k_target": 150, "order": "file"}
    text = results_of("skin", "costs", variant="text", **setting)
    scripts = results_of("skin", "costs", variant="scripts", **setting)
    for name, words in (("k_actual", "clusters"), ("f_online", "cost")):
        means = [np.mean([r[name] for r in found]) for found in (scripts, text)]
        assert row[f"{words}, ratio"].value == pytest.approx(means[0] / means[1])
    assert agrees(row["clusters, scripts"], [r["k_actual"] for r in scripts])
    only_text = [r for r in RECORDS if r["setting"].get("variant") != "scripts"]
    assert "variant" not in tables.tables(only_text, ABOUT)


def test_the_order_of_the_rows():
    row, middle = row_of("order", "skin", SHUFFLED), row_of("middle", "skin")
    headings = {"file": "samples / k-means++", "shuffled": "the same, shuffled"}
    for order, heading in headings.items():
        setting = {"k_target": SHUFFLED, "variant": "text", "order": order}
        found = results_of("skin", "costs", **setting)
        assert row[f"clusters, {order}"].value == np.mean([r["k_actual"] for r in found])
        ratios = [r["f_online"] / r["f_kmpp"] for r in found]
        assert agrees(row[f"samples / k-means++, {order}"], ratios)
        assert middle[heading].value == pytest.approx(np.mean(ratios))
    in_file = [r for r in RECORDS if r["setting"].get("order") != "shuffled"]
    assert "order" not in tables.tables(in_file, ABOUT)


def test_the_report_follows_the_variant_it_is_about():
    other = tables.tables(RECORDS, {**ABOUT, "variant": "scripts"})
    found = results_of("skin", "costs", k_target=50, variant="scripts")
    cell = row_of("clusters", "skin", every=other)["k = 50"]
    assert agrees(cell, [r["k_actual"] for r in found])


def test_sizes_stand_beside_those_of_the_paper():
    row = row_of("shape", "letter")
    assert list(row.values())[1:7] == ["20,000", "20,000", "16", "15", "311,613", "294,000"]


def test_a_missing_dataset_has_the_paper_s_numbers_and_its_reason_is_told():
    every = tables.tables(RECORDS, ABOUT)
    assert f"nomao is missing. {LOST}" in tables.copies(RECORDS, ABOUT)
    assert row_of("shape", "nomao")["paper rows"] == "34,500"
    assert row_of("shape", "nomao")["rows"] is None
    assert row_of("accuracy", "nomao")["paper, raw"] == "0.5846"
    assert row_of("table2", "nomao")["paper, raw"] == "0.5846"
    for name in set(every) - {"shape", "accuracy", "table2"}:
        assert "nomao" not in [cells[0] for cells in every[name].rows]  # no row of dashes
        assert "skin" in [cells[0] for cells in every[name].rows]


def test_table_2_in_short_is_that_with_deviations():
    short, full = row_of("table2", "skin"), row_of("accuracy", "skin")
    kinds = {"MiniBatch": "MiniBatchKMeans", "means": "means", "merged": "merged"}
    words = {heading: f"one-hot, {kind}" for heading, kind in kinds.items()}
    for heading in ("raw", "one-hot", "local", "triangle", *words):
        assert short[words.get(heading, heading)] == f"{full[heading].value:.4f}"


def test_failed_jobs_leave_a_dash_or_a_mark():
    every = tables.tables(RECORDS, ABOUT)
    broken, partly = row_of("accuracy", "w8a"), row_of("accuracy", "adult")
    assert broken["raw"] is broken["gain"] is None
    assert partly["raw"].sliced
    found = results_of("adult", "accuracy")
    assert agrees(partly["raw"], [r["accuracy"]["raw"] for r in found])
    assert row_of("accuracy-by-k", "adult")["k = 100"].sliced
    assert not row_of("accuracy-by-k", "skin")["k = 100"].sliced
    assert "~: some of the runs failed" in every["accuracy"].legend
    assert "~" not in every["online"].legend
    assert report.failures(RECORDS) == [
        f"adult, accuracy (split 1, k_targets [100, 1000]): {HALF_BROKEN}",
        f"w8a, accuracy (3 jobs): {BROKEN}",
    ]
    failed = job("skin", "online", "why", run=2, k_target=7)
    assert report.failures([failed]) == ["skin, online (run 2, k_target 7): why"]


@pytest.mark.parametrize(
    ("dataset", "raw", "onehot", "missed"),
    [
        ("skin", 0.9347, 0.9989, []),
        ("skin", 0.9350, 0.9988, ["raw of skin"]),
        ("skin", 0.9140, 0.9980, ["raw of skin", "one-hot of skin"]),
        ("shuttle", 0.5, 0.9973, []),
        ("letter", 0.9, 0.7484, ["one-hot of letter"]),
        ("poker", 0.4, 0.46, []),
        ("poker", 0.6, 0.64, ["gain of poker"]),
        ("w8a", 0.1, 0.1, []),
    ],
)
def test_targets_have_the_right_direction(dataset, raw, onehot, missed):
    text = verdict_of(with_accuracies(dataset, raw, onehot), dataset)
    count = len(published.targets(dataset))
    assert text.count("Missed") == len(missed)
    assert all(f"Missed: {name} is" in text for name in missed)
    assert (f"{count - len(missed)} of {count} targets are met." in text) == (count > 0)


def test_verdict_says_by_how_much_and_what_was_not_measured():
    text = verdict_of(with_accuracies("skin", 0.94, 0.99), "skin")
    assert "0.9400 ± 0.0000, more than 0.01 off 0.9247, by 0.0053;" in text
    failed = [job("skin", "accuracy", "why", split=0, k_target=9)]
    records, about = failed + with_accuracies("w8a", 0.9, 0.9), made_about(["skin", "w8a"])
    lines = report.verdict(tables.tables(records, about), about)
    assert lines == ["Not measured: raw of skin.", "Not measured: one-hot of skin."]


@pytest.mark.parametrize(
    ("onehot", "ending"),
    [(0.1 + 0.2, "better on 0 of 1 datasets"), (0.3001, ": better on 1 of 1 datasets")],
)
def test_no_lift_that_the_table_does_not_show(onehot, ending):
    records, about = with_accuracies("adult", 0.3, onehot), made_about(["adult"])
    assert report.headline(tables.tables(records, about), about).endswith(ending)


def test_what_was_found_is_computed():
    every = tables.tables(RECORDS, ABOUT)

    def values(*place):
        return [cell.value for cell in report.column_of(every, *place)]

    names = "raw", "one-hot", "local", "MiniBatch"
    raw, onehot, local, others = (np.array(values("accuracy", name)) for name in names)
    headline = report.headline(every, ABOUT)
    assert f"from {raw.mean():.3f} to {onehot.mean():.3f} on average" in headline
    assert f" (local ones: {local.mean():.3f}): better on 4 of 5 data" in headline
    lead, online, costs, clusters = report.findings(every, ABOUT)
    best = np.max([values("accuracy", heading) for heading in report.OURS], axis=0)
    assert f" {100 * np.mean(best - others):+.1f} points from" in lead
    assert "better on 5 of 6 datasets, worse on 1" in online
    assert f"{np.median(values('middle', 'merged / k-means++')):.2f} for the same" in costs
    assert f"at most {max(values('clusters', 'largest ± / k')):.1%} of k;" in clusters
    shapes = [r for r in RECORDS if r["experiment"] == "shape"]
    assert report.headline(tables.tables(shapes, ABOUT), ABOUT) == ABOUT["title"]


def test_terminal_shows_all_within_80_columns():
    records, about = made_records(published.PAPER), made_about(published.PAPER)
    text = printed(report.print_report, records, about)
    for name, table in tables.tables(records, about).items():
        if name in report.NOT_PRINTED:
            continue
        for part in report.printed(name, table):
            figures = [c for cells in part.rows for c in cells if isinstance(c, Cell)]
            assert not [str(cell) for cell in figures if str(cell) not in text], name
    words = " ".join(text.split())
    for needed in (LOST, BROKEN, "0.9247†", "† cannot be right", "One-hot clusters lift"):
        assert needed in words
    only = printed(report.print_report, RECORDS, ABOUT, only=("online",))
    assert "Accuracy in one pass" in only
    assert "Table 1" not in only


def test_files_hold_every_number_but_our_aims_are_in_the_json_only(written):
    kept = json.loads((written / "report.json").read_text(encoding="utf-8"))
    assert (kept["records"], kept["about"]) == (RECORDS, ABOUT)
    every = tables.tables(RECORDS, ABOUT)
    assert_tables_are_written(written, "", every)
    assert kept["targets"] == report.verdict(every, ABOUT)
    texts = [path.read_text("utf-8") for path in written.glob("*.[ch][st]*")]
    for text in [*texts, printed(report.print_report, RECORDS, ABOUT)]:
        for unwanted in ("targets are", "Missed", "k_actual", "f_online", "choose_"):
            assert unwanted not in text


class Page(HTMLParser):
    """Notes the tags that are open, and all addresses and anchors."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.anchors = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.addresses += [v for k, v in attrs if k in ("src", "srcset", "href")]
        self.anchors |= {f"#{v}" for k, v in attrs if k == "id"}
        assert tag != "img" or dict(attrs)["alt"]
        assert tag != "th" or dict(attrs)["scope"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_well_formed_and_needs_nothing_else(written):
    text, page = (written / "index.html").read_text(encoding="utf-8"), Page()
    page.feed(text)
    assert not page.open
    pictures = [a for a in page.addresses if a.startswith("data:image/png;base64,")]
    assert len(pictures) == 2 * len(charts.CHARTS)
    assert {*page.addresses} - {*pictures} <= page.anchors
    words = {unescape(part) for part in re.split(r"<[^>]*>", text)}
    for table in tables.tables(RECORDS, ABOUT).values():
        cells = {str(c) for row in table.rows for c in row if c is not None}
        assert cells | {table.legend} <= words
    for line in (*ABOUT["protocol"], f"w8a, accuracy (3 jobs): {BROKEN}"):
        assert line in words
    assert "letter: A to M against N to Z" in words


def luminance(color):
    """Return the relative luminance of a color as WCAG defines it."""
    colors = pytest.importorskip("matplotlib.colors")
    rgb = np.array(colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_colors_stand_out_from_the_page_and_no_two_datasets_look_alike():
    assert list(charts.STYLES) == list(published.PAPER)
    assert len({color for color, _ in charts.STYLES.values()}) == 12
    assert len({marker for _, marker in charts.STYLES.values()}) == 12
    least = {color: 3 for color, _ in charts.STYLES.values()} | {style.BLUE: 4}
    for page, _, _ in style.THEMES.values():
        for color, contrast in least.items():
            low, high = sorted([luminance(page), luminance(color)])
            assert (high + 0.05) / (low + 0.05) >= contrast


@pytest.mark.parametrize("name", charts.CHARTS)
def test_a_dataset_looks_the_same_in_every_chart(name):
    lines = pytest.importorskip("matplotlib.lines")
    for chosen in (DATASETS, ["w8a", "skin"]):
        seen, figure = set(), charts.draw(name, RECORDS, {**ABOUT, "datasets": chosen})
        for line in figure.findobj(lambda each: isinstance(each, lines.Line2D)):
            if line.get_gid() is None:
                continue
            seen.add(line.get_gid())
            color, marker = charts.STYLES[line.get_gid()]
            if name in ("accuracy", "online"):  # there they tell the features
                own = {"^": charts.GREEN, "s": charts.ORANGE, "D": charts.RED}
                color, marker = own.get(line.get_marker(), charts.BLUE), line.get_marker()
            assert (line.get_color(), line.get_marker()) == (color, marker)
        without = {"nomao", "w8a"} if name == "accuracy" else {"nomao"}
        assert seen == set(chosen) - without


@pytest.mark.parametrize("name", charts.CHARTS)
def test_charts_can_be_read_light_and_dark_and_on_a_telephone(written, name):
    image = pytest.importorskip("matplotlib.image")
    text = pytest.importorskip("matplotlib.text")
    inks = []
    for theme in style.THEMES:
        assert image.imread(written / f"{name}{theme}.png")[0, 0, 3] == 0  # transparent
        figure = charts.draw(name, RECORDS, ABOUT, theme)
        inks.append(luminance(figure.axes[0].xaxis.label.get_color()))
    assert inks[0] < 0.1 < 0.7 < inks[1]
    sizes = [t.get_fontsize() for t in figure.findobj(text.Text) if t.get_text()]
    pixels = 350 / (72 * figure.get_size_inches()[0])  # of a point, on a page of 390
    assert min(sizes) * pixels >= 7


def test_curves_are_the_means_of_the_tables():
    pytest.importorskip("matplotlib")
    bases = {"figure2": "origin", "figure3": "random", "figure4": "k-means++"}
    for name, base in bases.items():
        axes = charts.draw(name, RECORDS, ABOUT).axes[0]
        lines = [line for line in axes.get_lines() if line.get_gid() == "poker"]
        ours = ["samples", "means"] if name == "figure4" else ["samples"]
        for line, cost in zip(lines, ours, strict=True):
            rows = [row_of("costs", "poker", k) for k in K_TARGETS]
            means = [row[f"{cost} / {base}"].value for row in rows]
            np.testing.assert_allclose(line.get_ydata(), means)
            assert list(line.get_xdata()) == K_TARGETS
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


@pytest.mark.parametrize("name", ["figure1", "figure4", "figure5", "theory"])
def test_datasets_with_the_same_rows_are_one_line_with_both_names(name):
    pytest.importorskip("matplotlib")
    twins = [{**r, "dataset": "twin"} for r in RECORDS if r["dataset"] == "skin"]
    about = made_about(["skin", "poker", "twin"])
    figure = charts.draw(name, RECORDS + twins, about)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["skin = twin", "poker"]


def test_the_demonstration_is_short_and_has_no_numbers_of_the_paper(tmp_path, monkeypatch):
    """It is read in three minutes."""
    monkeypatch.setattr(report, "write_charts", lambda *args: [])  # takes long
    found = made_records(DEMO), made_about(DEMO, paper=False)
    page = report.write_report(tmp_path, *found).read_text(encoding="utf-8")
    captions = " ".join(charts.caption(name, found[1]) for name in charts.CHARTS)
    every = tables.tables(*found)
    assert not any("paper" in h for table in every.values() for h in table.headings)
    assert row_of("clusters", "wine", every=every)["largest ± / k"].verdict == ""
    assert report.verdict(every, found[1]) == []
    words = page + captions + printed(report.print_report, *found)
    for unwanted in ("†", "Table 1", "Table 2", "Figure 1"):
        assert unwanted not in words
    unfolded = re.sub(r"<(details|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    first = re.search(r"<table>.*?</tr>", unfolded, flags=re.DOTALL).group()
    assert first.count("<th ") <= 4
    assert len(re.sub(r"<[^>]+>", " ", f"{unfolded} {captions}").split()) <= 600


def test_without_matplotlib_the_report_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(style.importlib.util, "find_spec", lambda name: None)
    index = report.write_report(tmp_path, RECORDS, ABOUT)
    assert report.NO_CHARTS in index.read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*.png"))
    assert report.NO_CHARTS[:40] in printed(report.print_report, RECORDS, ABOUT)


def test_a_report_of_one_experiment_has_just_that(tmp_path, monkeypatch):
    monkeypatch.setattr(style, "DPI", 20)
    records = [r for r in RECORDS if r["experiment"] in ("shape", "theory")]
    assert set(tables.tables(records, ABOUT)) == {"shape", "theory"}
    page = report.write_report(tmp_path, records, ABOUT).read_text(encoding="utf-8")
    assert 'id="theory"' in page
    assert 'id="figures"' not in page
    assert {path.stem for path in tmp_path.glob("*.png")} <= {"theory", "theory-dark"}


def test_differences_of_our_copy():
    for dataset, n, d, nnz, sentence in [
        ("skin", 245057, 2, 484000, "as in the paper."),
        ("shuttle", 43500, 9, 290000, "columns +1: the paper's matrix seems"),
        ("nomao", 69000, 173, 2840000, "rows +100.0%."),
        ("20news", 18800, 61200, 2562000, "nonzeros +5.0%. A bag of words"),
    ]:
        shape = {"n": n, "d": d, "nnz": nnz}
        assert published.differences(dataset, shape).startswith(sentence)
        assert published.differences("digits", shape) is None
