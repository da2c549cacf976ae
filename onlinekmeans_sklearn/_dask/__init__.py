"""The estimators on Dask: the same clustering, bit for bit, of partitions.

`estimator`
    what the two estimators share: the public methods, and lazy results.
`reading`
    how they read partitions, by the local estimator inside; also without a cluster.
`partitions`
    the input as a list of partitions, what all of these need, computed once, and results
    as collections of the same kind.
`driver`
    reading on a cluster: one worker after the other, or all at once.
`adding_up`
    labels and totals of rows that are decided.
`loading`
    the partitions that are under way, and their sizes.
`tasks`
    the futures of a call on a cluster.
`worker`
    the functions that run as tasks.
"""
