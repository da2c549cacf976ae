"""
Two moons from 250 means
========================

K-means cannot find two moons, and single linkage, which can, needs the distances of all
pairs of rows. One pass turns the rows into some 250 means, few enough for single linkage.
"""

# %%
# Twenty thousand points have 200 million pairs.

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from onlinekmeans_sklearn import OnlineKMeans

X, moon = make_moons(20_000, noise=0.06, random_state=0)

# %%
# With ``centers="means"`` the centers are the means of the clusters instead of the samples
# that opened them, so they lie in the middle of their points. Each point then belongs to
# the moon of its nearest mean.

model = OnlineKMeans(k=250, centers="means", random_state=0).fit(X)
linkage = AgglomerativeClustering(2, linkage="single").fit(model.cluster_centers_)
found = linkage.labels_[model.predict(X)]
kmeans = KMeans(2, random_state=0).fit(X)

print(f"{model.n_clusters_} means")
print(f"single linkage of the means: agreement {adjusted_rand_score(moon, found):.3f}")
print(
    f"KMeans with two clusters: agreement {adjusted_rand_score(moon, kmeans.labels_):.3f}"
)

# %%
# The points in the colors of the clusters found, and the means.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
colors = np.array(["C0", "C1"])
ax.scatter(*X[::4].T, s=4, c=colors[found[::4]], alpha=0.35, linewidth=0)
ax.scatter(*model.cluster_centers_.T, s=18, c=colors[linkage.labels_], edgecolor="0.3")
ax.set(
    title=f"Single linkage of {model.n_clusters_} means finds the moons",
    xlabel="first feature",
    ylabel="second feature",
    aspect="equal",
)
plt.show()

# %%
# **What to remember**
#
# - One pass shrinks a stream to means that slower methods can work on.
# - ``centers="means"`` summarizes the data; the default keeps the samples that opened
#   clusters.
