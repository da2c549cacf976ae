/* Look at all centers for some rows, with the vectors of one instruction set.

Included by kernels.h once for each: V and the V_ macros are its vectors of V_LENGTH floats,
SCAN(name) gives its functions their names.

A block is BLOCK = 24 centers. Its factor has, feature after feature, -2 (c - shift) of
these 24 centers; its norms are |c - shift|^2. Four rows are multiplied by three vectors of
centers at a time: twelve sums, three factors and one feature of a row just fill sixteen
registers. A sum starts at the norm, so that it ends as |c|^2 - 2 v.c, which differs from
the squared distance by |v|^2. What is kept of the sums is, in each lane of a vector, the
smallest, its center and the second smallest. Centers are numbered by floats, which are
exact up to 2^24.
*/

#define SUMS(r) V a##r##0, a##r##1, a##r##2;
#define START(r)                                                                         \
    a##r##0 = V_LOAD(norms[r] + h);                                                      \
    a##r##1 = V_LOAD(norms[r] + h + V_LENGTH);                                           \
    a##r##2 = V_LOAD(norms[r] + h + 2 * V_LENGTH);
#define MULTIPLY(r, rows)                                                                \
    x = V_SET1(v[j * rows + r]);                                                         \
    a##r##0 = V_FMA(x, f0, a##r##0);                                                     \
    a##r##1 = V_FMA(x, f1, a##r##1);                                                     \
    a##r##2 = V_FMA(x, f2, a##r##2);
#define KEEP_ONE(sum, number)                                                            \
    second = V_MIN(second, V_MAX(sum, best));                                            \
    id = V_SELECT(V_LESS(sum, best), V_SET1((float)(number)), id);                       \
    best = V_MIN(sum, best);
#define KEEP(r)                                                                          \
    best = V_LOAD(found[r].best);                                                        \
    second = V_LOAD(found[r].second);                                                    \
    id = V_LOAD(found[r].id);                                                            \
    KEEP_ONE(a##r##0, number)                                                            \
    KEEP_ONE(a##r##1, number + V_LENGTH)                                                 \
    KEEP_ONE(a##r##2, number + 2 * V_LENGTH)                                             \
    V_STORE(found[r].best, best);                                                        \
    V_STORE(found[r].second, second);                                                    \
    V_STORE(found[r].id, id);

#define LOAD_FACTORS                                                                     \
    f0 = V_LOAD(factor + j * BLOCK + h);                                                 \
    f1 = V_LOAD(factor + j * BLOCK + h + V_LENGTH);                                      \
    f2 = V_LOAD(factor + j * BLOCK + h + 2 * V_LENGTH);

/* Look at one block, for four rows whose features alternate in v. */
static void SCAN(block4)(const float *v, ptrdiff_t d, const float *factor,
                         const float *const *norms, ptrdiff_t first, lanes *found)
{
    for (int h = 0; h < BLOCK; h += 3 * V_LENGTH) {
        SUMS(0) SUMS(1) SUMS(2) SUMS(3)
        V f0, f1, f2, x, best, second, id;
        const ptrdiff_t number = first + h;
        START(0) START(1) START(2) START(3)
        for (ptrdiff_t j = 0; j < d; j++) {
            LOAD_FACTORS
            MULTIPLY(0, 4) MULTIPLY(1, 4) MULTIPLY(2, 4) MULTIPLY(3, 4)
        }
        KEEP(0) KEEP(1) KEEP(2) KEEP(3)
    }
}

/* Look at one block for one row, and write down its sums, too. */
static void SCAN(block1)(const float *v, ptrdiff_t d, const float *factor,
                         const float *const *norms, ptrdiff_t first, lanes *found,
                         float *sums)
{
    for (int h = 0; h < BLOCK; h += 3 * V_LENGTH) {
        SUMS(0)
        V f0, f1, f2, x, best, second, id;
        const ptrdiff_t number = first + h;
        START(0)
        for (ptrdiff_t j = 0; j < d; j++) {
            LOAD_FACTORS
            MULTIPLY(0, 1)
        }
        KEEP(0)
        V_STORE(sums + h, a00);
        V_STORE(sums + h + V_LENGTH, a01);
        V_STORE(sums + h + 2 * V_LENGTH, a02);
    }
}

/* Return the smallest of all lanes, its oldest center and the second smallest. */
static found_center SCAN(reduced)(const lanes *found)
{
    found_center nearest = {found->best[0], found->second[0], (ptrdiff_t)found->id[0]};
    for (int lane = 1; lane < V_LENGTH; lane++) {
        const float best = found->best[lane];
        const ptrdiff_t id = (ptrdiff_t)found->id[lane] + lane;
        if (best < nearest.best) {
            nearest.second = nearest.best;
            nearest.best = best;
            nearest.id = id;
        } else {
            if (best == nearest.best && id < nearest.id)
                nearest.id = id;
            if (best < nearest.second)
                nearest.second = best;
        }
        if (found->second[lane] < nearest.second)
            nearest.second = found->second[lane];
    }
    return nearest;
}

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

#undef SUMS
#undef START
#undef MULTIPLY
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
#undef V_MIN
#undef V_MAX
#undef V_LESS
#undef V_SELECT
