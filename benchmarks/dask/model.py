"""How long larger data would take on more workers, by the figures of two workers.

A row costs its worker some time to propose and label, and some to add up. Proposals are
independent, so workers share them. Adding up goes through all partitions in order, one at a
time: it is never faster than that chain, nor than the driver can decide. The first rows are
read by one worker. So, for N rows on W workers,

    T(N, W) = serial + max(N (propose + add up) / W,  N add up,  N drive)

It assumes that rows, clusters and machines stay as they were measured, that candidates are
as frequent in later rows (they become rarer), and that the data lie on the workers.
"""

import csv
from typing import NamedTuple

import numpy as np

ROWS = [10**9, 10**11]
WORKERS = [1, 10, 20, 50, 100, 200, 500, 1000]
LIMITS = ["workers", "adding up", "driver"]


class Costs(NamedTuple):
    """Seconds: of the serial part, and per row of the rest."""

    k: int
    serial: float
    propose: float
    add: float
    drive: float

    @classmethod
    def of(cls, setting, found):
        """Return the costs that were measured on two workers."""
        steps, n_rows = found["steps"], setting["n_rows"] - found["n_serial_rows"]
        serial, adding = steps.get("read", 0), found["adding_seconds"]
        return cls(
            setting["k"],
            serial,
            (sum(steps.values()) - serial - adding) / n_rows,
            adding / n_rows,
            found["driver_seconds"] / n_rows,
        )

    def seconds(self, n_rows, n_workers):
        """Return the seconds by what limits them."""
        work = (self.propose + self.add) / n_workers
        return [self.serial + n_rows * each for each in (work, self.add, self.drive)]

    @property
    def most_workers(self):
        """Beyond how many workers more of them do not help."""
        return (self.propose + self.add) / max(self.add, self.drive)


def write_model(path, costs):
    """Write what the model says, as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["k", "rows", "workers", "time", "limited by"])
        for cost in costs:
            for n_rows in ROWS:
                for n_workers in WORKERS[1:]:
                    seconds = cost.seconds(n_rows, n_workers)
                    limit = LIMITS[int(np.argmax(seconds))]
                    line = [f"{cost.k:,}", f"{n_rows // 10**9:,} billion", n_workers]
                    writer.writerow([*line, duration(max(seconds)), limit])


def duration(seconds):
    """Return a time in the unit that suits it."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def draw(costs, pale):
    """Return a chart of the time against the number of workers."""
    from ..style import BLUE, ORANGE, add_legend, log_axis, new_figure

    figure = new_figure(3.8)
    axes = figure.subplots()
    workers = np.geomspace(1, 1000, 200)
    for cost, color in zip(costs, (BLUE, ORANGE)):
        for n_rows, style in zip(ROWS, ("-", "--")):
            hours = [max(cost.seconds(n_rows, n)) / 3600 for n in workers]
            label = f"k = {cost.k:,}, {n_rows // 10**9:,} billion rows"
            axes.plot(workers, hours, style, color=color, label=label)
        axes.axvline(cost.most_workers, color=pale, linewidth=0.8, zorder=0)
    axes.set(xlabel="workers", ylabel="hours, by the model")
    for which in "xy":
        log_axis(axes, which)
    axes.grid(True)
    axes.set_title("More workers help up to the gray lines", fontsize=10, loc="left")
    return add_legend(figure, ncols=2)
