"""Results that are computed when they are asked for, partition by partition.

Nothing that is as long as the stream is kept after a call, neither here nor on workers: it
would be lost with its worker. The label of a sample is that of the nearest center that had
opened by then. So the centers, when they opened, and the sample are all it takes to look it
up again, whenever it is asked for and on whatever worker is there.
"""

import uuid

import dask


def node(name, value):
    """Return a value as a part of graphs, of which each worker gets one copy."""
    name = f"online-kmeans-{name}-{uuid.uuid4().hex}"
    return dask.delayed(value, name=name, traverse=False)


def key_name(function):
    """Return what the keys of the tasks of a function begin with."""
    return f"online-kmeans-{function.__name__.strip('_').replace('_', '-')}"


def each(function, parts, *args, by_part=None):
    """Return the delayed results of a function for each of the parts.

    Arguments that differ by part come in a list.
    """
    name = f"{key_name(function)}-{uuid.uuid4().hex}"
    function = dask.delayed(function, pure=False, traverse=False)
    by_part = [()] * len(parts) if by_part is None else [(value,) for value in by_part]
    return [
        function(part, *args, *more, dask_key_name=f"{name}-{i}")
        for i, (part, more) in enumerate(zip(parts, by_part))
    ]
