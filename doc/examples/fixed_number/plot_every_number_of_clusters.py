"""
One pass, every number of clusters
==================================

An elbow plot usually means reading the data again for each number of clusters. Here the
data are read once: the online clusters are merged into 1, 2, 3, ... clusters afterwards.
"""

# %%
# Fifty thousand points in seven groups.

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from onlinekmeans_sklearn import OnlineKMeans

X, _ = make_blobs(50_000, n_features=10, centers=7, cluster_std=2, random_state=0)

# %%
# ``partial_fit`` without rows repeats only the last step, the merge, with the new
# ``n_clusters``. ``inertia_`` is exact: it comes from sums kept during the pass.

numbers = range(1, 15)
start = time.perf_counter()
model = OnlineKMeans(max(numbers), random_state=0).fit(X)
costs = [model.set_params(n_clusters=n).partial_fit().inertia_ for n in numbers]
one_pass = time.perf_counter() - start

start = time.perf_counter()
again = [KMeans(n, random_state=0).fit(X).inertia_ for n in numbers]
many_passes = time.perf_counter() - start
print(f"one pass and 14 merges: {one_pass:.1f} s")
print(f"KMeans 14 times: {many_passes:.1f} s")

# %%
# Both curves bend at seven.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
many = "KMeans, fitted again for each number"
ax.plot(
    numbers, np.divide(again, again[0]), "s-", color="0.5", ms=11, mfc="none", label=many
)
ax.plot(
    numbers, np.divide(costs, again[0]), "o", color="C0", label="OnlineKMeans, read once"
)
ax.annotate(
    "seven groups",
    (7, costs[6] / again[0] + 0.04),
    (7, 0.4),
    color="C1",
    ha="center",
    arrowprops={"arrowstyle": "->", "color": "C1"},
)
ax.set(
    title="One pass gives the whole elbow",
    xlabel="number of clusters",
    ylabel="cost, relative to one cluster",
    ylim=(0, None),
)
ax.legend()
plt.show()

# %%
# **What to remember**
#
# - ``model.set_params(n_clusters=n).partial_fit()`` needs no data.
# - Fit with the largest number in mind, so that enough online clusters open to merge.
