"""The link from the HTML representation of an estimator to its page of the reference."""

from functools import cache
from importlib.metadata import metadata

_PROJECT = "onlinekmeans_sklearn"
_PAGE = "generated/{estimator_module}.{estimator_name}.html"


@cache
def documentation_url():
    """Return the URL of the documentation in the project's metadata, or an empty string."""
    for entry in metadata(_PROJECT).get_all("Project-URL") or []:
        label, _, url = entry.partition(",")
        if label.strip().lower() == "documentation":
            return url.strip().rstrip("/")
    return ""


class DocumentationLinkMixin:
    """The attributes by which scikit-learn links to the page of an estimator."""

    _doc_link_module = _PROJECT

    @property
    def _doc_link_template(self):
        """The address of a page; empty, which means no link, if it is not known."""
        url = documentation_url()
        return f"{url}/{_PAGE}" if url else ""
