"""``python -m benchmarks``, or one of the benchmarks that `NAMED` lists."""

import sys
from importlib import import_module

NAMED = {
    name: f".{name}"
    for name in ("dask", "drift", "features", "paper", "quality", "scaling", "speed")
}


def main(argv):
    """Run the named benchmark, or the demonstration."""
    named = bool(argv) and argv[0] in NAMED
    module = import_module(NAMED[argv[0]] if named else ".demo", __package__)
    module.main(argv[1:] if named else argv)


if __name__ == "__main__":
    main(sys.argv[1:])
