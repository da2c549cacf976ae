"""The versions to report with a bug."""

import platform
from importlib.metadata import version

from ._nearest.backend import reason

_DEPENDENCIES = ["numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"]


def show_versions():
    """Print the versions that matter for a bug report, and which kernels are in use.

    The kernels are compiled ones or those of numpy. Their results are the same, bit for
    bit; the compiled ones are faster.

    See Also
    --------
    sklearn.show_versions : The same for scikit-learn, with its thread pools.

    Examples
    --------
    >>> from onlinekmeans_sklearn import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    onlinekmeans_sklearn: ...
    kernels: ...
    """
    for name in ["onlinekmeans_sklearn", *_DEPENDENCIES]:
        print(f"{name}: {version(name)}")
    print(f"python: {platform.python_version()} on {platform.platform()}")
    print(f"kernels: {reason}")
