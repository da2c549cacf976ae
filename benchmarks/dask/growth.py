"""How long larger data take on more workers, by simulation: table and chart."""

import csv

from .measure import MIB
from .simulation import simulate, useful_workers

ROWS = [10**9, 10**11]
WORKERS = [2, 10, 20, 50, 100, 200, 500, 1000]
PARTITIONS = [32, 128, 512]  # MiB
HEADINGS = ["k", "rows", "workers", "partition", "time", "limited by"]


def rows_of(n_mib, n_features):
    """Return how many rows a partition of so many MiB has: whole blocks of positions."""
    return max(1, n_mib * MIB // (8 * n_features) // 2**16) * 2**16


def simulated(costs, tell):
    """Return what the simulation says, a dict for each setting, and how many workers help."""
    found, useful = [], []
    for cost in costs:
        for n_mib in PARTITIONS:
            partition = rows_of(n_mib, cost.n_features)
            tell(f"simulated, k = {cost.k:,}, partitions of {n_mib} MiB")
            number = useful_workers(cost, partition)
            useful.append({"k": cost.k, "partition": n_mib, "workers": number})
            for n_rows in ROWS:
                for n_workers in WORKERS:
                    result = simulate(cost, n_rows, n_workers, partition)
                    setting = {"k": cost.k, "rows": n_rows, "workers": n_workers}
                    found.append({**setting, "partition": n_mib, **result._asdict()})
    return found, useful


def limit(found):
    """Return what limits a fit: where most of the time goes that more workers do not save."""
    n_partitions = found["rows"] / rows_of(found["partition"], 20)
    if found["driver"] > 0.8:
        return "driver"
    if n_partitions < 2 * found["workers"]:
        return "few partitions"
    return "workers" if found["workers_share"] > 0.7 else "waiting"
