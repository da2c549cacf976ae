"""Numbers in the README and the pages are those of the files that the commands wrote.

``python -m tests.test_readme`` writes the numbers of the files into the pages.
"""

import csv
import re
from pathlib import Path
from statistics import median

import pytest

from benchmarks.scaling import STUDIES
from onlinekmeans_sklearn import __version__

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "doc" / "evidence"
OURS = r"ours|our|OnlineKMeans"
PASS = r"MiniBatchKMeans, one pass|MiniBatch pass"
MINI_BATCH_FIT = r"MiniBatch fit"
FAISS = r"faiss"


def table(name):
    """Return the header and the rows of a CSV, by their first cell."""
    with (EVIDENCE / name).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, {row[0]: row for row in rows}


def number(cell):
    """Return the number that a cell begins with: what follows is its deviation."""
    return float(re.match(r"~?([-\d.,]+)", cell).group(1).replace(",", ""))


def column(header, *patterns):
    """Return the index of the one column whose name has all the patterns."""
    has_all = [all(re.search(each, name) for each in patterns) for name in header]
    indices = [index for index, is_meant in enumerate(has_all) if is_meant]
    assert len(indices) == 1, f"{patterns} are in {len(indices)} of {header}"
    return indices[0]


def quality(name, *patterns):
    """Return a column of a comparison with KMeans, of the datasets that have it."""
    header, rows = table(f"quality/quality-{name}.csv")
    index = column(header, *patterns)
    datasets = rows.keys() - {"blobs"}
    return [number(rows[name][index]) for name in datasets if rows[name][index]]


def short(cost):
    """Return a cost with two digits after the point, or one if it is large."""
    return f"{cost:.2f}" if cost < 10 else f"{cost:.1f}"


def costs(method):
    """Return the lowest and the highest cost of one of them, in KMeans's."""
    every = [c for n in (10, 50, 200, 1000) for c in quality(n, rf"^({method})", "cost")]
    return short(min(every)), short(max(every))


def cost_of_one_pass():
    n_datasets = len(quality(10, rf"^({OURS})", "cost"))
    files = {n: table(f"quality/quality-{n}.csv")[1] for n in (10, 50, 200, 1000)}
    of_text = [n for n, rows in files.items() if rows["20news"][1]]
    return *costs(OURS), f"{n_datasets}", f"{of_text[-1]}", *costs(PASS)


def longest_stream():
    """Return the header and the last row of the times against the number of rows."""
    with (EVIDENCE / "speed/scaling-n.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, [number(cell) for cell in rows[-1]]


def rows_per_second():
    header, row = longest_stream()
    n, found = (row[column(header, rf"^{name}$")] for name in ("rows", "clusters"))
    d, k = (STUDIES["n"][1][what] for what in "dk")
    times = (row[column(header, who)] for who in (rf"^({OURS})", rf"^({PASS})"))
    ours, theirs = (f"{n / seconds / 1e6:.1f}" for seconds in times)
    return ours, f"{k}", f"{n:,.0f}", f"{d:.0f}", f"{found:.0f}", theirs


def memory_of_a_stream():
    header, row = longest_stream()
    names = "^rows$", "^clusters$", "of a stream"
    n, found, most = (row[column(header, name)] for name in names)
    return f"{n:,.0f}", f"{most:.1f}", f"{found:.0f}"


def accuracies():
    """Return those of letter: how many clusters, raw, with them, and by boosting."""
    header, rows = table("features/features-letter.csv")
    index = column(header, "^SGDClassifier: accuracy")
    local = rows["OnlineKMeans, local"]
    every = rows["raw features"], local, rows["HistGradientBoosting"]
    sizes, datasets = table("features/features-datasets.csv")
    d = number(datasets["letter"][column(sizes, "^features$")])
    clusters = f"{number(local[column(header, '^columns$')]) / (d + 1):.0f}"
    return clusters, *(f"{number(row[index]):.2f}" for row in every)


def soak():
    _, rows = table("robustness/soak.csv")
    assert rows["attributes that differ"][1] == "none"
    assert number(rows["checkpoints lost"][1]) == 0
    return f"{number(rows['samples'][1]):,.0f}", f"{number(rows['kills'][1]):.0f}"


def opened():
    """Return the smallest and the largest number of clusters that opened for k=187."""
    header, rows = table("paper/clusters.csv")
    index = column(header, r"\b187$")
    numbers = [number(row[index]) for row in rows.values() if row[index]]
    return f"{min(numbers):.0f}", f"{max(numbers):.0f}"


def orders():
    """Return what the order of the file costs on skin, and what another order does."""
    header, rows = table("paper/order.csv")
    indices = (column(header, "samples", order) for order in ("file", "shuffled"))
    return tuple(f"{number(rows['skin'][index]):.1f}" for index in indices)


def times_and_costs_by_k():
    """Return over how many datasets, and time and cost on average, of three k."""
    header, rows = table("quality/quality-summary.csv")
    numbers = '"auto"', "10 n_clusters", "5 n_clusters"
    chosen = [rows[f"OnlineKMeans, k = {k}"] for k in numbers]
    indices = column(header, "^time$"), column(header, "^cost$")
    figures = [f"{number(row[index]):.2f}" for row in chosen for index in indices]
    return chosen[0][column(header, "datasets")], *figures


def costs_and_times():
    """Return how many datasets we, and faiss, have values for, and these of all."""
    figures = [f"{len(quality(200, rf'^({method})', 'cost'))}" for method in (OURS, FAISS)]
    columns = {OURS: 200, "k = 5 n_clusters": "curve"}
    for method in (*columns, PASS, MINI_BATCH_FIT, FAISS):
        file = columns.get(method, 200)
        found, times = (quality(file, rf"^({method})", what) for what in ("cost", "time"))
        figures += [short(median(found)), short(max(found)), f"{median(times):.2f}"]
    return tuple(figures)


README = "README.rst"
NUMBER = r"([\d.,]*\d)"
CLAIMS = {  # page and words around the numbers, # for each -> what the files say
    (
        README,
        "**# to # times the cost of KMeans**; over # datasets; (20news: up to #); "
        "one pass: # to #.",
    ): cost_of_one_pass,
    (
        README,
        "**# million rows per second**; ``OnlineKMeans(k=#)``: # rows of # features, "
        "# clusters; pass: # million",
    ): rows_per_second,
    (
        README,
        '``OnlineKMeans(#, encode="local")``; letters from # to #; boosting has # on',
    ): accuracies,
    ("doc/guide/long_streams.rst", "# processes were killed; read # samples"): lambda: (
        soak()[::-1]
    ),
    (
        "doc/guide/long_streams.rst",
        "Reading # rows; at most # MiB; with # clusters",
    ): memory_of_a_stream,
    (
        "doc/guide/fixed_number.rst",
        'averages over # datasets; ``"auto"`` - # - #; ``10 * n_clusters`` - # - #;'
        "``5 * n_clusters`` - # - #",
    ): times_and_costs_by_k,
    ("doc/guide/parameters.rst", "``k=187`` between # and # clusters opened"): opened,
    ("doc/faq.rst", "dataset skin # times; but # times when shuffled"): orders,
    (
        "doc/which_clusterer.rst",
        "over # datasets; (faiss: the # dense ones);"
        + "one pass - # - # - #;" * 3
        + "fit`` - # - # - #; iterations - # - # - #",
    ): costs_and_times,
}


def pattern(words):
    """Return the regular expression of a claim; any words may stand where it has ``;``."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in words.split(";")]
    return re.compile(r".*?".join(parts).replace(r"\#", NUMBER), re.DOTALL)


@pytest.mark.parametrize(("page", "words"), CLAIMS)
def test_numbers_are_those_of_the_files(page, words):
    text = (ROOT / page).read_text(encoding="utf-8")
    found = pattern(words).search(text)
    assert found, f"{page} does not say {words!r}"
    assert found.groups() == CLAIMS[page, words](), "python -m tests.test_readme mends it"


def test_commands_that_others_look_for_stand_on_a_line_of_their_own():
    lines = (ROOT / README).read_text(encoding="utf-8").splitlines()
    for ending in ("-m benchmarks", "-m pytest -n auto"):
        (command,) = (line for line in lines if line.endswith(f"/python {ending}"))
        set_up = "    python3 -m venv .venv && .venv/bin/pip install -q -e "
        assert command.startswith(set_up)


def test_citation_is_of_this_version():
    citation = ROOT / "CITATION.cff"
    if not citation.exists():
        pytest.skip("an sdist has no CITATION.cff")
    assert f"\nversion: {__version__}\n" in citation.read_text(encoding="utf-8")


if __name__ == "__main__":
    for (page, words), claim in CLAIMS.items():
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        match = pattern(words).search(text)
        for index, new in reversed(list(enumerate(claim(), start=1))):
            text = text[: match.start(index)] + new + text[match.end(index) :]
        path.write_text(text, encoding="utf-8")
