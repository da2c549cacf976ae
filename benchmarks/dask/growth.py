"""How long larger data take on more workers, by simulation: figures, table and chart."""

from ..report import write_csv
from .measure import MIB
from .simulation import Costs, simulate, useful_workers

ROWS = [10**9, 10**11]
WORKERS = [2, 10, 20, 50, 100, 200, 500, 1000]
PARTITIONS = [32, 128, 512]  # MiB
BLOCK = 2**16  # partitions of whole blocks of positions need not wait for each other


def rows_of(n_mib, n_features):
    """Return how many rows a partition of so many MiB has."""
    return max(1, n_mib * MIB // (8 * n_features * BLOCK)) * BLOCK


def simulated(results, most_workers, show):
    """Return what the simulation says of the costs that were measured on two workers."""
    found = []
    for setting, best in results:
        measured = best["Dask, 2 workers"]
        costs = Costs.of(setting, measured)
        again = simulate(costs, setting["n_rows"], 2, setting["partition"])
        agreement = again.seconds / measured["seconds"]
        for n_mib in PARTITIONS:
            show(f"k = {costs.k:,}: simulated, partitions of {n_mib} MiB")
            partition = rows_of(n_mib, costs.n_features)
            useful = useful_workers(costs, partition, most_workers)
            times = [
                {"workers": n_workers, "rows": n_rows, "partitions": n_rows / partition}
                | simulate(costs, n_rows, n_workers, partition)._asdict()
                for n_workers in WORKERS
                if n_workers <= most_workers
                for n_rows in ROWS
            ]
            one = {"k": costs.k, "partition": n_mib, "agreement": agreement}
            found.append({**one, "useful_workers": useful, "times": times})
    return found


def limit(time):
    """Return what keeps a fit from being faster."""
    if time["partitions"] < 2 * time["workers"]:
        return "few partitions"
    if time["driver_share"] > 0.8:
        return "driver"
    return "workers" if time["worker_share"] > 0.7 else "waiting"


def write_table(path, found):
    """Write what the simulation says, as a table."""
    of_rows = [f"{n_rows // 10**9:,} billion rows" for n_rows in ROWS]
    headings = [part for of in of_rows for part in (of, "limited by")]
    rows = []
    for one in found:
        for few, many in zip(one["times"][::2], one["times"][1::2]):
            cells = [f"{one['k']:,}", f"{one['partition']} MiB", f"{few['workers']:,}"]
            cells += [duration(few["seconds"]), limit(few)]
            rows.append([*cells, duration(many["seconds"]), limit(many)])
    write_csv(path, ["k", "partitions", "workers", *headings], rows)


def duration(seconds):
    """Return a time in the unit that suits it."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def draw(found, pale):
    """Return a chart of the time for the most rows against the number of workers."""
    from ..style import BLUE, ORANGE, add_legend, log_axis, new_figure

    figure = new_figure(3.8)
    axes = figure.subplots()
    colors = dict(zip(sorted({one["k"] for one in found}), (BLUE, ORANGE)))
    styles = dict(zip(PARTITIONS, (":", "--", "-")))
    for one in found:
        times = one["times"][1::2]
        workers = [time["workers"] for time in times]
        hours = [time["seconds"] / 3600 for time in times]
        label = f"k = {one['k']:,}, partitions of {one['partition']} MiB"
        style = {"color": colors[one["k"]], "linestyle": styles[one["partition"]]}
        axes.plot(workers, hours, label=label, **style)
        if one["partition"] == PARTITIONS[-1]:
            ideal = [hours[0] * workers[0] / n for n in workers]
            axes.plot(workers, ideal, color=pale, linewidth=0.8, zorder=0)
    axes.set(xlabel="workers", ylabel="hours")
    for which in "xy":
        log_axis(axes, which)
    axes.grid(True)
    title = f"{ROWS[-1] // 10**9:,} billion rows; gray: if all workers helped in full"
    axes.set_title(title, fontsize=10, loc="left")
    return add_legend(figure, ncols=2)
