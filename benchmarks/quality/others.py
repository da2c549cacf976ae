"""Whether the machine was busy with other things while something was measured.

Threads wait for each other then, those of the peers most of all, and ratios of times say
little. Linux tells how long all processors have worked; elsewhere it is not known.
"""

import os
import time
from pathlib import Path

MOST = 0.15  # cores that others may use


def processor_seconds():
    """Return the seconds that all processors have worked since the start, or None."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
        user, nice, system, _, _, irq, softirq = map(int, first[1:8])
    except (OSError, ValueError, IndexError):
        return None
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Measures how many cores other processes use, from its creation on."""

    def __init__(self):
        self.start, self.own, self.all = self._now()

    def _now(self):
        return time.perf_counter(), time.process_time(), processor_seconds()

    def cores_of_others(self):
        """Return the cores that other processes used on average, None if unknown."""
        now, own, every = self._now()
        if every is None or self.all is None:
            return None
        return max(0.0, (every - self.all - (own - self.own)) / (now - self.start))


def remarks(cores):
    """Return what to say of it, if there is something to say."""
    if cores is None or cores <= MOST:
        return []
    return [
        f"But other processes used {cores:.1f} cores meanwhile: threads wait for each "
        "other then, those of the peers most of all, which flatters us. Do not rely on the "
        "times; measure again when the machine is quiet."
    ]
