"""
One-hot, distance, triangle or local
====================================

``encode`` says what ``transform`` makes of a sample: which cluster it is in, how far all
centers are, how much nearer than average each is, or the columns for a plane in each
cluster. How much a linear classifier gains depends on this and on the number of clusters.
"""

# %%
# Handwritten digits, and a linear classifier that sees the pixels and the clusters.

from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer

from onlinekmeans_sklearn import OnlineKMeans

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, test_size=0.5, random_state=0
)

# %%
# Four encodings, from few columns to many. A local cluster takes 65 columns, one for each
# pixel and one more; all columns together should be fewer than a third of the samples.

numbers = {encode: [10, 25, 50, 100, 200] for encode in ("triangle", "distance", "onehot")}
numbers["local"] = [1, 2, 3, 4]
raw = RidgeClassifier().fit(X_train, y_train).score(X_test, y_test)
print(f"raw features: {raw:.3f}")
accuracy = {}
for encode, n_clusters in numbers.items():
    accuracy[encode] = []
    for n in n_clusters:
        clusters = OnlineKMeans(n, encode=encode, random_state=0)
        features = make_union(FunctionTransformer(), clusters)
        model = make_pipeline(features, RidgeClassifier()).fit(X_train, y_train)
        columns = clusters.transform(X_test[:1]).shape[1]
        accuracy[encode].append((columns, model.score(X_test, y_test)))
    print(
        encode, *(f"{n} columns: {share:.3f}" for n, share in accuracy[encode]), sep="\n  "
    )

# %%
# The dashed line is the same classifier on the 64 pixels alone.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
for marker, (encode, points) in zip("osD^", accuracy.items()):
    ax.plot(*zip(*points), marker=marker, label=f'encode="{encode}"')
ax.axhline(raw, color="0.5", linestyle="--", label="raw pixels")
ax.set(
    title="Clusters beside the pixels help,\nbut ten one-hot clusters mislead",
    xlabel="columns beside the 64 pixels",
    ylabel="accuracy on unseen digits",
    ylim=(0.87, None),
)
ax.legend(loc="lower right", ncols=2)
plt.show()

# %%
# **What to remember**
#
# - Add cluster features to the raw ones, and do not take too few: one per class misleads.
# - ``"onehot"`` and ``"local"`` are sparse: many columns, but few non-zeros per sample.
