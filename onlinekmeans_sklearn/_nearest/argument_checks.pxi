# The part of kernels.pyx that checks arrays before C reads them.

cdef int _check(bint is_right, str rule) except -1:
    """Raise ValueError if arrays break a rule: C would read beyond their end."""
    if not is_right:
        raise ValueError(f"The arrays are inconsistent: {rule}.")
    return 0


cdef const int64_t *_checked_visible(
    const int64_t[::1] visible, Py_ssize_t n_rows, Py_ssize_t n_centers
) except? NULL:
    """Return how many centers each row can see, NULL for all."""
    cdef Py_ssize_t i
    if visible is None or n_rows == 0:
        return NULL
    _check(visible.shape[0] == n_rows, "visible must have one entry per row")
    for i in range(n_rows):
        if not 0 <= visible[i] <= n_centers:
            _check(False, f"visible must be in [0, {n_centers}], got {visible[i]}")
    return &visible[0]


cdef int _check_indices(const int64_t[::1] indices, Py_ssize_t length) except -1:
    cdef Py_ssize_t i
    for i in range(indices.shape[0]):
        if not 0 <= indices[i] < length:
            _check(False, f"indices must be in [0, {length}), got {indices[i]}")
    return 0


cdef const double *_checked_weights(
    const double[::1] weights, Py_ssize_t n_rows
) except? NULL:
    """Return the weight of each row, NULL if all are 1."""
    if weights is None or n_rows == 0:
        return NULL
    _check(weights.shape[0] == n_rows, "weights must have one entry per row")
    return &weights[0]


cdef _aligned(array):
    """Return an array that is aligned, so that C may read it; most are."""
    return array if array.flags.aligned else array.copy()


cdef class _Openings:
    """Room for rows that open a center, after those that did, and their indices."""

    cdef int64_t[::1] rows
    cdef int64_t[::1] indices
    cdef Py_ssize_t most, n_found

    def __cinit__(self, Py_ssize_t n_rows, const int64_t[::1] candidates, Py_ssize_t start,
                  const double[::1] uniforms, const double[::1] d2,
                  const int64_t[::1] opened, Py_ssize_t most):
        cdef bint is_complete = uniforms.shape[0] == n_rows == d2.shape[0]
        _check(is_complete, "uniforms and d2 must have one entry per row")
        _check(start >= 0, "start must not be negative")
        _check_indices(candidates, n_rows)
        _check_indices(opened, n_rows)
        self.most = max(0, min(most, candidates.shape[0] - start))
        self.rows = np.empty(opened.shape[0] + self.most, dtype=np.int64)
        self.rows[: opened.shape[0]] = opened
        self.indices = np.empty(self.most, dtype=np.int64)
