"""Every block size and threshold of the package. None of them changes a result.

By `tuned`, tests and the stress suite make small streams reach all of the code.
"""

from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Tuning:
    """Numbers that affect only speed and memory."""

    # blocks of a stream
    first_block_rows: int = 512
    most_block_rows: int = 2**16
    most_block_elements: int = 2**23  # numbers of dense rows
    most_sparse_elements: int = 2**19  # stored numbers of CSR rows
    openings_in_block: float = 0.25  # to aim at, of the centers there are
    added_at_once: int = 2**14  # costs

    # looking up
    min_boxes: int = 16  # blocks of 24 dense centers, for boxes around them
    most_box_features: int = 32
    most_index_columns: int = 2**22  # of CSR, for which each has a place in the index
    columns_per_number: int = 8  # of the centers, likewise, if there are more than a few
    few_columns: int = 2**17
    full_columns_from: int = 8  # a column is full with this part of the centers, or more
    most_full_elements: int = 2**16  # numbers of full columns
    product_elements: int = 2**18  # products that are formed at once
    pair_elements: int = 2**17  # differences that are formed at once
    distance_elements: int = 2**18  # distances to all centers that are formed at once

    # partitions that many workers read at once
    calm_rows: int = 2**14  # that are read by one worker before it asks whether it is calm
    calm_openings: float = 0.03  # in so many rows at most, of the centers there are
    most_candidates: int = 2**11  # of a proposal
    most_candidate_elements: int = 2**20
    small_partition_elements: int = 2**18  # numbers; one worker reads smaller ones
    small_partitions: int = 64  # of these in one task, at most
    partitions_per_thread: int = 4  # under way
    seconds_between_counts: float = 1.0  # of the workers' threads
    seconds_without_workers: float = 60.0  # after which a call gives up

    # threads
    min_work_for_threads: int = 2**25  # multiplications of a call, about a millisecond
    min_work_per_share: int = 2**21
    shares_per_thread: int = 2
    threads_per_sum: int = 4  # for each of these one more adds up sums, of other clusters


TUNING = Tuning()


@contextmanager
def tuned(**values):
    """Use other numbers in a block of code."""
    before = {name: getattr(TUNING, name) for name in values}
    try:
        vars(TUNING).update(values)
        yield TUNING
    finally:
        vars(TUNING).update(before)
