"""Online k-means clustering of streams, for scikit-learn."""

from importlib.metadata import version

from ._classifier import ClusterFeaturesClassifier
from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans

__version__ = version("onlinekmeans_sklearn")
__all__ = ["ClusterFeaturesClassifier", "OnlineKMeans", "SemiOnlineKMeans"]
