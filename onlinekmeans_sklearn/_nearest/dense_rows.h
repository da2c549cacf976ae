/* Dense rows of REAL numbers, double or float. Included by kernels.h once for each.

*The* squared distance of a row and a center is the float64 sum, in feature order, of the
squared differences. It decides; whatever else is computed only says where it is needed.
*/

/* Return the squared distance, or any number above `limit` once it exceeds that. */
#define DISTANCE_WITHIN(name, center_real)                                               \
    static double name(const REAL *x, const center_real *c, ptrdiff_t d, double limit)   \
    {                                                                                    \
        double sum = 0;                                                                  \
        ptrdiff_t j = 0;                                                                 \
        for (; j + 8 <= d && sum <= limit; j += 8)                                       \
            for (int i = 0; i < 8; i++) {                                                \
                const double difference = (double)x[j + i] - (double)c[j + i];           \
                sum += difference * difference;                                          \
            }                                                                            \
        if (sum > limit)                                                                 \
            return sum;                                                                  \
        for (; j < d; j++) {                                                             \
            const double difference = (double)x[j] - (double)c[j];                       \
            sum += difference * difference;                                              \
        }                                                                                \
        return sum;                                                                      \
    }
DISTANCE_WITHIN(TYPED(distance_within), double)
DISTANCE_WITHIN(TYPED(row_distance_within), REAL)
#undef DISTANCE_WITHIN

/* The squared distances of four rows and a center each; their sums run side by side. */
static void TYPED(distances4)(const REAL *const *x, const double *const *c, ptrdiff_t d,
                              double *d2)
{
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        const double a = (double)x[0][j] - c[0][j], b = (double)x[1][j] - c[1][j];
        const double e = (double)x[2][j] - c[2][j], f = (double)x[3][j] - c[3][j];
        sum0 += a * a;
        sum1 += b * b;
        sum2 += e * e;
        sum3 += f * f;
    }
    d2[0] = sum0, d2[1] = sum1, d2[2] = sum2, d2[3] = sum3;
}

/* The squared distances of rows `rows[i]` of X and centers `ids[i]`. */
static void TYPED(pair_distances)(const REAL *X, ptrdiff_t d, const double *centers,
                                  const int64_t *rows, const int64_t *ids, ptrdiff_t n,
                                  double *d2)
{
    for (ptrdiff_t i = 0; i < n; i += 4) {
        const REAL *x[4];
        const double *c[4];
        double four[4];
        for (int r = 0; r < 4; r++) {
            const ptrdiff_t pair = i + r < n ? i + r : i;
            x[r] = X + rows[pair] * d;
            c[r] = centers + ids[pair] * d;
        }
        TYPED(distances4)(x, c, d, four);
        memcpy(d2 + i, four, (size_t)(n - i < 4 ? n - i : 4) * sizeof(double));
    }
}

/* Try all of the first centers on the squared distance; the oldest nearest one stays. */
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

/* Where the products of some rows are formed. */
typedef struct {
    const REAL *x[4];
    int32_t *id[4];
    double *d2[4];
    ptrdiff_t visible[4];
    double square[4]; /* |v|^2 */
    int is_exact[4];
} TYPED(row_group);

/* Put v = x - shift of a group into `v`, feature after feature; the shift is the oldest. */
static void TYPED(shift_rows)(const dense_search *s, TYPED(row_group) *g, int n_rows,
                              float *v)
{
    const double *shift = s->centers;
    const ptrdiff_t d = s->n_features;
    for (int r = 0; r < n_rows; r++)
        g->square[r] = 0;
    for (ptrdiff_t j = 0; j < d; j++)
        for (int r = 0; r < n_rows; r++) {
            const float shifted = (float)((double)g->x[r][j] - shift[j]);
            v[j * n_rows + r] = shifted;
            g->square[r] += (double)shifted * shifted;
        }
    for (int r = 0; r < n_rows; r++) {
        g->is_exact[r] = s->is_exact && g->square[r] <= s->exact;
        for (ptrdiff_t j = 0; j < d && g->is_exact[r]; j++)
            g->is_exact[r] = (REAL)(int64_t)g->x[r][j] == g->x[r][j];
    }
}

/* Decide which of the centers that look near enough is nearest to one row. */
static void TYPED(settle)(const dense_search *s, const instruction_set *set,
                          const TYPED(row_group) *g, int r, int n_rows, const float *v,
                          float *lone, double limit)
{
    const ptrdiff_t d = s->n_features;
    lanes ignored;
    memset(&ignored, 0, sizeof(ignored));
    for (ptrdiff_t j = 0; j < d; j++)
        lone[j] = v[j * n_rows + r];
    for (ptrdiff_t first = 0; first < g->visible[r]; first += BLOCK) {
        float sums[BLOCK], hidden[BLOCK];
        const float *norms = visible_norms(s->norms, first, g->visible[r], hidden);
        set->block1(lone, d, s->factor + first * d, &norms, first, &ignored, sums);
        for (int i = 0; i < BLOCK; i++) {
            if (!((double)sums[i] <= limit) || first + i >= g->visible[r])
                continue;
            const double here = TYPED(distance_within)(
                g->x[r], s->centers + (first + i) * d, d, *g->d2[r]);
            if (here < *g->d2[r]) {
                *g->d2[r] = here;
                *g->id[r] = (int32_t)(first + i);
            }
        }
    }
}

/* Find the nearest centers of one or four rows; `v` has room for five rows. */
static void TYPED(nearest_of_group)(const dense_search *s, const instruction_set *set,
                                    TYPED(row_group) *g, int n_rows, float *v)
{
    const ptrdiff_t d = s->n_features;
    ptrdiff_t most = 0, n_pairs = 0;
    lanes found[4];
    const REAL *pair_x[4];
    const double *pair_c[4];
    int32_t pair_id[4];
    int pair_row[4];
    double pair_d2[4];

    if (!s->fits) {
        for (int r = 0; r < n_rows; r++)
            TYPED(try_all)(s, g->x[r], g->visible[r], g->id[r], g->d2[r]);
        return;
    }
    TYPED(shift_rows)(s, g, n_rows, v);
    for (int r = 0; r < n_rows; r++) {
        for (int lane = 0; lane < MOST_LANES; lane++) {
            found[r].best[lane] = found[r].second[lane] = INFINITY;
            found[r].id[lane] = 0;
        }
        most = g->visible[r] > most ? g->visible[r] : most;
    }
    for (ptrdiff_t first = 0; first < most; first += BLOCK) {
        float hidden[4][BLOCK], sums[BLOCK];
        const float *norms[4];
        for (int r = 0; r < n_rows; r++)
            norms[r] = visible_norms(s->norms, first, g->visible[r], hidden[r]);
        if (n_rows == 4)
            set->block4(v, d, s->factor + first * d, norms, first, found);
        else
            set->block1(v, d, s->factor + first * d, norms, first, found, sums);
    }
    for (int r = 0; r < n_rows; r++) {
        if (!(g->square[r] <= s->largest)) {
            TYPED(try_all)(s, g->x[r], g->visible[r], g->id[r], g->d2[r]);
            continue;
        }
        const found_center nearest = set->reduced(&found[r]);
        double d2 = (double)nearest.best + g->square[r], slack = 0;
        d2 = d2 > 0 ? d2 : 0;
        if (!g->is_exact[r])
            slack = s->of_square * g->square[r] + s->of_d2 * d2 + s->added;
        if (d2 - slack > *g->d2[r])
            continue; /* farther than the center that it has */
        const double limit = (double)nearest.best + slack;
        if ((double)nearest.second <= limit && !g->is_exact[r]) {
            TYPED(settle)(s, set, g, r, n_rows, v, v + 4 * d, limit);
        } else {
            pair_row[n_pairs] = r;
            pair_id[n_pairs] = (int32_t)nearest.id;
            pair_x[n_pairs] = g->x[r];
            pair_c[n_pairs++] = s->centers + nearest.id * d;
        }
    }
    if (n_pairs == 0)
        return;
    if (n_pairs == 1)
        pair_d2[0] = TYPED(distance_within)(pair_x[0], pair_c[0], d, INFINITY);
    else {
        for (ptrdiff_t i = n_pairs; i < 4; i++)
            pair_x[i] = pair_x[0], pair_c[i] = pair_c[0];
        TYPED(distances4)(pair_x, pair_c, d, pair_d2);
    }
    for (ptrdiff_t i = 0; i < n_pairs; i++) {
        const int r = pair_row[i];
        if (pair_d2[i] < *g->d2[r]) {
            *g->d2[r] = pair_d2[i];
            *g->id[r] = pair_id[i];
        }
    }
}

/* Let each row go over to the oldest nearest of the first `visible` centers, if nearer. */
static int TYPED(nearest_dense)(const REAL *X, const dense_search *s,
                                const instruction_set *set, ptrdiff_t n,
                                const int64_t *visible, int32_t *ids, double *d2)
{
    const ptrdiff_t d = s->n_features;
    float *v = malloc((size_t)(5 * d) * sizeof(float));
    TYPED(row_group) g;
    if (v == NULL)
        return -1;
    for (ptrdiff_t i = 0; i < n;) {
        int n_rows = 0;
        for (; i < n && n_rows < 4; i++) {
            g.visible[n_rows] = visible == NULL ? s->n_centers : (ptrdiff_t)visible[i];
            if (g.visible[n_rows] == 0)
                continue;
            g.x[n_rows] = X + i * d;
            g.id[n_rows] = ids + i;
            g.d2[n_rows] = d2 + i;
            n_rows++;
        }
        if (n_rows == 4) {
            TYPED(nearest_of_group)(s, set, &g, 4, v);
            continue;
        }
        for (int r = 0; r < n_rows; r++) {
            g.x[0] = g.x[r];
            g.id[0] = g.id[r];
            g.d2[0] = g.d2[r];
            g.visible[0] = g.visible[r];
            TYPED(nearest_of_group)(s, set, &g, 1, v);
        }
    }
    free(v);
    return 0;
}

/* Return the place of the next candidate that opens a center, `n` if there is none.

A candidate opens one if its number times the facility cost is below its squared distance
to the centers from before the block, in d2, and to the rows that opened one since then. */
static ptrdiff_t TYPED(next_opening)(const REAL *X, ptrdiff_t d, const int64_t *candidates,
                                     ptrdiff_t n, ptrdiff_t start, const double *uniforms,
                                     double facility_cost, const double *d2,
                                     const int64_t *opened, ptrdiff_t n_opened)
{
    for (ptrdiff_t place = start; place < n; place++) {
        const ptrdiff_t row = (ptrdiff_t)candidates[place];
        const double least = uniforms[row] * facility_cost;
        ptrdiff_t o = n_opened - 1;
        if (!(least < d2[row]))
            continue;
        while (o >= 0 && least < TYPED(row_distance_within)(X + row * d,
                                                            X + opened[o] * d, d, least))
            o--;
        if (o < 0)
            return place;
    }
    return n;
}

/* Add the differences of rows and centers to the sums of clusters from `low` to `high`. */
static void TYPED(add_dense)(const REAL *X, ptrdiff_t n, ptrdiff_t d,
                             const double *centers, const int32_t *labels, int32_t low,
                             int32_t high, double *sums)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t label = labels[i];
        if (label < low || label >= high)
            continue;
        const REAL *x = X + i * d;
        const double *c = centers + (ptrdiff_t)label * d;
        double *sum = sums + (ptrdiff_t)label * d;
        for (ptrdiff_t j = 0; j < d; j++)
            sum[j] += (double)x[j] - c[j];
    }
}
