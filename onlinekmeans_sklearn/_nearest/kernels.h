/* The loops of the compiled kernels, in plain C. kernels.pyx says what they are for. */

#ifndef ONLINEKMEANS_KERNELS_H
#define ONLINEKMEANS_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 24
#define MOST_LANES 8
#define PANEL 32 /* rows */
#define TILE 128 /* features whose products are added up one after the other */
#define WIDTH 16

typedef struct {
    float best[MOST_LANES], second[MOST_LANES], id[MOST_LANES];
} lanes;

typedef struct {
    float best, second;
    ptrdiff_t id;
} found_center;

typedef struct {
    double best, second;
    ptrdiff_t id;
} found_sum;

/* The functions of an instruction set; see dense_scan.h. */
typedef struct {
    const char *name;
    void (*block4)(const float *, ptrdiff_t, const float *, const float *const *, ptrdiff_t,
                   const float *, float *, lanes *);
    void (*block1)(const float *, ptrdiff_t, const float *, const float *const *, ptrdiff_t,
                   const float *, float *, lanes *);
    void (*shift4_double)(const double *const *, const double *, ptrdiff_t, float *,
                          double *);
    void (*shift4_float)(const float *const *, const double *, ptrdiff_t, float *, double *);
    ptrdiff_t (*gaps)(const float *, ptrdiff_t, const float *, const float *, ptrdiff_t,
                      float *);
    ptrdiff_t (*near_boxes)(const float *, ptrdiff_t, float, int32_t *);
    found_center (*reduced)(const lanes *);
    void (*add_columns)(const double *, ptrdiff_t, const int32_t *, const double *,
                        ptrdiff_t, double *);
    found_sum (*two_smallest)(double *, ptrdiff_t);
} instruction_set;

#define ALL_OF(set)                                                                      \
    {#set,           block4_##set,     block1_##set,  shift4_double_##set,               \
     shift4_float_##set, gaps_##set,   near_boxes_##set, reduced_##set,                  \
     add_columns_##set, two_smallest_##set}

#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address)
#endif

#ifdef __GNUC__
/* Any machine, including NEON: the vectors of four floats of GCC and Clang. */
#define HAS_PLAIN
typedef float four_floats __attribute__((vector_size(16)));
typedef int32_t four_ints __attribute__((vector_size(16)));
static inline four_floats four_load(const float *p)
{
    four_floats a;
    memcpy(&a, p, sizeof(a));
    return a;
}
static inline four_floats four_select(four_ints is, four_floats a, four_floats b)
{
    return (four_floats)((is & (four_ints)a) | (~is & (four_ints)b));
}
#define SCAN(name) name##_plain
#define V four_floats
#define V_LENGTH 4
#define V_LOAD(p) four_load(p)
#define V_STORE(p, a) memcpy(p, &(a), sizeof(four_floats))
#define V_SET1(x) ((four_floats){(x), (x), (x), (x)})
#define V_FMA(a, b, c) ((a) * (b) + (c))
#define V_ADD(a, b) ((a) + (b))
#define V_SUB(a, b) ((a) - (b))
#define V_SWAP2(a) ((four_floats){(a)[2], (a)[3], (a)[0], (a)[1]})
#define V_SWAP1(a) ((four_floats){(a)[1], (a)[0], (a)[3], (a)[2]})
#define V_MIN(a, b) four_select((a) < (b), a, b)
#define V_MAX(a, b) four_select((a) > (b), a, b)
#define V_LESS(a, b) ((a) < (b))
#define V_SELECT(is, a, b) four_select(is, a, b)
#define V_ANY(is) ((is)[0] | (is)[1] | (is)[2] | (is)[3])
#include "dense_scan.h"
#endif

#if defined(__SSE2__) || defined(_M_X64)
#define HAS_SSE2
#include <immintrin.h>
#define SCAN(name) name##_sse2
#define V __m128
#define V_LENGTH 4
#define V_LOAD(p) _mm_loadu_ps(p)
#define V_STORE(p, a) _mm_storeu_ps(p, a)
#define V_SET1(x) _mm_set1_ps(x)
#define V_FMA(a, b, c) _mm_add_ps(c, _mm_mul_ps(a, b))
#define V_ADD(a, b) _mm_add_ps(a, b)
#define V_SUB(a, b) _mm_sub_ps(a, b)
#define V_SWAP2(a) _mm_shuffle_ps(a, a, 0x4E)
#define V_SWAP1(a) _mm_shuffle_ps(a, a, 0xB1)
#define V_MIN(a, b) _mm_min_ps(a, b)
#define V_MAX(a, b) _mm_max_ps(a, b)
#define V_LESS(a, b) _mm_cmplt_ps(a, b)
#define V_SELECT(is, a, b) _mm_or_ps(_mm_and_ps(is, a), _mm_andnot_ps(is, b))
#define V_ANY(is) _mm_movemask_ps(is)
#include "dense_scan.h"
#endif

#if !defined(HAS_PLAIN) && !defined(HAS_SSE2)
#error "This compiler has no vectors that the kernels can use; numpy does the work instead."
#endif

#if defined(HAS_SSE2) && defined(__GNUC__)
#define HAS_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define SCAN(name) name##_avx2
#define V __m256
#define V_LENGTH 8
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, a) _mm256_storeu_ps(p, a)
#define V_SET1(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define V_ADD(a, b) _mm256_add_ps(a, b)
#define V_SUB(a, b) _mm256_sub_ps(a, b)
#define V_SWAP4(a) _mm256_permute2f128_ps(a, a, 1)
#define V_SWAP2(a) _mm256_permute_ps(a, 0x4E)
#define V_SWAP1(a) _mm256_permute_ps(a, 0xB1)
#define V_MIN(a, b) _mm256_min_ps(a, b)
#define V_MAX(a, b) _mm256_max_ps(a, b)
#define V_LESS(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define V_SELECT(is, a, b) _mm256_blendv_ps(b, a, is)
#define V_ANY(is) _mm256_movemask_ps(is)
#include "dense_scan.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static const instruction_set INSTRUCTION_SETS[] = {
#ifdef HAS_AVX2
    ALL_OF(avx2),
#endif
#ifdef HAS_SSE2
    ALL_OF(sse2),
#endif
#ifdef HAS_PLAIN
    ALL_OF(plain),
#endif
};
enum { N_INSTRUCTION_SETS = sizeof(INSTRUCTION_SETS) / sizeof(INSTRUCTION_SETS[0]) };

/* Return whether this machine supports an instruction set that was compiled. */
static int is_supported(const instruction_set *set)
{
#ifdef HAS_AVX2
    if (strcmp(set->name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    (void)set;
    return 1;
}

/* The centers of a dense search; rounding.py has the proof of the slack. */
typedef struct {
    ptrdiff_t n_centers, n_features, n_boxes;
    const double *centers;    /* unchanged, for the distance that decides */
    const int32_t *order;     /* the center at each position of the factor; NULL: c at c */
    const float *factor;      /* block after block, see dense_scan.h */
    const float *norms;       /* infinite where a block has no center */
    const float *low, *high;  /* the box around each block, feature after feature */
    int fits;                 /* whether products in float32 cannot overflow */
    int is_exact;             /* whether all are integers whose products are exact */
    double square_coef, d2_coef, abs_term; /* of |v|^2 and D2 in the slack, and the rest */
    double gap_coef;          /* by how much a squared distance to a box may be too large */
    double largest, exact;    /* the largest |v|^2 that fits, and that is exact */
} dense_search;

/* Return the center at a position of the factor. */
static inline ptrdiff_t center_at(const dense_search *s, ptrdiff_t position)
{
    return s->order == NULL ? position : (ptrdiff_t)s->order[position];
}

/* Return the norms of a block, infinite (in `hidden`) for centers that a row cannot see. */
static const float *visible_norms(const dense_search *s, ptrdiff_t first, ptrdiff_t visible,
                                  float *hidden)
{
    const float *norms = s->norms + first;
    if (visible == s->n_centers || (s->order == NULL && first + BLOCK <= visible))
        return norms;
    int32_t centers[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        centers[i] = (int32_t)first + i;
    if (s->order != NULL)
        memcpy(centers, s->order + first, sizeof(centers));
    for (int i = 0; i < BLOCK; i++) {
        const float norm = norms[i];
        hidden[i] = centers[i] < (int32_t)visible ? norm : INFINITY;
    }
    return hidden;
}

/* Return the number of features in the tile that starts at `feature`. */
static inline ptrdiff_t tile_at(ptrdiff_t feature, ptrdiff_t d)
{
    return d - feature > TILE ? TILE : d - feature;
}

/* Scan one block for one row, tile by tile; keep the smallest sums unless found is NULL. */
static void scan_block(const dense_search *s, const instruction_set *set, const float *v,
                          const float *norms, ptrdiff_t first, float *sums, lanes *found)
{
    const ptrdiff_t d = s->n_features;
    for (ptrdiff_t j = 0; j < d; j += TILE)
        set->block1(v + j, tile_at(j, d), s->factor + first * d + j * BLOCK, &norms, first,
                    j > 0 ? sums : NULL, sums, j + TILE < d ? NULL : found);
}

#include "boxes.h"

#define REAL double
#define TYPED(name) name##_double
#include "dense_rows.h"
#include "dense_nearest.h"
#undef REAL
#undef TYPED
#define REAL float
#define TYPED(name) name##_float
#include "dense_rows.h"
#include "dense_nearest.h"
#undef REAL
#undef TYPED

/* Dense rows of either dtype. */
typedef struct {
    const void *values;
    int is_double;
    ptrdiff_t n_rows, n_features;
} dense_rows;

#define EITHER(rows, function, ...)                                                      \
    ((rows)->is_double ? function##_double((const double *)(rows)->values, __VA_ARGS__)  \
                       : function##_float((const float *)(rows)->values, __VA_ARGS__))

static int nearest_dense(const dense_rows *X, const dense_search *s,
                         const instruction_set *set, const int64_t *visible,
                         int labels_only, int32_t *ids, double *d2)
{
    return EITHER(X, nearest_dense, s, set, X->n_rows, visible, labels_only, ids, d2);
}

static void pair_distances(const dense_rows *X, const double *centers, const int64_t *rows,
                           const int64_t *ids, ptrdiff_t n, double *d2)
{
    EITHER(X, pair_distances, X->n_features, centers, rows, ids, n, d2);
}

static ptrdiff_t next_openings(const dense_rows *X, const int64_t *candidates, ptrdiff_t n,
                               ptrdiff_t start, const double *uniforms,
                               double facility_cost, const double *d2, int64_t *opened,
                               ptrdiff_t n_opened, ptrdiff_t most, int64_t *indices)
{
    return EITHER(X, next_openings, X->n_features, candidates, n, start, uniforms,
                  facility_cost, d2, opened, n_opened, most, indices);
}

static void add_dense(const dense_rows *X, const double *centers, const int32_t *labels,
                      const double *weights, int32_t low, int32_t high, double *sums)
{
    EITHER(X, add_dense, X->n_rows, X->n_features, centers, labels, weights, low, high,
           sums);
}

#include "sparse_rows.h"

#endif
