/* Rows in canonical CSR, numbers in float64, and centers likewise. Included by kernels.h. */

/* The centers of a sparse search: their rows, and for each column who has a number there. */
typedef struct {
    ptrdiff_t n_centers, n_columns;
    const int32_t *row_ends, *columns;
    const double *values;
    int has_all;              /* whether the index has a place for every column */
    const int32_t *known;     /* otherwise the columns that it has, sorted */
    const int32_t *ends;      /* of the columns of the index */
    const int32_t *who;       /* the centers, column after column, the oldest first */
    const double *factor;     /* -2 times their numbers */
    ptrdiff_t width;          /* the centers, padded to a multiple of WIDTH */
    const int32_t *full;      /* the row of `table` that a column of many centers has, or -1 */
    const double *table;      /* -2 times the numbers of all centers in such columns */
    const double *norms;      /* |c|^2 */
    ptrdiff_t most_terms;     /* of a center */
    int is_exact;             /* whether all are integers that products keep exact */
    double exact;             /* of |v|^2, likewise */
    double roundoff, of_square, of_d2, smallest; /* see Precision in rounding.py */
} sparse_search;

/* Rows in CSR. */
typedef struct {
    const int32_t *row_ends, *columns;
    const double *values;
} csr_rows;

/* Return the squared distance of two rows, or any number above `limit` beyond that.

It is added up in column order; where both are zero nothing is added. */
static double csr_distance(const csr_rows *a, ptrdiff_t i, const csr_rows *b, ptrdiff_t k,
                           double limit)
{
    const int32_t *left = a->columns + a->row_ends[i], *right = b->columns + b->row_ends[k];
    const int32_t *left_end = a->columns + a->row_ends[i + 1];
    const int32_t *right_end = b->columns + b->row_ends[k + 1];
    const double *x = a->values + a->row_ends[i], *y = b->values + b->row_ends[k];
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

/* The squared distances of rows `rows[i]` of X and `ids[i]` of the centers. */
static void pair_distances_csr(const csr_rows *X, const csr_rows *centers,
                               const int64_t *rows, const int64_t *ids, ptrdiff_t n,
                               double *d2)
{
    for (ptrdiff_t i = 0; i < n; i++)
        d2[i] = csr_distance(X, rows[i], centers, ids[i], INFINITY);
}

/* Return the place of a column in the index, -1 if it is not there. */
static ptrdiff_t place_of(const sparse_search *s, int32_t column)
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

/* Let each row go over to the oldest nearest of the first `visible` centers, if nearer. */
static int nearest_csr(const sparse_search *s, const instruction_set *set,
                       const csr_rows *X, ptrdiff_t n, const int64_t *visible,
                       int labels_only, int32_t *ids, double *d2)
{
    const csr_rows centers = {s->row_ends, s->columns, s->values};
    int32_t most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (X->row_ends[i + 1] - X->row_ends[i] > most)
            most = X->row_ends[i + 1] - X->row_ends[i];
    double *sums = calloc((size_t)(s->width + most + 1), sizeof(double));
    int32_t *which = malloc((size_t)(most + 1) * sizeof(int32_t));
    if (sums == NULL || which == NULL) {
        free(sums);
        free(which);
        return -1;
    }
    double *x = sums + s->width; /* the numbers of a row in full columns */
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t seen = visible == NULL ? s->n_centers : (ptrdiff_t)visible[i];
        const ptrdiff_t n_terms = X->row_ends[i + 1] - X->row_ends[i] + s->most_terms;
        double square = 0, slack = 0;
        ptrdiff_t n_full = 0;
        int is_exact = s->is_exact;
        if (seen == 0)
            continue;
        memcpy(sums, s->norms, (size_t)seen * sizeof(double));
        for (ptrdiff_t p = X->row_ends[i]; p < X->row_ends[i + 1]; p++) {
            const double value = X->values[p];
            const ptrdiff_t place = place_of(s, X->columns[p]);
            if (s->has_all && p + 8 < X->row_ends[n]) { /* fetch what comes soon */
                PREFETCH(s->ends + X->columns[p + 8]);
                PREFETCH(s->full + X->columns[p + 8]);
            }
            square += value * value;
            is_exact = is_exact && square <= s->exact && (double)(int64_t)value == value;
            if (place < 0)
                continue;
            if (s->full[place] >= 0) {
                which[n_full] = s->full[place];
                x[n_full++] = value;
                continue;
            }
            for (ptrdiff_t q = s->ends[place]; q < s->ends[place + 1]; q++) {
                if (s->who[q] >= seen)
                    break;
                sums[s->who[q]] += value * s->factor[q];
            }
        }
        if (n_full)
            set->add_columns(s->table, s->width, which, x, n_full, sums);
        const found_sum found = set->two_smallest(sums, seen);
        double near = found.best + square;
        near = near > 0 ? near : 0;
        if (!is_exact) {
            const double unit = (double)(n_terms + 4) * s->roundoff;
            slack = unit * (s->of_square * square + s->of_d2 * near) +
                    8 * (double)n_terms * s->smallest;
        }
        if (near - slack > d2[i])
            continue; /* farther than the center that it has */
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

/* What next_openings of dense_rows.h does; the rows that opened are `opened` of X. */
static ptrdiff_t next_openings_csr(const csr_rows *X, const int64_t *candidates,
                                   ptrdiff_t n, ptrdiff_t start, const double *uniforms,
                                   double facility_cost, const double *d2, int64_t *opened,
                                   ptrdiff_t n_opened, ptrdiff_t most, int64_t *places)
{
    ptrdiff_t n_found = 0;
    for (ptrdiff_t place = start; place < n && n_found < most; place++) {
        const ptrdiff_t row = (ptrdiff_t)candidates[place];
        const double least = uniforms[row] * facility_cost;
        ptrdiff_t o = n_opened - 1;
        if (!(least < d2[row]))
            continue;
        while (o >= 0 && least < csr_distance(X, row, X, (ptrdiff_t)opened[o], least))
            o--;
        if (o < 0) {
            opened[n_opened++] = row;
            places[n_found++] = place;
        }
    }
    return n_found;
}

/* A sum of sparse rows, and a hash table from its columns to their places in it. */
typedef struct {
    int32_t *columns; /* in the order in which they came */
    double *values;
    ptrdiff_t n;
    int32_t *slots; /* places, or -1 */
    size_t mask;    /* the number of slots, a power of two, less one */
} sparse_sum;

static size_t slot_of(const sparse_sum *sum, int32_t column)
{
    size_t slot = ((size_t)(uint32_t)column * 2654435769u >> 8) & sum->mask;
    while (sum->slots[slot] >= 0 && sum->columns[sum->slots[slot]] != column)
        slot = (slot + 1) & sum->mask;
    return slot;
}

/* Make a table with room for so many columns; return whether there was no memory. */
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
    for (ptrdiff_t place = 0; place < sum->n; place++)
        sum->slots[slot_of(sum, sum->columns[place])] = (int32_t)place;
    return 0;
}

/* Return the place of a column in a sum; a new one gets the next, with a sum of 0. */
static int32_t place_in_sum(sparse_sum *sum, int32_t column)
{
    const size_t slot = slot_of(sum, column);
    if (sum->slots[slot] < 0) {
        sum->slots[slot] = (int32_t)sum->n;
        sum->columns[sum->n] = column;
        sum->values[sum->n++] = 0;
    }
    return sum->slots[slot];
}

/* Add the differences of rows and one center to a sum that has `n` columns; return how many
it has then, -1 if there is no memory. There is room for all in `columns` and `values`. */
static ptrdiff_t add_csr(const csr_rows *X, const int64_t *rows, ptrdiff_t n_rows,
                         const csr_rows *centers, ptrdiff_t cluster, int32_t *columns,
                         double *values, ptrdiff_t n)
{
    const int32_t *own = centers->columns + centers->row_ends[cluster];
    const double *c = centers->values + centers->row_ends[cluster];
    const ptrdiff_t n_own = centers->row_ends[cluster + 1] - centers->row_ends[cluster];
    sparse_sum sum = {columns, values, n, NULL, 0};
    int32_t *own_places = malloc((size_t)(n_own + 1) * sizeof(int32_t));
    int failed = own_places == NULL || make_slots(&sum, (size_t)(2 * (n + n_own)));
    for (ptrdiff_t q = 0; q < n_own && !failed; q++)
        own_places[q] = place_in_sum(&sum, own[q]);
    for (ptrdiff_t i = 0; i < n_rows && !failed; i++) {
        const ptrdiff_t start = X->row_ends[rows[i]], end = X->row_ends[rows[i] + 1];
        ptrdiff_t q = 0;
        if ((size_t)(sum.n + end - start) > sum.mask / 2)
            failed = make_slots(&sum, (size_t)(2 * (sum.n + end - start)));
        for (ptrdiff_t p = start; p < end && !failed; p++) {
            const int32_t column = X->columns[p];
            for (; q < n_own && own[q] < column; q++)
                values[own_places[q]] -= c[q];
            if (q < n_own && own[q] == column) {
                values[own_places[q]] += X->values[p] - c[q];
                q++;
            } else {
                values[place_in_sum(&sum, column)] += X->values[p];
            }
        }
        for (; q < n_own && !failed; q++)
            values[own_places[q]] -= c[q];
    }
    free(own_places);
    free(sum.slots);
    return failed ? -1 : sum.n;
}
