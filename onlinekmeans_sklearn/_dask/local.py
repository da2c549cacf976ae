"""Reading without a cluster: a partition after the other, with the next one loading."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise

import dask

from .worker import read_serially


class LocalReader:
    """Reads partitions in this process, as Dask's own scheduler loads them."""

    figures = None  # which are those of a cluster

    def __init__(self):
        self.labeled = []

    def compute(self, delayed):
        """Return the values of delayed objects, one after the other."""
        return [part.compute() for part in delayed]

    def persist(self, delayed):
        """Return delayed objects whose values are there."""
        return dask.persist(*delayed)

    def extend(self, stream, delayed, sizes, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        sizes = []
        with ThreadPoolExecutor(1) as pool:
            loads = (pool.submit(part.compute) for part in delayed)
            for coming, _ in pairwise(chain(loads, [None])):  # with the next one loading
                args = [coming.result()], checker, stream, (len(sizes), 0), False, n_jobs
                stream, size, *_, labeled = read_serially(*args)
                sizes += size
                self.labeled += labeled
                report(stream, sizes)
        return stream, sizes
