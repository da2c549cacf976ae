/* Rows and centers in canonical CSR of float64. Included by kernels.h. */

/* The centers of a sparse search: their rows, and an index from columns to centers. */
typedef struct {
    ptrdiff_t n_centers, n_columns;
    const int32_t *indptr, *columns;
    const double *values;
    int has_all;              /* whether the index has every column */
    const int32_t *known;     /* otherwise the columns that it has, sorted */
    const int32_t *index_indptr; /* where each column of the index starts */
    const int32_t *center_ids; /* column after column, the oldest first */
    const double *factor;     /* -2 times the values of these centers */
    ptrdiff_t width;          /* the number of centers, padded to a multiple of WIDTH */
    const int32_t *full;      /* the row of `table` for a column of many centers, or -1 */
    const double *table;      /* -2 times the values of all centers in such columns */
    const double *norms;      /* |c|^2 */
    ptrdiff_t most_terms;     /* of a center */
    int is_exact;             /* whether all are integers whose products are exact */
    double exact;             /* the largest |v|^2 that is exact */
    double roundoff, square_coef, d2_coef, smallest; /* see Precision in rounding.py */
} sparse_search;

/* Rows in CSR. */
typedef struct {
    const int32_t *indptr, *columns;
    const double *values;
} csr_rows;

/* Return the squared distance of two rows, or any number above `limit` if it exceeds that.

Terms are added in column order, without those that are zero in both. */
static double csr_distance(const csr_rows *a, ptrdiff_t i, const csr_rows *b, ptrdiff_t k,
                           double limit)
{
    const int32_t *left = a->columns + a->indptr[i], *right = b->columns + b->indptr[k];
    const int32_t *left_end = a->columns + a->indptr[i + 1];
    const int32_t *right_end = b->columns + b->indptr[k + 1];
    const double *x = a->values + a->indptr[i], *y = b->values + b->indptr[k];
    double sum = 0;
    while (left < left_end && right < right_end && sum <= limit) {
        const int32_t l = *left, r = *right;
        const double difference = (l <= r ? *x : 0.0) - (r <= l ? *y : 0.0);
        left += l <= r;
        x += l <= r;
        right += r <= l;
        y += r <= l;
        sum += difference * difference;
    }
    if (sum > limit)
        return sum;
    for (; left < left_end; left++, x++)
        sum += *x * *x;
    for (; right < right_end; right++, y++)
        sum += *y * *y;
    return sum;
}

/* Compute the squared distances of X[rows[i]] and centers[ids[i]]. */
static void pair_distances_csr(const csr_rows *X, const csr_rows *centers,
                               const int64_t *rows, const int64_t *ids, ptrdiff_t n,
                               double *d2)
{
    for (ptrdiff_t i = 0; i < n; i++)
        d2[i] = csr_distance(X, rows[i], centers, ids[i], INFINITY);
}

/* Return the position of a column in the index, or -1. */
static ptrdiff_t position_in_index(const sparse_search *s, int32_t column)
{
    ptrdiff_t low = 0, high = s->n_columns;
    if (s->has_all)
        return column;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (s->known[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n_columns && s->known[low] == column ? low : -1;
}

/* Reassign rows to the nearest of the first `visible` centers if nearer (ties: oldest). */
static int nearest_csr(const sparse_search *s, const instruction_set *set,
                       const csr_rows *X, ptrdiff_t n, const int64_t *visible,
                       int labels_only, int32_t *ids, double *d2)
{
    const csr_rows centers = {s->indptr, s->columns, s->values};
    int32_t most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (X->indptr[i + 1] - X->indptr[i] > most)
            most = X->indptr[i + 1] - X->indptr[i];
    double *sums = calloc((size_t)(s->width + most + 1), sizeof(double));
    int32_t *which = malloc((size_t)(most + 1) * sizeof(int32_t));
    if (sums == NULL || which == NULL) {
        free(sums);
        free(which);
        return -1;
    }
    double *x = sums + s->width; /* the values of a row in full columns */
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t seen = visible == NULL ? s->n_centers : (ptrdiff_t)visible[i];
        const ptrdiff_t n_terms = X->indptr[i + 1] - X->indptr[i] + s->most_terms;
        double square = 0, slack = 0;
        ptrdiff_t n_full = 0;
        int is_exact = s->is_exact;
        if (seen == 0)
            continue;
        memcpy(sums, s->norms, (size_t)seen * sizeof(double));
        for (ptrdiff_t p = X->indptr[i]; p < X->indptr[i + 1]; p++) {
            const double value = X->values[p];
            const ptrdiff_t position = position_in_index(s, X->columns[p]);
            if (s->has_all && p + 8 < X->indptr[n]) { /* which will be needed soon */
                PREFETCH(s->index_indptr + X->columns[p + 8]);
                PREFETCH(s->full + X->columns[p + 8]);
            }
            square += value * value;
            is_exact = is_exact && square <= s->exact && (double)(int64_t)value == value;
            if (position < 0)
                continue;
            if (s->full[position] >= 0) {
                which[n_full] = s->full[position];
                x[n_full++] = value;
                continue;
            }
            for (ptrdiff_t q = s->index_indptr[position];
                 q < s->index_indptr[position + 1]; q++) {
                if (s->center_ids[q] >= seen)
                    break;
                sums[s->center_ids[q]] += value * s->factor[q];
            }
        }
        if (n_full)
            set->add_columns(s->table, s->width, which, x, n_full, sums);
        const found_sum found = set->two_smallest(sums, seen);
        double near = found.best + square;
        near = near > 0 ? near : 0;
        if (!is_exact) {
            const double unit = (double)(n_terms + 4) * s->roundoff;
            slack = unit * (s->square_coef * square + s->d2_coef * near) +
                    8 * (double)n_terms * s->smallest;
        }
        if (near - slack > d2[i])
            continue; /* farther than its current center */
        const double limit = found.best + slack;
        const int in_doubt = !is_exact && found.second <= limit;
        if (!in_doubt && labels_only && d2[i] == INFINITY) {
            ids[i] = (int32_t)found.id;
            continue;
        }
        for (ptrdiff_t c = in_doubt ? 0 : found.id; c < (in_doubt ? seen : found.id + 1);
             c++) {
            if (in_doubt && !(sums[c] <= limit))
                continue;
            const double here = csr_distance(X, i, &centers, c, d2[i]);
            if (here < d2[i]) {
                d2[i] = here;
                ids[i] = (int32_t)c;
            }
        }
    }
    free(sums);
    free(which);
    return 0;
}

/* The same as next_openings in dense_rows.h, for CSR. */
static ptrdiff_t next_openings_csr(const csr_rows *X, const int64_t *candidates,
                                   ptrdiff_t n, ptrdiff_t start, const double *uniforms,
                                   double facility_cost, const double *d2, int64_t *opened,
                                   ptrdiff_t n_opened, ptrdiff_t most, int64_t *indices)
{
    ptrdiff_t n_found = 0;
    for (ptrdiff_t i = start; i < n && n_found < most; i++) {
        const ptrdiff_t row = (ptrdiff_t)candidates[i];
        const double least = uniforms[row] * facility_cost;
        ptrdiff_t o = n_opened - 1;
        if (!(least < d2[row]))
            continue;
        while (o >= 0 && least < csr_distance(X, row, X, (ptrdiff_t)opened[o], least))
            o--;
        if (o < 0) {
            opened[n_opened++] = row;
            indices[n_found++] = i;
        }
    }
    return n_found;
}

/* A sum of sparse rows, and a hash table from columns to their positions in it. */
typedef struct {
    int32_t *columns; /* in the order in which they first occurred */
    double *values;
    ptrdiff_t n;
    int32_t *slots; /* positions, or -1 */
    size_t mask;    /* the number of slots, a power of two, minus one */
} sparse_sum;

static size_t slot_of(const sparse_sum *sum, int32_t column)
{
    size_t slot = ((size_t)(uint32_t)column * 2654435769u >> 8) & sum->mask;
    while (sum->slots[slot] >= 0 && sum->columns[sum->slots[slot]] != column)
        slot = (slot + 1) & sum->mask;
    return slot;
}

/* Make a hash table for `room` columns; return -1 if memory runs out. */
static int make_slots(sparse_sum *sum, size_t room)
{
    size_t size = 64;
    while (size < 2 * room)
        size *= 2;
    free(sum->slots);
    sum->slots = malloc(size * sizeof(int32_t));
    if (sum->slots == NULL)
        return -1;
    sum->mask = size - 1;
    memset(sum->slots, 0xff, size * sizeof(int32_t));
    for (ptrdiff_t position = 0; position < sum->n; position++)
        sum->slots[slot_of(sum, sum->columns[position])] = (int32_t)position;
    return 0;
}

/* Return the position of a column in a sum; append it, with value 0, if it is new. */
static int32_t position_in_sum(sparse_sum *sum, int32_t column)
{
    const size_t slot = slot_of(sum, column);
    if (sum->slots[slot] < 0) {
        sum->slots[slot] = (int32_t)sum->n;
        sum->columns[sum->n] = column;
        sum->values[sum->n++] = 0;
    }
    return sum->slots[slot];
}

/* Add rows, minus the center of their cluster, to its sum, which has `n` columns.

`weights` has one for every row of `X`; it is NULL if all are 1.

Return the new number of columns, or -1 if memory runs out. `columns` and `values` have room
for all of them. */
static ptrdiff_t add_csr(const csr_rows *X, const int64_t *rows, ptrdiff_t n_rows,
                         const double *weights, const csr_rows *centers,
                         ptrdiff_t cluster, int32_t *columns, double *values, ptrdiff_t n)
{
    const int32_t *own = centers->columns + centers->indptr[cluster];
    const double *c = centers->values + centers->indptr[cluster];
    const ptrdiff_t n_own = centers->indptr[cluster + 1] - centers->indptr[cluster];
    sparse_sum sum = {columns, values, n, NULL, 0};
    int32_t *own_positions = malloc((size_t)(n_own + 1) * sizeof(int32_t));
    int failed = own_positions == NULL || make_slots(&sum, (size_t)(2 * (n + n_own)));
    for (ptrdiff_t q = 0; q < n_own && !failed; q++)
        own_positions[q] = position_in_sum(&sum, own[q]);
    for (ptrdiff_t i = 0; i < n_rows && !failed; i++) {
        const ptrdiff_t start = X->indptr[rows[i]], end = X->indptr[rows[i] + 1];
        const double weight = weights == NULL ? 1.0 : weights[rows[i]];
        ptrdiff_t q = 0;
        if ((size_t)(sum.n + end - start) > sum.mask / 2)
            failed = make_slots(&sum, (size_t)(2 * (sum.n + end - start)));
        for (ptrdiff_t p = start; p < end && !failed; p++) {
            const int32_t column = X->columns[p];
            for (; q < n_own && own[q] < column; q++)
                values[own_positions[q]] -= c[q] * weight;
            if (q < n_own && own[q] == column) {
                values[own_positions[q]] += (X->values[p] - c[q]) * weight;
                q++;
            } else {
                values[position_in_sum(&sum, column)] += X->values[p] * weight;
            }
        }
        for (; q < n_own && !failed; q++)
            values[own_positions[q]] -= c[q] * weight;
    }
    free(own_positions);
    free(sum.slots);
    return failed ? -1 : sum.n;
}
