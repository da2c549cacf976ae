"""
A sorted stream
===============

Log files come by date, tables by customer: streams are rarely shuffled. One pass over a
sorted stream misleads :class:`~sklearn.cluster.MiniBatchKMeans`, whose centers are chosen
from the first batch; :class:`~onlinekmeans_sklearn.OnlineKMeans` opens more clusters as
new groups arrive, unless they are small, and merges all clusters at the end.
"""

# %%
# Eight groups of points on a circle arrive one after the other, 500 rows at a time.

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs

from onlinekmeans_sklearn import OnlineKMeans

angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
circle = 5 * np.column_stack([np.cos(angle), np.sin(angle)])
X, group = make_blobs(20_000, centers=circle, cluster_std=0.7, random_state=0)
X = X[np.argsort(group, kind="stable")]
batches = np.array_split(X, 40)

# %%
# Both clusterers read each batch once. Their costs, the sums of squared distances to the
# nearest center, are compared with ``KMeans`` on all rows.

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
    ax.set(
        title=f"{name}:\n{ratios[name]:.1f} times the cost",
        xlabel="first feature",
        aspect="equal",
    )
axes[0].set_ylabel("second feature")
plt.show()

# %%
# **What to remember**
#
# - ``MiniBatchKMeans.partial_fit`` needs shuffled rows.
# - ``OnlineKMeans(8)`` reads a sorted stream once and finds the eight groups.
