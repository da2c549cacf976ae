"""Values that a call needs at once, and what all partitions need, computed once for a call.

Partitions are loaded one after the other, and Dask forgets what none of those under way
needs: a mean of all rows would be computed again, from all rows, for each of them.
"""

import dask
from dask.core import get_dependencies, istask
from dask.delayed import Delayed

RETRIES = 3  # of each task


def computed(function, delayed, client, *args):
    """Return what a function gives of each partition, which is small.

    Without a client Dask's own scheduler computes it, in this process.
    """
    function = dask.delayed(function)
    options = {"scheduler": client.get, "retries": RETRIES} if client else {}
    return dask.compute(*(function(part, *args) for part in delayed), **options)


def with_shared_results(delayed, client):
    """Return delayed partitions for which what all of them need is persisted.

    That is what the first and the last one need, apart from data that are there.
    """
    graphs = {id(part.dask): part.dask for part in delayed}.values()
    graph = {key: task for some in graphs for key, task in some.items()}
    of_first, of_last = ({*by_itself(delayed[i]).dask} for i in (0, -1))
    used = set().union(*(get_dependencies(graph, key) for key in of_first - of_last))
    keys = [key for key in used & of_last if not _is_data(graph, key)]
    if not keys:
        return delayed
    shared = [Delayed(key, graph) for key in keys]
    shared = client.persist(shared, retries=RETRIES) if client else dask.persist(*shared)
    for result in shared:
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
