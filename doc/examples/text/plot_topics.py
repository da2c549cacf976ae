"""
Topics in sparse text
=====================

Texts are rows with thousands of columns, nearly all of them zero. They are clustered as
they are, in CSR, and never made dense; only the five final centers are an array.
"""

# %%
# Three thousand short notes on five topics are made up from lists of words. Most words of a
# note could be from any topic.

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

from onlinekmeans_sklearn import OnlineKMeans

topics = {
    "kitchen": "oven butter flour onion simmer recipe garlic whisk salt dough",
    "sailing": "harbor mast anchor tide keel sail rudder knot deck breeze",
    "astronomy": "comet orbit telescope galaxy lens eclipse nebula planet star dust",
    "garden": "seed compost rose hedge soil prune bulb lawn weed spade",
    "chess": "rook pawn opening bishop endgame clock check gambit queen board",
}
common = "today again better first last after little much then found still long took made"
common = [*common.split(), *(f"word{i}" for i in range(2000))]
rng = np.random.RandomState(0)
names = list(topics)
topic = rng.randint(len(names), size=3000)
notes = [
    " ".join([*rng.choice(topics[names[t]].split(), 4), *rng.choice(common, 8)])
    for t in topic
]
print(notes[0])

# %%
# ``TfidfVectorizer`` makes rows of unit length, for which clusters by distance are clusters
# by cosine.

vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform(notes)
model = OnlineKMeans(5, random_state=0).fit(X)
centers = model.cluster_centers_
print(f"{X.shape[1]} words, {centers.shape[0]} centers")
print(f"agreement with the topics: {adjusted_rand_score(topic, model.predict(X)):.3f}")
words = vectorizer.get_feature_names_out()
for center in centers:
    print("cluster:", *words[np.argsort(-center)[:5]])

# %%
# Each cluster, named by its two heaviest words, holds one topic.

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

shares = np.zeros((5, 5))
np.add.at(shares, (topic, model.predict(X)), 1)
order = shares.argmax(axis=0).argsort(kind="stable")
heaviest = ["\n".join(words[np.argsort(-c)[:2]]) for c in centers[order]]
ink = LinearSegmentedColormap.from_list("ink", [(0.5, 0.5, 0.5, 0.1), "C0"])
fig, ax = plt.subplots(figsize=(6.4, 4))
ax.imshow(shares[:, order], cmap=ink, aspect="auto")
for (row, column), n in np.ndenumerate(shares[:, order].astype(int)):
    ax.text(column, row, n, ha="center", va="center", color="white" if n > 300 else "0.5")
ax.set_xticks(range(5), heaviest)
ax.set_yticks(range(5), names)
ax.set(title="Each cluster is one topic", xlabel="cluster", ylabel="topic of the note")
plt.show()

# %%
# **What to remember**
#
# - Sparse rows are never made dense; only the few merged centers are, as in ``KMeans``.
# - Give the rows unit length to cluster by cosine distance.
