"""
A plane in every cluster
========================

``encode="local"`` gives a linear model a plane of its own in every cluster, softly joined
with those of neighboring clusters. One-hot features give it only a constant there. With the
same number of columns, planes follow a curved boundary far more closely.
"""

# %%
# Two spirals wind around each other: no line separates them.

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from onlinekmeans_sklearn import OnlineKMeans

X = np.random.RandomState(0).uniform(-1, 1, size=(8000, 2))


def spiral(X):
    """Return which spiral a point is on."""
    turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + 1.5 * np.hypot(*X.T)
    return (turns % 1 < 0.5).astype(int)


y = spiral(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# 90 columns each, beside the raw features: 90 one-hot clusters, or 30 clusters with three
# columns each, a constant and two slopes.


def linear_model(*features):
    """Return a pipeline of a linear model on raw features and others."""
    union = make_union(FunctionTransformer(), *features)
    return make_pipeline(StandardScaler(), union, SGDClassifier(random_state=0))


models = {
    "raw": linear_model(),
    "one-hot": linear_model(OnlineKMeans(90, random_state=0)),
    "local": linear_model(OnlineKMeans(30, encode="local", random_state=0)),
}
accuracy = {
    name: model.fit(X_train, y_train).score(X_test, y_test)
    for name, model in models.items()
}
for name, share in accuracy.items():
    print(f"{name}: {share:.1%} correct")

# %%
# The regions in which each model predicts one class or the other. The gray line is the true
# boundary.

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

side = np.linspace(-1, 1, 250)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
colors = ListedColormap(["C1", "C0"])
fig, axes = plt.subplots(1, 3, figsize=(6.4, 2.9), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items()):
    region = model.predict(grid).reshape(len(side), len(side))
    ax.pcolormesh(side, side, region, cmap=colors, alpha=0.6, rasterized=True)
    truth = spiral(grid).reshape(region.shape)
    ax.contour(side, side, truth, levels=[0.5], colors="0.5", linewidths=1)
    ax.set(title=f"{name}:\n{accuracy[name]:.0%} correct", aspect="equal")
    ax.set_xlabel("first feature")
axes[0].set_ylabel("second feature")
plt.show()

# %%
# **What to remember**
#
# - One-hot clusters are flat, so their boundary has corners; planes are joined smoothly.
# - A cluster takes one column for each feature and one more: fewer clusters go further.
