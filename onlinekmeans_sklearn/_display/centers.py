"""The display of the centers over samples."""

from numbers import Integral

import numpy as np
from scipy.sparse import issparse

from .._utils.validation import check_parameters, parameter_error
from .style import COLORS, TINTS, Display, counted, final_sizes


class CentersDisplay(Display):
    """The final centers over samples, in two of the features.

    Use :meth:`from_estimator` to create one. All parameters are stored as attributes.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        The samples.
    labels : array-like of shape (n_points,)
        The cluster of each sample, which decides its color.
    centers : array-like of shape (n_clusters, 2)
        The centers.
    sizes : array-like of shape (n_clusters,)
        The number of samples of each cluster, with which the area of its marker grows.
    feature_names : pair of str, default=("feature 0", "feature 1")
        The labels of the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    points_, centers_ : matplotlib PathCollection
        The samples and the centers.

    See Also
    --------
    OpeningsDisplay : How clusters opened as the stream was read.
    ClusterSizesDisplay : How many samples the clusters have.

    Examples
    --------
    .. plot::
       :alt: Points in the color of their cluster, and the centers
       :class: dark-light
       :include-source:

       >>> from sklearn.datasets import make_blobs
       >>> from onlinekmeans_sklearn import CentersDisplay, OnlineKMeans
       >>> X, blob = make_blobs(20000, centers=6, cluster_std=0.8, random_state=7)
       >>> model = OnlineKMeans(n_clusters=6, random_state=0).fit(X)
       >>> display = CentersDisplay.from_estimator(model, X, max_points=2000)
       >>> display.ax_.get_title()
       '6 centers (area: samples of the cluster)'
    """

    def __init__(
        self, *, points, labels, centers, sizes, feature_names=("feature 0", "feature 1")
    ):
        self.points = points
        self.labels = labels
        self.centers = centers
        self.sizes = sizes
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls, estimator, X, *, features=(0, 1), max_points=10_000, ax=None, **kwargs
    ):
        """Plot the centers of a fitted estimator over samples.

        Parameters
        ----------
        estimator : OnlineKMeans or SemiOnlineKMeans
            The fitted estimator.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples, with all features that the estimator was fitted on.
        features : pair of int or str, default=(0, 1)
            The two features to show, counted from 0, or by name if the estimator knows
            the names.
        max_points : int or None, default=10_000
            The largest number of samples to show, evenly spaced in `X`. If None, all.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : CentersDisplay
            The display, plotted.
        """
        needed = ("cluster_centers_", "counts_", "online_to_merged_", "predict")
        cls._check_estimator(estimator, needed)
        names = [*getattr(estimator, "feature_names_in_", [])]
        features = _checked_pair(features, estimator.n_features_in_, names)
        check_parameters({"max_points": max_points}, owner=cls)
        X = _evenly_spaced_rows(X, max_points)
        return cls(
            labels=estimator.predict(X),  # first, since it checks X
            points=_columns_of(X, features),
            centers=_columns_of(estimator.cluster_centers_, features),
            sizes=final_sizes(estimator),
            feature_names=[names[i] if names else f"feature {i}" for i in features],
        ).plot(ax, **kwargs)

    def plot(self, ax=None, *, points_kw=None, **kwargs):
        """Plot the samples and the centers.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        points_kw : dict, default=None
            Keywords for the scatter plot of the samples.
        **kwargs : dict
            Keywords for the scatter plot of the centers.

        Returns
        -------
        display : CentersDisplay
            The display.
        """
        self._set_axes(ax)
        pale = {"s": 6, "linewidth": 0, "rasterized": True}
        self.points_ = self._scatter(self.points, TINTS, self.labels, pale, points_kw)
        live = np.flatnonzero(self.sizes)
        area = 15 + 185 * np.divide(self.sizes, np.max(self.sizes))[live]
        large = {"s": area, "edgecolor": "black", "linewidth": 0.8, "zorder": 3}
        centers = np.asarray(self.centers)[live]
        self.centers_ = self._scatter(centers, COLORS, live, large, kwargs)
        x, y = self.feature_names
        title = f"{counted(len(live), 'center')} (area: samples of the cluster)"
        self.ax_.set(xlabel=x, ylabel=y, title=title)
        return self

    def _scatter(self, points, colors, labels, style, given):
        """Draw points in the colors of their clusters, unless others are given."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.collections import PathCollection

        style = {**style, **normalize_kwargs(given, PathCollection)}
        if not {"c", "color", "facecolor"} & style.keys():
            style["c"] = colors[np.asarray(labels) % len(colors)]
        return self.ax_.scatter(*np.transpose(points), **style)


def _checked_pair(features, n_features, names):
    """Return the two columns as a list of ints, or raise ValueError."""
    pair = list(features) if np.iterable(features) else []
    pair = [names.index(i) if isinstance(i, str) and i in names else i for i in pair]
    are_columns = all(isinstance(i, Integral) and 0 <= i < n_features for i in pair)
    if not are_columns or len(pair) != 2 or pair[0] == pair[1]:
        expected = (
            f"two different columns of the {n_features} feature(s), counted from 0, such "
            "as (0, 1), or names that the estimator was fitted with"
        )
        raise parameter_error("features", features, expected, CentersDisplay)
    return pair


def _evenly_spaced_rows(X, max_rows):
    """Return at most `max_rows` rows of an array, a sparse matrix or a data frame."""
    if issparse(X):
        X = X.tocsr()  # other formats have no rows to take
    elif not hasattr(X, "shape"):
        X = np.asarray(X)
    n_rows = X.shape[0] if X.shape else 0  # `predict` refuses a scalar
    if max_rows is None or n_rows <= max_rows:
        return X
    rows = np.linspace(0, n_rows - 1, max_rows).astype(np.intp)
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _columns_of(X, columns):
    """Return columns of an array, CSR or a data frame as an array of floats."""
    X = (X.iloc if hasattr(X, "iloc") else X)[:, columns]
    return np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)
