"""Online k-means clustering of streams, for scikit-learn."""

from importlib.metadata import version

from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans

__version__ = version("onlinekmeans_sklearn")
__all__ = ["OnlineKMeans", "SemiOnlineKMeans"]
