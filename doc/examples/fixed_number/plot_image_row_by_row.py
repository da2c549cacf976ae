"""
An image, row by row
====================

A photograph is read once, from its top row to its bottom row, and 16 colors are learned on
the way. It is a sorted stream in disguise, first the sky, then the roofs and the people:
what is learned at the top must not spoil what comes below.
"""

# %%
# The photograph comes with scikit-learn. (*china.jpg* by danielbuechele on Flickr,
# licensed under CC BY 2.0.)

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import load_sample_image

from onlinekmeans_sklearn import OnlineKMeans

image = load_sample_image("china.jpg") / 255
pixels = image.reshape(-1, 3)
print(f"{image.shape[0]} rows of {image.shape[1]} pixels")

# %%
# Both read each row once. What they cost is compared with ``KMeans``, the best of three
# runs on all pixels at once. ``MiniBatchKMeans.fit``, which draws its batches at random
# from the whole image, is no stream, and does well.

minibatch = MiniBatchKMeans(16, random_state=0)
online = OnlineKMeans(16, random_state=0)
for row in image:
    minibatch.partial_fit(row)
    online.partial_fit(row)

best = KMeans(16, n_init=3, random_state=0).fit(pixels).score(pixels)
ratios = {
    "MiniBatchKMeans, one pass": minibatch.score(pixels) / best,
    "OnlineKMeans, one pass": online.score(pixels) / best,
    "MiniBatchKMeans.fit": MiniBatchKMeans(16, random_state=0).fit(pixels).score(pixels)
    / best,
}
for name, ratio in ratios.items():
    print(f"{name}: {ratio:.2f} times the cost of KMeans")

# %%
# Each pixel is replaced by its nearest color.


def in_16_colors(model):
    return model.cluster_centers_[model.predict(pixels)].reshape(image.shape)


def draw(axes):
    """Draw the original and the two versions in 16 colors."""
    pictures = {
        "Original\n": image,
        "MiniBatchKMeans, one pass:\n{:.1f} × the cost": in_16_colors(minibatch),
        "OnlineKMeans, one pass:\n{:.2f} × the cost": in_16_colors(online),
    }
    for ax, (title, picture) in zip(axes, pictures.items()):
        ax.imshow(np.clip(picture, 0, 1))
        ax.set_title(title.format(ratios.get(title.split(":")[0])))
        ax.set_axis_off()


fig, axes = plt.subplots(3, 1, figsize=(6.4, 13))
draw(axes)
plt.show()

# %%
# **What to remember**
#
# - Rows of an image, like most streams, are sorted: one pass must cope with news.
# - ``OnlineKMeans(16)`` needs one pass in the given order for about the cost of ``KMeans``.
