/* Scan centers for some rows, with the vectors of one instruction set.

Included by kernels.h once for each: V and the V_ macros are its vectors of V_LENGTH floats,
SCAN(name) names its functions.

A block is BLOCK = 24 centers. Its factor has, feature after feature, -2 (c - shift) of
these centers; its norms are |c - shift|^2. Four rows are multiplied by three vectors of
centers at a time: twelve sums, three factors and one feature of a row just fill sixteen
registers. A sum starts at the norm, so it ends as |c|^2 - 2 v.c, which differs from the
squared distance by |v|^2. Wide rows are cut into tiles of TILE features, whose sums are
stored and added up. That rounds long sums less, and many rows use the factor of a tile
while it is in the fastest cache. Each lane of a vector keeps the smallest sum, its position
among the centers, and the second smallest. Positions are floats, exact up to 2^24.
*/

#define SUMS(r) V a##r##0, a##r##1, a##r##2;
#define START(r)                                                                         \
    a##r##0 = before ? V_SET1(0.0f) : V_LOAD(norms[r] + h);                              \
    a##r##1 = before ? V_SET1(0.0f) : V_LOAD(norms[r] + h + V_LENGTH);                   \
    a##r##2 = before ? V_SET1(0.0f) : V_LOAD(norms[r] + h + 2 * V_LENGTH);
#define MULTIPLY(r, rows)                                                                \
    x = V_SET1(v[j * rows + r]);                                                         \
    a##r##0 = V_FMA(x, f0, a##r##0);                                                     \
    a##r##1 = V_FMA(x, f1, a##r##1);                                                     \
    a##r##2 = V_FMA(x, f2, a##r##2);
#define ADD(r)                                                                           \
    a##r##0 = V_ADD(V_LOAD(before + r * BLOCK + h), a##r##0);                            \
    a##r##1 = V_ADD(V_LOAD(before + r * BLOCK + h + V_LENGTH), a##r##1);                 \
    a##r##2 = V_ADD(V_LOAD(before + r * BLOCK + h + 2 * V_LENGTH), a##r##2);
#define STORE(r)                                                                         \
    V_STORE(after + r * BLOCK + h, a##r##0);                                             \
    V_STORE(after + r * BLOCK + h + V_LENGTH, a##r##1);                                  \
    V_STORE(after + r * BLOCK + h + 2 * V_LENGTH, a##r##2);
#define KEEP_ONE(sum, position)                                                          \
    second = V_MIN(second, V_MAX(sum, best));                                            \
    id = V_SELECT(V_LESS(sum, best), V_SET1((float)(position)), id);                     \
    best = V_MIN(sum, best);
#define KEEP(r)                                                                          \
    best = V_LOAD(found[r].best);                                                        \
    second = V_LOAD(found[r].second);                                                    \
    id = V_LOAD(found[r].id);                                                            \
    KEEP_ONE(a##r##0, position)                                                          \
    KEEP_ONE(a##r##1, position + V_LENGTH)                                               \
    KEEP_ONE(a##r##2, position + 2 * V_LENGTH)                                           \
    V_STORE(found[r].best, best);                                                        \
    V_STORE(found[r].second, second);                                                    \
    V_STORE(found[r].id, id);

#define LOAD_FACTORS                                                                     \
    f0 = V_LOAD(factor + j * BLOCK + h);                                                 \
    f1 = V_LOAD(factor + j * BLOCK + h + V_LENGTH);                                      \
    f2 = V_LOAD(factor + j * BLOCK + h + 2 * V_LENGTH);

/* Scan a tile of one block for four rows, whose features alternate in v.

`before` has the sums of the tiles before, and is NULL for the first one. The new sums go to
`after`, which is NULL for the last tile: then the smallest are kept in `found`. */
static void SCAN(block4)(const float *v, ptrdiff_t d, const float *factor,
                         const float *const *norms, ptrdiff_t first, const float *before,
                         float *after, lanes *found)
{
    for (int h = 0; h < BLOCK; h += 3 * V_LENGTH) {
        SUMS(0) SUMS(1) SUMS(2) SUMS(3)
        V f0, f1, f2, x, best, second, id;
        const ptrdiff_t position = first + h;
        START(0) START(1) START(2) START(3)
        for (ptrdiff_t j = 0; j < d; j++) {
            LOAD_FACTORS
            MULTIPLY(0, 4) MULTIPLY(1, 4) MULTIPLY(2, 4) MULTIPLY(3, 4)
        }
        if (before) {
            ADD(0) ADD(1) ADD(2) ADD(3)
        }
        if (after) {
            STORE(0) STORE(1) STORE(2) STORE(3)
        } else {
            KEEP(0) KEEP(1) KEEP(2) KEEP(3)
        }
    }
}

/* Scan a tile of one block for one row; its sums always go to `after`. */
static void SCAN(block1)(const float *v, ptrdiff_t d, const float *factor,
                         const float *const *norms, ptrdiff_t first, const float *before,
                         float *after, lanes *found)
{
    for (int h = 0; h < BLOCK; h += 3 * V_LENGTH) {
        SUMS(0)
        V f0, f1, f2, x, best, second, id;
        const ptrdiff_t position = first + h;
        START(0)
        for (ptrdiff_t j = 0; j < d; j++) {
            LOAD_FACTORS
            MULTIPLY(0, 1)
        }
        if (before) {
            ADD(0)
        }
        STORE(0)
        if (found) {
            KEEP(0)
        }
    }
}

/* Write v = x - shift of four rows, alternating, to `v`, and |v|^2 to `square`. */
#define SHIFT4(real)                                                                     \
    static void SCAN(shift4_##real)(const real *const *x, const double *shift,           \
                                    ptrdiff_t d, float *v, double *square)               \
    {                                                                                    \
        double sum[4] = {0, 0, 0, 0};                                                    \
        for (ptrdiff_t j = 0; j < d; j++) {                                              \
            const double here[4] = {x[0][j], x[1][j], x[2][j], x[3][j]};                 \
            for (int r = 0; r < 4; r++) {                                                \
                const float shifted = (float)(here[r] - shift[j]);                       \
                v[4 * j + r] = shifted;                                                  \
                sum[r] += (double)shifted * shifted;                                     \
            }                                                                            \
        }                                                                                \
        memcpy(square, sum, sizeof(sum));                                                \
    }
SHIFT4(double)
SHIFT4(float)
#undef SHIFT4

/* Compute the squared distances of a row to all boxes, and return the nearest box. */
static ptrdiff_t SCAN(gaps)(const float *v, ptrdiff_t d, const float *low, const float *high,
                            ptrdiff_t n_boxes, float *gaps)
{
    lanes nearest;
    V best = V_SET1(INFINITY), id = V_SET1(0.0f);
    for (ptrdiff_t b = 0; b < n_boxes; b += V_LENGTH) {
        V sum = V_SET1(0.0f);
        for (ptrdiff_t j = 0; j < d; j++) {
            const V x = V_SET1(v[j]);
            V gap = V_MAX(V_SUB(V_LOAD(low + j * n_boxes + b), x),
                          V_SUB(x, V_LOAD(high + j * n_boxes + b)));
            gap = V_MAX(gap, V_SET1(0.0f));
            sum = V_FMA(gap, gap, sum);
        }
        V_STORE(gaps + b, sum);
        id = V_SELECT(V_LESS(sum, best), V_SET1((float)b), id);
        best = V_MIN(sum, best);
    }
    V_STORE(nearest.best, best);
    V_STORE(nearest.id, id);
    int lane = 0;
    for (int i = 1; i < V_LENGTH; i++)
        lane = nearest.best[i] < nearest.best[lane] ? i : lane;
    return (ptrdiff_t)nearest.id[lane] + lane;
}

/* List the boxes nearer than a limit, and return how many there are. */
static ptrdiff_t SCAN(near_boxes)(const float *gaps, ptrdiff_t n_boxes, float limit,
                                  int32_t *near)
{
    ptrdiff_t n_near = 0;
    for (ptrdiff_t b = 0; b < n_boxes; b += V_LENGTH) {
        if (!V_ANY(V_LESS(V_LOAD(gaps + b), V_SET1(limit))))
            continue;
        for (int32_t i = 0; i < V_LENGTH; i++) {
            near[n_near] = (int32_t)b + i;
            n_near += gaps[b + i] < limit;
        }
    }
    return n_near;
}

/* Return the smallest sum of all lanes, its first position and the second smallest.

Each lane is compared with the one half a vector away, then a quarter, and so on. */
#define FOLD(swap)                                                                       \
    other = swap(best);                                                                  \
    second = V_MIN(V_MIN(second, swap(second)), V_MAX(best, other));                     \
    id = V_SELECT(V_LESS(other, best), swap(id),                                         \
                  V_SELECT(V_LESS(best, other), id, V_MIN(id, swap(id))));               \
    best = V_MIN(best, other);
static found_center SCAN(reduced)(const lanes *found)
{
    static const float LANE[MOST_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    lanes folded;
    V best = V_LOAD(found->best), second = V_LOAD(found->second), other;
    V id = V_ADD(V_LOAD(found->id), V_LOAD(LANE));
#ifdef V_SWAP4
    FOLD(V_SWAP4)
#endif
    FOLD(V_SWAP2) FOLD(V_SWAP1)
    V_STORE(folded.best, best);
    V_STORE(folded.second, second);
    V_STORE(folded.id, id);
    return (found_center){folded.best[0], folded.second[0], (ptrdiff_t)folded.id[0]};
}
#undef FOLD

/* Add x[i] times row `which[i]` of a table to the sums, WIDTH of them at a time. */
static void SCAN(add_columns)(const double *table, ptrdiff_t width, const int32_t *which,
                              const double *x, ptrdiff_t n, double *sums)
{
    for (ptrdiff_t first = 0; first < width; first += WIDTH) {
        double some[WIDTH];
        memcpy(some, sums + first, sizeof(some));
        for (ptrdiff_t i = 0; i < n; i++) {
            const double *column = table + which[i] * width + first;
            for (int l = 0; l < WIDTH; l++)
                some[l] += x[i] * column[l];
        }
        memcpy(sums + first, some, sizeof(some));
    }
}

/* Return the smallest sum, its first position and the second smallest.

`sums` has room for a multiple of WIDTH; those beyond the first n become infinite. */
static found_sum SCAN(two_smallest)(double *sums, ptrdiff_t n)
{
    found_sum found = {INFINITY, INFINITY, 0};
    double best[WIDTH], second[WIDTH];
    for (int l = 0; l < WIDTH; l++)
        best[l] = second[l] = INFINITY;
    for (ptrdiff_t i = n; i % WIDTH; i++)
        sums[i] = INFINITY;
    for (ptrdiff_t first = 0; first < n; first += WIDTH)
        for (int l = 0; l < WIDTH; l++) {
            const double x = sums[first + l], larger = x > best[l] ? x : best[l];
            second[l] = larger < second[l] ? larger : second[l];
            best[l] = x < best[l] ? x : best[l];
        }
    for (int l = 0; l < WIDTH; l++) {
        const double larger = best[l] > found.best ? best[l] : found.best;
        found.second = larger < found.second ? larger : found.second;
        found.second = second[l] < found.second ? second[l] : found.second;
        found.best = best[l] < found.best ? best[l] : found.best;
    }
    while (found.id < n - 1 && !(sums[found.id] <= found.best))
        found.id++;
    return found;
}

#undef SUMS
#undef START
#undef MULTIPLY
#undef ADD
#undef STORE
#undef KEEP_ONE
#undef KEEP
#undef LOAD_FACTORS
#undef SCAN
#undef V
#undef V_LENGTH
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_FMA
#undef V_ADD
#undef V_SUB
#undef V_MIN
#undef V_MAX
#undef V_LESS
#undef V_SELECT
#undef V_ANY
#undef V_SWAP4
#undef V_SWAP2
#undef V_SWAP1
