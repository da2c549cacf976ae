/* Centers in the order of a k-d tree, block after block, and a box around each block.

A row can skip a block if its box is farther away than a center already found. With few
features that skips most blocks. */

/* Reorder so that the first `middle` centers have the smallest values of one feature. */
static void split(const double *feature, ptrdiff_t d, int32_t *order, ptrdiff_t n,
                  ptrdiff_t middle)
{
    ptrdiff_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = feature[order[low + (high - low) / 2] * d];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (feature[order[i] * d] < pivot)
                i++;
            while (feature[order[j] * d] > pivot)
                j--;
            if (i <= j) {
                const int32_t other = order[i];
                order[i++] = order[j];
                order[j--] = other;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* Order centers so that blocks are compact: halve at the widest feature, recursively. */
static void order_by_halves(const double *centers, ptrdiff_t d, int32_t *order, ptrdiff_t n)
{
    const ptrdiff_t middle = (n / BLOCK + 1) / 2 * BLOCK;
    ptrdiff_t widest = 0;
    double most = -1;
    if (n <= BLOCK)
        return;
    for (ptrdiff_t j = 0; j < d; j++) {
        double low = INFINITY, high = -INFINITY;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double x = centers[order[i] * d + j];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = j;
        }
    }
    split(centers + widest, d, order, n, middle);
    order_by_halves(centers, d, order, middle);
    order_by_halves(centers, d, order + middle, n - middle);
}

/* Compute the box around the centers of every block, rounded to float32. */
static void fit_boxes(const float *factor, ptrdiff_t n_centers, ptrdiff_t d,
                      ptrdiff_t n_boxes, float *low, float *high)
{
    for (ptrdiff_t j = 0; j < d; j++)
        for (ptrdiff_t b = 0; b < n_boxes; b++) {
            float least = INFINITY, most = b * BLOCK < n_centers ? -INFINITY : INFINITY;
            for (ptrdiff_t i = 0; i < BLOCK && b * BLOCK + i < n_centers; i++) {
                const float c = -0.5f * factor[b * BLOCK * d + j * BLOCK + i];
                least = c < least ? c : least;
                most = c > most ? c : most;
            }
            low[j * n_boxes + b] = least;
            high[j * n_boxes + b] = most;
        }
}
