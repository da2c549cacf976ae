"""The constants of the paper, and nothing else, are in the schedules.

All rows here differ from each other, so that the prefix is as long as it has centers.
"""

import numpy as np
import pytest
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans

LINE = np.arange(400.0)[:, None]  # each row is at distance 1 from its closest
SPACED = np.cumsum([0, *range(3, 20)])[:, None]  # gaps of 3, 4, 5, ...
X = blobs(0, 3000, d=2)


def openings(model):
    """Return how many centers opened in each phase that ended."""
    cuts = zip(model.phase_starts_, model.phase_starts_[1:])
    at = model.opened_at_
    return [int(((at >= low) & (at < high)).sum()) for low, high in cuts]


@pytest.mark.filterwarnings("ignore:The 'k' parameter:UserWarning")
@pytest.mark.parametrize(
    ("k_target", "k"), [(1, 1), (15, 1), (20, 1), (21, 2), (100, 17), (1000, 197)]
)
def test_k_target_is_converted_as_in_the_paper(k_target, k):
    model = OnlineKMeans(k=k_target, random_state=0).fit(LINE)
    assert model.phase_starts_[0] == k + 10
    np.testing.assert_array_equal(model.opened_at_[: k + 10], np.arange(k + 10))


def test_practical_starts_at_half_the_ten_smallest_distances():
    model = OnlineKMeans(k=30, random_state=0).fit(SPACED[:13])
    closest = [3, *range(3, 15)]  # of 13 centers
    assert model.facility_cost_ == sum(gap**2 for gap in closest[:10]) / 2


@pytest.mark.parametrize(("k_target", "k"), [(20, 1), (25, 2), (60, 9)])
def test_practical_multiplies_the_cost_by_ten_after_k_openings(k_target, k):
    model = OnlineKMeans(k=k_target, random_state=0).fit(X)
    costs = model.facility_costs_.tolist()
    assert len(costs) > 2
    assert costs[1:] == [10 * cost for cost in costs[:-1]]
    assert openings(model) == [k] * (len(costs) - 1)
    assert model.opened_at_[k + 10 + k - 1] + 1 == model.phase_starts_[1]


def test_theoretical_starts_at_half_the_smallest_distance_over_k():
    model = OnlineKMeans(k=4, algorithm="theoretical", random_state=0).fit(SPACED[2:7])
    np.testing.assert_array_equal(model.phase_starts_, [5])  # k + 1
    assert model.facility_cost_ == 5**2 / 2 / 4


def test_semi_online_needs_no_prefix_when_the_bound_is_known():
    model = SemiOnlineKMeans(k=5, lower_bound=30.0, n_samples=64).fit(X[:1])
    np.testing.assert_array_equal(model.phase_starts_, [0])
    assert model.facility_cost_ == 30 / (5 * 6)


def test_semi_online_finds_the_bound_as_algorithm_2_does():
    model = SemiOnlineKMeans(k=5, n_samples=64, random_state=0)
    model.partial_fit(SPACED[1:6])
    assert (model.n_phases_, model.facility_cost_) == (0, 0.0)
    model.partial_fit(SPACED[6:7])
    np.testing.assert_array_equal(model.phase_starts_, [6])  # k + 1
    assert model.facility_cost_ == 4**2 / 2 / (5 * 6)


def test_the_logarithm_of_a_short_stream_is_at_least_one():
    model = SemiOnlineKMeans(k=1, lower_bound=1.0, n_samples=1, random_state=0).fit(X[:1])
    assert model.facility_cost_ == 1.0


def test_a_cost_of_nothing_is_the_smallest_there_is():
    """It could not be raised otherwise."""
    rows = LINE[:20] * 1e-170  # whose squares are 0, and which are equal then
    model = SemiOnlineKMeans(k=1, lower_bound=5e-324, n_samples=64).fit(rows)
    assert model.facility_costs_[0] == 5e-324
