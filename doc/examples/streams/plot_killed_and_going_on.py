"""
Killed and resumed
==================

A process that reads a stream for weeks is killed now and then. With
:func:`~onlinekmeans_sklearn.save` and :func:`~onlinekmeans_sklearn.load` the next one
resumes from the last checkpoint, and the result is that of a run without a break.
"""

# %%
# The reader saves after every 5,000 rows. ``n_samples_seen_`` of the checkpoint says at
# which row to continue.

import os
import tempfile

import numpy as np
from sklearn.datasets import make_blobs

from onlinekmeans_sklearn import OnlineKMeans, load, save

X, _ = make_blobs(30_000, n_features=8, centers=30, random_state=0)


def read(checkpoint, steps, progress):
    """Read the stream from the checkpoint on, until it ends or the process is killed."""
    model = load(checkpoint)
    for start in range(model.n_samples_seen_, len(X), 200):
        if steps == 0:
            return None  # killed: the model is lost, the checkpoint is not
        model.partial_fit(X[start : start + 200])
        steps -= 1
        progress.append(model.n_samples_seen_)
        if model.n_samples_seen_ % 5000 == 0:
            save(model, checkpoint)
    return model


# %%
# Kills are simulated here, at random moments: the function returns without its model. Each
# next call starts from the checkpoint, until one reads the stream to its end.

rng = np.random.RandomState(0)
progress, model, killed_at = [], None, []
with tempfile.TemporaryDirectory() as folder:
    checkpoint = os.path.join(folder, "stream.npz")
    save(OnlineKMeans(k=200, random_state=0).partial_fit(X[:200]), checkpoint)
    while model is None:
        model = read(checkpoint, rng.randint(10, 60), progress)
        if model is None:
            killed_at.append(len(progress) - 1)

whole = OnlineKMeans(k=200, random_state=0).fit(X)
same = np.array_equal(model.cluster_means_, whole.cluster_means_)
print(f"killed {len(killed_at)} times; the same means, bit for bit: {same}")
print(f"the same cost: {model.inertia_ == whole.inertia_}")

# %%
# Where the line falls, a process was killed, and the next one reads again what came after
# the last checkpoint.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
work = 200 * np.arange(1, len(progress) + 1)
ax.plot(work, progress, color="C0")
ax.plot(
    work[killed_at], np.take(progress, killed_at), "X", color="C1", ms=11, label="killed"
)
ax.set(
    title=f"Killed {len(killed_at)} times, and not one bit different",
    xlabel="rows read, some of them again",
    ylabel="rows in the model",
)
ax.legend()
plt.show()

# %%
# **What to remember**
#
# - ``save`` now and then, ``load`` after a crash, continue at row ``n_samples_seen_``.
# - A checkpoint is written completely or not at all, and loading it executes no code.
