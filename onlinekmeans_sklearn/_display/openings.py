"""The display of how clusters opened as the stream was read."""

import math

import numpy as np

from .style import BLUE, VERMILION, Display, counted, set_style, show_counts

_HEADROOM = 0.3  # of the curves' height, free for the legend: curves may be anywhere


class OpeningsDisplay(Display):
    """How clusters opened as the stream was read, with the phases and the facility cost.

    Use :meth:`from_estimator` to create one. All parameters are stored as attributes.

    Parameters
    ----------
    opened_at : array-like of shape (n_online_clusters,)
        The position in the stream, from 0, of the sample that opened each cluster.
    n_samples_seen : int
        The number of samples read.
    phase_starts : array-like of shape (n_phases,)
        How many samples came before each phase.
    facility_costs : array-like of shape (n_phases,)
        What opening a center cost in each phase. 0 and infinity cannot be shown on a
        log scale: they leave a gap in the line.
    max_clusters : int or None, default=None
        The cap on the number of clusters, if there is one.
    retired_at : array-like, default=()
        The position of the sample before which each of the retired clusters retired. They
        do not count from then on.

    Attributes
    ----------
    ax_, cost_ax_ : matplotlib Axes
        The axes with the number of clusters, and their twin with the facility cost, which
        is hidden if there is no cost to show.
    figure_ : matplotlib Figure
        The figure of the axes.
    line_ : matplotlib Line2D
        The number of clusters, without retired ones, against the samples read.
    cost_line_, cap_line_ : matplotlib Line2D or None
        The facility cost against the samples read, and a line at `max_clusters`.
    phase_lines_ : matplotlib LineCollection or None
        A vertical line where each phase starts.

    See Also
    --------
    ClusterSizesDisplay : How many samples the clusters have.
    CentersDisplay : The centers over the samples.

    Examples
    --------
    .. plot::
       :alt: The number of clusters and the facility cost against the samples read
       :class: dark-light
       :include-source:

       >>> from sklearn.datasets import make_blobs
       >>> from onlinekmeans_sklearn import OnlineKMeans, OpeningsDisplay
       >>> X, blob = make_blobs(20000, centers=6, cluster_std=0.8, random_state=7)
       >>> X = X[blob.argsort(kind="stable")]  # sorted: one blob after the other
       >>> model = OnlineKMeans(k=60, random_state=0).fit(X)
       >>> display = OpeningsDisplay.from_estimator(model, phase_kw={"alpha": 0.4})
       >>> display.ax_.get_title()
       '64 online clusters, 6 phases'
    """

    def __init__(
        self,
        *,
        opened_at,
        n_samples_seen,
        phase_starts,
        facility_costs,
        max_clusters=None,
        retired_at=(),
    ):
        self.opened_at = opened_at
        self.n_samples_seen = n_samples_seen
        self.phase_starts = phase_starts
        self.facility_costs = facility_costs
        self.max_clusters = max_clusters
        self.retired_at = retired_at

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **kwargs):
        """Plot the openings of a fitted estimator.

        Parameters
        ----------
        estimator : OnlineKMeans or SemiOnlineKMeans
            The fitted estimator.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : OpeningsDisplay
            The display, plotted.
        """
        names = ("opened_at_", "n_samples_seen_", "phase_starts_", "facility_costs_")
        cls._check_estimator(estimator, names)
        data = {name.rstrip("_"): getattr(estimator, name) for name in names}
        cap = estimator._stream.max_clusters  # of the stream, whatever was set since
        data["max_clusters"] = None if cap == math.inf else cap
        retired = [clusters.retired_at for clusters in estimator._stream.retired]
        data["retired_at"] = np.concatenate([*retired, []])
        return cls(**data).plot(ax, **kwargs)

    def plot(self, ax=None, *, log_x=True, cost_kw=None, phase_kw=None, **kwargs):
        """Plot the openings, and the facility cost on a twin of the axes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, those of a new figure.
        log_x : bool, default=True
            Whether the number of samples is on a log scale: most openings are early.
        cost_kw, phase_kw : dict, default=None
            Keywords for the line of the facility cost, and for those of the phases.
        **kwargs : dict
            Keywords for the line of the number of clusters.

        Returns
        -------
        display : OpeningsDisplay
            The display.
        """
        self._set_axes(ax)
        self.cost_ax_ = self.ax_.twinx()
        self._plot_phases(phase_kw)
        self._plot_costs(cost_kw)
        self._plot_clusters(kwargs)
        n = self.n_samples_seen
        limits = (0.9, max(10, 1.2 * n)) if log_x else (-0.02 * n, 1.02 * n)
        self.ax_.set(xscale="log" if log_x else "linear", xlim=limits)
        show_counts(self.ax_.xaxis, log_x)
        clusters = counted(len(self.opened_at), "online cluster")
        if len(self.retired_at):
            clusters = f"{len(self.opened_at) - len(self.retired_at)} live of {clusters}"
        title = f"{clusters}, {counted(len(self.phase_starts), 'phase')}"
        self.ax_.set(xlabel="samples read", ylabel="online clusters", title=title)
        lines = self.line_, self.cap_line_, self.cost_line_, self.phase_lines_
        handles = [line for line in lines if line is not None]
        self.ax_.legend(handles=handles, loc="upper left", ncols=2, fontsize="small")
        return self

    def _plot_phases(self, given):
        """Draw a line of the full height where each phase starts."""
        self.phase_lines_ = None
        if len(self.phase_starts) > 0:
            style = {"color": "0.8", "linewidth": 1, "zorder": 0, "label": "phase starts"}
            full = self.ax_.get_xaxis_transform()
            self.phase_lines_ = self.ax_.vlines(self.phase_starts, 0, 1, transform=full)
            set_style(self.phase_lines_, style, given)

    def _plot_costs(self, given):
        """Draw the facility cost on the log scale of the twin."""
        costs = np.array(self.facility_costs, dtype=np.float64)
        costs[~((costs > 1e-280) & (costs < 1e280))] = np.nan  # axes cannot show others
        self.cost_line_, is_shown = None, not np.isnan(costs).all()
        self.cost_ax_.set_visible(is_shown)
        if not is_shown:
            return
        self._scale_costs(costs)
        style = {"color": VERMILION, "linestyle": "--", "label": "facility cost (right)"}
        self.cost_line_ = self._plot_steps(
            self.cost_ax_, self.phase_starts, costs, style, given
        )

    def _scale_costs(self, costs):
        """Give the twin a log scale, with ticks that cannot overflow if costs are huge."""
        powers = np.log10(costs)
        low = np.floor(np.nanmin(powers))
        height = max(1, np.nanmax(powers) - low)
        limits = np.clip(low + height * np.array([-0.1, 1 + _HEADROOM]), -285, 285)
        ticks = np.arange(low, low + height + 1, np.ceil(height / 8))
        self.cost_ax_.set(yscale="log", yticks=10.0**ticks, ylim=10.0**limits)
        self.cost_ax_.set_ylabel("facility cost")
        self.cost_ax_.set_yticks([], minor=True)

    def _plot_clusters(self, given):
        """Draw the number of clusters, and the cap."""
        n_opened, n_retired = len(self.opened_at), len(self.retired_at)
        positions = np.concatenate([np.add(self.opened_at, 1), self.retired_at])
        changes = np.repeat([1, -1], [n_opened, n_retired])
        order, cap = np.argsort(positions, kind="stable"), self.max_clusters
        numbers = np.append(0, np.cumsum(changes[order]))
        style = {"color": BLUE, "linewidth": 2, "label": "online clusters"}
        positions = np.append(0, positions[order])
        self.line_ = self._plot_steps(self.ax_, positions, numbers, style, given)
        self.cap_line_ = None
        if cap is not None:
            style = {"color": "0.4", "linestyle": ":", "label": f"max_clusters={cap}"}
            self.cap_line_ = self.ax_.axhline(cap, **style)
        top = max(1, numbers.max(), cap or 0)
        self.ax_.set_ylim(-0.02 * top, (1 + _HEADROOM) * top)
        show_counts(self.ax_.yaxis)

    def _plot_steps(self, ax, x, y, style, given):
        """Draw a line that keeps its height until the next point, or the last sample."""
        x, y = np.append(x, self.n_samples_seen), np.append(y, y[-1])
        (line,) = ax.plot(x, y, drawstyle="steps-post")
        set_style(line, style, given)
        ax.yaxis.label.set_color(line.get_color())  # to show which scale is the line's
        ax.tick_params(axis="y", which="both", labelcolor=line.get_color())
        return line
