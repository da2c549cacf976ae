"""Calls with arrays and sparse structures of every sort, drawn by hypothesis."""

import warnings

import hypothesis.extra.numpy as npst
import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from scipy import sparse

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

from .fuzz_cases import ASKING, LEARNING, Call, check_call

CALLS = 50  # of a case
BARE = {"database": None, "deadline": None, "suppress_health_check": [*HealthCheck]}
N_FEATURES = 3

sides = st.one_of(st.just(N_FEATURES), st.integers(0, 5))
shapes = st.one_of(st.tuples(sides, sides), st.lists(sides, max_size=3).map(tuple))
dtypes = st.one_of(
    npst.floating_dtypes(),
    npst.scalar_dtypes(),
    npst.unicode_string_dtypes(max_len=3),
    npst.byte_string_dtypes(max_len=3),
    npst.array_dtypes(max_size=2),
    st.just(np.dtype(object)),
)


def arrays_of(dtype, shape):
    """Return a strategy for arrays; objects are anything that comes to mind."""
    if dtype.kind == "O":
        return npst.arrays(dtype, shape, elements=objects)
    return npst.arrays(dtype, shape)


objects = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers()),
    *(st.text(max_size=3), st.binary(max_size=3), st.lists(st.floats(), max_size=2)),
)
arrays = st.tuples(dtypes, shapes).flatmap(lambda drawn: arrays_of(*drawn))

near_indices = st.integers(-1, N_FEATURES)
indices = st.one_of(near_indices, near_indices, st.integers(-(2**31), 2**31 - 1))
index_dtypes = st.sampled_from([np.int32, np.int64, np.int32, np.uint32, np.float64])
values = st.one_of(st.integers(-3, 3).map(float), st.floats())


@st.composite
def index_arrays(draw, elements, size):
    """Return an array of about the right length for a sparse structure."""
    n = draw(st.one_of(st.just(size), st.just(size), st.integers(0, size + 2)))
    drawn = draw(st.lists(elements, min_size=n, max_size=n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array(drawn).astype(draw(index_dtypes))


@st.composite
def structures(draw):
    """Return sparse rows whose arrays were replaced, by what fits or does not."""
    kind = draw(st.sampled_from(["csr", "csr", "csc", "bsr", "coo", "dia"]))
    n_rows, n_values = draw(st.integers(1, 4)), draw(st.integers(0, 6))
    form = getattr(sparse, kind + draw(st.sampled_from(["_array", "_matrix"])))
    X = form(np.ones((n_rows, N_FEATURES)))
    if kind == "dia":
        X.offsets = draw(index_arrays(indices, len(X.offsets)))
        return X
    data = npst.arrays(draw(npst.floating_dtypes()), n_values)
    X.data = draw(data) if kind != "bsr" else draw(data)[:, None, None]
    if kind == "coo":
        X.row = draw(index_arrays(indices, n_values))
        X.col = draw(index_arrays(indices, n_values))
        return X
    X.indices = draw(index_arrays(indices, n_values))
    if draw(st.booleans()):
        ends = np.sort(draw(index_arrays(st.integers(0, n_values), len(X.indptr))))
        if len(ends):
            ends[0], ends[-1] = 0, n_values
        X.indptr = ends
    else:
        X.indptr = draw(index_arrays(indices, len(X.indptr)))
    return X


def run_arbitrary(seed_, index):
    """Make the calls of the case of this index, and return how many."""
    made = []

    @seed(seed_ * 1_000_003 + index)
    @settings(max_examples=CALLS, phases=[Phase.generate], **BARE)
    @given(
        X=st.one_of(arrays, structures()),
        method=st.sampled_from(LEARNING + ASKING),
        estimator=st.sampled_from([OnlineKMeans, SemiOnlineKMeans]),
        is_fitted=st.booleans(),
        n_clusters=st.sampled_from([None, None, 2]),
    )
    def call(X, method, estimator, is_fitted, n_clusters):
        made.append(method)
        model = estimator(n_clusters, k=20, random_state=0)
        if is_fitted:
            model.fit(np.arange(8.0 * N_FEATURES).reshape(8, N_FEATURES))
        check_call(model, Call(method, "arbitrary", (X,), {}))

    call()
    return len(made)
