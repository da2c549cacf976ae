"""
Topics that come in turn
========================

News, tickets and chats move from topic to topic. Their embeddings, rows of unit length,
are a hard stream: all topics are about equally far from each other, and late ones may end
up in the clusters of others. One setting finds all twelve.
"""

# %%
# Twelve topics are directions of 128 features, and a text is its topic plus as much noise.
# First come 500 texts of one topic, then 500 of the next, and so on.

import numpy as np
from sklearn.metrics import homogeneity_score
from sklearn.preprocessing import normalize

from onlinekmeans_sklearn import OnlineKMeans

rng = np.random.RandomState(0)
topic = np.repeat(np.arange(12), 500)
directions = normalize(rng.normal(size=(12, 128)))
noise = rng.normal(size=(len(topic), 128)) / np.sqrt(128)
X = normalize(directions[topic] + noise)

# %%
# With three settings in turn, every text gets a cluster as it arrives. A cluster stands for
# the topic that most of its texts have. Homogeneity is 1 if no cluster mixes topics.

settings = {
    "k=50": {"k": 50},
    "k=50, half_life=500": {"k": 50, "half_life": 500},
    "n_clusters=12": {"n_clusters": 12},
}
found = {}
for name, params in settings.items():
    labels = OnlineKMeans(**params, random_state=0).fit_predict(X)
    sizes = np.zeros((labels.max() + 1, 12))
    np.add.at(sizes, (labels, topic), 1)
    found[name] = sizes.argmax(axis=1)[labels]
    print(f"{name}: homogeneity {homogeneity_score(topic, labels):.2f}")

# %%
# Each stripe is the stream from left to right, in a color for each topic. Where its color
# differs from that of the stripe at the top, texts were put among those of another topic.

import matplotlib.pyplot as plt

fig, axes = plt.subplots(4, 1, figsize=(6.4, 4.2), sharex=True)
for ax, (name, topics) in zip(axes, {"the topics": topic, **found}.items()):
    share = f": {(topics == topic).mean():.0%} right" if name in found else ""
    ax.imshow(topics[None, ::5], cmap="tab20", vmin=0, vmax=19, aspect="auto")
    ax.set_title(name + share, fontsize=12)
    ax.set(yticks=[], xticks=[])
axes[-1].set_xlabel("order of arrival")
fig.suptitle("n_clusters finds topics that come in turn")
plt.show()

# %%
# **What to remember**
#
# - For topics among embeddings use ``n_clusters``: many small clusters are kept until the
#   end, and then merged.
# - If clusters must keep their ids, use a larger ``k``, or a ``half_life`` about as long as
#   a topic.
