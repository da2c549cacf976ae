"""
Near-duplicates, one document at a time
=======================================

Is this text nearly the same as an earlier one? A clusterer that opens a cluster for each
new text, and gives the distance to the nearest one at once, can tell while the stream runs.
"""

# %%
# Six hundred made-up texts of 30 words. Three in ten are copies of an earlier text in which
# up to six words were replaced.

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from onlinekmeans_sklearn import SemiOnlineKMeans

rng = np.random.RandomState(0)
vocabulary = np.array([f"word{i}" for i in range(3000)])
texts, is_copy = [], []
for i in range(600):
    is_copy.append(i > 0 and rng.uniform() < 0.3)
    if is_copy[-1]:
        text = texts[rng.randint(i)].copy()
        changed = rng.choice(30, rng.randint(7), replace=False)
        text[changed] = rng.choice(vocabulary, len(changed))
    else:
        text = rng.choice(vocabulary, 30)
    texts.append(text)
is_copy = np.array(is_copy)

# %%
# A text opens a cluster with probability squared distance / opening cost.
# :class:`~onlinekmeans_sklearn.SemiOnlineKMeans` lets us choose that cost: 2, the squared
# distance between texts without a common word. With a large ``k`` it stays there.

n, opening_cost = len(texts), 2.0
model = SemiOnlineKMeans(
    k=n, lower_bound=opening_cost * n * np.log2(n), n_samples=n, random_state=0
)
vectorizer = HashingVectorizer(n_features=2**14, alternate_sign=False)
distances = np.full(n, np.nan)
for i, text in enumerate(texts):
    model.partial_fit_predict(vectorizer.transform([" ".join(text)]))
    if model.opened_at_[-1] != i:  # it joined a cluster
        distances[i] = model.online_distances_[0]

found = distances < 1  # False for those that opened one
share = f"{(found & is_copy).sum()} of {is_copy.sum()}"
print(f"{share} copies found")
print(f"{(found & ~is_copy).sum()} of {(~is_copy).sum()} new texts taken for copies")

# %%
# New texts that join a cluster are far from it, so the distance tells them from copies.
# Nearly all copies that are missed opened clusters of their own.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
bins = np.linspace(0, 1.5, 31)
both = [distances[is_copy], distances[~is_copy]]
ax.hist(both, bins, stacked=True, color=["C0", "C1"], label=["copies", "new texts"])
ax.set(
    title=f"{share} near-duplicates found as they came",
    xlabel="distance to the earlier text",
    ylabel="texts that joined a cluster",
)
ax.legend(loc="upper center", bbox_to_anchor=(0.68, 1))
plt.show()

# %%
# **What to remember**
#
# - ``online_distances_`` has the distance of each sample to its cluster at arrival.
# - Joined and near: a copy. Joined and far, or opened a cluster: new.
