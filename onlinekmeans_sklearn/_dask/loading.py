"""The partitions of a call on a cluster that are under way, and their sizes."""

from functools import partial

from .._utils.tuning import TUNING
from . import worker

_FEW = 4  # partitions that must be small to be read together


class LoadedPartitions:
    """The partitions of a call, as far as they are loaded, and their sizes.

    They are loaded in stream order, a few for each thread of the workers, and released in
    stream order.

    Attributes
    ----------
    sizes : list of int or None
        The number of rows of each partition, as far as known.
    loaded : dict
        By index, the futures of those under way, in stream order.
    """

    def __init__(self, tasks, delayed, sizes):
        self._tasks, self._delayed, self.sizes = tasks, delayed, list(sizes)
        self.loaded = {}

    def window(self):
        """Return how many partitions may be under way."""
        return TUNING.partitions_per_thread * self._tasks.n_threads()

    def are_small(self, index, stream):
        """Return whether it takes longer to ask for the next partitions than to read them.

        A single one among larger partitions does not count.
        """
        sizes = self.sizes[index : index + _FEW]
        if None in sizes or not stream.n_seen:
            return False
        width = stream.centers.width(stream.centers.rows)
        return max(sizes) * width < TUNING.small_partition_elements

    def together(self, index, stream):
        """Return the futures of partitions that one worker reads in one task.

        It is a single one, unless they are small or there is only one thread. While they
        are read, as many others are loaded.
        """
        number = TUNING.partitions_per_thread if self._tasks.n_threads() == 1 else 1
        if self.are_small(index, stream):
            number = TUNING.small_partitions
        self._load(index, max(self.window(), 2 * number))
        return [self.loaded[i] for i in range(index, index + number) if i in self.loaded]

    def are_ready(self, index):
        """Return whether the rows of a partition can be proposed.

        They cannot yet if their number is not known, or if too many partitions are under
        way already.
        """
        self._load(index, self.window())
        return index in self.loaded and self.sizes[index] is not None

    def release(self, stop):
        """Let go of the partitions before one, which are read."""
        self.loaded = {i: part for i, part in self.loaded.items() if i >= stop}

    def _load(self, index, window):
        """Load up to `window` partitions, several at once unless this one is needed."""
        under_way = [i for i in self.loaded if self.sizes[i] != 0]
        stop = min(len(self.sizes), min([index, *under_way]) + window)
        wanted = [i for i in range(index, stop) if i not in self.loaded]
        if index in wanted or len(wanted) > window // 3:
            futures = self._tasks.load([self._delayed[i] for i in wanted])
            self.loaded.update(zip(wanted, futures))
            for i in wanted:
                if self.sizes[i] is None:
                    receive = partial(self.sizes.__setitem__, i)
                    self._tasks.submit("count", receive, worker.count_rows, self.loaded[i])
