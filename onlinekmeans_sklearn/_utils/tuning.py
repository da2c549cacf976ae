"""Every block size and threshold of the package. None of them changes a result.

Tests and the stress suite change them, so that small streams reach all of the code.
"""


class Tuning:
    """Numbers that affect only speed and memory."""

    # blocks of a stream
    first_block_rows = 512
    most_block_rows = 2**16
    most_block_elements = 2**23  # numbers of dense rows
    most_sparse_elements = 2**19  # stored numbers of CSR rows
    openings_in_block = 0.25  # wanted, as a share of the centers so far

    # looking up
    min_boxes = 16  # blocks of 24 dense centers, for boxes around them
    most_box_features = 32
    box_work = 96  # at most so many centers times features^2 for each row to search
    most_index_columns = 2**22  # of CSR, for which each has an entry in the index
    columns_per_number = 8  # of the centers; likewise, unless there are only a few
    few_columns = 2**17
    full_columns_from = 8  # full: more than one center in this many has a value
    most_full_elements = 2**18  # numbers of full columns
    product_elements = 2**18  # products that are formed at once
    pair_elements = 2**17  # differences that are formed at once
    distance_elements = 2**18  # distances to all centers that are formed at once

    # partitions that many workers read at once
    calm_rows = 2**14  # that one worker reads before it checks for calm
    calm_openings = 0.03  # at most in calm_rows, as a share of the centers
    most_candidates = 2**11  # of a proposal
    most_candidate_elements = 2**20
    small_partition_elements = 2**18  # numbers; one worker reads smaller ones in turn
    small_partitions = 64  # of these in one task, at most
    partitions_per_thread = 4  # under way
    seconds_between_counts = 1.0  # of the workers' threads
    seconds_without_workers = 60.0  # after which a call gives up

    # threads
    min_work_for_threads = 2**25  # multiplications of a call, about a millisecond
    min_work_per_share = 2**21
    shares_per_thread = 2
    threads_per_sum = 4  # for every so many, one more adds up sums of other clusters


TUNING = Tuning()
