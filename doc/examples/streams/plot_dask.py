"""
The same clusters on Dask
=========================

Data that outgrow one machine are kept in Dask, in partitions. Workers read many of them at
once, and the clusters are still those of one machine, bit for bit.
"""

# %%
# Two hundred thousand points in forty partitions, and two workers. A real cluster would be
# elsewhere; this one lives in the same process.
import dask.array as da
import matplotlib.pyplot as plt
from dask.distributed import Client, LocalCluster
from sklearn.datasets import make_blobs

from onlinekmeans_sklearn import OnlineKMeans
from onlinekmeans_sklearn.dask import OnlineKMeans as DaskOnlineKMeans

X, _ = make_blobs(200_000, centers=30, random_state=0)
partitions = da.from_array(X, chunks=(5_000, 2))

with (
    LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster,
    Client(cluster),
):
    on_dask = DaskOnlineKMeans(k=100, random_state=0).fit(partitions)
    labels = on_dask.labels_  # lazy: a Dask array
    print(labels)
    counts = da.bincount(labels, minlength=on_dask.n_clusters_).compute()

# %%
# The same without Dask. Centers, counts and cost are equal, not just nearly so.
local = OnlineKMeans(k=100, random_state=0).fit(X)
print("centers equal:", (on_dask.cluster_centers_ == local.cluster_centers_).all())
print("counts equal: ", (counts == local.counts_).all())
print("cost equal:   ", on_dask.inertia_ == local.inertia_)

# %%
# To serve the model without Dask, use ``to_local``.
print(on_dask.to_local().predict([[0.0, 0.0]]))

figure, axes = plt.subplots(layout="constrained")
axes.scatter(*X[::100].T, s=3, color="0.6", linewidth=0)
axes.scatter(
    *local.cluster_centers_.T, s=90, facecolor="none", edgecolor="C0", label="one process"
)
axes.scatter(*on_dask.cluster_centers_.T, s=25, marker="x", color="C1", label="Dask")
axes.set(xlabel="first feature", ylabel="second feature")
axes.set_title("Two workers find the centers of one")
figure.legend(loc="outside lower center", ncols=2)
plt.show()

# %%
# **What to remember**
#
# - ``onlinekmeans_sklearn.dask`` has the same estimators for Dask arrays, frames and
#   delayed partitions.
# - The result does not depend on the partitions or on the number of workers.
