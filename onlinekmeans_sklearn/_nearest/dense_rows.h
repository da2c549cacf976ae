/* Dense rows of REAL numbers, double or float. Included by kernels.h once for each.

*The* squared distance of a row and a center is the float64 sum, in feature order, of the
squared differences. It decides; everything else only finds out where it is needed.
*/

/* Return the squared distance, or any number above `limit` if it exceeds that. */
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

/* Compute the squared distances of four pairs of a row and a center, side by side. */
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

/* Compute the squared distances of X[rows[i]] and centers[ids[i]]. */
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

/* Find the next candidates that open a center: write their indices, return their number.

A candidate opens one if its random number times the facility cost is below its squared
distance to the centers from before the block, in `d2`, and to the rows that opened one
since then, in `opened`, which has room for `most` more. */
static ptrdiff_t TYPED(next_openings)(const REAL *X, ptrdiff_t d, const int64_t *candidates,
                                      ptrdiff_t n, ptrdiff_t start, const double *uniforms,
                                      double facility_cost, const double *d2,
                                      int64_t *opened, ptrdiff_t n_opened, ptrdiff_t most,
                                      int64_t *indices)
{
    ptrdiff_t n_found = 0;
    for (ptrdiff_t i = start; i < n && n_found < most; i++) {
        const ptrdiff_t row = (ptrdiff_t)candidates[i];
        const double least = uniforms[row] * facility_cost;
        ptrdiff_t o = n_opened - 1;
        if (!(least < d2[row]))
            continue;
        while (o >= 0 && least < TYPED(row_distance_within)(X + row * d,
                                                            X + opened[o] * d, d, least))
            o--;
        if (o < 0) {
            opened[n_opened++] = row;
            indices[n_found++] = i;
        }
    }
    return n_found;
}

/* Add rows, minus their center, to the sums of the clusters from `low` to `high`.

`weights` are NULL if all are 1. A weighted difference is rounded before it is added. */
static void TYPED(add_dense)(const REAL *X, ptrdiff_t n, ptrdiff_t d,
                             const double *centers, const int32_t *labels,
                             const double *weights, int32_t low, int32_t high, double *sums)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t label = labels[i];
        if (label < low || label >= high)
            continue;
        const REAL *x = X + i * d;
        const double *c = centers + (ptrdiff_t)label * d;
        double *sum = sums + (ptrdiff_t)label * d;
        if (weights == NULL)
            for (ptrdiff_t j = 0; j < d; j++)
                sum[j] += (double)x[j] - c[j];
        else
            for (ptrdiff_t j = 0; j < d; j++)
                sum[j] += ((double)x[j] - c[j]) * weights[i];
    }
}
