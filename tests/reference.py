"""The paper's three algorithms as plain loops over samples.

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
* costs and sums are added up in blocks of positions, and the blocks one after the other.
"""

import math
from typing import NamedTuple

import numpy as np

BLOCK = 2**16  # positions; a test may make it, and that of the package, smaller


class Result(NamedTuple):
    """What is known after the last sample."""

    opened_at: list  # the positions of the samples that became centers
    labels: list  # the cluster each sample got when it was read
    facility_cost: float  # f_r, 0 if the prefix is not complete
    phase: int  # r, 0 if the prefix is not complete
    inertia: float  # the sum of squared distances at the moment of assignment
    phases: list  # for each phase, the samples before it and its facility cost
    d2: list  # the squared distance of each sample at the moment of assignment
    means: list  # of the members of each cluster


def uniform_numbers(random_state, n):
    """Return the numbers of the first n positions of a stream that draws its seed now."""
    seed = random_state.randint(2**63 - 1, dtype=np.int64)
    bits = np.random.PCG64(seed).random_raw(n)
    return [(raw >> 11) / 2**53 for raw in bits.tolist()]


def added_up(numbers):
    """Return the sum: first within each block, number by number, then block by block."""
    total = 0.0
    for start in range(0, len(numbers), BLOCK):
        of_block = 0.0
        for number in numbers[start : start + BLOCK]:
            of_block += number
        total += of_block
    return total


def cluster_means(samples, opened_at, labels):
    """Return the mean of each cluster: its center plus the mean difference to it."""
    centers = [samples[o] for o in opened_at]
    totals = [[0.0] * len(c) for c in centers]
    for start in range(0, len(labels), BLOCK):
        of_block = {}
        for t in range(start, min(start + BLOCK, len(labels))):
            c = centers[labels[t]]
            sums = of_block.setdefault(labels[t], [0.0] * len(c))
            for j, v_j in enumerate(samples[t]):
                sums[j] += v_j - c[j]
        for cluster, sums in of_block.items():
            totals[cluster] = [total + s for total, s in zip(totals[cluster], sums)]
    inverses = [1 / labels.count(cluster) for cluster in range(len(centers))]
    return [
        [c_j + total * inverse for c_j, total in zip(c, sums)]
        for c, sums, inverse in zip(centers, totals, inverses)
    ]


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


def first_distinct(samples, count, max_clusters):
    """Return the positions of the first distinct samples; labels and costs up to them."""
    opened_at, labels, costs = [], [], []
    for t, v in enumerate(samples):
        if len(opened_at) == count:
            break
        label, d2 = nearest(v, [samples[o] for o in opened_at])
        if d2 > 0 and len(opened_at) < max_clusters:
            label, d2 = len(opened_at), 0.0
            opened_at.append(t)
        labels.append(label)
        costs.append(d2)
    return opened_at, labels, costs


def closest_distances(prefix):
    """Return for each sample of the prefix D2 to the closest of the others."""
    return [
        nearest(v, [c for j, c in enumerate(prefix) if j != i])[1]
        for i, v in enumerate(prefix)
    ]


def incomplete(samples, opened_at, labels, costs):
    """Return what is known of a stream that has not filled its prefix."""
    means = cluster_means(samples, opened_at, labels)
    return Result(opened_at, labels, 0.0, 0, added_up(costs), [], costs, means)


def main_loop(
    samples, uniforms, opened_at, labels, costs, f, growth, openings_per_phase, max_clusters
):
    """Read the samples that have no label yet."""
    opened_at, labels, costs = list(opened_at), list(labels), list(costs)
    f = max(f, math.ulp(0.0))
    r, q, phases = 1, 0, [(len(labels), f)]
    for t in range(len(labels), len(samples)):
        v = samples[t]
        n = t + 1
        label, d2 = nearest(v, [samples[o] for o in opened_at])
        if uniforms[t] * f < d2 and len(opened_at) < max_clusters:
            label, d2 = len(opened_at), 0.0
            opened_at.append(t)
            q += 1
        if q >= openings_per_phase(n):
            r, q, f = r + 1, 0, growth * f
            phases.append((n, f))
        labels.append(label)
        costs.append(d2)
    means = cluster_means(samples, opened_at, labels)
    return Result(opened_at, labels, f, r, added_up(costs), phases, costs, means)


def semi_online(samples, uniforms, k, lower_bound=None, n=None, max_clusters=math.inf):
    """Algorithm 1."""
    log_n = max(1.0, math.log2(len(samples) if n is None else n))
    opened_at, labels, costs, w = [], [], [], lower_bound
    if w is None:
        opened_at, labels, costs = first_distinct(samples, k + 1, max_clusters)
        if len(opened_at) < k + 1:
            return incomplete(samples, opened_at, labels, costs)
        w = min(closest_distances([samples[o] for o in opened_at])) / 2
    f = w / (k * log_n)

    def openings_per_phase(n):
        return 3 * k * (1 + log_n)

    return main_loop(
        samples, uniforms, opened_at, labels, costs, f, 2, openings_per_phase, max_clusters
    )


def theoretical(samples, uniforms, k, max_clusters=math.inf):
    """Algorithm 2."""
    opened_at, labels, costs = first_distinct(samples, k + 1, max_clusters)
    if len(opened_at) < k + 1:
        return incomplete(samples, opened_at, labels, costs)
    w = min(closest_distances([samples[o] for o in opened_at])) / 2

    def openings_per_phase(n):
        return 3 * k * (1 + math.log2(n))

    return main_loop(
        samples,
        uniforms,
        opened_at,
        labels,
        costs,
        w / k,
        2,
        openings_per_phase,
        max_clusters,
    )


def practical(samples, uniforms, k_target, max_clusters=math.inf):
    """Algorithm 3."""
    k = max(1, math.ceil((k_target - 15) / 5))
    opened_at, labels, costs = first_distinct(samples, k + 10, max_clusters)
    if len(opened_at) < k + 10:
        return incomplete(samples, opened_at, labels, costs)
    closest = sorted(closest_distances([samples[o] for o in opened_at]))
    w = math.fsum(closest[:10]) / 2
    return main_loop(
        samples, uniforms, opened_at, labels, costs, w, 10, lambda n: k, max_clusters
    )
