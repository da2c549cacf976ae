"""Every example of the gallery runs without a warning, in the form that readers expect."""

import ast
import runpy
import socket
from pathlib import Path

import pytest
from dask_here import skip_without_dask
from threadpoolctl import threadpool_limits

pytestmark = pytest.mark.slow

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

FOLDER = Path(__file__).resolve().parent.parent / "doc" / "examples"
EXAMPLES = sorted(FOLDER.rglob("plot_*.py"))
each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@pytest.fixture
def _alone(tmp_path, monkeypatch):
    """Work in an empty folder, without a network, without windows, and with one thread."""
    connect = socket.socket.connect

    def refuse(self, *args):
        if self.type != socket.SOCK_DGRAM:  # by which Dask asks for its own address
            raise AssertionError("an example wants the network")
        return connect(self, *args)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.chdir(tmp_path)
    with matplotlib.rc_context(), threadpool_limits(1):
        matplotlib.rcdefaults()
        yield
    plt.close("all")


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 12
    assert len({path.stem for path in EXAMPLES}) == len(EXAMPLES)


def test_every_folder_has_a_heading():
    for folder in {FOLDER, *(path.parent for path in EXAMPLES)}:
        assert set((folder / "README.rst").read_text().splitlines()[1]) <= set("=-")


@each_example
@pytest.mark.usefixtures("_alone")
def test_example_runs_and_draws_a_figure_with_words(path, tmp_path):
    if path.stem == "plot_dask":
        skip_without_dask()
    runpy.run_path(str(path))
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        figure.canvas.draw()
        titles = [text.get_text() for text in figure.texts]
        titles += [ax.get_title(loc) for ax in figure.axes for loc in ("left", "center")]
        assert any(titles)
        shown = [ax for ax in figure.axes if ax.axison]
        assert not shown or any(ax.get_xlabel() for ax in shown)
    assert not any(tmp_path.iterdir())


@each_example
def test_example_has_a_title_prose_and_what_to_remember(path):
    text = path.read_text(encoding="utf-8")
    prose = ast.get_docstring(ast.parse(text), clean=False)
    _, title, line, empty, *what = prose.split("\n")
    assert 3 <= len(title.split()) <= 8
    assert (line, empty) == ("=" * len(title), "")
    assert len(" ".join(what).split()) >= 20
    cells = text.split("\n# %%\n")
    assert len(cells) >= 4
    assert all(cell.startswith("# ") for cell in cells[1:])
    *_, last = cells
    assert last.startswith("# **What to remember**\n#\n# - ")
    assert last.count("\n# - ") == 2
