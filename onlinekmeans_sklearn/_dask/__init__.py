"""The estimators on Dask: the same clustering, bit for bit, of partitions.

`estimator`
    what the two estimators share: the public methods, and lazy results.
`reading`
    how they read partitions, by the local estimator inside.
`partitions`
    what came as a list of partitions, and results back in collections like it.
`shared`
    what all partitions need, computed once.
`driver`
    reading on a cluster: one worker after the other, or all at once.
`pipeline`
    partitions that all workers read at once: proposals and decisions.
`adding_up`
    labels and totals of rows that are decided.
`loading`
    the partitions that are under way, and their positions.
`tasks`
    the futures of a call on a cluster.
`worker`
    the functions that run as tasks.
`local`
    reading without a cluster.
"""
