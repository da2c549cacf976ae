"""Reading without a cluster: a partition after the other, with the next one loading."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import dask

from .worker import refused, rows_of


class LocalReader:
    """Reads partitions in this process, as Dask's own scheduler loads them."""

    figures = None  # which are those of a cluster

    def compute(self, delayed):
        """Return the values of delayed objects, one after the other."""
        return [part.compute() for part in delayed]

    def persist(self, delayed):
        """Return delayed objects whose values are there."""
        return dask.persist(*delayed)

    def extend(self, stream, partitions, checker, n_jobs, report):
        """Return the stream that has also read the partitions, and their sizes."""
        sizes = []
        with closing(_loaded(partitions.delayed)) as parts:
            for part in parts:
                try:
                    X = rows_of(part, checker)
                except ValueError as error:
                    raise refused(error, len(sizes)) from error
                sizes.append(X.shape[0])
                if not X.shape[0]:
                    continue
                stream, _, _ = stream.extend(X, n_jobs)
                if report is not None:
                    report(stream, sizes)
        return stream, sizes


def _loaded(delayed):
    """Yield the partitions, while the next one is loading."""
    with ThreadPoolExecutor(1) as pool:
        coming = [pool.submit(delayed[0].compute)]
        try:
            for following in delayed[1:]:
                part = coming.pop().result()
                coming.append(pool.submit(following.compute))
                yield part
            yield coming.pop().result()
        finally:
            for future in coming:
                future.cancel()
