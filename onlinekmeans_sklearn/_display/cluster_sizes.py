"""The display of how many samples the clusters have."""

import numpy as np

from .._utils.validation import check_parameters
from .style import BLUE, Display, counted, final_sizes, set_style, show_counts


class ClusterSizesDisplay(Display):
    """How many samples the clusters have, the largest first.

    Use :meth:`from_estimator` to create one. All parameters are stored as attributes.

    Parameters
    ----------
    sizes : array-like of shape (n_clusters,)
        The number of samples of each cluster, in any order.
    which : {"final", "online"}, default="final"
        Which clusters these are, for the texts of the plot.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    area_ : matplotlib StepPatch
        A step for each cluster.

    See Also
    --------
    OpeningsDisplay : How clusters opened as the stream was read.
    CentersDisplay : The centers over the samples.

    Examples
    --------
    .. plot::
       :alt: The number of samples of each cluster, the largest first
       :class: dark-light
       :include-source:

       >>> from sklearn.datasets import make_blobs
       >>> from onlinekmeans_sklearn import ClusterSizesDisplay, OnlineKMeans
       >>> X, blob = make_blobs(20000, centers=6, cluster_std=0.8, random_state=7)
       >>> model = OnlineKMeans(k=60, random_state=0).fit(X)
       >>> display = ClusterSizesDisplay.from_estimator(model)
       >>> display.ax_.get_title()
       '51 clusters of 20,000 samples'
    """

    def __init__(self, *, sizes, which="final"):
        self.sizes = sizes
        self.which = which

    @classmethod
    def from_estimator(cls, estimator, *, which="final", ax=None, **kwargs):
        """Plot the sizes of the clusters of a fitted estimator.

        Parameters
        ----------
        estimator : OnlineKMeans or SemiOnlineKMeans
            The fitted estimator.
        which : {"final", "online"}, default="final"
            The final clusters, or the online ones, which are the same unless `n_clusters`
            is an int.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ClusterSizesDisplay
            The display, plotted.
        """
        check_parameters({"which": which}, owner=cls)
        cls._check_estimator(estimator, ("counts_", "online_to_merged_"))
        sizes = estimator.counts_ if which == "online" else final_sizes(estimator)
        return cls(sizes=sizes[sizes > 0], which=which).plot(ax, **kwargs)

    def plot(self, ax=None, *, log_y=False, **kwargs):
        """Plot the sizes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        log_y : bool, default=False
            Whether the sizes are on a log scale, as suits many online clusters.
        **kwargs : dict
            Keywords for the area.

        Returns
        -------
        display : ClusterSizesDisplay
            The display.
        """
        self._set_axes(ax)
        sizes = np.sort(self.sizes)[::-1]
        self.area_ = self.ax_.stairs(sizes, np.arange(len(sizes) + 1) + 0.5, fill=True)
        style = {"facecolor": "#99C7E0", "edgecolor": BLUE, "linewidth": 1}
        set_style(self.area_, style, kwargs)
        limits = (0.7, max(10, 1.5 * sizes[0])) if log_y else (0, 1.05 * sizes[0])
        self.ax_.set(yscale="log" if log_y else "linear", ylim=limits)
        show_counts(self.ax_.xaxis)
        show_counts(self.ax_.yaxis, log_y)
        noun = "online cluster" if self.which == "online" else "cluster"
        title = f"{counted(len(sizes), noun)} of {counted(sizes.sum(), 'sample')}"
        self.ax_.set(xlabel=f"{noun}s, largest first", ylabel="samples", title=title)
        return self
