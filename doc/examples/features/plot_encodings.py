"""
One-hot, distance or triangle features
======================================

``encode`` says what ``transform`` makes of a sample: which cluster it is in, how far all
centers are, or how much nearer than average each is. How much a linear classifier gains
depends on this and on the number of clusters.
"""

# %%
# Handwritten digits, and a linear classifier that sees nothing but cluster features.

from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from onlinekmeans_sklearn import OnlineKMeans

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, test_size=0.5, random_state=0
)

# %%
# The same clusters in three encodings, from few clusters to many.

numbers = [25, 50, 100, 200, 400]
encodings = ["triangle", "distance", "onehot"]
raw = RidgeClassifier().fit(X_train, y_train).score(X_test, y_test)
print(f"raw features: {raw:.3f}")
accuracy = {}
for encode in encodings:
    accuracy[encode] = []
    for k in numbers:
        clusters = OnlineKMeans(k=k, encode=encode, random_state=0)
        model = make_pipeline(clusters, RidgeClassifier()).fit(X_train, y_train)
        accuracy[encode].append((clusters.n_clusters_, model.score(X_test, y_test)))
    print(
        encode, *(f"{n} clusters: {score:.3f}" for n, score in accuracy[encode]), sep="\n  "
    )

# %%
# The dashed line is the same classifier on the 64 pixels.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
for marker, (encode, points) in zip("osD", accuracy.items()):
    ax.plot(*zip(*points), marker=marker, label=f'encode="{encode}"')
ax.axhline(raw, color="0.5", linestyle="--", label="raw pixels")
ax.set(
    title="Cluster features beat raw pixels,\nbut few one-hot clusters do not",
    xlabel="clusters opened",
    ylabel="accuracy on unseen digits",
)
ax.legend()
plt.show()

# %%
# **What to remember**
#
# - ``"triangle"`` and ``"distance"`` do better with few clusters; ``"onehot"`` is sparse.
# - Few one-hot clusters are worse than raw features: add them, do not replace the raw ones.
