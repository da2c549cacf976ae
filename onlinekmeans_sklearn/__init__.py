"""Online k-means clustering of streams, for scikit-learn."""

from importlib.metadata import version

from ._classifier import ClusterFeaturesClassifier
from ._display.centers import CentersDisplay
from ._display.cluster_sizes import ClusterSizesDisplay
from ._display.openings import OpeningsDisplay
from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from ._regressor import ClusterFeaturesRegressor
from ._show_versions import show_versions
from ._state.checkpoint import load, save

__version__ = version("onlinekmeans_sklearn")
__all__ = [
    "CentersDisplay",
    "ClusterFeaturesClassifier",
    "ClusterFeaturesRegressor",
    "ClusterSizesDisplay",
    "OnlineKMeans",
    "OpeningsDisplay",
    "SemiOnlineKMeans",
    "load",
    "save",
    "show_versions",
]


def __dir__():
    """Return the public names, without the private modules."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
