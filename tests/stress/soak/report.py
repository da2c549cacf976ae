"""What the marks of a long run say: whether memory and time per sample stay as they were.

The clusters have settled at the first mark that has nine tenths of those at the end.

Memory is flat if, in the last half of the stream, it is never more than 16 MiB above what
it was then, and no more files or threads are open. That is less than 100 bytes per call of
a run in full length. It is not 0, as the C library may keep some memory for threads that
have ended; ``--jobs 1`` has none.

Time per sample is flat if its median in the last tenth of the marks is at most a quarter
above that of the first tenth after settling. It is processor time, as others use the
machine, too. Clusters go on to open, ever more rarely, so the same is told for time per
sample and cluster.
"""

from collections import Counter

import numpy as np
from scipy.stats import theilslopes

from benchmarks.style import BLUE, new_figure

SETTLED = 0.9  # of the clusters at the end
FEWEST_MARKS = 30  # after settling, for a verdict
FEWEST_SAMPLES = 10**7  # of the stream, for one
MOST_GROWTH = 16 * 2**20  # bytes
MOST_SLOWDOWN = 1.25
MIB = 2**20
HITS = {
    "saved": "between two checkpoints",
    "saving": "while a checkpoint was made",
    "file": "while its file was written",
}


def verdicts(marks):
    """Return what can be said of clusters, memory and time."""
    start = settled(marks)
    is_long = len(marks) - start >= FEWEST_MARKS and marks[-1].samples >= FEWEST_SAMPLES
    return {
        "calls": marks[-1].calls,
        "clusters": marks[-1].clusters,
        "settled_at": marks[start].samples if is_long else None,
        "memory": memory(marks, start, is_long),
        "time": times(marks, start, is_long),
    }


def settled(marks):
    """Return the first mark with almost all of the clusters."""
    enough = SETTLED * marks[-1].clusters
    return next(i for i, mark in enumerate(marks) if mark.clusters >= enough)


def memory(marks, start, is_long):
    """Return how memory, files and threads went after settling."""
    if not is_long or marks[-1].resident_bytes is None:
        return {"is_flat": None}
    half = marks[len(marks) // 2 :]
    points = [(mark.samples / 1e6, mark.resident_bytes) for mark in marks[start:]]
    growth = max(mark.resident_bytes for mark in half) - marks[start].resident_bytes
    extra = {name: fewest_more(marks[start:], name) for name in ("descriptors", "threads")}
    return {
        "is_flat": growth <= MOST_GROWTH and max(extra.values()) <= 0,
        "settled": marks[start].resident_bytes,
        "growth": growth,
        "bytes_per_million": slope(*zip(*points)),
        **extra,
    }


def fewest_more(marks, name):
    """Return by how much the fewest of the last tenth are more than those of the first.

    A thread that has ended may still be counted for a moment, so the most say little.
    """
    values, tenth = [getattr(mark, name) for mark in marks], len(marks) // 10
    return min(values[-tenth:]) - min(values[:tenth])


def times(marks, start, is_long):
    """Return how time per sample went after settling."""
    if not is_long:
        return {"is_flat": None}
    per_sample = time_per_sample(marks)[start:]
    per_cluster = per_sample / [mark.clusters for mark in marks[start:]]
    millions = [mark.samples / 1e6 for mark in marks[start:]]
    ratio = last_to_first(per_sample)
    return {
        "is_flat": ratio <= MOST_SLOWDOWN,
        "ratio": ratio,
        "ratio_per_cluster": last_to_first(per_cluster),
        "ratio_on_the_clock": last_to_first(time_per_sample(marks, "seconds")[start:]),
        "nanoseconds": 1e9 * float(np.median(per_sample)),
        "nanoseconds_per_million": 1e9 * slope(millions, per_sample),
    }


def time_per_sample(marks, kind="cpu_seconds"):
    """Return the seconds per sample between each mark and the one before."""
    seconds = np.diff([getattr(mark, kind) for mark in marks], prepend=0.0)
    return seconds / np.diff([mark.samples for mark in marks], prepend=0)


def last_to_first(values):
    """Return the median of the last tenth over that of the first."""
    tenth = len(values) // 10
    return float(np.median(values[-tenth:]) / np.median(values[:tenth]))


def slope(x, y):
    """Return a slope that no few points decide."""
    return float(theilslopes(y, x).slope)


def rows_of(report):
    """Return what was measured, as names and texts."""
    return [*_rows_of_runs(report), *_rows_of_verdicts(report)]


def _rows_of_runs(report):
    """Yield what was done, and if all came to the same."""
    cycles = report["cycles"]
    hits = Counter(cycle["hit"] for cycle in cycles[:-1])
    yield "samples", f"{report['samples']:,}"
    yield "calls, undisturbed", f"{report['calls']:,}"
    yield "seconds, undisturbed", f"{report['seconds']['whole']:,.0f}"
    yield "seconds, killed and resumed", f"{report['seconds']['resumed']:,.0f}"
    yield "checkpoints", f"{sum(cycle['saves'] for cycle in cycles):,}"
    yield "kills", f"{len(cycles) - 1}"
    for hit, text in HITS.items():
        yield f"killed {text}", f"{hits[hit]}"
    yield "checkpoints lost", f"{len(report['lost'])}"
    yield "attributes that differ", ", ".join(report["differences"]) or "none"


def _rows_of_verdicts(report):
    """Yield what became of memory and time."""
    yield "clusters", f"{report['clusters']:,}"
    if report["settled_at"] is None:
        yield "memory and time", "too short a stream to tell"
        return
    yield "nine tenths of them after", f"{report['settled_at']:,}"
    time, memory = report["time"], report["memory"]
    if memory["is_flat"] is None:
        yield "memory", "not known on this system"
    else:
        yield "memory then", f"{memory['settled'] / MIB:,.1f} MiB"
        yield "memory later, at most", f"{memory['growth'] / MIB:+,.2f} MiB"
        per_million = f"{memory['bytes_per_million']:+,.0f} bytes per million samples"
        yield "slope of memory", per_million
        yield "more files, threads", f"{memory['descriptors']:+}, {memory['threads']:+}"
        yield f"memory is flat (at most {MOST_GROWTH // MIB} MiB more)", _said(memory)
    yield "time per sample", f"{time['nanoseconds']:,.0f} ns"
    yield "slope of time", f"{time['nanoseconds_per_million']:+.3f} ns per million samples"
    yield "time, last tenth / first", f"{time['ratio']:.2f}"
    yield "time per cluster, last tenth / first", f"{time['ratio_per_cluster']:.2f}"
    yield "time on the clock, last tenth / first", f"{time['ratio_on_the_clock']:.2f}"
    yield f"time is flat (at most {MOST_SLOWDOWN})", _said(time)


def _said(verdict):
    return "yes" if verdict["is_flat"] else "NO"


def draw(marks):
    """Return a panel each for clusters, memory and time per sample."""
    curves = {"clusters": [mark.clusters for mark in marks]}
    if marks[-1].resident_bytes is not None:
        curves["memory of the process, MiB"] = [m.resident_bytes / MIB for m in marks]
    curves["processor time per sample, ns"] = 1e9 * time_per_sample(marks)
    figure = new_figure(1.6 * len(curves))
    panels = figure.subplots(len(curves), sharex=True)
    samples = [mark.samples / 1e6 for mark in marks]
    for axes, (name, values) in zip(panels, curves.items()):
        axes.plot(samples, values, color=BLUE)
        axes.set_title(name, fontsize=10, loc="left")
        axes.set_ylim(0, 1.15 * max(values[len(values) // 20 :]))
        axes.grid()
    panels[-1].set_xlabel("million samples")
    return figure
