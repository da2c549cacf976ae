"""What runs on workers: functions of a partition and of small arguments.

A task that is lost with its worker can be computed again from its arguments. Nothing that
is as long as a partition leaves the worker, but for a partition that Dask itself moves. A
worker remembers the labels that it has proposed: to answer at once, a task returns no more
than the driver must know.
"""

import copy
from weakref import WeakKeyDictionary

import numpy as np
from distributed import get_worker
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from .._algorithm.cluster_sums import no_totals, rows_left, totals_by_block
from .._algorithm.partition import finish, online_labels, propose
from .._nearest import centers_from, nearest
from .._utils.rows import rows_between
from .._utils.threads import one_blas_thread
from .._utils.tuning import TUNING
from .._utils.validation import validate_X

_FLOATS = (np.float64, np.float32)  # another dtype becomes the first

# labels and squared distances that a later task needs, by some of the centers that are
# known, then by the task and the rows; they go when no task needs these centers
_remembered = WeakKeyDictionary()


def count_rows(part):
    """Return the number of rows of a partition."""
    return len(part) if isinstance(part, (list, tuple)) else int(part.shape[0])


def rows_of(part, checker):
    """Return the rows of a partition as the local estimator validates them.

    The checker is an estimator that knows the features. The driver has already warned if
    only one of the two has names of features. Warnings are not caught here: that is for a
    whole process, so threads would leave them off.
    """
    if count_rows(part):
        own = type(checker)(n_jobs=1)
        validate_data(own, part, skip_check_array=True)  # takes over the names alone
        if hasattr(own, "feature_names_in_") != hasattr(checker, "feature_names_in_"):
            own.n_features_in_, checker = checker.n_features_in_, own
        return validate_X(checker, part, reset=False)
    any_shape = {"ensure_2d": False, "ensure_min_samples": 0, "ensure_min_features": 0}
    dtype = check_array(part, accept_sparse=True, dtype=_FLOATS, **any_shape).dtype
    shape = 0, checker.n_features_in_
    return csr_array(shape, dtype=dtype) if issparse(part) else np.empty(shape, dtype)


def rows_again(part, checker):
    """Return the rows of a partition that were validated before: of an array, itself."""
    if type(part) is np.ndarray and part.dtype in _FLOATS:
        return part
    return rows_of(part, checker)


def refused(error, index):
    """Return the error about the rows of a partition, which it names."""
    return ValueError(f"Partition {index}: {error}")


def read_serially(parts, checker, stream, first, until_calm):
    """Read partitions from a row of the first one on, maybe only until few centers open.

    Return the stream, the sizes of the partitions that were begun, the row to go on with in
    the last, and if it is calm. For rows that are refused, the error takes the place of the
    stream: to try again, as if the task had failed, would not help.
    """
    sizes = []
    for part in parts:
        try:
            X = rows_of(part, checker)
        except ValueError as error:
            return error, sizes, first, False
        stream, stop, is_calm = _read_rows(stream, X, first, until_calm)
        sizes.append(X.shape[0])
        if is_calm:
            break
        first = 0
    return stream, sizes, stop, is_calm


def _read_rows(stream, X, first, until_calm):
    """Return the stream with rows of a partition, where it ends, and if it is calm."""
    stop, is_calm = first, False
    while stop < X.shape[0] and not is_calm:
        n_before, start = len(stream.opened_at), stop
        stop = min(X.shape[0], start + TUNING.calm_rows) if until_calm else X.shape[0]
        stream, _, _ = stream.extend(rows_between(X, start, stop), n_jobs=1)
        n_opened = len(stream.centers) - n_before
        is_calm = until_calm and _is_calm(stream, n_opened, stop - start)
    return stream, stop, is_calm


def _is_calm(stream, n_opened, n_rows):
    """Return whether few of the last rows opened a center."""
    if len(stream.centers) >= stream.max_clusters:
        return True
    few = TUNING.calm_openings * len(stream.centers) * n_rows / TUNING.calm_rows
    return not stream.schedule.is_prefix and n_opened <= few


def propose_rows(part, checker, base, newest, facility_cost, numbers, start, position):
    """Return the candidates among rows of a partition, and the address of this worker.

    `start` is the index of the partition and of its first row to look at, and `position`
    that of this row in the stream. Labels and squared distances stay here. For rows that
    are refused, the error takes the place of the candidates.
    """
    try:
        X = rows_of(part, checker)
    except ValueError as error:
        return error, get_worker().address
    dtype, known = X.dtype, _with_newest(base, newest)
    X = known.as_rows(rows_between(X, start[1], X.shape[0]))
    uniforms = numbers.between(position, position + X.shape[0])
    with one_blas_thread():
        labels, d2, found = propose(known, facility_cost, X, uniforms, dtype)
    _remember(base, (start, "proposed", len(known)), (labels, d2))
    return found, get_worker().address


def add_up_rows(part, checker, base, newest, unknown, opened, start, stop, position, block):
    """Label rows that were proposed, and return their totals, block by block of positions.

    `block` has the totals, up to the first row, of the block that this row lies in. None
    means that nobody knows them yet: the rows in this block are labeled, and added up by
    another call with these rows alone.
    """
    known = _with_newest(base, newest)
    X = known.as_rows(rows_between(rows_again(part, checker), start[1], stop))
    labeled = _recall(base, (start, "labeled", stop))
    if labeled is None:
        with one_blas_thread():
            proposed = _recall(base, (start, "proposed", len(known)))
            labeled = proposed or nearest(known, X)
            labeled = finish(X, *labeled, known, centers_from(unknown), opened)
    if block is None:
        n_head = min(rows_left(position), X.shape[0])
        head, labeled = zip(*((some[:n_head], some[n_head:]) for some in labeled))
        _remember(base, (start, "labeled", start[1] + n_head), head)
        X = rows_between(X, n_head, X.shape[0])
        block = no_totals(X, position + n_head)
    return totals_by_block(block, X, *labeled, _with_newest(known, unknown))


def _with_newest(base, newest):
    return base.with_rows(newest) if newest.shape[0] else base


def _remember(base, key, labeled):
    _remembered.setdefault(base, {})[key] = labeled


def _recall(base, key):
    """Return what was remembered, for the last time, None if it is not here or lost."""
    return _remembered.get(base, {}).pop(key, None)


def labels_again(part, model, first):
    """Return the final clusters of a partition's rows, the first one at a position."""
    return model.online_to_merged_[online_labels_again(part, model, first)]


def online_labels_again(part, model, first):
    """Return the clusters of a partition's rows as decided online."""
    return _online_rows(rows_of(part, model), model._stream, first)[0]


def distances_again(part, model, first):
    """Return the distances of a partition's rows at arrival."""
    return np.sqrt(_online_rows(rows_of(part, model), model._stream, first)[1])


def _online_rows(X, stream, first):
    """Return the labels and squared distances of rows, as decided online."""
    with one_blas_thread():
        return online_labels(stream, X, first)


def predict_rows(part, model):
    """Return the nearest final center of each row."""
    final = model._final_clusters()
    return final.nearest(rows_of(part, model), n_jobs=1, labels_only=True)[0]


def cost_of_rows(part, model):
    """Return the number of rows, and the sum of squared distances to final centers."""
    X, final = rows_of(part, model), model._final_clusters()
    with np.errstate(over="ignore"):
        return X.shape[0], float(final.nearest(X, n_jobs=1)[1].sum())


def transform_rows(part, model):
    """Return the features of rows, by the final centers."""
    return model._encode(rows_of(part, model), model._fitted)


def transform_online(part, model, first):
    """Return the features of rows from position `first` on, as decided online."""
    X, fitted = rows_of(part, model), copy.copy(model._fitted)
    stream = fitted.stream = copy.copy(fitted.stream)
    fitted.last_rows = _online_rows(X, stream, first)
    stream.n_seen = first + X.shape[0]  # as if these rows were the last
    return model._encode(X, fitted, is_online=True)
