"""One fit of generated rows, local or on a cluster, in a process of its own.

So its peak memory is that of one fit. What the fit took is printed as JSON.
"""

import gc
import hashlib
import json
import os
import resource
import sys
import time
from collections import Counter
from contextlib import ExitStack

import numpy as np

from onlinekmeans_sklearn import OnlineKMeans

N_BLOBS, SCALE = 100, 4.0
MIB = 2**20
FIGURES = "n_candidates", "n_openings", "n_serial_rows", "driver_seconds"


def rows_of_partition(index, n_rows, n_features):
    """Return the rows of a partition: Gaussian blobs, the same ones in all of them."""
    means = np.random.RandomState(0).normal(scale=SCALE, size=(N_BLOBS, n_features))
    rng = np.random.RandomState(1 + index)
    X = means[rng.randint(N_BLOBS, size=n_rows)]
    X += rng.normal(size=X.shape)
    return X


def most_memory():
    """Return the most memory this process had so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def digest(model):
    """Return a digest of the result: different results have different ones."""
    found = model.cluster_centers_, model.cluster_means_, model.counts_, model.opened_at_
    digest = hashlib.sha256()
    for part in found:
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(repr((model.inertia_, model.facility_cost_)).encode())
    return digest.hexdigest()


def local_fit(n_rows, n_features, partition, k, n_jobs):
    """Return what a fit of all rows in this process took."""
    X = np.empty((n_rows, n_features))
    for index in range(n_rows // partition):
        rows = slice(index * partition, (index + 1) * partition)
        X[rows] = rows_of_partition(index, partition, n_features)
    model = OnlineKMeans(k=k, random_state=0, n_jobs=n_jobs)
    gc.collect()
    start = time.perf_counter()
    model.fit(X)
    return {"seconds": time.perf_counter() - start, "digest": digest(model)}


def cluster_fit(n_rows, n_features, partition, k, n_workers):
    """Return what a fit of rows that were generated on the workers took."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster, get_task_stream, wait

    from onlinekmeans_sklearn.dask import OnlineKMeans

    with ExitStack() as stack:
        options = {"threads_per_worker": 1, "dashboard_address": ":0"}
        cluster = stack.enter_context(LocalCluster(n_workers=n_workers, **options))
        client = stack.enter_context(Client(cluster, direct_to_workers=True))
        generate = dask.delayed(rows_of_partition, pure=True)
        shape = partition, n_features
        parts = [generate(index, *shape) for index in range(n_rows // partition)]
        parts = [da.from_delayed(part, shape, float) for part in parts]
        X = da.concatenate(parts).persist()
        wait(X)
        client.run(gc.collect)
        moved_before = sum(client.run(bytes_received).values())
        model = OnlineKMeans(k=k, random_state=0)
        before = most_memory()
        gc.collect()  # what imports left behind is not collected in mid-fit
        with get_task_stream(client) as stream:
            start, of_process = time.perf_counter(), time.process_time()
            model.fit(X)
            seconds = time.perf_counter() - start
            of_process = time.process_time() - of_process
        figures = model._fitted.figures
        return {
            "seconds": seconds,
            "digest": digest(model),
            "moved": sum(client.run(bytes_received).values()) - moved_before,
            **{name: figures[name] for name in FIGURES},
            "process_seconds": of_process,  # of driver, client and scheduler
            "driver_memory": most_memory(),
            "driver_memory_before": before,
            "task_costs": task_costs(client),
            "n_clusters": model.n_clusters_,
            "steps": steps(stream.data),
            "malloc_trim": client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_"),
        }


def task_costs(client):
    """Return seconds of this process for each task, and for each byte of a result.

    Client and scheduler share the process. The latency is what a task takes beyond that.
    """
    from onlinekmeans_sklearn._dask.tasks import Tasks

    def seconds(n_tasks, n_numbers, at_once):
        tasks, received = Tasks(client), []
        start, of_process = time.perf_counter(), time.process_time()
        for i in range(n_tasks):
            tasks.submit("propose", received.append, np.zeros, n_numbers)
            while i - len(received) >= at_once - 1:
                tasks.wait()
        while len(received) < n_tasks:
            tasks.wait()
        taken = time.perf_counter() - start, time.process_time() - of_process
        return [each / n_tasks for each in taken]

    seconds(50, 1, 4)  # connections are made
    _, task = seconds(300, 1, 4)
    n_numbers = 2**20
    _, large = seconds(20, n_numbers, 2)
    alone, _ = seconds(100, 1, 1)
    per_byte = max(0.0, large - task) / (8 * n_numbers)
    return {"task": task, "byte": per_byte, "latency": max(0.0, alone - task)}


def bytes_received(dask_worker):
    """Return how many bytes a worker has got from others."""
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


def steps(tasks):
    """Return the seconds that the workers took for each step."""
    from dask.utils import key_split

    seconds = Counter()
    for task in tasks:
        for part in task["startstops"]:
            if part["action"] == "compute":
                name = key_split(task["key"]).removeprefix("online-kmeans-")
                seconds[name] += part["stop"] - part["start"]
    return dict(seconds)


def main(argument):
    """Print what a fit took."""
    setting = json.loads(argument)
    fit = local_fit if "n_jobs" in setting else cluster_fit
    print(json.dumps(fit(**setting)))
