"""What runs on workers: functions of a partition and of small arguments.

A task that is lost with its worker can be computed again from its arguments. Nothing that
is as long as a partition leaves the worker, except a partition that Dask itself moves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from .._algorithm.cluster_sums import totals_by_block
from .._algorithm.moving import is_moving
from .._algorithm.partition import Candidates, finish, online_labels, propose
from .._nearest import centers_from, nearest
from .._utils.calls import shallow_copy
from .._utils.rows import rows_between
from .._utils.threads import one_blas_thread
from .._utils.tuning import TUNING
from .._utils.validation import validate_weights, validate_X

_FLOATS = (np.float64, np.float32)  # another dtype becomes the first


class Weighted(NamedTuple):
    """A partition, and the weights of its rows."""

    part: object
    weights: object


@dataclass
class Proposal:
    """The candidates among rows, which the driver gets, and what the next task needs.

    That is `labeled`: the label and squared distance of each row, from the `first` of a
    partition on, by the first `n_known` centers. They stay in the process that has found
    them: in a copy elsewhere, `labeled` is None.
    """

    first: int
    n_known: int
    candidates: Candidates
    labeled: tuple = None

    def __reduce__(self):
        return Proposal, (self.first, self.n_known, self.candidates)


def count_rows(part):
    """Return the number of rows of a partition."""
    part = part.part if isinstance(part, Weighted) else part
    return int(np.shape(part)[0])


def rows_of(part, checker):
    """Return the rows of a partition as the local estimator validates them.

    The checker is an estimator that knows the features. The driver has already warned if
    only one of the two has names of features. Warnings are not caught here: catching them
    affects the whole process, so threads could leave them switched off.
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


def rows_to_read(part, checker, index, is_start=False):
    """Return the rows of a partition, and weights of them or None.

    Raise an error that names the partition if they are refused.
    """
    part, weights = part if isinstance(part, Weighted) else (part, None)
    try:
        X = rows_of(part, checker)
        return X, validate_weights(weights, X, is_start and X.shape[0] > 0)
    except ValueError as error:
        raise ValueError(f"Partition {index}: {error}") from error


def rows_again(part, checker):
    """Return the rows of a partition that was validated before: an array as it is."""
    if type(part) is np.ndarray and part.dtype in _FLOATS:
        return part
    return rows_of(part, checker)


def read_serially(parts, checker, stream, start, until_calm, n_jobs=1):
    """Read partitions from a row of the first one on, maybe only until few centers open.

    `start` is the index of the first partition and of its first row to read. Return the
    stream, the sizes of the partitions that were begun, the partition and row to go on
    with, whether few centers open, and labels and squared distances of rows read while
    centers moved.
    """
    index, row = start
    sizes, is_calm, labeled = [], False, []
    for part in parts:
        X, weights = rows_to_read(part, checker, index, is_start=not stream.n_seen)
        sizes.append(X.shape[0])
        while row < X.shape[0] and not is_calm:
            first, n_before, may_move = row, len(stream.opened_at), is_moving(stream)
            row = min(X.shape[0], first + TUNING.calm_rows) if until_calm else X.shape[0]
            weight = None if weights is None else weights[first:row]
            rows = rows_between(X, first, row)
            stream, *decided = stream.extend(rows, n_jobs, weights=weight)
            labeled += [decided] if may_move and stream.moves else []
            is_calm = until_calm and _is_calm(stream, n_before, row - first)
        if row == X.shape[0]:
            index, row = index + 1, 0
        if is_calm:
            break
    return stream, sizes, (index, row), is_calm, labeled


def _is_calm(stream, n_before, n_rows):
    """Return whether few of the last `n_rows` rows opened a center."""
    is_full = len(stream.centers) >= stream.max_clusters
    few = n_before + TUNING.calm_openings * len(stream.centers) * n_rows / TUNING.calm_rows
    return is_full or (not stream.schedule.is_prefix and len(stream.centers) <= few)


def propose_rows(part, checker, start, position, centers, facility_cost, numbers):
    """Return a proposal: the candidates among rows of a partition for these centers.

    `start` is the index of the partition and of its first row to look at, and `position`
    that of this row in the stream.
    """
    index, first = start
    (X, _), known = rows_to_read(part, checker, index), centers_from(centers)
    dtype, X = X.dtype, known.as_rows(rows_between(X, first, X.shape[0]))
    uniforms = numbers.between(position, position + X.shape[0])
    with one_blas_thread():
        *labeled, found = propose(known, facility_cost, X, uniforms, dtype)
    return Proposal(first, len(known), found, labeled)


def add_up_rows(part, checker, span, proposal, centers, opened, block):
    """Label rows that were proposed, and return their totals, block by block of positions.

    `span` has the first row and the end, `opened` the rows that open a center, and `block`
    the totals, up to the first row, of the block that this row lies in.
    """
    n_known, (start, stop) = proposal.n_known, span
    known, every = centers_from(rows_between(centers, 0, n_known)), centers_from(centers)
    unknown = centers_from(rows_between(centers, n_known, len(every)))
    X = known.as_rows(rows_between(rows_again(part, checker), start, stop))
    with one_blas_thread():
        if proposal.labeled is None:
            labeled = nearest(known, X)
        else:
            rows = slice(start - proposal.first, stop - proposal.first)
            labeled = (values[rows] for values in proposal.labeled)
        labels, d2 = finish(X, *labeled, known, unknown, opened[opened >= start] - start)
    return totals_by_block(block, X, labels, d2, every)


def fitted_values(part, asked, first):
    """Return a fitted attribute for a partition whose first row has position `first`.

    `asked` has the model, the name of the attribute, the position of the first row of the
    call, and labels and squared distances of the first rows, which were decided while
    centers moved; later ones can be found again.
    """
    model, name, start, *known = asked
    X = rows_of(part, model)
    known = [values[first - start :][: X.shape[0]] for values in known]
    return getattr(_as_if_last(X, model, first, known), name)


def transform_online(part, model, first):
    """Return the features of rows from position `first` on, as decided online."""
    X = rows_of(part, model)
    return model._encode(X, _as_if_last(X, model, first)._fitted, is_online=True)


def _as_if_last(X, model, first, known=((), ())):
    """Return a fitted estimator as if it had read these rows last, at a position.

    `known` has labels and squared distances of the first of them.
    """
    model, n_known = shallow_copy(model), len(known[0])
    fitted = model._fitted = shallow_copy(model._fitted)
    stream = fitted.stream = shallow_copy(fitted.stream)
    stream.n_seen, fitted.labels = first + X.shape[0], None
    rest = rows_between(X, n_known, X.shape[0])
    with one_blas_thread():
        found = online_labels(stream, rest, first + n_known)
    fitted.last_rows = tuple(map(np.append, known, found))
    return model


def predict_rows(part, model):
    """Return the nearest final center of each row."""
    X, final = rows_of(part, model), model._fitted.final_clusters(model.n_jobs)
    return final.nearest(X, n_jobs=1, labels_only=True)[0]


def cost_of_rows(part, model):
    """Return the number of rows, and the sum of squared distances to final centers."""
    X, final = rows_of(part, model), model._fitted.final_clusters(model.n_jobs)
    with np.errstate(over="ignore"):
        return X.shape[0], float(final.nearest(X, n_jobs=1)[1].sum())


def transform_rows(part, model):
    """Return the features of rows, by the final centers."""
    return model._encode(rows_of(part, model), model._fitted)
