"""Seeded attempts to break the package: generated streams, odd calls, random histories.

A case is known by a seed and an index: ``RandomState([seed, index])`` makes it, wherever it
runs. The test run takes the first few of every kind, ``python -m tests.stress`` as many
as are asked for.
"""

import sys
from pathlib import Path

TESTS = str(Path(__file__).resolve().parent.parent)
if TESTS not in sys.path:  # as pytest has it: the reference and the helpers are there
    sys.path.insert(0, TESTS)

SEED = 20160110
# warnings
ADVICE = (
    "The '(k|n_samples|half_life)' parameter of|The stream of SemiOnlineKMeans|"
    ".* changed since this stream started"
)
