"""The paper: Liberty, Sriharsha, Sviridenko, An Algorithm for Online K-Means Clustering.

The loop that Algorithms 1, 2 and 3 share, and where each line of it is done::

    C = {}, n = W = 0, r = q = 0                               stream.Stream
    f = 0 in the prefix: all that differ from C open           facility_cost.Schedule

    for v in the stream, of weight w, 1 if there are none:
        at the end of an epoch, if it forgets:                 forgetting.end_epoch
            n, W, f, counts and sums are halved, or f = 0
            c with too small a count leave C                   forgetting.retire
        n = n + w                                              SeenWeight.with_rows
        u = the number of this position, in [0, 1)             random_numbers
        u = the least of w such numbers                        weights, block
        D2 = min over c in C of |v - c|^2                      block.look_up, _nearest
        if u f < D2 and there is room:                         block.open_centers
            C = C + {v}, D2 = 0
            q = q + 1                                          Schedule.record_openings
            if the prefix is complete:                         Schedule.record_openings
                w* = from its closest distances                _nearest.closest_distances
                f = f_1, r = 1, q = 0                          Schedule.start, first_cost
            if q is enough for a phase:                        Schedule.openings_per_phase
                f = growth f, r = r + 1, q = 0                 Schedule.record_openings
        yield the oldest nearest c in C                        block.label
        count and sum of its cluster, W = W + w D2             block.accumulate

    the online clusters, or n_clusters merged from them        merge, local_search

The loop is not run row by row: `block` reads many rows at once and makes the same
decisions, bit for bit. The plain loop is in the tests, which compare the two.
"""
