"""
Yesterday 25 clusters, today 28: which is which?
================================================

A report shows 25 clusters of customers, and today there should be 28. A new clustering has
new numbers, and nobody knows which is which. With
:class:`~onlinekmeans_sklearn.OnlineKMeans` the online clusters link old and new numbers,
since their own ids never change.
"""

# %%
# Yesterday's customers came in three batches, in the end from 25 groups, and somebody
# looked at the clusters after each batch. Today there are three new groups, at the right.

import numpy as np

from onlinekmeans_sklearn import OnlineKMeans

rng = np.random.RandomState(0)
column, row = np.divmod(np.arange(30), 5)
places = np.column_stack([column, row]) + rng.uniform(-0.2, 0.2, size=(30, 2))


def customers(groups, n):
    """Return n customers of these groups."""
    return places[rng.choice(groups, size=n)] + 0.1 * rng.normal(size=(n, 2))


groups = rng.permutation(25)
model = OnlineKMeans(25, random_state=0)
for n_groups in (10, 20, 25):
    day_1 = customers(groups[:n_groups], 10_000)
    model.partial_fit(day_1).predict(day_1)
yesterday = model.online_to_merged_
centers = model.cluster_centers_
n_seen = model.n_samples_seen_

# %%
# As long as the number stays the same there is nothing to match: merged clusters keep their
# ids from look to look. Since 25 clusters have to do for 28 groups now, some groups have to
# share one, and a few ids are free for the new groups. ``merged_since_`` tells which.

day_2 = customers([*groups, 25, 27, 29], 20_000)
model.partial_fit(day_2)
changed = np.flatnonzero(model.merged_since_ > n_seen)
print(f"{25 - len(changed)} of 25 ids mean what they meant yesterday")
print(f"ids that mean something else since today: {changed}")

# %%
# Now 28. ``partial_fit()`` without rows merges the online clusters once more, and the
# numbers start afresh. But each online cluster was part of one of yesterday's clusters and
# is part of one of today's: its weight links the two. A cluster of today is new if most of
# its weight is in online clusters that opened today.

today = model.set_params(n_clusters=28).partial_fit().online_to_merged_
n_old = len(yesterday)  # online clusters of yesterday, which come first
weight = np.zeros((25, 28))
np.add.at(weight, (yesterday, today[:n_old]), model.counts_[:n_old])

share = weight.sum(axis=0) / np.bincount(today, model.counts_)
is_new = share < 0.5
was = weight.argmax(axis=0)
found = was[~is_new]
print(f"{len(np.unique(found))} of yesterday's clusters are found again")
print(f"{np.sum(found != np.flatnonzero(~is_new))} of them have another number today")
print(f"new today: {np.flatnonzero(is_new)}")

# %%
# Each of yesterday's clusters is found again; the three others are new.

import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(6.4, 4.2), sharex=True, sharey=True)
panels = [
    ("Yesterday: 25", day_1, centers, range(25), np.zeros(25, dtype=bool)),
    ("Today: 28, by yesterday's ids", day_2, model.cluster_centers_, was, is_new),
]
for ax, (title, rows, places, ids, orange) in zip(axes, panels):
    ax.scatter(*rows[::8].T, s=2, color="0.5", alpha=0.3, linewidth=0)
    for place, number, unknown in zip(places, ids, orange):
        style = {"color": "C1" if unknown else "C0", "weight": "bold"}
        ax.text(*place, "new" if unknown else number, ha="center", va="center", **style)
    ax.set_title(title, fontsize=12)
    ax.set(xlabel="first feature", aspect="equal", xticks=[], yticks=[])
axes[0].set_ylabel("second feature")
plt.show()

# %%
# **What to remember**
#
# - With the same ``n_clusters`` ids last; ``merged_since_`` tells which got a new meaning.
# - With a different one, ``online_to_merged_`` of both days, weighted by ``counts_``, tells
#   which is which. :doc:`/guide/fixed_number` says how it works.
