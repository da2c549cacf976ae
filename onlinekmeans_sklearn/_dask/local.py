"""Reading without a cluster: a partition after the other, with the next one loading."""

from concurrent.futures import ThreadPoolExecutor

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

    def extend(self, stream, partitions, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        sizes, delayed = [], partitions.delayed
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(delayed[0].compute)
            for index in range(len(delayed)):
                part = coming.result()
                if index + 1 < len(delayed):
                    coming = pool.submit(delayed[index + 1].compute)
                args = checker, stream, (index, 0), False, n_jobs
                stream, size, _, _, labeled = read_serially([part], *args)
                sizes += size
                self.labeled += labeled
                report(stream, sizes)
        return stream, sizes
