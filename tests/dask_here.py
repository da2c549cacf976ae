"""Whether Dask works beside the versions that are installed: it asks for newer ones."""

import pytest


def skip_without_dask():
    try:
        import dask.dataframe  # noqa: F401
        import distributed  # noqa: F401
    except ImportError as error:
        pytest.skip(f"Dask does not work here: {error}")
