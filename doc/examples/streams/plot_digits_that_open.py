"""
Which digits open a cluster
===========================

A sample opens a cluster with a probability that grows with its distance from all centers
so far. So the centers are samples that you can look at, and ``opened_at_`` says which.
"""

# %%
# The 1,797 handwritten digits of scikit-learn are read once. ``partial_fit_predict``
# returns the cluster of each sample at once, before the next batch is known.

import numpy as np
from sklearn.datasets import load_digits

from onlinekmeans_sklearn import OnlineKMeans

digits = load_digits()
model = OnlineKMeans(k=100, random_state=0)
labels = [model.partial_fit_predict(batch) for batch in np.array_split(digits.data, 20)]
labels = np.concatenate(labels)
print(f"{model.n_clusters_} of {model.n_samples_seen_} digits opened a cluster")

# %%
# At first opening is cheap, and each phase makes it ten times more expensive: soon only few
# digits open a cluster, most likely those far from all centers. The rows that did:

print("rows:", model.opened_at_)
print("rows read before each phase:", model.phase_starts_)

# %%
# The centers are those rows of the data, unchanged.

assert np.array_equal(model.cluster_centers_, digits.data[model.opened_at_])

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

ink = LinearSegmentedColormap.from_list("ink", [(0.5, 0.5, 0.5, 0.1), "C0"])
fig, axes = plt.subplots(4, 8, figsize=(6.4, 4.4))
shown = [*model.opened_at_[:16], *model.opened_at_[-16:]]
for ax, row in zip(axes.flat, shown):
    ax.imshow(digits.images[row], cmap=ink)
    ax.set(xticks=[], yticks=[], xlabel=f"{row + 1:,}")
    ax.spines[:].set_visible(False)
axes[0, 0].set_ylabel("first 16", loc="top")
axes[2, 0].set_ylabel("last 16", loc="top")
fig.suptitle("At first every digit opens a cluster, later hardly any does")
fig.supxlabel("position in the stream")
plt.show()

# %%
# **What to remember**
#
# - ``opened_at_`` has the position of the sample that opened each cluster.
# - A cluster's number never changes its meaning, whatever comes later.
