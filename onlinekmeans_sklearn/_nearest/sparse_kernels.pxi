# The part of kernels.pyx for rows in canonical CSR of float64 with int32 indices.

cdef class _Rows:
    """The arrays of CSR rows, kept alive while C reads them."""

    cdef csr_rows rows
    cdef Py_ssize_t n_rows
    cdef const int32_t[::1] indptr
    cdef const int32_t[::1] columns
    cdef const double[::1] values

    def __cinit__(self, X):
        cdef Py_ssize_t i
        self.indptr = _aligned(X.indptr)
        self.columns = _aligned(X.indices)
        self.values = _aligned(X.data)
        self.n_rows = self.indptr.shape[0] - 1
        _check(
            self.n_rows == X.shape[0]
            and self.indptr[0] == 0
            and self.indptr[self.n_rows] <= self.columns.shape[0]
            and self.indptr[self.n_rows] <= self.values.shape[0],
            "indptr of CSR must have n_rows + 1 entries, start at 0, and end within "
            "indices and data",
        )
        for i in range(self.n_rows):
            if self.indptr[i] > self.indptr[i + 1]:
                _check(False, "indptr of CSR must not decrease")
        self.rows.indptr = &self.indptr[0]
        self.rows.columns = &self.columns[0] if self.columns.shape[0] else NULL
        self.rows.values = &self.values[0] if self.values.shape[0] else NULL


cdef class SparseSearch:
    """Centers in CSR, prepared to find the nearest.

    Parameters
    ----------
    centers : canonical CSR of float64 with int32 indices
    """

    cdef sparse_search s
    cdef _Rows centers
    cdef Py_ssize_t n_features
    cdef const int32_t[::1] known
    cdef const int32_t[::1] index_indptr
    cdef const int32_t[::1] center_ids
    cdef const double[::1] factor
    cdef const double[::1] norms
    cdef const int32_t[::1] full
    cdef const double[:, ::1] table

    def __cinit__(self, centers):
        known, index = None, centers
        self.centers = _Rows(centers)
        most_columns = max(TUNING.few_columns, TUNING.columns_per_number * centers.nnz)
        if centers.shape[1] > min(TUNING.most_index_columns, most_columns):
            known, position = np.unique(centers.indices, return_inverse=True)
            shape = (centers.shape[0], len(known))
            arrays = (centers.data, position.astype(np.int32), centers.indptr)
            index = csr_array(arrays, shape=shape)
        index = index.tocsc()
        self.n_features = centers.shape[1]
        self.index_indptr = index.indptr.astype(np.int32, copy=False)
        self.center_ids = index.indices.astype(np.int32, copy=False)
        self.factor = -2 * index.data
        self.norms = squared_norms(centers)
        full, table = _full_columns(index)
        self.full = full
        self.table = table
        self.s.n_centers = self.centers.n_rows
        self.s.n_columns = self.index_indptr.shape[0] - 1
        self.s.has_all = known is None
        if known is not None:
            self.known = known
            self.s.known = &self.known[0] if self.s.n_columns else NULL
        self.s.indptr = self.centers.rows.indptr
        self.s.columns = self.centers.rows.columns
        self.s.values = self.centers.rows.values
        self.s.index_indptr = &self.index_indptr[0]
        self.s.center_ids = &self.center_ids[0] if self.center_ids.shape[0] else NULL
        self.s.factor = &self.factor[0] if self.factor.shape[0] else NULL
        self.s.width = self.table.shape[1]
        self.s.full = &self.full[0] if self.s.n_columns else NULL
        self.s.table = &self.table[0, 0] if self.table.shape[0] else NULL
        self.s.norms = &self.norms[0] if self.s.n_centers else NULL
        self.s.most_terms = np.diff(centers.indptr).max(initial=0)
        self.s.is_exact = (
            np.max(self.norms, initial=0) <= FLOAT64.exact
            and bool(np.all(centers.data == np.rint(centers.data)))
        )
        self.s.exact = FLOAT64.exact
        self.s.roundoff = FLOAT64.roundoff
        self.s.square_coef = FLOAT64.square_coef
        self.s.d2_coef = FLOAT64.d2_coef
        self.s.smallest = FLOAT64.smallest

    def nearest(self, X, int32_t[::1] ids, double[::1] d2, const int64_t[::1] visible=None,
                bint labels_only=False):
        """Reassign rows as `DenseSearch.nearest` does, for canonical CSR of float64."""
        cdef _Rows rows = _Rows(X)
        cdef Py_ssize_t n = rows.n_rows
        cdef const int64_t *seen = _checked_visible(visible, n, self.s.n_centers)
        cdef int failed
        _check(
            X.shape[1] == self.n_features and ids.shape[0] == n and d2.shape[0] == n,
            "X must have the features of the centers, ids and d2 one entry per row",
        )
        if n == 0:
            return
        with nogil:
            failed = nearest_csr(
                &self.s, _in_use, &rows.rows, n, seen, labels_only, &ids[0], &d2[0]
            )
        if failed:
            raise MemoryError

    def nearest_of_row(self, X):
        """Return the id and the squared distance of a single row's nearest center."""
        cdef _Rows x = _Rows(X)
        cdef int32_t label = -1
        cdef double d2 = INFINITY
        _check(
            X.shape[1] == self.n_features and x.n_rows == 1,
            "X must be one row with the features of the centers",
        )
        if nearest_csr(&self.s, _in_use, &x.rows, 1, NULL, False, &label, &d2):
            raise MemoryError
        return label, d2

    def pair_distances(self, X, const int64_t[::1] rows, const int64_t[::1] ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        cdef _Rows x = _Rows(X)
        cdef Py_ssize_t n = rows.shape[0]
        out = np.empty(n)
        cdef double[::1] d2 = out
        _check(ids.shape[0] == n, "rows and ids must have the same length")
        if n == 0:
            return out
        _check_indices(rows, x.n_rows)
        _check_indices(ids, self.centers.n_rows)
        with nogil:
            pair_distances_csr(
                &x.rows, &self.centers.rows, &rows[0], &ids[0], n, &d2[0]
            )
        return out

    def next_openings(self, X, const int64_t[::1] candidates, Py_ssize_t start,
                      const double[::1] uniforms, double facility_cost,
                      const double[::1] d2, const int64_t[::1] opened, Py_ssize_t most):
        """Return what `DenseSearch.next_openings` returns, for CSR."""
        cdef _Rows x = _Rows(X)
        cdef _Openings found = _Openings(
            x.n_rows, candidates, start, uniforms, d2, opened, most
        )
        if found.most:
            with nogil:
                found.n_found = next_openings_csr(
                    &x.rows, &candidates[0], candidates.shape[0], start, &uniforms[0],
                    facility_cost, &d2[0], &found.rows[0], opened.shape[0], found.most,
                    &found.indices[0],
                )
        return np.asarray(found.indices)[: found.n_found]

    def add(self, X, members, list sums, const double[::1] weights=None):
        """Add rows, minus their center, to the sums of clusters.

        Parameters
        ----------
        X : canonical CSR of float64
        members : iterable of (int, ndarray of int64)
            Clusters, and the rows that join each, in order.
        sums : list of (ndarray of int32, ndarray of float64)
            The columns and values of every cluster's sum, replaced where rows are added.
            Columns are unique, in the order in which they first occurred.
        weights : ndarray of float64 or None
            By which the differences of each row are multiplied.
        """
        cdef _Rows x = _Rows(X)
        _checked_weights(weights, x.n_rows)
        for cluster, rows in members:
            _check(
                0 <= cluster < min(self.centers.n_rows, len(sums)),
                "clusters must have a center and a sum",
            )
            sums[cluster] = self._with_rows(x, rows, weights, cluster, *sums[cluster])

    def _with_rows(self, _Rows x, const int64_t[::1] rows, const double[::1] weights,
                   Py_ssize_t cluster, const int32_t[::1] columns,
                   const double[::1] values):
        """Return the columns and values of a cluster's sum with more rows added."""
        cdef const int32_t *indptr = self.centers.rows.indptr
        cdef const double *w = NULL if weights is None else &weights[0]
        cdef Py_ssize_t n = columns.shape[0], room, i
        _check(values.shape[0] == n, "columns and values must have the same length")
        _check_indices(rows, x.n_rows)
        room = n + indptr[cluster + 1] - indptr[cluster]
        for i in range(rows.shape[0]):
            room += x.indptr[rows[i] + 1] - x.indptr[rows[i]]
        if room == 0 or rows.shape[0] == 0:
            return np.asarray(columns), np.asarray(values)
        all_columns = np.empty(room, dtype=np.int32)
        all_values = np.empty(room)
        cdef int32_t[::1] new_columns = all_columns
        cdef double[::1] new_values = all_values
        new_columns[:n] = columns
        new_values[:n] = values
        with nogil:
            n = add_csr(
                &x.rows, &rows[0], rows.shape[0], w, &self.centers.rows, cluster,
                &new_columns[0], &new_values[0], n,
            )
        if n < 0:
            raise MemoryError
        return all_columns[:n].copy(), all_values[:n].copy()


def _full_columns(index):
    """Return for each column its row of a table of full columns, or -1, and the table.

    It is faster to add a column with many values to all sums than each value to its own.
    """
    n_centers, n_columns = index.shape
    width = max(1, -(-n_centers // WIDTH)) * WIDTH
    lengths = np.diff(index.indptr)
    columns = np.flatnonzero(lengths * TUNING.full_columns_from > n_centers)
    most = TUNING.most_full_elements // width
    if len(columns) > most:
        columns = np.sort(columns[np.argsort(-lengths[columns], kind="stable")[:most]])
    full = np.full(n_columns, -1, dtype=np.int32)
    full[columns] = np.arange(len(columns))
    table = np.zeros((len(columns), width))
    table[:, :n_centers] = -2 * index[:, columns].T.toarray()
    return full, table
