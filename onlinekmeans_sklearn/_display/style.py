"""Shared by the displays: the check of the estimator, axes, lines and counts.

matplotlib is imported when something is plotted, not before.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

# Colors of Okabe and Ito, which color-blind readers can tell apart, and tints of them
BLUE, VERMILION = "#0072B2", "#D55E00"
COLORS = np.array([BLUE, "#E69F00", "#009E73", VERMILION, "#56B4E9", "#CC79A7"])
TINTS = np.array(["#8CC0DC", "#F4D48C", "#8CD3C0", "#ECB78C", "#B3DDF5", "#E8C3D7"])


class Display:
    """Base class of the displays: checks the estimator and sets the axes."""

    @classmethod
    def _check_estimator(cls, estimator, names):
        """Raise an error unless the estimator is fitted and has these attributes."""
        check_is_fitted(estimator)
        missing = [name for name in names if not hasattr(estimator, name)]
        if missing:
            raise TypeError(
                f"The 'estimator' parameter of {cls.__name__} must be a fitted "
                f"OnlineKMeans or SemiOnlineKMeans. Got {type(estimator).__name__} "
                f"instead, which has no {', '.join(missing)}. From a pipeline pass that "
                "step, for example pipeline[-1]."
            )

    def _set_axes(self, ax):
        """Set the axes to plot on, those of a new figure if `ax` is None."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    f"{type(self).__name__} needs matplotlib, which cannot be imported: "
                    "install it with `pip install matplotlib`."
                ) from error
            ax = plt.subplots(layout="constrained")[1]
        self.ax_, self.figure_ = ax, ax.figure


def final_sizes(estimator):
    """Return the number of samples of each final cluster, 0 for those that have retired."""
    counts, merged = estimator.counts_, estimator.online_to_merged_
    return np.bincount(merged, counts, estimator.n_clusters_).astype(counts.dtype)


def set_style(artist, style, given):
    """Apply our style to an artist, then the user's, which may use other aliases."""
    artist.set(**style)
    artist.set(**(given or {}))


def show_counts(axis, log=False):
    """Show whole numbers, with thousands separators, at the ticks of an axis."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    if not log:
        locator = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        axis.set_major_locator(locator)
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def counted(number, noun):
    """Return a number and its noun in words, for a title."""
    return f"{number:,.0f} {noun}" if number == 1 else f"{number:,.0f} {noun}s"
