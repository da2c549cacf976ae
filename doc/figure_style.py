"""The look of the figures of the gallery, and a copy of each for light and for dark pages.

Figures have no background, so that no page in dark mode shows a white box. Examples draw in
a gray that can be read on white and on black, if not well; in the gallery it is replaced by
dark ink on light pages, and by light ink on dark ones. Text is as large as a phone needs: a
figure of 6.4 inches is shown there 350 pixels wide, and a point is then three quarters of a
pixel.
"""

from textwrap import indent

INK, DARK_INK, LIGHT_INK = "#808080", "#262b31", "#d5dae0"
PARTS = ("color", "edgecolor", "facecolor", "markeredgecolor", "markerfacecolor")
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


def light_and_dark(block, block_vars, gallery_conf):
    """Save the figures of a block twice, and return what shows the one that suits a page.

    Parameters
    ----------
    block, block_vars, gallery_conf : object
        What sphinx-gallery passes to a scraper of images.

    Returns
    -------
    rst : str
        Two images for each figure.
    """
    import matplotlib.pyplot as plt
    from sphinx_gallery.scrapers import matplotlib_scraper

    figures, paths = [plt.figure(number) for number in plt.get_fignums()], []

    def remembered(every):
        for path in every:
            paths.append(path)
            yield path

    for figure in figures:
        figure.canvas.draw()  # which makes the ticks
        change_ink(figure, INK, DARK_INK)
    every = remembered(block_vars["image_path_iterator"])
    found = {**block_vars, "image_path_iterator": every}
    light = matplotlib_scraper(block, found, gallery_conf)
    for figure, path in zip(figures, paths):
        change_ink(figure, DARK_INK, LIGHT_INK)
        figure.savefig(path.replace(".png", "-dark.png"))
    both = {"light": light, "dark": light.replace(".png", "-dark.png")}
    parts = [
        f"\n.. container:: only-{theme}\n{indent(rst, '   ')}\n"
        for theme, rst in both.items()
        if figures
    ]
    return "".join(parts)


def change_ink(figure, old, new):
    """Draw in another color whatever is drawn in the old one.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure, which has been drawn.
    old, new : str
        The colors.
    """
    from matplotlib.colors import is_color_like, same_color

    for artist in figure.findobj():
        for part in PARTS:
            get = getattr(artist, f"get_{part}", None)
            if get and is_color_like(get()) and same_color(get(), old):
                getattr(artist, f"set_{part}")(new)
