"""
How many clusters will open
===========================

``k`` is the number of clusters to aim at, not a bound: how many open depends on the data.
Here is how close that number comes to ``k`` on five streams, and when clusters open.
"""

# %%
# Five streams: two with groups, one of them sorted; one without any; handwritten digits;
# and the colors of a photograph, from top to bottom.

import numpy as np
from sklearn.datasets import load_digits, load_sample_image, make_blobs

from onlinekmeans_sklearn import OnlineKMeans, OpeningsDisplay

blobs, group = make_blobs(20_000, n_features=5, centers=20, random_state=0)
streams = {
    "20 groups, shuffled": blobs,
    "20 groups, sorted": blobs[np.argsort(group, kind="stable")],
    "no groups": np.random.RandomState(0).normal(size=(20_000, 5)),
    "digits": load_digits().data,
    "photograph": load_sample_image("china.jpg").reshape(-1, 3)[::10] / 255,
}

# %%
# Each is read once for each ``k``, and the clusters are counted.

targets = [25, 50, 100, 200, 400]
opened = {
    name: [OnlineKMeans(k=k, random_state=0).fit(X).n_clusters_ for k in targets]
    for name, X in streams.items()
}
print("aimed at:", targets)
for name, counts in opened.items():
    print(f"{name}: {counts}")

# %%
# In the gray band, the clusters opened are half to twice as many as aimed at.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 4))
ends = np.array([targets[0], targets[-1]])
ax.fill_between(ends, ends / 2, ends * 2, color="0.5", alpha=0.15, linewidth=0)
ax.plot(ends, ends, color="0.5", linestyle="--", label="as many as k")
for marker, (name, counts) in zip("osD^v", opened.items()):
    ax.plot(targets, counts, marker=marker, label=name)
ax.set(
    xscale="log",
    yscale="log",
    title="About k clusters open, more or fewer with the data",
    xlabel="k, the number aimed at",
    ylabel="clusters opened",
)
ax.set_xticks(targets, targets)
ax.set_yticks([25, 50, 100, 200, 400], [25, 50, 100, 200, 400])
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# :class:`~onlinekmeans_sklearn.OpeningsDisplay` shows when a stream opened its clusters:
# many of them early, when opening is cheap; each phase makes it ten times more expensive.

model = OnlineKMeans(k=100, random_state=0).fit(streams["photograph"])
display = OpeningsDisplay.from_estimator(
    model,
    log_x=False,
    color="C0",
    cost_kw={"color": "C1"},
    phase_kw={"color": "0.5", "alpha": 0.4},
)
display.ax_.set_title("Clusters open quickly at first, then rarely")
display.cost_ax_.tick_params(labelsize="large")  # so that exponents can be read
plt.show()

# %%
# **What to remember**
#
# - Expect about ``k`` clusters, not exactly; ``max_clusters`` is a hard bound.
# - For an exact number pass ``n_clusters``, as in ``KMeans``.
