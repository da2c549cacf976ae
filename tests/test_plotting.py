"""The displays show what the estimator has, on the axes and in the style asked for."""

import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from streams import blobs, dense

from onlinekmeans_sklearn import (
    CentersDisplay,
    ClusterSizesDisplay,
    OnlineKMeans,
    OpeningsDisplay,
    SemiOnlineKMeans,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

X = blobs(0, 3000, d=2)
ESTIMATORS = {
    "practical": OnlineKMeans(k=30, random_state=0),
    "practical, merged": OnlineKMeans(n_clusters=4, random_state=0),
    "practical, capped": OnlineKMeans(k=30, max_clusters=20, random_state=0),
    "semi-online, bound": SemiOnlineKMeans(k=4, lower_bound=50.0, random_state=0),
}
DISPLAYS = {each: each.from_estimator for each in (OpeningsDisplay, ClusterSizesDisplay)}
DISPLAYS[CentersDisplay] = partial(CentersDisplay.from_estimator, X=X)


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.close("all")  # of other tests in this process
    yield
    plt.close("all")


@pytest.fixture(params=ESTIMATORS)
def model(request):
    return ESTIMATORS[request.param].fit(X)


@pytest.fixture(params=DISPLAYS, ids=lambda display: display.__name__)
def display(request):
    return request.param


def openings(**changes):
    """Return a display of six samples and four clusters, but for the changes."""
    data = {
        "opened_at": [0, 1, 2, 4],
        "n_samples_seen": 6,
        "phase_starts": [3, 5],
        "facility_costs": [2.0, 20.0],
    }
    return OpeningsDisplay(**{**data, **changes})


def height(line, x):
    """Return where a step line is at `x`."""
    at = np.searchsorted(line.get_xdata(), x, side="right") - 1
    return np.asarray(line.get_ydata())[at]


# matplotlib


def test_without_matplotlib_the_error_says_how_to_install_it(display, monkeypatch):
    model = OnlineKMeans(random_state=0).fit(X)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=f"{display.__name__} .*`pip install matplotlib`"):
        DISPLAYS[display](model)


# All displays


def test_display_of_every_estimator_can_be_drawn(display, model):
    shown = DISPLAYS[display](model)
    assert isinstance(shown, display)
    assert shown.figure_ is shown.ax_.figure
    assert shown.ax_.get_xlabel()
    assert shown.ax_.get_ylabel()
    shown.figure_.canvas.draw()


def test_given_axes_are_used(display):
    figure, (_, ax) = plt.subplots(1, 2)
    shown = DISPLAYS[display](OnlineKMeans(random_state=0).fit(X), ax=ax)
    assert (shown.ax_, shown.figure_) == (ax, figure)
    assert plt.get_fignums() == [figure.number]
    assert shown.plot() is shown
    assert shown.ax_ is not ax
    assert len(plt.get_fignums()) == 2


def test_unfitted_and_foreign_estimators_are_errors(display):
    show = DISPLAYS[display]
    with pytest.raises(NotFittedError):
        show(OnlineKMeans())
    with pytest.raises(TypeError, match="not an estimator instance"):
        show("OnlineKMeans")
    with pytest.raises(TypeError, match=f"of {display.__name__} must be .*Got KMeans inst"):
        show(KMeans(2, n_init=1).fit(X))
    pipeline = make_pipeline(StandardScaler(), OnlineKMeans()).fit(X)
    with pytest.raises(TypeError, match=r"Got Pipeline instead.*pass .*pipeline\[-1\]"):
        show(pipeline)
    show(pipeline[-1])


def test_unknown_keywords_are_errors(display):
    with pytest.raises(AttributeError, match="no_such_style"):
        DISPLAYS[display](OnlineKMeans().fit(X), no_such_style=1)


# OpeningsDisplay


@pytest.mark.parametrize("log_x", [True, False])
def test_openings_show_the_number_of_clusters_after_so_many_samples(model, log_x):
    shown = OpeningsDisplay.from_estimator(model, log_x=log_x)
    read = np.arange(len(X) + 1)
    expected = np.searchsorted(model.opened_at_, read)  # opened before
    np.testing.assert_array_equal(height(shown.line_, read), expected)
    assert shown.line_.get_xdata()[-1] == len(X)
    assert shown.line_.get_drawstyle() == "steps-post"
    assert shown.ax_.get_xscale() == ("log" if log_x else "linear")
    low, high = shown.ax_.get_xlim()
    assert low < 1 < len(X) < high


def test_openings_show_the_facility_cost_of_each_phase(model):
    shown = OpeningsDisplay.from_estimator(model)
    starts = np.append(model.phase_starts_, len(X))
    np.testing.assert_array_equal(shown.cost_line_.get_xdata(), starts)
    costs = shown.cost_line_.get_ydata()
    np.testing.assert_array_equal(costs[:-1], model.facility_costs_)
    assert costs[-1] == model.facility_cost_
    assert shown.cost_line_.get_drawstyle() == "steps-post"
    assert shown.cost_ax_.get_yscale() == "log"
    lines = shown.phase_lines_.get_segments()
    np.testing.assert_array_equal([line[0, 0] for line in lines], model.phase_starts_)


def test_openings_show_the_cap_of_the_stream():
    capped = clone(ESTIMATORS["practical, capped"]).fit(X).set_params(max_clusters=None)
    shown = OpeningsDisplay.from_estimator(capped)
    np.testing.assert_array_equal(shown.cap_line_.get_ydata(), [20, 20])
    assert "max_clusters=20" in [text.get_text() for text in shown.ax_.legend_.texts]
    other = clone(ESTIMATORS["practical"]).fit(X).set_params(max_clusters=5)
    assert OpeningsDisplay.from_estimator(other).cap_line_ is None


def test_retired_clusters_are_not_shown():
    rows = np.concatenate([X + 20 * i for i in range(6)])
    model = OnlineKMeans(k=40, half_life=len(X) // 2, random_state=0).fit(rows)
    live, every = np.count_nonzero(model.counts_), model.n_clusters_
    assert live < every / 2
    shown = OpeningsDisplay.from_estimator(model)
    numbers = shown.line_.get_ydata()
    assert numbers[-1] == live <= numbers.max() < every
    assert shown.ax_.get_title().startswith(f"{live} live of {every} online clusters")
    sizes, title = ClusterSizesDisplay.from_estimator(model), f"{live} clusters of "
    assert sizes.ax_.get_title().startswith(f"{title}{model.counts_.sum():,.0f}")
    centers = CentersDisplay.from_estimator(model, rows)
    found = model.cluster_centers_[model.counts_ > 0][:, :2]
    np.testing.assert_array_equal(centers.centers_.get_offsets(), found)
    for display in (shown, sizes, centers):
        display.figure_.canvas.draw()


@pytest.mark.parametrize("log_x", [True, False])
@pytest.mark.parametrize("n_samples", [1, 5])
def test_openings_before_the_first_phase_have_no_costs(n_samples, log_x):
    model = OnlineKMeans(random_state=0).fit(X[:n_samples])
    shown = OpeningsDisplay.from_estimator(model, log_x=log_x)
    assert shown.cost_line_ is shown.phase_lines_ is None
    assert not shown.cost_ax_.get_visible()
    assert shown.line_.get_ydata()[-1] == n_samples
    assert [text.get_text() for text in shown.ax_.legend_.texts] == ["online clusters"]
    shown.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("costs", "shown_costs"),
    [
        ([0.0, 1.0], [np.nan, 1.0, 1.0]),
        ([1.0, np.inf], [1.0, np.nan, np.nan]),
        ([1e-279, 1e279], [1e-279, 1e279, 1e279]),
        ([1e-279, 1e-278], [1e-279, 1e-278, 1e-278]),
        ([5e-324, 1e308], None),
        ([0.0, np.inf], None),
    ],
)
def test_facility_costs_that_a_log_scale_cannot_show_leave_gaps(costs, shown_costs):
    shown = openings(facility_costs=costs).plot()
    shown.figure_.canvas.draw()
    assert shown.cost_ax_.get_visible() == (shown_costs is not None)
    assert (shown.cost_line_ is None) == (shown_costs is None)
    if shown_costs is not None:
        np.testing.assert_array_equal(shown.cost_line_.get_ydata(), shown_costs)
        low, high = shown.cost_ax_.get_ylim()
        assert low < np.nanmin(shown_costs) <= np.nanmax(shown_costs) < high


# ClusterSizesDisplay


@pytest.mark.parametrize(("which", "log_y"), [("final", True), ("online", False)])
def test_sizes_are_those_of_the_clusters_in_descending_order(model, which, log_y):
    shown = ClusterSizesDisplay.from_estimator(model, which=which, log_y=log_y)
    labels = model.labels_ if which == "final" else model.online_labels_
    values, edges, _ = shown.area_.get_data()
    np.testing.assert_array_equal(values, np.sort(np.bincount(labels))[::-1])
    np.testing.assert_array_equal(edges, np.arange(len(values) + 1) + 0.5)
    assert len(values) == (model.n_clusters_ if which == "final" else len(model.counts_))
    assert shown.ax_.get_yscale() == ("log" if log_y else "linear")
    assert ("online" in shown.ax_.get_xlabel()) == (which == "online")
    shown.figure_.canvas.draw()


@pytest.mark.parametrize("log_y", [True, False])
def test_size_of_one_cluster_can_be_drawn(log_y):
    shown = ClusterSizesDisplay(sizes=[1]).plot(log_y=log_y)
    shown.figure_.canvas.draw()
    assert shown.ax_.get_title() == "1 cluster of 1 sample"


# CentersDisplay


def test_centers_and_points_are_where_they_are_and_areas_grow_with_counts(model):
    shown = CentersDisplay.from_estimator(model, X)
    np.testing.assert_array_equal(shown.points_.get_offsets(), X)
    as_lists = CentersDisplay.from_estimator(model, X[:9].tolist())
    np.testing.assert_array_equal(as_lists.points_.get_offsets(), X[:9])
    np.testing.assert_array_equal(shown.labels, model.predict(X))
    np.testing.assert_array_equal(shown.centers_.get_offsets(), model.cluster_centers_)
    assert shown.centers_.get_zorder() > shown.points_.get_zorder()
    assert shown.ax_.get_xlabel() == "feature 0"
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    np.testing.assert_array_equal(shown.sizes, sizes)
    areas = shown.centers_.get_sizes()
    assert areas.min() > 10
    np.testing.assert_allclose((areas - 15) / (areas - 15).max(), sizes / sizes.max())


def test_points_have_a_tint_of_the_color_of_their_center():
    model = ESTIMATORS["practical, merged"].fit(X)
    shown = CentersDisplay.from_estimator(model, X)
    point = shown.points_.get_facecolor()
    center = shown.centers_.get_facecolor()[shown.labels]
    np.testing.assert_allclose(1 - point, 0.45 * (1 - center), atol=0.01)
    assert len(np.unique(point, axis=0)) == 4


@pytest.mark.parametrize("storage", [csr_array, csr_matrix, coo_array])
@pytest.mark.parametrize("n_clusters", [None, 3])
def test_sparse_points_are_shown_as_dense_ones(storage, n_clusters):
    rows = np.where(np.random.RandomState(0).rand(500, 7) < 0.5, blobs(0, 500, d=7), 0)
    model = OnlineKMeans(k=30, n_clusters=n_clusters, random_state=0).fit(storage(rows))
    options = {"features": (5, 2), "max_points": 100}
    shown = CentersDisplay.from_estimator(model, storage(rows), **options)
    chosen = np.linspace(0, 499, 100).astype(int)
    np.testing.assert_array_equal(shown.points_.get_offsets(), rows[chosen][:, [5, 2]])
    centers = dense(model.cluster_centers_)[:, [5, 2]]
    np.testing.assert_array_equal(shown.centers_.get_offsets(), centers)
    np.testing.assert_array_equal(shown.labels, model.predict(rows[chosen]))
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("feature 5", "feature 2")
    OpeningsDisplay.from_estimator(model)
    ClusterSizesDisplay.from_estimator(model)


@pytest.mark.parametrize("max_points", [1, 7, 3000, 10_000, None])
def test_at_most_max_points_are_shown_evenly_spaced(max_points):
    rows = np.column_stack([np.arange(3000.0), np.ones(3000)])
    model = OnlineKMeans(k=30, random_state=0).fit(rows)
    shown = CentersDisplay.from_estimator(model, rows, max_points=max_points)
    positions = shown.points_.get_offsets()[:, 0]
    assert len(positions) == min(3000, max_points or 3000)
    assert positions[0] == 0
    if max_points != 1:
        assert positions[-1] == 2999
        assert np.ptp(np.diff(positions)) <= 1


@pytest.mark.parametrize("features", [(2, 0), ["height", "length"]])
@pytest.mark.parametrize("max_points", [50, None])
def test_columns_of_a_data_frame_name_the_axes(max_points, features):
    frame = pd.DataFrame(blobs(0, 300), columns=["length", "width", "height"])
    frame.index = frame.index[::-1]  # rows are taken by position
    model = OnlineKMeans(k=30, random_state=0).fit(frame)
    options = {"features": features, "max_points": max_points}
    shown = CentersDisplay.from_estimator(model, frame, **options)
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("height", "length")
    expected = frame[["height", "length"]].to_numpy()
    if max_points is not None:
        expected = expected[np.linspace(0, 299, 50).astype(int)]
    np.testing.assert_array_equal(shown.points_.get_offsets(), expected)
    for wrong in (["petal", "sepal"], ["length", 3], ["length"]):
        with pytest.raises(ValueError, match="names that the estimator was fitted with"):
            CentersDisplay.from_estimator(model, frame, features=wrong)


def test_features_that_are_not_two_columns_are_an_error():
    message = r"'features' parameter of .*two different.* 2 feature.*Got .*ins"
    for features in [(0,), (0, 1, 2), (0, 2), (-1, 0), (1, 1), (0, 1.0), "01", 0, None]:
        with pytest.raises(ValueError, match=message):
            CentersDisplay.from_estimator(OnlineKMeans().fit(X), X, features=features)


@pytest.mark.parametrize(
    ("display", "rows", "options", "message"),
    [
        (CentersDisplay, np.ones((5, 3)), {}, "X has 3 features, but OnlineKMeans is exp"),
        (CentersDisplay, 1.0, {}, "Expected 2D array, got scalar"),
        (CentersDisplay, X, {"max_points": 0}, "'max_points' .* of CentersDisplay .*Got 0"),
        (
            *(ClusterSizesDisplay, None, {"which": "merged"}),
            r"'which' .*\{'final', 'online'\}\. Got 'merged'",
        ),
    ],
)
def test_wrong_arguments_are_an_error(display, rows, options, message):
    arguments = [OnlineKMeans().fit(X)] if rows is None else [OnlineKMeans().fit(X), rows]
    with pytest.raises(ValueError, match=message):
        display.from_estimator(*arguments, **options)
    with pytest.raises(ValueError, match=r"two different columns of the 1 feature\(s\)"):
        CentersDisplay.from_estimator(OnlineKMeans().fit(X[:, :1]), X[:, :1])


def test_keywords_reach_what_is_drawn():
    shown = openings(max_clusters=9).plot(
        lw=5, c="k", label="mine", cost_kw={"ls": ":"}, phase_kw={"colors": "red"}
    )
    assert shown.line_.get_linewidth() == 5
    assert shown.line_.get_color() == shown.ax_.yaxis.label.get_color() == "k"
    assert shown.cost_line_.get_linestyle() == ":"
    assert tuple(shown.phase_lines_.get_color()[0]) == (1, 0, 0, 1)
    assert "mine" in [text.get_text() for text in shown.ax_.legend_.texts]
    area = ClusterSizesDisplay(sizes=[1, 3]).plot(ec="red", hatch="/").area_
    assert (area.get_edgecolor(), area.get_hatch()) == ((1, 0, 0, 1), "/")


@pytest.mark.parametrize("color", ["c", "color", "facecolor", "facecolors", "fc"])
def test_keywords_reach_the_points_and_the_centers(color):
    model = OnlineKMeans(random_state=0).fit(X)
    styles = {color: "red", "points_kw": {color: "blue", "marker": "s", "alpha": 0.5}}
    shown = CentersDisplay.from_estimator(model, X, lw=3, **styles)
    assert tuple(shown.centers_.get_facecolor()[0]) == (1, 0, 0, 1)
    assert tuple(shown.points_.get_facecolor()[0]) == (0, 0, 1, 0.5)
    assert shown.centers_.get_linewidth() == [3]
    assert len(shown.points_.get_paths()[0].vertices) == 5  # a square
