"""How Sphinx builds these pages, without a network."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from docutils import nodes
from numpydoc.docscrape_sphinx import SphinxDocString

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for a core only delay

from inventories import TYPES, write_inventories  # noqa: E402

project = "onlinekmeans_sklearn"
author = "The onlinekmeans_sklearn developers"
project_copyright = f"2026, {author}"
version = release = version_of("onlinekmeans_sklearn")

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "examples/*"]
autosummary_generate = True
toc_object_entries_show_parents = "hide"  # names of methods have to fit beside a page
default_role = "literal"  # of names in single backticks, as docstrings have them
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = TYPES
numpydoc_xref_ignore = "all"  # words of a type that have no page
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 120)]
INK = "#7d7d7d"  # which can be read on white and on black
plot_rcparams = {
    "figure.figsize": (4.8, 3.7),
    "savefig.transparent": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "legend.framealpha": 0,
    "legend.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
plot_apply_rcparams = True
# the guide pages of a class or function; those that are not there are left out
GUIDE = {
    "OnlineKMeans": [
        "clusters_from_a_stream",
        "fixed_number",
        "streams_that_change",
        "parameters",
        "features",
    ],
    "SemiOnlineKMeans": ["clusters_from_a_stream", "parameters", "sparse"],
    "ClusterFeaturesClassifier": ["features"],
    "dask.OnlineKMeans": ["dask"],
    "dask.SemiOnlineKMeans": ["dask"],
    "save": ["long_streams", "deployment"],
    "load": ["long_streams", "deployment"],
    "OpeningsDisplay": ["parameters"],
    "ClusterSizesDisplay": ["parameters"],
    "CentersDisplay": ["fixed_number"],
}
autosummary_context = {
    "guide": {
        name: [f"/guide/{page}" for page in pages if (HERE / f"guide/{page}.rst").exists()]
        or ["/guide/index"]
        for name, pages in GUIDE.items()
    }
}
copybutton_exclude = ".linenos, .gp, .go"
intersphinx_mapping = write_inventories(HERE / "_build" / "inventories")
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "subsection_order": [
        "examples/streams",
        "examples/fixed_number",
        "examples/features",
        "examples/text",
    ],
    "within_subsection_order": "ExampleTitleSortKey",
    "reset_modules": ("figure_style.use",),
    "image_scrapers": ("figure_style.light_and_dark",),
    "abort_on_example_error": True,
    "backreferences_dir": "generated/examples",
    "doc_module": ("onlinekmeans_sklearn",),
    "reference_url": {"onlinekmeans_sklearn": None},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": False,
}


def with_full_text(process):
    """Let a class describe its attributes in full, also those that are properties.

    numpydoc would put the first line of the property's docstring there instead.
    """

    def process_param(self, param, desc, fake_autosummary):
        return process(self, param, desc, fake_autosummary=False)

    return process_param


SphinxDocString._process_param = with_full_text(SphinxDocString._process_param)


def name_attributes(app, what, name, obj, options, lines):
    """Let pages link to the attributes of a class."""
    if what == "class" and ":Attributes:" in lines:
        at = lines.index(":Attributes:")
        lines[at:at] = [f".. _{name}.attributes:", ""]


def pair_figures(app, doctree):
    """Put beside each figure of the gallery its copy for dark pages."""
    for image in list(doctree.findall(nodes.image)):
        dark = image["uri"].replace(".png", "-dark.png")
        if image["uri"].startswith("/gallery/") and (HERE / dark[1:]).exists():
            other = image.deepcopy()
            other["uri"] = dark
            image["classes"].append("for-light")
            other["classes"].append("for-dark")
            image.parent.insert(image.parent.index(image) + 1, other)


def setup(app):
    """Connect what comes after numpydoc, and before Sphinx collects images."""
    app.connect("autodoc-process-docstring", name_attributes, priority=900)
    app.connect("doctree-read", pair_figures, priority=100)


html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "onlinekmeans_sklearn"
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 5,
    "navbar_persistent": ["search-button"],  # an icon: a field would need a second line
}
without_sidebar = ("index", "getting_started", "faq", "which_clusterer", "about", "changes")
html_sidebars = {page: [] for page in without_sidebar}
