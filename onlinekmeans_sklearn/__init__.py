"""Online k-means clustering of streams, for scikit-learn."""

from importlib.metadata import version

from ._checkpoint import load, save
from ._classifier import ClusterFeaturesClassifier
from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from ._plotting import CentersDisplay, ClusterSizesDisplay, OpeningsDisplay

__version__ = version("onlinekmeans_sklearn")
__all__ = [
    "CentersDisplay",
    "ClusterFeaturesClassifier",
    "ClusterSizesDisplay",
    "OnlineKMeans",
    "OpeningsDisplay",
    "SemiOnlineKMeans",
    "load",
    "save",
]
