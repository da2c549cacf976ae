"""The reference on streams worked out by hand, and the constants of the paper.

All rows of the latter differ, so that the prefix is as long as it has centers.
"""

import math

import numpy as np
import pytest
from reference import practical, semi_online, theoretical
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans


def test_algorithm_1_by_hand():
    # w* = 8, n = 4, k = 2: f_1 = 8 / (2 * 2) = 2, and a phase ends at 3 * 2 * 3 openings.
    samples = [[0.0], [1.0], [3.0], [1.0]]
    result = semi_online(samples, [0.9, 0.6, 0.9, 0.0], k=2, lower_bound=8.0, n=4)
    # 0 opens without a center; 1 has D2 = 1 < 0.6 * 2; 3 has D2 = 9; 1 is nearer to 0.
    assert result.opened_at == [0, 2, 3]
    assert result.labels == [0, 0, 1, 2]
    assert result.facility_cost == 2.0
    assert result.phase == 1
    assert result.inertia == 1.0


def test_algorithm_2_by_hand():
    # k = 1: the first two distinct samples, w* = 4 / 2, f_1 = 2.
    samples = [[0.0], [0.0], [2.0], [3.0], [9.0], [20.0], [40.0], [80.0]]
    uniforms = [0.5] * len(samples)
    result = theoretical(samples, uniforms, k=1)
    # 3: D2 = 1 is not more than 0.5 * 2. All others open, f grows after 3 (1 + log n) of
    # them, which never comes.
    assert result.opened_at == [0, 2, 4, 5, 6, 7]
    assert result.labels == [0, 0, 1, 1, 2, 3, 4, 5]
    assert (result.facility_cost, result.phase) == (2.0, 1)


def test_algorithm_2_doubles_the_cost_when_enough_have_opened():
    samples = [[float(4**t)] for t in range(30)]
    result = theoretical(samples, [0.0] * 30, k=1)
    # With u = 0 all open. q_1 reaches 3 (1 + log2 n) first at n = 19: 17 >= 15.74...
    q, r, f = 0, 1, 9 / 2
    for n in range(3, 31):
        q += 1
        if q >= 3 * (1 + math.log2(n)):
            q, r, f = 0, r + 1, 2 * f
    assert (result.phase, result.facility_cost) == (r, f)
    assert r > 1


def test_algorithm_3_by_hand():
    # k_target = 20: k = 1, so 11 samples are centers, and each opening ends a phase.
    samples = [[float(t)] for t in range(11)] + [[100.0], [200.0], [201.0]]
    result = practical(samples, [0.5] * 14, k_target=20)
    # w* is half of ten neighbors at distance 1: f_1 = 5, then 50, then 500.
    assert result.opened_at == [*range(11), 11, 12]
    assert result.labels[-1] == 12
    assert (result.facility_cost, result.phase) == (500.0, 3)
    assert result.inertia == 1.0


def test_a_prefix_that_never_completes_has_no_cost():
    result = practical([[1.0], [2.0], [1.0]], [0.5] * 3, k_target=100)
    assert result.opened_at == [0, 1]
    assert result.labels == [0, 1, 0]
    assert (result.facility_cost, result.phase) == (0.0, 0)


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
