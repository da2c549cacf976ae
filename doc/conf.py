"""How Sphinx builds these pages."""

from importlib.metadata import version as version_of

project = "onlinekmeans_sklearn"
author = "The onlinekmeans_sklearn developers"
project_copyright = f"2026, {author}"
version = release = version_of("onlinekmeans_sklearn")

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 120)]

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = "onlinekmeans_sklearn"
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_sidebars = {"**": []}
