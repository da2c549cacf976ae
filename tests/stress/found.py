"""Bugs found and fixed: what broke the package, and what it was.

`test_found` has a reproduction of each, which failed before the fix, or names another test
that has one.
"""

FOUND = {
    "broken sparse structure": (
        "index arrays of sparse data that contradict each other, or the shape, crashed "
        "the process, or raised an IndexError or RuntimeError"
    ),
    "integer too large for a float": (
        "``10**400`` as data, ``k``, ``n_clusters`` or ``lower_bound`` raised an "
        "OverflowError"
    ),
    "max_clusters without limit": (
        "``transform`` with a ``max_clusters`` above int64 raised an OverflowError; with "
        "less, or such an ``n_clusters``, ``get_feature_names_out`` never ended"
    ),
    "n_jobs without limit": (
        "``n_jobs=10**6`` with CSR started threads until no more could start"
    ),
    "part that is no estimator": (
        "a classifier or clusterer that is not an estimator raised an AttributeError in "
        "``fit``"
    ),
    "output that is no text": (
        "``set_output(transform=3)`` raised an AttributeError in ``transform``"
    ),
    "random numbers of a failed fit": (
        "``fit_transform``, and ``fit`` of the classifier, left a RandomState advanced if "
        "they failed after the clustering"
    ),
    "random numbers of features": (
        "``partial_fit_transform`` continued with a copy of a RandomState that others share"
    ),
    "numpy.random as random_state": (
        "a call that failed left the random numbers of numpy itself advanced, if "
        "``random_state`` was the module ``numpy.random``"
    ),
    "inertia overflows": (
        "``inertia_`` and ``score`` warned of an overflow for large values"
    ),
    "first facility cost underflows": (
        "``w* / k`` could underflow to 0, and then opening was free forever"
    ),
    "distances beyond float32": "distances of float32 rows could be infinite",
    "integers of 8 bits": "``k=np.uint8(10)`` overflowed, and far too many clusters opened",
    "floats of 16 bits": "a ``lower_bound`` in float16 was divided in float16",
    "numbers beyond int32": (
        "sparse centers with ``2**31`` numbers or more would have got negative row ends"
    ),
    "copies in threads": (
        "copies of an estimator that were fitted further in different threads could "
        "overwrite each "
        "other's centers"
    ),
    "merge overtaken by the stream": (
        "``predict`` in one thread and ``partial_fit`` in another could leave an old merge "
        "as the result of the new stream"
    ),
    "BLAS left at one thread": (
        "after predictions in several threads at once BLAS had one thread for the rest of "
        "the process"
    ),
    "n_jobs=-1 in a worker": (
        "``n_jobs=-1`` used all cores in every worker of joblib, whatever "
        "``OMP_NUM_THREADS`` said"
    ),
    "memory of threads": (
        "threads that came and went with every call left memory behind, so that a long "
        "stream took ever more"
    ),
    "merge of data far away": (
        "the merged clusters of data far from the origin changed when the data were moved"
    ),
    "merge with an outlier": "one outlier far enough away spoiled the merge of all others",
    "merge of far groups": (
        "of two groups of clusters far from each other one was merged by rounding errors"
    ),
    "single wide rows": (
        "``inertia_`` of wide rows that came one by one differed in the last digits from "
        "that of the same rows in a block"
    ),
    "columns beyond int32": (
        "``cluster_means_`` of CSR with more than ``2**31`` columns had negative columns, "
        "and looking up such rows took 16 GB"
    ),
    "dtype of rows that open nothing": (
        "a row in float64 that joined a cluster of float32 rows could make the next center "
        "float64, depending on the chunks and on checkpoints"
    ),
    "tasks left on a scheduler": (
        "on Dask, ``score`` right after a fit of the same array could leave tasks on the "
        "scheduler for good: they had the keys of others"
    ),
    "features of delayed frames": (
        "on Dask, one-hot features of a frame made by ``from_delayed`` could not be "
        "computed"
    ),
    "tasks of several results": (
        "on Dask, labels and features of the same frame had tasks with the same key that "
        "were not the same: a scheduler that still knew the first ones warned of failures"
    ),
    "labels of other rows": (
        "on Dask, ``frame.assign(cluster=model.predict(frame))`` gave rows the labels of "
        "others where the index of the frame was not unique"
    ),
    "parts that are no arrays": (
        "on Dask, delayed parts in COO format, or that were lists, raised errors from "
        "inside numpy and scipy"
    ),
    "inputs that all parts share": (
        "on Dask, what all partitions need, such as a mean to subtract, was computed "
        "again for each of them"
    ),
    "huge numbers in a checkpoint": (
        "``load`` of a damaged file with ``2**62`` features ran out of memory, and one "
        "with ``2**31`` clusters gave a model that failed later"
    ),
    "int32 on Windows": (
        "with numpy 1 on Windows no stream got beyond its first centers: counting gives "
        "int32 there"
    ),
    "unaligned pickles": (
        "a pickle with out-of-band buffers could give compiled code centers that are not "
        "aligned"
    ),
    "rows lost with a traceback": (
        "if a signal interrupted ``fit``, or the first call of a stream, just after the "
        "rows were taken, they were dropped when the traceback was freed, even after other "
        "calls"
    ),
    "signal lost with an estimator": (
        "the exception of a signal that arrived while an estimator was deleted was lost"
    ),
    "signal lost in save": (
        "a signal in ``save`` could raise a ValueError of zipfile instead of the exception "
        "of its handler"
    ),
    "file left open": "an interrupted ``save`` could leave its file open",
    "interrupted fit_predict": (
        "``fit_predict`` that was interrupted after the fit kept the rows, and a "
        "RandomState was left advanced"
    ),
    "skops": "a fitted estimator could be dumped by skops, but not loaded",
}
