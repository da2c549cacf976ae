"""What all partitions need, such as a mean to subtract, computed once for a call.

Partitions are loaded one after the other, and Dask forgets what none of those under way
needs: a mean of all rows would be computed again, from all rows, for each of them.
"""

from collections import Counter

from dask.core import get_dependencies, istask
from dask.delayed import Delayed


def with_shared_results(delayed, persist):
    """Return delayed partitions for which what all of them need is persisted."""
    graph = {}
    for part_graph in {id(part.dask): part.dask for part in delayed}.values():
        graph.update(part_graph)
    keys = _needed_by_all(graph, [part.key for part in delayed])
    if not keys:
        return delayed
    for result in persist([Delayed(key, graph) for key in keys]):
        graph = {**graph, **result.dask}
    return [Delayed(part.key, graph) for part in delayed]


def _needed_by_all(graph, keys):
    """Return the last tasks that all keys need, apart from data that are there.

    Of persisted tasks Dask leaves only the keys, which are not in the graph.
    """
    if len(keys) < 2:
        return []
    ends = [_reached(graph, key) for key in (keys[0], keys[-1])]
    common = set.intersection(*ends)
    uses = Counter()
    if common:
        for key in keys:
            uses.update(_reached(graph, key, common) & common)
    shared = [key for key, number in uses.items() if number == len(keys) and key in graph]
    return [key for key in shared if not _is_data(graph, key)]


def _is_data(graph, key):
    """Return whether a key stands for a value: it needs no others, and no function."""
    is_task = istask(graph[key]) or hasattr(graph[key], "func")
    return not is_task and not get_dependencies(graph, key)


def _reached(graph, key, last=frozenset()):
    """Return the tasks that a key needs, and no more than the last ones of each path."""
    found, coming = {key}, [key]
    while coming:
        key = coming.pop()
        if key in graph and key not in last:
            new = get_dependencies(graph, key) - found
            found |= new
            coming.extend(new)
    return found
