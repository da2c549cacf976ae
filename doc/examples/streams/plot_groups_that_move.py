"""
Groups that move
================

Customers change their habits, machines wear out, and what was learned last month is wrong
today. With ``half_life`` old rows count less and less, so that
:class:`~onlinekmeans_sklearn.OnlineKMeans` follows groups that move; without it, clusters
stay where most rows have been.
"""

# %%
# Four groups move along a circle. Within 500 rows they hardly move; from the first row to
# the last, a fifth of the circle.

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from onlinekmeans_sklearn import OnlineKMeans

rng = np.random.RandomState(0)
n = 40_500
angle = np.pi / 2 * rng.randint(4, size=n) + np.linspace(0, 0.4 * np.pi, n)
X = 4 * np.column_stack([np.cos(angle), np.sin(angle)])
X += rng.normal(scale=0.35, size=X.shape)
batches = np.split(X, 81)

# %%
# Three models read each batch once. With a half-life of 1,000 rows, two batches, a row
# counts half after two further batches, a quarter after four, and so on. Now and then the
# models are judged by the *next* batch, before they read it: their cost is compared with
# that of ``KMeans`` fitted to this batch itself.

models = {
    "MiniBatchKMeans": MiniBatchKMeans(4, random_state=0),
    "OnlineKMeans": OnlineKMeans(4, random_state=0),
    "OnlineKMeans,\nhalf_life=1000": OnlineKMeans(4, half_life=1000, random_state=0),
}
times = [10, 40, 80]
centers, costs = {}, {}
for time, batch in enumerate(batches):
    if time in times:
        best = KMeans(4, n_init=3, random_state=0).fit(batch).score(batch)
        for name, model in models.items():
            centers[name, time] = model.cluster_centers_.copy()
            costs[name, time] = model.score(batch) / best
    for model in models.values():
        model.partial_fit(batch)
for name in models:
    print(f"{' '.join(name.split())}: {costs[name, 80]:.1f} times the lowest cost")

# %%
# Each row of pictures is one model; time runs from left to right.

import matplotlib.pyplot as plt

fig, axes = plt.subplots(3, 3, figsize=(6.4, 7.2), sharex=True, sharey=True)
for row, name, color in zip(axes, models, ["C1", "C4", "C0"]):
    for ax, time in zip(row, times):
        old, new = X[: 500 * time : 20], batches[time]
        ax.scatter(*old.T, s=3, color="0.5", alpha=0.2, linewidth=0, label="rows so far")
        ax.scatter(*new.T, s=4, color="0.5", linewidth=0, label="next rows")
        style = {"marker": "X", "edgecolor": "0.3", "label": "centers"}
        ax.scatter(*centers[name, time].T, s=90, color=color, **style)
        ax.set_title(f"cost {costs[name, time]:.1f}", fontsize=12, color=color)
        ax.set(aspect="equal", xticks=[], yticks=[])
    row[0].set_ylabel(name, color=color)
for ax, time in zip(axes[-1], times):
    ax.set_xlabel(f"after {500 * time:,} rows")
fig.suptitle("With a half-life, clusters follow groups that move")
handles, _ = ax.get_legend_handles_labels()
cost = "cost: of the next rows, relative to the lowest"
legend = fig.legend(handles=handles, loc="outside lower center", ncols=3, title=cost)
for handle in legend.legend_handles[:2]:
    handle.set_sizes([30])
plt.show()

# %%
# **What to remember**
#
# - With ``half_life`` clusters follow the stream; choose it as the number of rows in which
#   the groups hardly move.
# - Without it every row counts the same, however old, and clusters lag behind.
