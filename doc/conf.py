"""How Sphinx builds these pages, without a network."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for a core only delay

from inventories import write_inventories  # noqa: E402

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
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 120)]
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
    "abort_on_example_error": True,
    "backreferences_dir": "generated/examples",
    "doc_module": ("onlinekmeans_sklearn",),
    "reference_url": {"onlinekmeans_sklearn": None},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "onlinekmeans_sklearn"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 5,
}
html_sidebars = {"index": [], "faq": [], "which_clusterer": [], "about": []}
