"""Links into the reference of other projects, for a build that has no network.

Sphinx finds the page of a name in an inventory, which it would download. Here the names
that these pages link to are listed, and their inventories are written before the build.
"""

import zlib

_OBJECT = "reference/generated/$.html#$"  # of numpy and scipy: a page for each
_ESTIMATOR = "modules/generated/$.html#$"
_TERM = "glossary.html#term-%"
_BUILT_IN = "library/stdtypes.html#$"

# project: where its pages are, and by role the names and their pages. In a page $ stands
# for the name, and % for the name with - for spaces.
PROJECTS = {
    "python": (
        "https://docs.python.org/3",
        {
            "py:class": {
                "dict": _BUILT_IN,
                "float": "library/functions.html#$",
                "int": "library/functions.html#$",
                "list": _BUILT_IN,
                "str": _BUILT_IN,
                "pathlib.Path": "library/pathlib.html#$",
            },
            "py:data": {
                "False": "library/constants.html#$",
                "None": "library/constants.html#$",
                "True": "library/constants.html#$",
            },
            "py:exception": {
                "TypeError": "library/exceptions.html#$",
                "ValueError": "library/exceptions.html#$",
            },
            "std:label": {"bltin-boolean-values": "library/stdtypes.html#$"},
            "std:term": {"path-like object": _TERM},
        },
    ),
    "numpy": (
        "https://numpy.org/doc/stable",
        {
            "py:class": {
                "numpy.ndarray": _OBJECT,
                "numpy.random.RandomState": "reference/random/legacy.html#$",
            },
            "py:function": {"numpy.load": _OBJECT},
        },
    ),
    "scipy": (
        "https://docs.scipy.org/doc/scipy",
        {
            "py:class": {
                "scipy.sparse.csr_array": _OBJECT,
                "scipy.sparse.csr_matrix": _OBJECT,
            }
        },
    ),
    "dask": (
        "https://docs.dask.org/en/stable",
        {
            "py:class": {
                "dask.array.Array": "generated/$.html#$",
                "dask.dataframe.DataFrame": "generated/$.html#$",
                "dask.dataframe.Series": "generated/$.html#$",
            }
        },
    ),
    "distributed": (
        "https://distributed.dask.org/en/stable",
        {"py:class": {"distributed.Client": "api.html#$"}},
    ),
    "matplotlib": (
        "https://matplotlib.org/stable",
        {
            "py:class": {
                "matplotlib.axes.Axes": "api/_as_gen/$.html#$",
                "matplotlib.collections.LineCollection": "api/collections_api.html#$",
                "matplotlib.collections.PathCollection": "api/collections_api.html#$",
                "matplotlib.figure.Figure": "api/_as_gen/$.html#$",
                "matplotlib.lines.Line2D": "api/_as_gen/$.html#$",
                "matplotlib.patches.StepPatch": "api/_as_gen/$.html#$",
            }
        },
    ),
    "sklearn": (
        "https://scikit-learn.org/stable",
        {
            "py:class": {
                "sklearn.base.BaseEstimator": _ESTIMATOR,
                "sklearn.cluster.Birch": _ESTIMATOR,
                "sklearn.cluster.HDBSCAN": _ESTIMATOR,
                "sklearn.cluster.KMeans": _ESTIMATOR,
                "sklearn.cluster.MiniBatchKMeans": _ESTIMATOR,
                "sklearn.feature_extraction.text.HashingVectorizer": _ESTIMATOR,
                "sklearn.feature_extraction.text.TfidfVectorizer": _ESTIMATOR,
                "sklearn.mixture.GaussianMixture": _ESTIMATOR,
                "sklearn.linear_model.RidgeClassifier": _ESTIMATOR,
                "sklearn.linear_model.SGDClassifier": _ESTIMATOR,
                "sklearn.pipeline.FeatureUnion": _ESTIMATOR,
                "sklearn.pipeline.Pipeline": _ESTIMATOR,
                "sklearn.preprocessing.KBinsDiscretizer": _ESTIMATOR,
                "sklearn.preprocessing.MaxAbsScaler": _ESTIMATOR,
                "sklearn.preprocessing.StandardScaler": _ESTIMATOR,
            },
            "py:function": {
                "sklearn.cluster.kmeans_plusplus": _ESTIMATOR,
                "sklearn.set_config": _ESTIMATOR,
                "sklearn.show_versions": _ESTIMATOR,
            },
            "std:label": {"metadata_routing": "metadata_routing.html#metadata-routing"},
            "std:term": {
                "array-like": _TERM,
                "estimator": _TERM,
                "n_jobs": _TERM,
                "random_state": _TERM,
                "sparse matrix": _TERM,
            },
        },
    ),
}
# how the types of parameters in docstrings link, where numpydoc does not know
TYPES = {
    "array-like": ":term:`sklearn:array-like`",
    "sparse matrix": ":term:`sklearn:sparse matrix`",
    "estimator": ":term:`sklearn:estimator`",
    "path-like": ":term:`path-like <python:path-like object>`",
    "OnlineKMeans": "onlinekmeans_sklearn.OnlineKMeans",
    "SemiOnlineKMeans": "onlinekmeans_sklearn.SemiOnlineKMeans",
    "CentersDisplay": "onlinekmeans_sklearn.CentersDisplay",
    "ClusterSizesDisplay": "onlinekmeans_sklearn.ClusterSizesDisplay",
    "OpeningsDisplay": "onlinekmeans_sklearn.OpeningsDisplay",
    "Array": "dask.array.Array",
    "DataFrame": "dask.dataframe.DataFrame",
    "Series": "dask.dataframe.Series",
    "Client": "distributed.Client",
    "Axes": "matplotlib.axes.Axes",
    "Figure": "matplotlib.figure.Figure",
    "Line2D": "matplotlib.lines.Line2D",
    "LineCollection": "matplotlib.collections.LineCollection",
    "PathCollection": "matplotlib.collections.PathCollection",
    "StepPatch": "matplotlib.patches.StepPatch",
}


def page_of(name, page):
    """Return the page of a name, with its place on that page."""
    return page.replace("$", name).replace("%", name.replace(" ", "-"))


def write_inventories(folder):
    """Write an inventory for each project, and return Sphinx's `intersphinx_mapping`."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for project, (address, roles) in PROJECTS.items():
        lines = [
            f"{name} {role} 1 {page_of(name, page)} -\n"
            for role, pages in roles.items()
            for name, page in pages.items()
        ]
        head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
        head += "# The remainder of this file is compressed using zlib.\n"
        path = folder / f"{project}.inv"
        path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
        mapping[project] = (address, str(path))
    return mapping
