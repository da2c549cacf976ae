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
    """

    def __init__(self, tasks, delayed, sizes):
        self._tasks, self._delayed, self.sizes = tasks, delayed, list(sizes)
        self._loaded = {}  # futures, by index

    def __len__(self):
        return len(self._delayed)

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

        It is one of them, unless they are small or there is but one thread. While they are
        read, as many others are loaded.
        """
        are_small, number = self.are_small(index, stream), 1
        if are_small or self._tasks.n_threads() == 1:
            number = TUNING.small_partitions if are_small else TUNING.partitions_per_thread
        self._load(index, max(self.window(), 2 * number))
        those = range(index, index + number)
        return [self[i] for i in those if i in self._loaded]

    def are_ready(self, index):
        """Return whether the rows of a partition can be proposed.

        They cannot yet if nobody knows how many they are, or if too many partitions are
        under way already.
        """
        self._load(index, self.window())
        return index in self._loaded and self.sizes[index] is not None

    def __getitem__(self, index):
        """Return the future of a partition that is under way."""
        return self._loaded[index]

    def release(self, index):
        """Let go of a partition that is read."""
        del self._loaded[index]

    def _load(self, index, window):
        """Load partitions, some at once unless this one is needed now, up to a number."""
        stop = min(len(self), min([index, *self._loaded]) + window)
        wanted = [i for i in range(index, stop) if i not in self._loaded]
        if index in wanted or len(wanted) > window // 3:
            futures = self._tasks.load([self._delayed[i] for i in wanted])
            self._loaded.update(zip(wanted, futures))
            for i in wanted:
                if self.sizes[i] is None:
                    receive = partial(self.sizes.__setitem__, i)
                    self._tasks.submit("count", receive, worker.count_rows, self[i])
