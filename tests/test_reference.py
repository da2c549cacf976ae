"""The reference itself, on streams worked out by hand."""

import math

from reference import practical, semi_online, theoretical


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
