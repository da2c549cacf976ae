"""The first of the generated streams; ``python -m tests.stress`` has the others."""

import numpy as np
import pytest

from . import SEED, stream_cases
from .cases import failures
from .kernels import KERNELS
from .sources import KINDS, STORAGES
from .stream_cases import stream_case

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
    assert {case.kernel for case in cases} == set(KERNELS)
    assert {storage for case in cases for storage in case.storages} == set(STORAGES)
    assert {case.algorithm for case in cases} == {"practical", "theoretical", "semi-online"}
    assert {case.dtype for case in cases} == {"float64", "float32"}
    scales = [case.scale for case in cases]
    assert min(scales) < 1e-130
    assert max(scales) > 1e130
    assert max(abs(case.offset) for case in cases) > 1e11


@pytest.mark.parametrize("name", ["practical", "theoretical", "semi_online"])
def test_another_algorithm_is_told_apart(name, monkeypatch):
    algorithm = getattr(stream_cases, name)

    def other(samples, uniforms, k, *rest):
        return algorithm(samples, uniforms, k + 5, *rest)

    monkeypatch.setattr(stream_cases, name, other)
    assert failures("streams", SEED, range(10))
