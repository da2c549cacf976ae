"""
A stream that comes sorted
==========================

Log files come by date, tables by customer: streams are rarely shuffled. One pass over a
sorted stream misleads :class:`~sklearn.cluster.MiniBatchKMeans`, whose centers are chosen
from the first batch; :class:`~onlinekmeans_sklearn.OnlineKMeans` opens clusters whenever
the data ask for them.
"""

# %%
# Eight groups of points arrive one group after the other, 500 rows at a time.

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs

from onlinekmeans_sklearn import OnlineKMeans

X, group = make_blobs(20_000, centers=8, cluster_std=0.8, random_state=7)
X = X[np.argsort(group, kind="stable")]
batches = np.array_split(X, 40)

# %%
# Both clusterers read each batch once. ``KMeans``, which has all rows at hand, is what
# their costs are compared with: the sum of squared distances to the nearest center.

minibatch = MiniBatchKMeans(8, random_state=0)
online = OnlineKMeans(8, random_state=0)
for batch in batches:
    minibatch.partial_fit(batch)
    online.partial_fit(batch)

best = KMeans(8, n_init=5, random_state=0).fit(X).score(X)
models = {"MiniBatchKMeans": minibatch, "OnlineKMeans": online}
ratios = {name: model.score(X) / best for name, model in models.items()}
for name, ratio in ratios.items():
    print(f"{name}, one pass: {ratio:.2f} times the cost of KMeans")

# %%
# The gray points are the stream, the crosses are the centers.

import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.6), sharex=True, sharey=True)
for ax, (name, model), color in zip(axes, models.items(), ["C1", "C0"]):
    ax.scatter(*X[::10].T, s=3, color="0.6", linewidth=0)
    ax.scatter(*model.cluster_centers_.T, s=130, marker="X", color=color, edgecolor="0.3")
    ax.set(title=f"{name}:\n{ratios[name]:.2f} × the cost of KMeans", xlabel="first feature")
axes[0].set_ylabel("second feature")
plt.show()

# %%
# **What to remember**
#
# - One pass of ``MiniBatchKMeans.partial_fit`` is for shuffled data.
# - ``OnlineKMeans(8)`` reads a sorted stream once and finds the eight groups.
