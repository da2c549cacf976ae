"""
A line that bends
=================

A linear classifier cannot separate two rings. Given the cluster of each sample as one-hot
features, it can: it learns a constant for every cluster.
"""

# %%
# Two noisy rings.

import numpy as np
from sklearn.datasets import make_circles
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from onlinekmeans_sklearn import OnlineKMeans

X, y = make_circles(4000, factor=0.5, noise=0.1, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# The pipeline puts the clusters beside the raw features.

raw = make_pipeline(StandardScaler(), SGDClassifier(random_state=0))
with_clusters = make_pipeline(
    StandardScaler(),
    make_union(FunctionTransformer(), OnlineKMeans(k=100, random_state=0)),
    SGDClassifier(random_state=0),
)
models = {"raw features": raw, "raw + clusters": with_clusters}
accuracy = {
    name: model.fit(X_train, y_train).score(X_test, y_test)
    for name, model in models.items()
}
for name, share in accuracy.items():
    print(f"{name}: {share:.1%} correct")

# %%
# The regions in which each model predicts one class or the other.

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

side = np.linspace(-1.5, 1.5, 200)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
colors = ListedColormap(["C1", "C0"])
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.8), sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    region = model.predict(grid).reshape(200, 200)
    ax.pcolormesh(side, side, region, cmap=colors, alpha=0.3, rasterized=True)
    ax.scatter(*X_test.T, s=4, c=y_test, cmap=colors, linewidth=0)
    title = f"A line on {name}:\n{accuracy[name]:.0%} correct"
    ax.set(title=title, xlabel="first feature", aspect="equal")
axes[0].set_ylabel("second feature")
plt.show()

# %%
# **What to remember**
#
# - One-hot clusters let a linear model bend its line around such shapes.
# - Scale the features first, as for every clustering by distance.
