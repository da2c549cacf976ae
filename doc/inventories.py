"""Links into the reference of other projects, for a build that has no network.

Sphinx finds the page of a name in an inventory, which it would download. Here the names
that these pages link to are listed, and their inventories are written before the build.
"""

import zlib

PROJECTS = {  # where the pages are, and by role the names and their page; $ is the name
    "python": ("https://docs.python.org/3", {}),
    "numpy": (
        "https://numpy.org/doc/stable",
        {"py:class": {"numpy.ndarray": "reference/generated/$.html#$"}},
    ),
    "sklearn": (
        "https://scikit-learn.org/stable",
        {
            "py:class": {
                "sklearn.cluster.Birch": "modules/generated/$.html#$",
                "sklearn.cluster.HDBSCAN": "modules/generated/$.html#$",
                "sklearn.cluster.KMeans": "modules/generated/$.html#$",
                "sklearn.cluster.MiniBatchKMeans": "modules/generated/$.html#$",
                "sklearn.linear_model.SGDClassifier": "modules/generated/$.html#$",
                "sklearn.pipeline.Pipeline": "modules/generated/$.html#$",
            }
        },
    ),
}


def write_inventories(folder):
    """Write an inventory for each project, and return Sphinx's `intersphinx_mapping`."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for project, (address, roles) in PROJECTS.items():
        lines = [
            f"{name} {role} 1 {page.replace('$', name)} -\n"
            for role, pages in roles.items()
            for name, page in pages.items()
        ]
        head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
        head += "# The remainder of this file is compressed using zlib.\n"
        path = folder / f"{project}.inv"
        path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
        mapping[project] = (address, str(path))
    return mapping
