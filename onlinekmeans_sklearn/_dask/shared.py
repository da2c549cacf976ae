"""What all partitions need, such as a mean to subtract, computed once for a call.

Partitions are loaded one after the other, and Dask forgets what none of those under way
needs: a mean of all rows would be computed again, from all rows, for each of them.
"""

from dask.core import get_dependencies, istask
from dask.delayed import Delayed


def with_shared_results(delayed, persist):
    """Return delayed partitions for which what all of them need is persisted.

    That is what the first and the last one need, apart from data that are there.
    """
    graph = {}
    for part_graph in {id(part.dask): part.dask for part in delayed}.values():
        graph.update(part_graph)
    of_first, of_last = ({*by_itself(delayed[i]).dask} for i in (0, -1))
    used = set()
    for key in of_first - of_last:
        used |= get_dependencies(graph, key) & of_last
    keys = [key for key in used if not _is_data(graph, key)]
    if not keys:
        return delayed
    for result in persist([Delayed(key, graph) for key in keys]):
        graph = {**graph, **result.dask}
    return [Delayed(part.key, graph) for part in delayed]


def _is_data(graph, key):
    """Return whether a key stands for a value: it needs no others, and no function."""
    is_task = istask(graph[key]) or hasattr(graph[key], "func")
    return not is_task and not get_dependencies(graph, key)


def by_itself(part):
    """Return a delayed object whose graph is all its own: Dask sends the whole of it."""
    graph = part.__dask_optimize__(part.dask, [part.key])
    return Delayed(part.key, graph.to_dict())
