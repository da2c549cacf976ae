"""A stream of any length, of which every process can read any part, cut as it likes."""

from enum import IntEnum

import numpy as np

BLOCK = 2**16  # rows that are made together
N_BLOBS, N_FEATURES = 60, 8
NOISE_ROWS = 4 * BLOCK
LAST_CALL = 100  # rows of the last call, however the others are cut: it leaves labels
LARGEST_CALL = 20_000


class Purpose(IntEnum):
    """What random numbers are drawn for: each has its own."""

    WHOLE = 0
    RESUMED = 1
    KILLS = 2
    TABLES = 3
    BLOCKS = 4


def numbers(seed, purpose, index=0):
    """Return the random numbers of a seed for a purpose."""
    return np.random.RandomState([seed, purpose, index])


class Rows:
    """The rows of a stream, which depend on the seed and their positions only.

    They are Gaussian blobs that wander a little. About one row of a block is an outlier,
    so that clusters still open late in the stream.
    """

    def __init__(self, seed):
        rng = numbers(seed, Purpose.TABLES)
        self._seed = seed
        self._means = rng.normal(scale=10, size=(N_BLOBS, N_FEATURES))
        self._phases = rng.uniform(0, 2 * np.pi, size=self._means.shape)
        self._noise = rng.normal(size=(NOISE_ROWS, N_FEATURES))
        self._index, self._block = None, None

    def between(self, start, stop):
        """Return the rows from one position to another."""
        parts = []
        while start < stop:
            index, first = divmod(start, BLOCK)
            part = self._rows_of(index)[first : first + stop - start]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _rows_of(self, index):
        """Return a block; the last one is kept."""
        if index != self._index:
            self._index, self._block = index, self._made(index)
        return self._block

    def _made(self, index):
        rng = numbers(self._seed, Purpose.BLOCKS, index)
        means = self._means + np.sin(index / 50 + self._phases)
        means += rng.normal(scale=0.1, size=means.shape)
        rows = means[rng.randint(N_BLOBS, size=BLOCK)]
        first = rng.randint(NOISE_ROWS - BLOCK)
        rows += self._noise[first : first + BLOCK]
        outliers = rng.randint(BLOCK, size=rng.poisson(1.0))
        rows[outliers] *= 10 ** rng.uniform(size=(len(outliers), 1))
        return rows


def parts(rows, samples, rng, start=0):
    """Yield the rows from `start` on, in parts of mixed sizes but for the last one."""
    largest = max(2, min(LARGEST_CALL, samples // 50))
    end = samples - LAST_CALL
    while start < end:
        stop = min(start + size(rng, largest), end)
        yield rows.between(start, stop)
        start = stop
    if start < samples:
        yield rows.between(start, samples)


def size(rng, largest):
    """Return the rows of a call: mostly one, now and then some, or many."""
    kind = rng.random_sample()
    if kind < 0.95:
        return 1
    if kind < 0.98:
        return int(largest ** rng.random_sample())
    return rng.randint(largest // 2, largest + 1)
