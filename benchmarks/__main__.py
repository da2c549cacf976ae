"""``python -m benchmarks``: the demonstration on data bundled with scikit-learn."""

from .demo import main

if __name__ == "__main__":
    main()
