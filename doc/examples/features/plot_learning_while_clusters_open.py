"""
Learning while clusters open
============================

On a stream the clusters and the classifier have to learn at the same time.
:class:`~onlinekmeans_sklearn.ClusterFeaturesClassifier` teaches both, batch by batch:
whenever a cluster opens, the classifier gets one more feature.
"""

# %%
# A chessboard of four by four squares, which no line can separate, arrives 50 samples at
# a time.

import numpy as np
from sklearn.linear_model import SGDClassifier

from onlinekmeans_sklearn import ClusterFeaturesClassifier, OnlineKMeans

rng = np.random.RandomState(0)
X = rng.uniform(-2, 2, size=(10_000, 2))
y = np.floor(X).astype(int).sum(axis=1) % 2
batches = np.array_split(np.arange(len(X)), 200)

# %%
# Every batch is predicted first, then learned.

alone = SGDClassifier(random_state=0)
clusters = ClusterFeaturesClassifier(
    SGDClassifier(random_state=0), OnlineKMeans(k=200, random_state=0)
)
correct = {"linear model alone": [], "with cluster features": []}
n_clusters = []
for batch in batches:
    for model, hits in zip([alone, clusters], correct.values()):
        if hasattr(model, "classes_"):
            hits.append(model.score(X[batch], y[batch]))
        model.partial_fit(X[batch], y[batch], classes=[0, 1])
    n_clusters.append(clusters.clusterer_.n_clusters_)
for name, hits in correct.items():
    print(f"{name}: {np.mean(hits[-40:]):.1%} of the last 2,000 samples correct")
print(f"{n_clusters[-1]} clusters")

# %%
# The accuracy is averaged over the last ten batches.

import matplotlib.pyplot as plt

fig, (top, bottom) = plt.subplots(
    2, 1, figsize=(6.4, 4.6), sharex=True, height_ratios=[3, 2]
)
read = 50 * np.arange(11, 201)
for color, (name, hits) in zip(["C1", "C0"], correct.items()):
    top.plot(
        read, np.convolve(hits, np.ones(10) / 10, mode="valid"), color=color, label=name
    )
bottom.plot(50 * np.arange(1, 201), n_clusters, color="C2")
top.set(title="The classifier learns while its features grow", ylabel="share correct")
top.set(ylim=(0.4, 1))
top.legend(loc="lower right", bbox_to_anchor=(1, 0.15))
bottom.set(xlabel="samples read", ylabel="clusters")
plt.show()

# %%
# **What to remember**
#
# - ``partial_fit`` teaches the clusters first, then the classifier.
# - New clusters start with weight 0, so what was learned before stays.
