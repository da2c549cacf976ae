"""Displays of a fitted estimator, in the manner of scikit-learn's.

matplotlib is imported when something is plotted, not before.
"""

from .centers import CentersDisplay
from .cluster_sizes import ClusterSizesDisplay
from .openings import OpeningsDisplay

__all__ = ["CentersDisplay", "ClusterSizesDisplay", "OpeningsDisplay"]
