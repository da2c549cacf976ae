"""
Near-duplicates, one document at a time
=======================================

Is this text nearly the same as one that came before? A clusterer that opens a cluster for
each new text, and tells the distance to the nearest at once, answers while the stream runs.
"""

# %%
# A thousand made-up texts of 30 words. Three in ten are copies of an earlier text in which
# up to six words were replaced.

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from onlinekmeans_sklearn import SemiOnlineKMeans

rng = np.random.RandomState(0)
vocabulary = np.array([f"word{i}" for i in range(3000)])
texts, is_copy = [], []
for i in range(1000):
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
# :class:`~onlinekmeans_sklearn.SemiOnlineKMeans` lets us set what opening a cluster costs: a
# squared distance of 1, between that of copies, up to about 0.4, and that of texts with
# nothing in common, 2. With ``k`` as large as the stream the cost stays there.

n, opening_cost = len(texts), 1.0
model = SemiOnlineKMeans(
    k=n, lower_bound=opening_cost * n * np.log2(n), n_samples=n, random_state=0
)
vectorizer = HashingVectorizer(alternate_sign=False)
distances = np.full(n, np.nan)
for i, text in enumerate(texts):
    model.partial_fit_predict(vectorizer.transform([" ".join(text)]))
    if model.opened_at_[-1] != i:  # it joined a cluster
        distances[i] = model.online_distances_[0]

joined = ~np.isnan(distances)
print(f"{(joined & is_copy).sum()} of {is_copy.sum()} copies joined a cluster")
print(f"{(joined & ~is_copy).sum()} of {(~is_copy).sum()} new texts did")

# %%
# A copy that does not join opens a cluster of its own, with a probability of its squared
# distance over the opening cost: those are missed.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
ax.hist(distances[joined & is_copy], bins=np.arange(0, 1.2, 0.05), color="C0")
ax.set(
    title=f"{(joined & is_copy).sum()} of {is_copy.sum()} near-duplicates found as they came,\n"
    f"{(joined & ~is_copy).sum()} false alarms",
    xlabel="distance to the earlier text",
    ylabel="texts that joined a cluster",
)
plt.show()

# %%
# **What to remember**
#
# - ``online_distances_`` has the distance of each sample to its cluster at arrival.
# - The opening cost is the squared distance at which a text is surely new.
