/* The nearest center of dense rows of REAL numbers. Included by kernels.h once for each.

Rows go through all blocks of centers in panels, four rows at a time. If blocks have boxes
and few of them are near, rows go one by one. Either way the products tell which center
looks nearest, and whether another one is within the slack of it. If so, `settle` compares
the squared distances of all centers within the slack.
*/

/* Compare a row with the first `visible` centers by squared distance (ties: oldest). */
static void TYPED(try_all)(const dense_search *s, const REAL *x, ptrdiff_t visible,
                           int32_t *id, double *d2)
{
    for (ptrdiff_t c = 0; c < visible; c++) {
        const double here =
            TYPED(distance_within)(x, s->centers + c * s->n_features, s->n_features, *d2);
        if (here < *d2) {
            *d2 = here;
            *id = (int32_t)c;
        }
    }
}

/* A row, and where to write its nearest center. */
typedef struct {
    const REAL *x;
    int32_t *id;
    double *d2;
    ptrdiff_t visible;
    double square; /* |v|^2 */
    int is_exact;
} TYPED(row);

/* Write v = x - shift of one or four rows to `v`; the shift is the oldest center. */
static void TYPED(shift_rows)(const dense_search *s, const instruction_set *set,
                              TYPED(row) *rows, int n_rows, float *v)
{
    const ptrdiff_t d = s->n_features;
    double square[4];
    if (n_rows == 4) {
        const REAL *const x[4] = {rows[0].x, rows[1].x, rows[2].x, rows[3].x};
        set->TYPED(shift4)(x, s->centers, d, v, square);
    } else {
        square[0] = 0;
        for (ptrdiff_t j = 0; j < d; j++) {
            v[j] = (float)((double)rows->x[j] - s->centers[j]);
            square[0] += (double)v[j] * v[j];
        }
    }
    for (int r = 0; r < n_rows; r++) {
        rows[r].square = square[r];
        rows[r].is_exact = s->is_exact && square[r] <= s->exact;
        for (ptrdiff_t j = 0; j < d && rows[r].is_exact; j++)
            rows[r].is_exact = (REAL)(int64_t)rows[r].x[j] == rows[r].x[j];
    }
}

/* Return how wrong the products of a row and centers at squared distance d2 can be. */
static double TYPED(slack)(const dense_search *s, const TYPED(row) *row, double d2)
{
    return row->is_exact ? 0 : s->square_coef * row->square + s->d2_coef * d2 + s->abs_term;
}

/* Return how far a box may be if a center in it can be as near as d2. */
static double TYPED(farthest_gap)(const dense_search *s, const TYPED(row) *row, double d2)
{
    return (d2 + TYPED(slack)(s, row, d2)) * s->gap_coef + 1e-30;
}

/* Up to four rows whose nearest center is known, but not its distance. */
typedef struct {
    int n;
    const TYPED(row) *row[4];
    ptrdiff_t id[4];
} TYPED(pairs);

static void TYPED(decide_pairs)(const dense_search *s, TYPED(pairs) *p)
{
    const REAL *x[4];
    const double *c[4];
    double d2[4];
    if (p->n == 0)
        return;
    for (int i = 0; i < 4; i++) {
        x[i] = p->row[i < p->n ? i : 0]->x;
        c[i] = s->centers + p->id[i < p->n ? i : 0] * s->n_features;
    }
    if (p->n == 1)
        d2[0] = TYPED(distance_within)(x[0], c[0], s->n_features, INFINITY);
    else
        TYPED(distances4)(x, c, s->n_features, d2);
    for (int i = 0; i < p->n; i++)
        if (d2[i] < *p->row[i]->d2) {
            *p->row[i]->d2 = d2[i];
            *p->row[i]->id = (int32_t)p->id[i];
        }
    p->n = 0;
}

/* The workspace of a search. */
typedef struct {
    const dense_search *s;
    const instruction_set *set;
    float *v;        /* the rows of a panel; four rows of a group alternate */
    float *lone;     /* a copy of one of them */
    int labels_only; /* whether distances are not needed */
    float *gaps;     /* the squared distances of one row to all boxes, if there are any */
    int32_t *near;   /* the boxes near one row */
    TYPED(pairs) pairs;
} TYPED(work);

/* Find the nearest of the centers whose product is within the limit. */
static void TYPED(settle)(TYPED(work) *w, const TYPED(row) *row, const float *v,
                          int stride, double limit)
{
    const int has_gaps = stride == 1 && w->s->n_boxes;
    const double farthest = (limit + row->square) * w->s->gap_coef + 1e-30;
    const dense_search *s = w->s;
    const ptrdiff_t d = s->n_features;
    ptrdiff_t id = -1;
    double d2 = *row->d2;
    for (ptrdiff_t j = 0; j < d; j++)
        w->lone[j] = v[j * stride];
    for (ptrdiff_t first = 0; first < s->n_centers; first += BLOCK) {
        float sums[BLOCK], hidden[BLOCK];
        if (has_gaps && (double)w->gaps[first / BLOCK] > farthest)
            continue;
        const float *norms = visible_norms(s, first, row->visible, hidden);
        scan_block(s, w->set, w->lone, norms, first, sums, NULL);
        for (int i = 0; i < BLOCK; i++) {
            if (!((double)sums[i] <= limit) || norms[i] == INFINITY)
                continue;
            const ptrdiff_t here = center_at(s, first + i);
            const double d2_here =
                TYPED(distance_within)(row->x, s->centers + here * d, d, d2);
            if (d2_here < d2 || (d2_here == d2 && here < id)) {
                d2 = d2_here;
                id = here;
            }
        }
    }
    if (id >= 0) {
        *row->d2 = d2;
        *row->id = (int32_t)id;
    }
}

/* Reassign a row to the center found if it is nearer; settle first if that is in doubt. */
static void TYPED(decide)(TYPED(work) *w, const TYPED(row) *row, const lanes *found,
                          const float *v, int stride)
{
    const dense_search *s = w->s;
    const found_center nearest = w->set->reduced(found);
    double d2 = (double)nearest.best + row->square;
    d2 = d2 > 0 ? d2 : 0;
    const double slack = TYPED(slack)(s, row, d2), limit = (double)nearest.best + slack;
    if (!(nearest.best < INFINITY) || d2 - slack > *row->d2)
        return; /* farther than its current center */
    if ((double)nearest.second <= limit && (!row->is_exact || s->order != NULL)) {
        TYPED(settle)(w, row, v, stride, limit);
        return;
    }
    if (w->labels_only && *row->d2 == INFINITY) {
        *row->id = (int32_t)center_at(s, nearest.id);
        return;
    }
    w->pairs.row[w->pairs.n] = row;
    w->pairs.id[w->pairs.n++] = center_at(s, nearest.id);
    if (w->pairs.n == 4)
        TYPED(decide_pairs)(s, &w->pairs);
}

static void TYPED(reset)(lanes *found)
{
    for (int lane = 0; lane < MOST_LANES; lane++) {
        found->best[lane] = found->second[lane] = INFINITY;
        found->id[lane] = 0;
    }
}

/* Find the nearest centers of rows in groups of four, by a scan of all centers.

Meanwhile the next rows are fetched from memory. */
static void TYPED(search_groups)(TYPED(work) *w, TYPED(row) *rows, int n_groups,
                                 const REAL *next, ptrdiff_t n_next)
{
    const dense_search *s = w->s;
    const ptrdiff_t d = s->n_features;
    lanes found[PANEL];
    float hidden[4][BLOCK], sums[PANEL][BLOCK];
    ptrdiff_t least = s->n_centers, most = 0;
    for (int r = 0; r < 4 * n_groups; r++) {
        TYPED(reset)(&found[r]);
        least = rows[r].visible < least ? rows[r].visible : least;
        most = rows[r].visible > most ? rows[r].visible : most;
    }
    most = s->order == NULL ? most : s->n_centers; /* positions that a row may see */
    for (int q = 0; q < n_groups; q++)
        TYPED(shift_rows)(s, w->set, rows + 4 * q, 4, w->v + 4 * q * d);
    for (ptrdiff_t first = 0; first < most; first += BLOCK) {
        const float *norms[4] = {s->norms + first, s->norms + first, s->norms + first,
                                 s->norms + first};
        const ptrdiff_t fetched = n_next * first / most;
        const ptrdiff_t to_fetch = n_next * (first + BLOCK) / most;
        for (ptrdiff_t i = fetched; i < to_fetch && i < n_next; i += 64 / sizeof(REAL))
            PREFETCH(next + i);
        for (ptrdiff_t j = 0; j < d; j += TILE)
            for (int r = 0; r < 4 * n_groups; r += 4) {
                for (int i = 0; i < 4 && j == 0 && least < s->n_centers; i++)
                    norms[i] = visible_norms(s, first, rows[r + i].visible, hidden[i]);
                w->set->block4(w->v + r * d + 4 * j, tile_at(j, d),
                               s->factor + first * d + j * BLOCK, norms, first,
                               j > 0 ? sums[r] : NULL, j + TILE < d ? sums[r] : NULL,
                               &found[r]);
            }
    }
    for (int r = 0; r < 4 * n_groups; r++)
        if (rows[r].square <= s->largest)
            TYPED(decide)(w, &rows[r], &found[r], w->v + r / 4 * 4 * d + r % 4, 4);
        else
            TYPED(try_all)(s, rows[r].x, rows[r].visible, rows[r].id, rows[r].d2);
}

static void TYPED(scan_block)(TYPED(work) *w, const TYPED(row) *row, ptrdiff_t block,
                           lanes *found)
{
    float sums[BLOCK], hidden[BLOCK];
    const float *norms = visible_norms(w->s, block * BLOCK, row->visible, hidden);
    scan_block(w->s, w->set, w->v, norms, block * BLOCK, sums, found);
}

/* Find the nearest center of a row, and return the number of blocks scanned.

The nearest box comes first, then those no farther away than the center found there. */
static ptrdiff_t TYPED(search_row)(TYPED(work) *w, TYPED(row) *row)
{
    const dense_search *s = w->s;
    const ptrdiff_t n_blocks = (s->n_centers + BLOCK - 1) / BLOCK;
    ptrdiff_t nearest_box, n_near = n_blocks;
    double limit;
    lanes found;
    TYPED(reset)(&found);
    TYPED(shift_rows)(s, w->set, row, 1, w->v);
    if (!(row->square <= s->largest)) {
        TYPED(try_all)(s, row->x, row->visible, row->id, row->d2);
        return n_blocks;
    }
    if (s->n_boxes) {
        nearest_box =
            w->set->gaps(w->v, s->n_features, s->low, s->high, s->n_boxes, w->gaps);
        TYPED(scan_block)(w, row, nearest_box, &found);
        limit = w->set->reduced(&found).best + row->square;
        limit = limit < *row->d2 ? limit : *row->d2;
        limit = TYPED(farthest_gap)(s, row, limit > 0 ? limit : 0);
        n_near = w->set->near_boxes(w->gaps, s->n_boxes, (float)limit, w->near);
        for (ptrdiff_t i = 0; i < n_near; i++)
            if (w->near[i] != nearest_box)
                TYPED(scan_block)(w, row, w->near[i], &found);
    } else {
        for (ptrdiff_t block = 0; block < n_blocks; block++)
            TYPED(scan_block)(w, row, block, &found);
    }
    TYPED(decide)(w, row, &found, w->v, 1);
    return n_near;
}

/* Reassign rows to the nearest of the first `visible` centers if nearer (ties: oldest). */
static int TYPED(nearest_dense)(const REAL *X, const dense_search *s,
                                const instruction_set *set, ptrdiff_t n,
                                const int64_t *visible, int labels_only, int32_t *ids,
                                double *d2)
{
    const ptrdiff_t d = s->n_features;
    const ptrdiff_t n_blocks = (s->n_centers + BLOCK - 1) / BLOCK;
    const ptrdiff_t panel = n < PANEL ? n : PANEL;
    const size_t room = (size_t)((panel + 1) * d + 2 * s->n_boxes);
    int are_boxes_useful = s->n_boxes > 0;
    TYPED(row) rows[PANEL];
    TYPED(work) w = {0};
    w.s = s;
    w.set = set;
    w.labels_only = labels_only;
    w.v = malloc(room * sizeof(float));
    if (w.v == NULL)
        return -1;
    w.lone = w.v + panel * d;
    w.gaps = w.lone + d;
    w.near = (int32_t *)(w.gaps + s->n_boxes);
    for (ptrdiff_t i = 0; i < n;) {
        int n_rows = 0, r = 0;
        ptrdiff_t n_seen = 0;
        const ptrdiff_t begin = i;
        for (; i < n && n_rows < PANEL; i++) {
            const ptrdiff_t sees = visible == NULL ? s->n_centers : (ptrdiff_t)visible[i];
            if (sees == 0)
                continue;
            rows[n_rows++] = (TYPED(row)){X + i * d, ids + i, d2 + i, sees, 0, 0};
        }
        if (!s->fits) {
            for (; r < n_rows; r++)
                TYPED(try_all)(s, rows[r].x, rows[r].visible, rows[r].id, rows[r].d2);
            continue;
        }
        if (!are_boxes_useful) {
            TYPED(search_groups)(&w, rows, n_rows / 4, X + i * d,
                                 (n - i < i - begin ? n - i : i - begin) * d);
            r = n_rows / 4 * 4;
        }
        for (; r < n_rows; r++)
            n_seen += TYPED(search_row)(&w, &rows[r]);
        TYPED(decide_pairs)(s, &w.pairs);
        if (are_boxes_useful) /* a lone row costs 12 blocks, and 4 for each one scanned */
            are_boxes_useful = 12 * n_rows + 4 * n_seen <= n_blocks * n_rows;
    }
    free(w.v);
    return 0;
}
