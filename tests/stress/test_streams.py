"""The first of the generated streams; ``python -m tests.stress`` has the others."""

import numpy as np
import pytest
from engines import ENGINES, engine
from scipy.sparse import csr_array
from streams import dense, fit_in_chunks

from onlinekmeans_sklearn import OnlineKMeans

from . import SEED, history
from .cases import failures
from .sources import KINDS, STORAGES
from .stream_cases import stream_case

pytestmark = pytest.mark.slow

N_STREAMS = 150


@pytest.mark.parametrize("first", range(0, N_STREAMS, 30))
def test_generated_streams_are_the_papers_loop(first):
    found = failures("streams", SEED, range(first, first + 30))
    assert not found, found


def test_a_stream_is_known_by_its_seed_and_index():
    one, same, other = (stream_case(SEED, index) for index in (3, 3, 4))
    assert str(one) == str(same) != str(other)
    np.testing.assert_array_equal(one.X, same.X)
    assert str(stream_case(SEED + 1, 3)) != str(one)


def test_the_first_streams_are_of_every_sort():
    cases = [stream_case(SEED, index) for index in range(N_STREAMS)]
    assert {case.kind for case in cases} == set(KINDS)
    assert {case.kernel for case in cases} == set(ENGINES)
    assert max(case.shape[1] for case in cases) > 700
    assert {storage for case in cases for storage in case.storages} == set(STORAGES)
    assert {case.algorithm for case in cases} == {"practical", "theoretical", "semi-online"}
    assert {case.dtype for case in cases} == {"float64", "float32"}
    scales = [case.scale for case in cases]
    assert min(scales) < 1e-130
    assert max(scales) > 1e130
    assert max(abs(case.offset) for case in cases) > 1e11


def read(rows, sizes):
    """Return the model that has read rows in parts of these sizes, in turn."""
    model = OnlineKMeans(k=16, random_state=0)
    fit_in_chunks(model, rows, sizes)
    return model


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("kind", [np.array, csr_array])
@pytest.mark.parametrize("d", [131, 785, 4200])
def test_wide_rows_one_by_one_are_what_they_are_in_a_block(d, kind, name):
    rng = np.random.RandomState(d)
    X = rng.normal(size=(40, d)) + 10 * rng.randint(3, size=(40, 1))
    if kind is csr_array:
        X[rng.random_sample(X.shape) < 0.8] = 0.0
    with engine(name):
        block, single, mixed = (read(kind(X), sizes) for sizes in ([40], [1], [1, 3]))
    usual = read(kind(X), [40])
    for other in (single, mixed, usual):
        assert other.inertia_ == block.inertia_ > 0
        assert other.facility_costs_.tolist() == block.facility_costs_.tolist()
        assert other.opened_at_.tolist() == block.opened_at_.tolist()
        np.testing.assert_array_equal(*(dense(m.cluster_means_) for m in (other, block)))


@pytest.mark.parametrize("name", ENGINES)
def test_rows_with_very_many_columns_are_the_same_one_by_one(name):
    rng = np.random.RandomState(0)
    columns = np.sort(rng.randint(200, size=(60, 4)) * 50_000 + [0, 1, 2, 3], axis=1)
    arrays = rng.normal(size=240), columns.ravel(), np.arange(0, 241, 4)
    X = csr_array(arrays, shape=(60, 10**7))  # more than have an entry in the index
    with engine(name):
        block, single = (read(X, sizes) for sizes in ([60], [1]))
        labels = block.predict(X)
    assert single.inertia_ == block.inertia_ > 0
    assert single.predict(X).tolist() == labels.tolist()
    narrow = X.tocsc()[:, np.unique(columns)].tocsr()
    assert read(narrow, [60]).inertia_ == block.inertia_


@pytest.mark.parametrize("name", ["practical", "theoretical", "semi_online"])
def test_another_algorithm_is_told_apart(name, monkeypatch):
    algorithm = getattr(history, name)

    def other(samples, uniforms, k, *rest, **options):
        return algorithm(samples, uniforms, k + 5, *rest, **options)

    monkeypatch.setattr(history, name, other)
    assert failures("streams", SEED, range(30))
