"""Generated streams, and the comparison of what the package makes of them with the paper.

A case is a stream of some kind, at some scale and offset, cut into calls, in some storage.
Values whose squared distances could overflow must be refused, the call that has them with
all its rows, and the stream goes on with the next call.
"""

import math
import pickle
import sys
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest
from engines import ENGINES, engine
from inside import moves_at, positions_per_block
from reference import nearest
from scipy.sparse import issparse
from streams import assert_equals_reference

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

from . import ADVICE
from .history import loop_of
from .sources import KINDS, SCALED, STORAGES
from .state import state

MOST_ROWS, MOST_FEATURES, MOST_K = 80, 6, 8
WIDE = {131: 40, 785: 25, 4200: 8}  # features, and the most rows, since that takes long


@dataclass
class StreamCase:
    """A stream, how it is read, and what by."""

    kind: str
    X: np.ndarray = field(repr=False)
    shape: tuple
    dtype: str
    scale: float
    offset: float
    algorithm: str
    parameters: dict
    storages: list
    dtypes: list
    cuts: list
    kernel: str
    pickled: bool
    queries: int
    block: int  # positions that are added up at once
    weights: np.ndarray = field(repr=False)  # or None
    moves: list  # positions before which centers move, if the clusters will be merged


def stream_case(seed, index):
    """Return the case of this index."""
    rng = np.random.RandomState([seed, index])
    n = 1 + int(MOST_ROWS * rng.random_sample() ** 2)
    d = rng.randint(1, MOST_FEATURES + 1)
    if rng.random_sample() < 0.03:
        d = int(rng.choice(sorted(WIDE)))
        n = min(n, WIDE[d])
    dtype = np.dtype(rng.choice(["float64", "float32"]))
    kind = str(rng.choice(sorted(KINDS)))
    X, scale, offset = _placed(rng, kind, n, d, dtype)
    algorithm, parameters = _algorithm(rng, n, max(scale, float(np.abs(X).max())))
    parameters["random_state"] = int(rng.randint(10**6))
    parameters["n_jobs"] = int(rng.choice([1, 2]))
    parameters["max_clusters"] = [None, None, int(rng.randint(1, 25))][rng.randint(3)]
    if algorithm != "semi-online" and rng.random_sample() < 0.5:
        parameters["half_life"] = int(rng.choice([1, 2, 5, 20, n, n + 1, 10**9]))
        parameters["max_clusters"] = None
    cuts = _cuts(rng, n)
    names = sorted(STORAGES)
    storages = [str(rng.choice(names))] * len(cuts)
    if rng.random_sample() < 0.2:
        storages = [str(name) for name in rng.choice(names, size=len(cuts))]
    case = StreamCase(
        *(kind, X, X.shape, dtype.name, scale, offset, algorithm, parameters, storages),
        *(_dtypes(rng, X, len(cuts)), cuts),
        kernel=str(rng.choice(sorted(ENGINES))),
        pickled=rng.random_sample() < 0.2,
        queries=int(rng.choice([0, 0, 5])),
        block=int(rng.choice([2**16, 1, 16, 100])),
        weights=_weights(rng, n),
        moves=[],
    )
    if rng.random_sample() < 0.5 and _is_dense(case) and len({*case.dtypes}) == 1:
        case.moves = sorted({*rng.randint(1, n + 1, size=4).tolist()})
        parameters["n_clusters"] = 1
    return case


def _is_dense(case):
    """Return whether all calls have dense rows: centers of sparse ones do not move."""
    return not any(issparse(STORAGES[name](np.eye(2))) for name in case.storages)


def _placed(rng, kind, n, d, dtype):
    """Return rows of a kind, and the scale and the offset that they got."""
    X = KINDS[kind](rng, n, d, dtype)
    scale, offset = 1.0, 0.0
    if kind in SCALED:
        smallest, largest = (-150, 150) if dtype == np.float64 else (-44, 37)
        scale = 10 ** rng.uniform(smallest, largest)
        if rng.random_sample() < 0.3:
            offset = rng.choice([-1, 1]) * 10 ** rng.uniform(0, 12)
        together = rng.random_sample() < 0.5
        X = (X + offset) * scale if together else X * scale + offset
    most = np.finfo(dtype).max
    return np.clip(X, -most, most).astype(dtype), scale, offset


def _algorithm(rng, n, scale):
    """Return the name of an algorithm, and the parameters that it takes."""
    name = str(rng.choice(["practical", "theoretical", "semi-online"]))
    k = int(rng.randint(1, MOST_K + 1))
    if name == "practical":
        return name, {"k": int(rng.choice([k, 15 + 5 * k]))}
    if name == "theoretical":
        return name, {"k": k, "algorithm": name}
    parameters = {"k": k}
    if rng.random_sample() < 0.5:
        parameters["n_samples"] = int(rng.choice([1, n, 1000]))
    if rng.random_sample() < 0.5:
        exponent = 2 * math.log10(max(scale, 1e-160)) + rng.uniform(-6, 2)
        parameters["lower_bound"] = 10 ** min(exponent, 300)
    return name, parameters


def _weights(rng, n):
    """Return weights, or None: whole numbers, about 1, or of all magnitudes, many 0."""
    kinds = {
        "ones": np.ones(n),
        "whole": rng.randint(0, 5, size=n).astype(float),
        "about 1": rng.exponential(size=n) * (rng.random_sample(n) < 0.8),
        "any": 10 ** rng.uniform(-30, 30, size=n),
    }
    weights = [*kinds.values(), *[None] * len(kinds)][rng.randint(2 * len(kinds))]
    if weights is not None:
        weights[0] = weights[0] or 0.5  # the first one of a stream must count
    return weights


def _dtypes(rng, X, n_calls):
    """Return the dtype of each call: that of the rows, or now and then a mixture."""
    fits = np.abs(X).max() < 1e38
    if fits and rng.random_sample() < 0.1:
        return [str(name) for name in rng.choice(["float64", "float32"], size=n_calls)]
    return [X.dtype.name] * n_calls


def _cuts(rng, n):
    """Return where the calls end: one call, one for every row, or random cuts."""
    how = rng.randint(8)
    if how < 2:
        return [n]
    if how == 2:
        return list(range(1, n + 1))
    inner = rng.randint(1, n + 1, size=rng.randint(1, 6))
    return sorted({*inner.tolist(), n})


def check_stream(case):
    """Check that the package does what the paper says, and return how many rows it read."""
    blocks, moves = positions_per_block(case.block), moves_at(case.moves)
    with warnings.catch_warnings(), engine(case.kernel), blocks, moves:
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ADVICE)
        return _check_stream(case)


def _check_stream(case):
    estimator = SemiOnlineKMeans if case.algorithm == "semi-online" else OnlineKMeans
    model = estimator(**case.parameters)
    labels, read, weights, first_call = [], [], [], None
    start = 0
    for stop, storage, dtype in zip(case.cuts, case.storages, case.dtypes):
        part = case.X[start:stop].astype(dtype)
        if float(np.abs(part).max()) > _limit(case.X.shape[1]):
            _check_refused(model, STORAGES[storage](part))
        else:
            rows = STORAGES[storage](part)
            some = None if case.weights is None else case.weights[start:stop].copy()
            if some is not None and not read:
                some[0] = some[0] or 0.5
            labels.append(model.partial_fit_predict(rows, sample_weight=some).copy())
            read.append(part)
            weights += [1.0] * len(part) if some is None else some.tolist()
            _spoil(rows)
            _spoil(some)
            first_call = first_call or len(part)
        if case.pickled:
            model = pickle.loads(pickle.dumps(model))
        start = stop
    if read:
        X = np.concatenate(read)
        numbers = np.random.RandomState(case.parameters["random_state"])
        options = {"weights": weights, "moves": case.moves, "dtype": X.dtype.type}
        expected = loop_of(model.get_params(), X, numbers, first_call, **options)
        if len(set(case.dtypes)) > 1:  # the centers are as wide as the widest of them
            X = X.astype(model.cluster_centers_.dtype)
        assert_equals_reference(model, np.concatenate(labels), X, expected)
        if not case.moves:
            _check_answers(case, model, X[expected.opened_at], expected.counts)
        _check_costs(model, expected)
    else:
        assert not hasattr(model, "n_samples_seen_")
    return len(case.X)


def _limit(d):
    """Return the largest magnitude that the user guide allows."""
    return math.sqrt(sys.float_info.max / d) / 16


def _check_refused(model, rows):
    before = state(model)
    with pytest.raises(ValueError, match="overflow"):
        model.partial_fit(rows)
    assert state(model) == before


def _spoil(rows):
    """Overwrite rows: the estimator must not have kept them."""
    values = getattr(rows, "data", rows) if not isinstance(rows, np.ndarray) else rows
    if isinstance(values, np.ndarray) and values.flags.writeable:
        values[...] = np.nan


def _check_costs(model, expected):
    """Check that opening costs something as soon as the prefix is complete.

    A stream that forgets may begin another one.
    """
    assert (model.facility_cost_ == 0) >= (model.n_phases_ == 0)
    if getattr(model, "half_life", None) is None:
        assert (model.facility_cost_ == 0) == (model.n_phases_ == 0)


def _check_answers(case, model, centers, counts):
    """Check `predict` and `score` on centers and on points half-way between two of them.

    The nearest is one of those that count.
    """
    if not case.queries:
        return
    rng = np.random.RandomState(case.parameters["random_state"])
    one, other = rng.randint(len(centers), size=(2, case.queries))
    queries = (centers[one] / 2 + centers[other] / 2).astype(centers.dtype)
    live = np.flatnonzero(counts)
    plain = centers[live].astype(np.float64).tolist()
    found = [nearest(query, plain) for query in queries.astype(np.float64).tolist()]
    rows = STORAGES[case.storages[0]](queries)
    labels = live[[label for label, _ in found]]
    np.testing.assert_array_equal(model.predict(rows), labels)
    cost = math.fsum(d2 for _, d2 in found)
    assert -model.score(rows) == pytest.approx(cost, rel=1e-12, abs=1e-320)
