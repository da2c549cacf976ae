"""The partitions of a call on a cluster that are under way, and their positions."""

from functools import partial

from scipy.sparse import issparse

from .._utils.tuning import TUNING
from . import worker

_FEW = 4  # partitions that must be small to be read together


def window(tasks):
    """Return how many partitions may be under way."""
    return TUNING.partitions_per_thread * tasks.n_threads()


class LoadedPartitions:
    """The partitions of a call, as far as they are loaded, and their positions.

    A partition has a position in the stream once all sizes before it are known.
    """

    def __init__(self, tasks, partitions, first):
        self._tasks = tasks
        self._delayed = partitions.delayed
        self.sizes = partitions.sizes.copy()
        self._positions = [first]  # of the first row of each, as far as known
        self._loaded = {}
        self._workers = {}

    def __len__(self):
        return len(self._delayed)

    def are_small(self, index, stream):
        """Return whether it takes longer to ask for the next partitions than to read them.

        A single one among larger partitions does not count.
        """
        sizes = self.sizes[index : index + _FEW]
        if None in sizes or not stream.n_seen:
            return False
        rows = stream.centers.rows
        width = rows.nnz / rows.shape[0] if issparse(rows) else rows.shape[1]
        return max(sizes) * width < TUNING.small_partition_elements

    def load(self, start, urgent, are_small=False):
        """Have the partitions of the window that starts here loaded.

        It is done for a few at once, unless the one is among them that is needed next.
        """
        length = max(window(self._tasks), 2 * TUNING.small_partitions * are_small)
        wanted = [
            index
            for index in range(start, min(len(self), start + length))
            if index not in self._loaded and self.sizes[index] != 0
        ]
        if urgent in wanted or len(wanted) > length // 3:
            futures = self._tasks.load([self._delayed[index] for index in wanted])
            self._loaded.update(zip(wanted, futures))
            for index in wanted:
                if self.sizes[index] is None:
                    part = self._loaded[index]
                    size = self._tasks.submit("count", worker.count_rows, part)
                    self._tasks.expect(size, partial(self.sizes.__setitem__, index))

    def workers_with(self, index):
        """Return the workers that have a partition; ask for others at the same time."""
        if not self._workers.get(index):
            asked = [i for i in self._loaded if not self._workers.get(i)]
            futures = [self._loaded[i] for i in asked]
            self._workers.update(zip(asked, self._tasks.workers_with(futures)))
        return self._workers[index]

    def together(self, index, are_small):
        """Return this partition and those after it that one worker reads in one task.

        They are loaded, and on the same worker unless they are small. Half of those under
        way at most: while they are read, others are loaded.
        """
        most = TUNING.small_partitions if are_small else window(self._tasks) // 2
        workers, some = self.workers_with(index), [index]
        for other in range(index + 1, min(len(self), index + most)):
            if self.sizes[other] == 0:
                continue
            if other not in self._loaded:
                break
            if not are_small and (not workers or self.workers_with(other) != workers):
                break
            some.append(other)
        return some

    def release(self, index):
        """Let go of a partition that is read."""
        if index in self._loaded:  # an empty one need not be
            self._tasks.release(self._loaded.pop(index))
        self._workers.pop(index, None)

    def __getitem__(self, index):
        """Return the future of a partition that is loaded, or will be."""
        return self._loaded[index]

    def position(self, index):
        """Return the position in the stream of a partition's first row, None if unknown.

        It takes the sizes of all partitions before it, and of itself.
        """
        known = self._positions
        while len(known) <= index + 1 and self.sizes[len(known) - 1] is not None:
            known.append(known[-1] + self.sizes[len(known) - 1])
        return known[index] if len(known) > index + 1 else None
