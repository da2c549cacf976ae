"""Whether the index arrays of sparse data can be true.

Compiled code trusts them: an index that points nowhere makes it read, or write, beyond
the end of an array, and takes the process with it. So they are looked at before that.
"""

_COMPRESSED = ("csr", "csc", "bsr")


def check_structure(X):
    """Raise ValueError if index arrays contradict each other, or the shape of `X`.

    Lists of lists, and dicts, are checked once more when they have become CSR.
    """
    if X.format in _COMPRESSED:
        _check_compressed(X)
    elif X.format == "coo":
        coordinates = getattr(X, "coords", None) or (X.row, X.col)
        for indices, length in zip(coordinates, X.shape):
            _check(X, len(indices) == len(X.data), "values without a row or a column")
            _check_indices(X, indices, length)
    elif X.format == "dia":
        is_right = X.data.ndim == 2 and X.offsets.shape == X.data.shape[:1]
        _check(X, is_right, f"{X.offsets.size} offsets for values in shape {X.data.shape}")
        _check(X, X.offsets.dtype.kind == "i", f"offsets of type {X.offsets.dtype}")
        is_right = len(set(X.offsets.tolist())) == len(X.offsets)
        _check(X, is_right, "two diagonals in one place")
    elif X.format == "lil":
        is_right = X.rows.shape == X.data.shape == X.shape[:1] and all(
            len(indices) == len(values) for indices, values in zip(X.rows, X.data)
        )
        _check(X, is_right, "values without a row or a column")


def has_index_arrays(X):
    """Return whether `check_structure` sees all there is to this format as it is."""
    return X.format in (*_COMPRESSED, "coo", "dia")


def _check_compressed(X):
    """Check where rows (of CSC: columns) end, and what is in them."""
    if X.ndim != 2:
        return  # scikit-learn says so, and does nothing with it
    ends, indices = X.indptr, X.indices
    _check(X, X.data.ndim == (3 if X.format == "bsr" else 1), "values in another shape")
    _check(X, ends.dtype.kind == "i", f"row ends of type {ends.dtype}")
    block = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    fits = min(block) > 0 and all(n % size == 0 for n, size in zip(X.shape, block))
    _check(X, fits, f"blocks of shape {block}")
    lengths = [length // size for length, size in zip(X.shape, block)]
    n_rows, n_columns = lengths[::-1] if X.format == "csc" else lengths
    _check(X, ends.shape == (n_rows + 1,), f"{ends.size} row ends for {n_rows} rows")
    _check(X, ends[0] == 0, f"a first row that starts at {ends[0]}")
    _check(X, (ends[1:] >= ends[:-1]).all(), "rows that end before they start")
    n_values = min(len(indices), len(X.data))
    is_full = ends[-1] == n_values or (ends[-1] < n_values and X.format != "bsr")
    _check(X, is_full, f"rows up to {ends[-1]}, but {n_values} values")
    _check(X, len(indices) == len(X.data), "values without a row or a column")
    _check_indices(X, indices[: ends[-1]], n_columns)


def _check_indices(X, indices, length):
    """Check that all indices are among so many."""
    _check(X, indices.dtype.kind == "i" and indices.ndim == 1, "no integers as indices")
    if indices.size:
        least, most = indices.min(), indices.max()
        wrong = f"indices from {least} to {most} where there are {length}"
        _check(X, least >= 0 and most < length, wrong)


def _check(X, is_right, found):
    if not is_right:
        raise ValueError(
            f"Got X in {X.format.upper()} format with {found}, but expected index arrays "
            f"that fit each other and the shape {X.shape}: they were changed by hand, or "
            "are damaged. Build X anew from its values."
        )
