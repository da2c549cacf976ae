"""The partitions of a call on a cluster that are under way, and their random numbers."""

import copy
from functools import partial

from .._utils.tuning import TUNING
from . import worker


def window(tasks):
    """Return how many partitions may be under way."""
    return TUNING.partitions_per_thread * tasks.n_threads()


class LoadedPartitions:
    """The partitions of a call, as far as they are loaded, and their random numbers.

    The t-th sample gets the t-th random number. So every partition has a copy of the source
    as it is at its first row, and the source is drawn past those of the whole partition.
    """

    def __init__(self, tasks, partitions, random_state):
        self._tasks = tasks
        self._delayed = partitions.delayed
        self.sizes = partitions.sizes.copy()
        self._random_state = random_state
        self._n_drawn = 0
        self._at_start = {}
        self._loaded = {}
        self._workers = {}

    def __len__(self):
        return len(self._delayed)

    def load(self, start, urgent):
        """Have the partitions of the window that starts here loaded.

        It is done for a few at once, unless the one is among them that is needed next.
        """
        length = window(self._tasks)
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

    def together(self, index):
        """Return this partition and those after it on the same worker, as far as loaded.

        Half of those under way at most: while they are read, others are loaded.
        """
        workers, some = self.workers_with(index), [index]
        for other in range(index + 1, min(len(self), index + window(self._tasks) // 2)):
            if self.sizes[other] == 0:
                continue
            if not workers or other not in self._loaded:
                break
            if self.workers_with(other) != workers:
                break
            some.append(other)
        return some

    def release(self, index):
        """Let go of a partition that is read."""
        if index in self._loaded:  # an empty one need not be
            self._tasks.release(self._loaded.pop(index))
        self._at_start.pop(index, None)
        self._workers.pop(index, None)

    def __getitem__(self, index):
        """Return the future of a partition that is loaded, or will be."""
        return self._loaded[index]

    def is_known(self, index):
        """Return whether it is known how many rows come before a partition, and in it."""
        while self._n_drawn <= index and self.sizes[self._n_drawn] is not None:
            self._at_start[self._n_drawn] = copy.deepcopy(self._random_state)
            worker.draw_past(self._random_state, self.sizes[self._n_drawn])
            self._n_drawn += 1
        return self._n_drawn > index

    def numbers(self, index):
        """Return the random numbers from a partition on, if rows before it are known."""
        if self.is_known(index):
            return self._at_start[index]
        return copy.deepcopy(self._random_state)
