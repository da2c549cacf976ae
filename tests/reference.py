"""The paper's three algorithms as one plain loop over samples.

Nothing here is fast. Samples are lists of floats, the distance of two samples is added up
feature by feature, and every step is the pseudo-code's. What the paper leaves open is
decided as the user guide says:

* one uniform number per sample, ``uniforms[t]`` for the t-th, also in the prefix, which
  depends on nothing but the seed and t;
* a sample opens a center iff ``u * f < D2``;
* the prefix takes *distinct* samples; a repeat gets the label of its twin;
* logarithms are base 2, and in Algorithm 1 log n is at least 1;
* of equally near centers the oldest wins;
* a phase costs at least the smallest positive float: 0 could not be raised;
* when there are ``max_clusters`` centers, no more open;
* costs, counts and sums are added up in blocks of positions, the blocks one after the
  other;
* a sample of weight w opens a center as the least of w numbers would;
* after ``half_life`` samples all before them count half, and clusters may retire;
* if centers move, they move to means, at some positions after the prefix.
"""

import math
from typing import NamedTuple

import numpy as np

BLOCK = 2**16  # positions; a test may make it, and that of the package, smaller
LEAST_WEIGHT = 2.0**-1000  # of a cluster, or of all samples, however often halved
MOVES = [512 * 13**i // 10**i for i in range(30)]  # before which samples centers move


class Result(NamedTuple):
    """What is known after the last sample."""

    opened_at: list  # the positions of the samples that became centers
    labels: list  # the cluster each sample got when it was read
    facility_cost: float  # f_r, 0 if the prefix is not complete
    phase: int  # r, 0 if the first prefix is not complete
    inertia: float  # the sum of squared distances at the moment of assignment
    phases: list  # for each phase, the samples before it and its facility cost
    d2: list  # the squared distance of each sample at the moment of assignment
    means: list  # of the members of each cluster
    counts: list  # the weight of the members of each cluster, 0 if it has retired
    centers: list  # of each cluster: the sample that opened it, unless centers move


class Schedule(NamedTuple):
    """What the three algorithms do in different ways."""

    prefix: int  # the number of distinct samples that become centers first
    first_cost: object  # f_1, a function of the prefix and of weights, at most 1
    openings: object  # how many of them end a phase, a function of n
    growth: int  # f_r / f_(r-1)
    f: float = 0.0  # f_1 if it is known before the stream
    keep: int = None  # k_target; in Algorithm 2 it is `openings`


class Sum:
    """A number that is added up: within a block from zero, then block by block."""

    def __init__(self):
        self.closed = self.open = 0.0

    def close(self):
        self.closed, self.open = self.closed + self.open, 0.0

    def halve(self, least=-math.inf):
        self.close()
        self.closed = max(self.closed / 2, least)

    def value(self):
        return self.closed + self.open


class Cluster:
    """A center, and what is known of its members."""

    def __init__(self, center, opened_at, index):
        self.center, self.opened_at, self.index = center, opened_at, index
        self.count = Sum()
        self.sums = [Sum() for _ in center]

    def add(self, v, w):
        self.count.open += w
        for total, v_j, c_j in zip(self.sums, v, self.center):
            total.open += (v_j - c_j) * w

    def mean(self):
        inverse = 1 / self.count.value()
        return [c_j + s.value() * inverse for c_j, s in zip(self.center, self.sums)]

    def move(self, dtype):
        count, before = self.count.value(), self.center
        self.count.close()
        self.center = [float(dtype(m_j)) for m_j in self.mean()]
        for s, c_j, b_j in zip(self.sums, self.center, before):
            s.close()
            s.closed -= count * (c_j - b_j)


def uniform_numbers(random_state, n):
    """Return the numbers of the first n positions of a stream that draws its seed now."""
    seed = random_state.randint(2**63 - 1, dtype=np.int64)
    bits = np.random.PCG64(seed).random_raw(n)
    return [(raw >> 11) / 2**53 for raw in bits.tolist()]


def squared_distance(v, c):
    total = 0.0
    for v_j, c_j in zip(v, c):
        difference = v_j - c_j
        total += difference * difference
    return total


def nearest(v, centers):
    """Return the index of the oldest nearest center and D2(v, C)."""
    best, best_d2 = None, math.inf
    for index, c in enumerate(centers):
        d2 = squared_distance(v, c)
        if d2 < best_d2:
            best, best_d2 = index, d2
    return best, best_d2


def closest_distances(prefix, weights):
    """Return for each sample of the prefix D2 to the closest of the others, weighted."""
    return [
        nearest(v, [c for j, c in enumerate(prefix) if j != i])[1] * w
        for i, (v, w) in enumerate(zip(prefix, weights))
    ]


def least_of(u, w):
    """Return the least of w random numbers, given one that is uniform."""
    if w == 0:
        return math.inf
    return u / w if w <= 1 else float(-np.expm1(np.log1p(-u) / w))


def online_kmeans(
    samples,
    uniforms,
    schedule,
    max_clusters=math.inf,
    half_life=math.inf,
    weights=None,
    moves=(),
    dtype=np.float64,
):
    """Read all samples; `dtype` is that of centers that move before samples of `moves`."""
    every, live, opened_at, labels, costs = [], [], [], [], []
    # the weight of samples of old epochs, and of the current one
    old, new, W, W_e, fees, least = 0.0, 0.0, Sum(), Sum(), 0.0, 1.0
    f, q, prefix_weights, phases = schedule.f, 0, [], []
    if f > 0:
        phases.append((0, f))
    for t, v in enumerate(samples):
        w = 1.0 if weights is None else weights[t]
        if t % BLOCK == 0:
            for s in [W, W_e, *(s for c in live for s in (c.count, *c.sums))]:
                s.close()
        if t > 0 and t % half_life == 0:
            openings = schedule.openings(max(1.0, (old + new) / least))
            cost = W_e.value() + fees
            if f > 0 and cost > 0:
                is_far_too_large = f > 100 * cost / openings
                f, q = (0.0, 0) if is_far_too_large else (max(f / 2, math.ulp(0.0)), q)
            old, new = max((old + new) / 2, LEAST_WEIGHT), 0.0
            W.halve()
            W_e, fees = Sum(), 0.0
            for cluster in live:
                cluster.count.halve(LEAST_WEIGHT)
                for s in cluster.sums:
                    s.halve()
            if f > 0:
                share = old / (schedule.keep or openings) / 2
                enough = min(share, max(cluster.count.value() for cluster in live))
                live = [
                    cluster
                    for cluster in live
                    if cluster.count.value() >= enough or cluster.opened_at >= t - half_life
                ]
        if t in moves and f > 0:
            for s in (W, W_e):
                s.close()
            for cluster in live:
                cluster.move(dtype)
        new += w
        least = min(least, w) if w > 0 else least
        index, d2 = nearest(v, [cluster.center for cluster in live])
        is_far = t == 0 or least_of(uniforms[t], w) * f < d2
        if is_far and len(opened_at) < max_clusters:
            fees += w * min(d2, f)
            index, d2 = len(live), 0.0
            live.append(Cluster(v, t, len(opened_at)))
            every.append(live[-1])
            opened_at.append(t)
            q += 1
            if f == 0:
                prefix_weights.append(min(w, 1.0))
                if q == schedule.prefix:
                    prefix = [cluster.center for cluster in live[-schedule.prefix :]]
                    f = max(schedule.first_cost(prefix, prefix_weights), math.ulp(0.0))
                    q, prefix_weights = 0, []
                    phases.append((t + 1, f))
            elif q >= schedule.openings(max(1.0, (old + new) / least)):
                f, q = schedule.growth * f, 0
                phases.append((t + 1, f))
        live[index].add(v, w)
        W.open += d2 * w
        W_e.open += d2 * w
        labels.append(live[index].index)
        costs.append(d2)
    centers = [cluster.center for cluster in every]
    means, counts = centers.copy(), [0.0] * len(every)
    for cluster in live:
        means[cluster.index] = cluster.mean()
        counts[cluster.index] = cluster.count.value()
    decided = opened_at, labels, f, len(phases), W.value(), phases, costs
    return Result(*decided, means, counts, centers)


def semi_online(samples, uniforms, k, lower_bound=None, n=None, **options):
    """Algorithm 1."""
    log_n = max(1.0, math.log2(len(samples) if n is None else n))
    f = 0.0 if lower_bound is None else max(lower_bound / (k * log_n), math.ulp(0.0))
    schedule = Schedule(
        prefix=k + 1,
        first_cost=lambda *prefix: min(closest_distances(*prefix)) / 2 / (k * log_n),
        openings=lambda n: 3 * k * (1 + log_n),
        growth=2,
        f=f,
    )
    return online_kmeans(samples, uniforms, schedule, **options)


def theoretical(samples, uniforms, k, **options):
    """Algorithm 2."""
    schedule = Schedule(
        prefix=k + 1,
        first_cost=lambda *prefix: min(closest_distances(*prefix)) / 2 / k,
        openings=lambda n: 3 * k * (1 + math.log2(n)),
        growth=2,
    )
    return online_kmeans(samples, uniforms, schedule, **options)


def practical(samples, uniforms, k_target, **options):
    """Algorithm 3."""
    k = max(1, math.ceil((k_target - 15) / 5))
    schedule = Schedule(
        prefix=k + 10,
        first_cost=lambda *prefix: math.fsum(sorted(closest_distances(*prefix))[:10]) / 2,
        openings=lambda n: k,
        growth=10,
        keep=k_target,
    )
    return online_kmeans(samples, uniforms, schedule, **options)
