# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled kernels: find the nearest centers of rows, exactly, and add up clusters.

Finding the nearest center is most of the work of a pass. In numpy each of several steps
writes arrays that the next one reads again. Here four rows meet 24 centers in registers,
and only the best and second best of every row are kept: they tell whether rounding could
have swapped two centers. Only then are the squared distances that decide computed. With few
features and many centers, rows meet only the blocks of 24 whose box is near enough. CSR
rows meet only centers with a value in one of their columns.

`fallback` does the same in numpy, bit for bit, where there is no compiler. The C loops
trust their arguments, so every call checks here that the arrays are consistent.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np
from scipy.sparse import csr_array

from .._utils.tuning import TUNING
from .products import squared_norms
from .rounding import FLOAT32, FLOAT64

cdef extern from "kernels.h" nogil:
    enum:
        BLOCK
        MOST_LANES
        TILE
        WIDTH
        N_INSTRUCTION_SETS
    ctypedef struct instruction_set:
        const char *name
    const instruction_set *INSTRUCTION_SETS
    int is_supported(const instruction_set *)
    ctypedef struct dense_search:
        Py_ssize_t n_centers, n_features, n_boxes
        const double *centers
        const int32_t *order
        const float *factor
        const float *norms
        const float *low
        const float *high
        int fits, is_exact
        double square_coef, d2_coef, abs_term, gap_coef, largest, exact
    void order_by_halves(const double *, Py_ssize_t, int32_t *, Py_ssize_t)
    void fit_boxes(const float *, Py_ssize_t, Py_ssize_t, Py_ssize_t, float *, float *)
    ctypedef struct dense_rows:
        const void *values
        int is_double
        Py_ssize_t n_rows, n_features
    int nearest_dense(const dense_rows *, const dense_search *, const instruction_set *,
                      const int64_t *, int, int32_t *, double *)
    void pair_distances(
        const dense_rows *, const double *, const int64_t *, const int64_t *, Py_ssize_t,
        double *)
    Py_ssize_t next_openings(
        const dense_rows *, const int64_t *, Py_ssize_t, Py_ssize_t, const double *, double,
        const double *, int64_t *, Py_ssize_t, Py_ssize_t, int64_t *)
    void add_dense(
        const dense_rows *, const double *, const int32_t *, const double *, int32_t,
        int32_t, double *)
    ctypedef struct csr_rows:
        const int32_t *indptr
        const int32_t *columns
        const double *values
    ctypedef struct sparse_search:
        Py_ssize_t n_centers, n_columns
        const int32_t *indptr
        const int32_t *columns
        const double *values
        int has_all
        const int32_t *known
        const int32_t *index_indptr
        const int32_t *center_ids
        const double *factor
        Py_ssize_t width
        const int32_t *full
        const double *table
        const double *norms
        Py_ssize_t most_terms
        int is_exact
        double exact, roundoff, square_coef, d2_coef, smallest
    int nearest_csr(const sparse_search *, const instruction_set *, const csr_rows *,
                    Py_ssize_t, const int64_t *, int, int32_t *, double *)
    void pair_distances_csr(const csr_rows *, const csr_rows *, const int64_t *,
                            const int64_t *, Py_ssize_t, double *)
    Py_ssize_t next_openings_csr(
        const csr_rows *, const int64_t *, Py_ssize_t, Py_ssize_t, const double *, double,
        const double *, int64_t *, Py_ssize_t, Py_ssize_t, int64_t *)
    Py_ssize_t add_csr(const csr_rows *, const int64_t *, Py_ssize_t, const double *,
                       const csr_rows *, Py_ssize_t, int32_t *, double *, Py_ssize_t)


cdef const instruction_set *_in_use = NULL


def instruction_sets():
    """Return the instruction sets that this machine supports, the fastest first."""
    return [
        INSTRUCTION_SETS[i].name.decode()
        for i in range(N_INSTRUCTION_SETS)
        if is_supported(&INSTRUCTION_SETS[i])
    ]


def use_instruction_set(name):
    """Use an instruction set from now on; results do not depend on it."""
    global _in_use
    for i in range(N_INSTRUCTION_SETS):
        if INSTRUCTION_SETS[i].name.decode() == name and is_supported(&INSTRUCTION_SETS[i]):
            _in_use = &INSTRUCTION_SETS[i]
            return
    raise ValueError(f"Got {name!r}, but this machine supports {instruction_sets()}.")


use_instruction_set(instruction_sets()[0])


def instruction_set_in_use():
    """Return the name of the instruction set in use."""
    return _in_use.name.decode()


include "argument_checks.pxi"


cdef class _DenseRows:
    """The values of dense rows, kept alive while C reads them."""

    cdef dense_rows rows
    cdef const double[:, ::1] x64
    cdef const float[:, ::1] x32

    def __cinit__(self, X):
        self.rows.is_double = X.itemsize == 8
        self.rows.n_rows, self.rows.n_features = X.shape
        if X.size and self.rows.is_double:
            self.x64 = _aligned(X)
            self.rows.values = &self.x64[0, 0]
        elif X.size:
            self.x32 = _aligned(X)
            self.rows.values = &self.x32[0, 0]


cdef class DenseSearch:
    """Centers in an array, prepared to find the nearest.

    Parameters
    ----------
    centers : ndarray of float64, C-contiguous
    """

    cdef dense_search s
    cdef dense_search prepared[2]  # without boxes and with them, when they are needed
    cdef float *memory[2]
    cdef int32_t *order
    cdef const double[:, ::1] centers

    def __cinit__(self, const double[:, ::1] centers):
        cdef Py_ssize_t n = centers.shape[0], d = centers.shape[1]
        if d == 0 or n > 2**24:
            raise ValueError(f"Got {n} centers of {d} features: too many, or no features.")
        self.centers = centers
        self.s.n_centers = n
        self.s.n_features = d
        self.s.centers = &centers[0, 0] if n else NULL
        self.s.square_coef, self.s.d2_coef, self.s.abs_term = FLOAT32.slack(d, TILE)
        self.s.gap_coef = 1 + 2 * (d + 8) * FLOAT32.roundoff
        self.s.largest = FLOAT32.largest
        self.s.exact = FLOAT32.exact

    cdef const dense_search *_prepare(self, Py_ssize_t n_rows) except NULL:
        """Return what a search for the nearest needs; many centers are never searched.

        Boxes pay for many rows. Threads that share a search prepare it one after the other,
        since this runs with the GIL, and what they have is kept.
        """
        cdef Py_ssize_t n = self.s.n_centers, d = self.s.n_features, n_boxes = 0, c
        cdef Py_ssize_t n_blocks = (n + BLOCK - 1) // BLOCK
        cdef bint has_boxes = (
            n_blocks >= TUNING.min_boxes
            and d <= TUNING.most_box_features
            and n * d * d <= TUNING.box_work * n_rows
        )
        cdef dense_search *s = &self.prepared[has_boxes]
        cdef double largest
        cdef float *factor
        if self.memory[has_boxes] != NULL:
            return s
        s[0] = self.s
        if has_boxes:
            n_boxes = (n_blocks + MOST_LANES - 1) // MOST_LANES * MOST_LANES
            if self.order == NULL:  # else memory ran out the last time
                self.order = <int32_t *>malloc(n_blocks * BLOCK * sizeof(int32_t))
            if self.order == NULL:
                raise MemoryError
            for c in range(n_blocks * BLOCK):
                self.order[c] = c
            order_by_halves(s.centers, d, self.order, n)
            s.order = self.order
        factor = <float *>malloc(
            (n_blocks * BLOCK * (d + 1) + 2 * n_boxes * d + 16) * sizeof(float)
        )
        if factor == NULL:
            raise MemoryError
        self.memory[has_boxes] = factor
        while <size_t>factor % 64:  # no vector may cross a cache line
            factor += 1
        s.n_boxes = n_boxes
        s.factor = factor
        s.norms = factor + n_blocks * BLOCK * d
        s.low = s.norms + n_blocks * BLOCK
        s.high = s.low + n_boxes * d
        largest = self._fill(s.order, factor, <float *>s.norms, n_blocks * BLOCK)
        if n_boxes:
            fit_boxes(factor, n, d, n_boxes, <float *>s.low, <float *>s.high)
        s.fits = largest <= FLOAT32.largest and d <= FLOAT32.most_terms
        s.is_exact = largest <= FLOAT32.exact and self._are_integers()
        return s

    cdef double _fill(
        self, const int32_t *order, float *factor, float *norms, Py_ssize_t n_positions
    ):
        """Write the centers block by block, and return the largest squared norm."""
        cdef Py_ssize_t d = self.s.n_features, position, first, c, j
        cdef double shifted, square, largest = 0
        for position in range(n_positions):
            first = position // BLOCK * BLOCK * d + position % BLOCK
            if position >= self.s.n_centers:
                norms[position] = INFINITY
                for j in range(d):
                    factor[first + j * BLOCK] = 0
                continue
            c = order[position] if order else position
            square = 0
            for j in range(d):
                shifted = self.centers[c, j] - self.centers[0, j]
                square += shifted * shifted
                factor[first + j * BLOCK] = <float>(-2 * shifted)
            norms[position] = <float>square
            largest = max(largest, square)
        return largest

    cdef bint _are_integers(self):
        """Return whether all centers are integers below 2**52."""
        cdef Py_ssize_t c, j
        for c in range(self.s.n_centers):
            for j in range(self.s.n_features):
                if not abs(self.centers[c, j]) < 2.0**52:
                    return False
                if <double><int64_t>self.centers[c, j] != self.centers[c, j]:
                    return False
        return True

    def __dealloc__(self):
        free(self.order)
        free(self.memory[0])
        free(self.memory[1])

    def nearest(self, X, int32_t[::1] ids, double[::1] d2, const int64_t[::1] visible=None,
                bint labels_only=False):
        """Reassign rows to the nearest center if it is nearer (ties: oldest).

        Parameters
        ----------
        X : ndarray of float64 or float32, C-contiguous
        ids, d2 : ndarray
            The current center of each row, and its squared distance; infinite if there is
            none yet. Both are updated.
        visible : ndarray or None
            For each row, how many of the centers count, the oldest first.
        labels_only : bool
            Whether rows without a center need only its id, not its distance.
        """
        cdef _DenseRows x = _DenseRows(X)
        cdef Py_ssize_t n = x.rows.n_rows
        cdef const int64_t *seen = _checked_visible(visible, n, self.s.n_centers)
        cdef const dense_search *s
        cdef int failed
        _check(
            x.rows.n_features == self.s.n_features
            and ids.shape[0] == n and d2.shape[0] == n,
            "X must have the features of the centers, ids and d2 one entry per row",
        )
        if n == 0 or self.s.n_centers == 0:
            return
        s = self._prepare(n)
        with nogil:
            failed = nearest_dense(&x.rows, s, _in_use, seen, labels_only, &ids[0], &d2[0])
        if failed:
            raise MemoryError

    def nearest_of_row(self, X):
        """Return the id and the squared distance of a single row's nearest center."""
        cdef _DenseRows x = _DenseRows(X)
        cdef const dense_search *s
        cdef int32_t label = -1
        cdef double d2 = INFINITY
        _check(
            x.rows.n_features == self.s.n_features and x.rows.n_rows == 1,
            "X must be one row with the features of the centers",
        )
        s = self._prepare(2**40)  # more rows will follow one by one
        if nearest_dense(&x.rows, s, _in_use, NULL, False, &label, &d2):
            raise MemoryError
        return label, d2

    def pair_distances(self, X, const int64_t[::1] rows, const int64_t[::1] ids):
        """Return the squared distances of ``X[rows[i]]`` and ``centers[ids[i]]``."""
        cdef _DenseRows x = _DenseRows(X)
        cdef Py_ssize_t n = rows.shape[0]
        out = np.empty(n)
        cdef double[::1] d2 = out
        _check(
            x.rows.n_features == self.s.n_features and ids.shape[0] == n,
            "X must have the features of the centers, rows and ids the same length",
        )
        if n == 0:
            return out
        _check_indices(rows, x.rows.n_rows)
        _check_indices(ids, self.s.n_centers)
        with nogil:
            pair_distances(&x.rows, self.s.centers, &rows[0], &ids[0], n, &d2[0])
        return out

    def next_openings(self, X, const int64_t[::1] candidates, Py_ssize_t start,
                      const double[::1] uniforms, double facility_cost,
                      const double[::1] d2, const int64_t[::1] opened, Py_ssize_t most):
        """Return the indices of the next candidates that open a center, at most `most`.

        Parameters
        ----------
        X : ndarray of float64 or float32, C-contiguous
            The rows of a block.
        candidates : ndarray of int64
            Rows that may open a center, in order.
        start, most : int
            The index of the first candidate to consider, and how many to find at most.
        uniforms, d2 : ndarray of float64
            The random number of each row, and its squared distance to these centers.
        opened : ndarray of int64
            The rows of the block that opened a center so far.
        """
        cdef _DenseRows x = _DenseRows(X)
        cdef Py_ssize_t n = x.rows.n_rows
        cdef _Openings found = _Openings(n, candidates, start, uniforms, d2, opened, most)
        if found.most:
            with nogil:
                found.n_found = next_openings(
                    &x.rows, &candidates[0], candidates.shape[0], start, &uniforms[0],
                    facility_cost, &d2[0], &found.rows[0], opened.shape[0], found.most,
                    &found.indices[0],
                )
        return np.asarray(found.indices)[: found.n_found]

    def add(self, X, const int32_t[::1] labels, Py_ssize_t low, Py_ssize_t high,
            double[:, ::1] sums, const double[::1] weights=None):
        """Add rows, minus their center, to the sums of the clusters from low to high.

        Differences are multiplied by the `weights` of their rows, if there are any.
        """
        cdef _DenseRows x = _DenseRows(X)
        cdef const double *w = _checked_weights(weights, x.rows.n_rows)
        _check(
            labels.shape[0] == x.rows.n_rows
            and x.rows.n_features == self.s.n_features == sums.shape[1]
            and 0 <= low <= high <= min(self.s.n_centers, sums.shape[0]),
            "labels must have one entry per row, clusters a center and a sum",
        )
        if x.rows.n_rows == 0 or low == high:
            return
        with nogil:
            add_dense(&x.rows, self.s.centers, &labels[0], w, low, high, &sums[0, 0])


def sequential_sum(double total, const double[::1] numbers, const double[::1] weights=None):
    """Return a total plus numbers, each times its weight if given, added in order."""
    cdef Py_ssize_t n = numbers.shape[0], i
    cdef const double *w = _checked_weights(weights, n)
    with nogil:
        for i in range(n):
            total += numbers[i] if w == NULL else numbers[i] * w[i]
    return total


include "sparse_kernels.pxi"
