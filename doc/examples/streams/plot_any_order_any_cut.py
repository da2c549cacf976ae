"""
Many orders, any batches
========================

The clusters of a stream should not depend on how a program happens to buffer it, and only a
little on the order of the rows. Here the same digits are cut into batches of different
sizes, and then read in four orders.
"""

# %%
# **Any batches.** They have 1, 10 or 100 rows, or all of them. The centers and the cost
# are the same, bit for bit.

import numpy as np
from sklearn.datasets import load_digits

from onlinekmeans_sklearn import OnlineKMeans

X, digit = load_digits(return_X_y=True)
whole = OnlineKMeans(10, random_state=0).fit(X)
for size in [1, 10, 100]:
    model = OnlineKMeans(10, random_state=0)
    for start in range(0, len(X), size):
        model.partial_fit(X[start : start + size])
    same = np.array_equal(model.cluster_centers_, whole.cluster_centers_)
    print(f"{size:3} rows a call: same centers {same}, same cost", end=" ")
    print(model.inertia_ == whole.inertia_)

# %%
# **Four orders.** Each order is read once by ``partial_fit``, 60 rows a call, with five
# random states. Costs are relative to the best of ten runs of ``KMeans``.

from sklearn.cluster import KMeans, MiniBatchKMeans

rng = np.random.RandomState(0)
orders = {
    "as it comes": np.arange(len(X)),
    "shuffled": rng.permutation(len(X)),
    "by digit": np.argsort(digit, kind="stable"),
    "faint to bold": np.argsort(X.sum(axis=1), kind="stable"),
}
best = KMeans(10, n_init=10, random_state=0).fit(X).score(X)


def cost_of_one_pass(model, rows):
    for part in np.array_split(rows, 30):
        model.partial_fit(X[part])
    return model.score(X) / best


costs = {
    learner: np.array(
        [
            [cost_of_one_pass(learner(10, random_state=seed), rows) for seed in range(5)]
            for rows in orders.values()
        ]
    )
    for learner in [MiniBatchKMeans, OnlineKMeans]
}
for learner, values in costs.items():
    print(f"{learner.__name__}: {values.min():.2f} to {values.max():.2f}")

# %%
# A dot is one pass.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
for shift, color, (learner, values) in zip([-0.12, 0.12], ["C1", "C0"], costs.items()):
    x = np.repeat(np.arange(len(orders)) + shift, values.shape[1])
    label = f"{learner.__name__}, one pass"
    ax.plot(x, values.ravel(), "o", color=color, alpha=0.7, label=label)
ax.axhline(1, color="0.5", linestyle="--", label="KMeans, best of ten")
ax.set_xticks(range(len(orders)), [name.replace(" ", "\n", 1) for name in orders])
ax.set(
    title="OnlineKMeans costs about the same in all four orders",
    xlabel="order of the stream",
    ylabel="cost, relative to KMeans",
)
ax.legend()
plt.show()

# %%
# **What to remember**
#
# - How a stream is cut into ``partial_fit`` calls changes nothing at all.
# - Its order changes the clusters, but with ``n_clusters`` hardly their cost.
