"""``python -m benchmarks [speed | scaling]``."""

import sys


def main(argv):
    """Run the named benchmark, or the demonstration."""
    name, arguments = (
        (argv[0], argv[1:]) if argv[:1] in (["speed"], ["scaling"]) else ("", argv)
    )
    if name == "speed":
        from .speed import main as run
    elif name == "scaling":
        from .scaling import main as run
    else:
        from .demo import main as run
    run(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
