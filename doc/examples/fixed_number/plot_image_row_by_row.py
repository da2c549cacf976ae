"""
An image, row by row
====================

A photograph is read once, from its top row to its bottom row, and 16 colors are learned on
the way. It is a sorted stream in disguise, first the sky, then the roofs and the trees:
what is learned at the top must not spoil what comes below.
"""

# %%
# The photograph comes with scikit-learn: *china.jpg*, by danielbuechele on Flickr, licensed
# under CC BY 2.0.

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import load_sample_image

from onlinekmeans_sklearn import OnlineKMeans

image = load_sample_image("china.jpg") / 255
pixels = image.reshape(-1, 3)
print(f"{image.shape[0]} rows of {image.shape[1]} pixels")

# %%
# Both clusterers read each row once. Their costs, the sums of squared distances to the
# nearest color, are compared with ``KMeans``, the best of three runs on all pixels at once.

minibatch = MiniBatchKMeans(16, random_state=0)
online = OnlineKMeans(16, random_state=0)
for row in image:
    minibatch.partial_fit(row)
    online.partial_fit(row)
everything = MiniBatchKMeans(16, random_state=0).fit(pixels)

best = KMeans(16, n_init=3, random_state=0).fit(pixels).score(pixels)
ratios = [model.score(pixels) / best for model in [minibatch, online, everything]]
print(f"MiniBatchKMeans, one pass: {ratios[0]:.2f} times the cost of KMeans")
print(f"OnlineKMeans, one pass: {ratios[1]:.2f} times")
print(f"MiniBatchKMeans.fit: {ratios[2]:.2f} times")

# %%
# ``MiniBatchKMeans.fit``, which draws its batches at random from all rows, does well, but
# from a stream nobody can draw rows that are still to come. The left half of the
# photograph, each pixel in the nearest of the 16 colors:

import matplotlib.pyplot as plt

versions = {"Original\n\n": image}
for name, model, ratio in zip(
    ["MiniBatchKMeans", "OnlineKMeans"], [minibatch, online], ratios
):
    title = f"{name},\none pass: {ratio:.2f} times\nthe cost of KMeans"
    versions[title] = model.cluster_centers_[model.predict(pixels)].reshape(image.shape)

fig, axes = plt.subplots(1, 3, figsize=(6.4, 3.6))
for ax, (title, version) in zip(axes, versions.items()):
    ax.imshow(np.clip(version[:, 20:340], 0, 1), interpolation="nearest")
    ax.set_title(title, fontsize=12)
    ax.set_axis_off()
plt.show()

# %%
# **What to remember**
#
# - Rows of an image come sorted, as most streams do, and new colors come late.
# - ``OnlineKMeans(16)`` reads them once, in this order, for about the cost of ``KMeans``.
