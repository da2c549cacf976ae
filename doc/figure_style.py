"""The look of the figures of the gallery: one for light and for dark pages.

Figures have no background, and ink in a gray that can be read on white and on black, so
that no page in dark mode shows a white box. Text is as large as a phone needs: a figure of
6.4 inches is shown there 350 pixels wide, and a point is then three quarters of a pixel.
"""

INK = "#808080"
COLORS = ["#2C8FD1", "#E0672B", "#1FA078", "#B26BC4", "#B98A1D"]


def use(gallery_conf=None, filename=None):
    """Set matplotlib's parameters, before each example.

    Parameters
    ----------
    gallery_conf, filename : object
        What sphinx-gallery passes, which is not needed.
    """
    import matplotlib.pyplot as plt

    plt.rcdefaults()
    plt.rcParams.update(
        {
            "axes.edgecolor": INK,
            "axes.facecolor": "none",
            "axes.labelcolor": INK,
            "axes.prop_cycle": plt.cycler(color=COLORS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlecolor": INK,
            "axes.titlelocation": "left",
            "axes.titlesize": 13,
            "axes.titleweight": "bold",
            "figure.constrained_layout.use": True,
            "figure.edgecolor": "none",
            "figure.facecolor": "none",
            "figure.figsize": (6.4, 4),
            "figure.titlesize": 13,
            "figure.titleweight": "bold",
            "font.size": 12,
            "legend.fontsize": 11,
            "legend.frameon": False,
            "savefig.bbox": "tight",
            "savefig.dpi": 150,
            "savefig.edgecolor": "none",
            "savefig.facecolor": "none",
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
