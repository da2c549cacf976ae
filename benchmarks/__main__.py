"""``python -m benchmarks [speed]``."""

import sys


def main(argv):
    """Run the named benchmark, or the demonstration."""
    if argv[:1] == ["speed"]:
        from .speed import main as run

        argv = argv[1:]
    else:
        from .demo import main as run
    run(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
