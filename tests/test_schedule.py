"""The constants of the paper, and nothing else, are in the schedules."""

import math

import numpy as np
import pytest

from onlinekmeans_sklearn._schedule import Practical, SemiOnline, Theoretical


@pytest.mark.parametrize(
    ("k_target", "k"), [(1, 1), (15, 1), (20, 1), (21, 2), (100, 17), (1000, 197)]
)
def test_k_target_is_converted_as_in_the_paper(k_target, k):
    schedule = Practical(k_target)
    assert schedule.k == k
    assert schedule.prefix_length == k + 10


def test_the_prefix_ends_at_its_last_distinct_sample():
    schedule = Practical(20)
    for n in range(1, 11):
        schedule.record_opening(n)
        assert (schedule.phase, schedule.facility_cost) == (0, 0.0)
        assert not schedule.prefix_is_complete
    schedule.record_opening(11)
    assert schedule.prefix_is_complete
    schedule.start(np.full(11, 2.0), 13)
    assert (schedule.phase, schedule.openings) == (1, 0)
    assert schedule.facility_cost == 10.0  # half of ten times 2
    assert not schedule.prefix_is_complete


def test_practical_multiplies_the_cost_by_ten_after_k_openings():
    schedule = Practical(25)
    schedule.start(np.full(12, 2.0), 12)
    schedule.record_opening(13)
    assert (schedule.phase, schedule.facility_cost) == (1, 10.0)
    schedule.record_opening(14)
    assert (schedule.phase, schedule.facility_cost, schedule.openings) == (2, 100.0, 0)
    assert schedule.phases == ((12, 10.0), (14, 100.0))


def test_theoretical_starts_at_half_the_smallest_distance_over_k():
    schedule = Theoretical(4)
    assert schedule.prefix_length == 5
    assert schedule.first_cost(np.array([8.0, 3.0, 9.0])) == 3 / 2 / 4
    assert schedule.openings_per_phase(1024) == 3 * 4 * 11
    assert schedule.growth == 2


def test_semi_online_needs_no_prefix_when_the_bound_is_known():
    schedule = SemiOnline(5, lower_bound=30.0, n_samples=64)
    assert schedule.prefix_length == 0
    assert schedule.facility_cost == 30 / (5 * 6)
    assert schedule.phases == ((0, schedule.facility_cost),)
    assert schedule.openings_per_phase(10**9) == 3 * 5 * 7


def test_semi_online_finds_the_bound_as_algorithm_2_does():
    schedule = SemiOnline(5, lower_bound=None, n_samples=64)
    assert schedule.prefix_length == 6
    assert (schedule.phase, schedule.facility_cost) == (0, 0.0)
    assert schedule.first_cost(np.array([8.0, 3.0])) == 3 / 2 / (5 * 6)


def test_the_logarithm_of_a_short_stream_is_at_least_one():
    assert SemiOnline(1, lower_bound=1.0, n_samples=1).facility_cost == 1.0
    assert math.isfinite(SemiOnline(1, lower_bound=1.0, n_samples=1).openings_per_phase(1))
