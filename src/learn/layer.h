#pragma once

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernels/elementary.h"
#include "kernels/scalar.h"
#include "learn/learn.h"

/// What the layers' files share. Each is compiled once a CPU level; the compiler turns their loops into vectors.

/// The name of a function of the table in this level's build.
#define LAYER(name) SAC_LEVEL_NAME(sac_learn_##name)

#define X(name, parameters) void LAYER(name) parameters;
SAC_LEARN_LIST(X)
#undef X

static inline void layer_gemm(const sac_learn *l, sac_gemm g)
{
    l->gemm(&g, l->scratch);
}

// sums over a row: column j into lane j % SAC_LANES
#define ROW_SUM(sum, size, j, lane, term)                         \
    do                                                            \
    {                                                             \
        float row_lanes[SAC_LANES] = {0};                         \
        int row_at = 0;                                           \
        for (; row_at + SAC_LANES <= (size); row_at += SAC_LANES) \
            for (int row_i = 0; row_i < SAC_LANES; row_i++)       \
            {                                                     \
                const int j = row_at + row_i;                     \
                const float lane = row_lanes[row_i];              \
                row_lanes[row_i] = (term);                        \
            }                                                     \
        for (int row_i = 0; row_at + row_i < (size); row_i++)     \
        {                                                         \
            const int j = row_at + row_i;                         \
            const float lane = row_lanes[row_i];                  \
            row_lanes[row_i] = (term);                            \
        }                                                         \
        (sum) = sum_lanes(row_lanes);                             \
    } while (0)

static inline float row_dot(const float *a, const float *b, int size)
{
    float sum;
    ROW_SUM(sum, size, j, lane, fmaf(a[j], b[j], lane));
    return sum;
}

static inline float row_total(const float *a, int size)
{
    float sum;
    ROW_SUM(sum, size, j, lane, lane + a[j]);
    return sum;
}

static inline float row_largest(const float *a, int size)
{
    float largest;
    {
        float highest[SAC_LANES];
        for (int i = 0; i < SAC_LANES; i++) highest[i] = -INFINITY;
        int j = 0;
        for (; j + SAC_LANES <= size; j += SAC_LANES)
            for (int i = 0; i < SAC_LANES; i++) highest[i] = sac_max(a[j + i], highest[i]);
        for (int i = 0; j + i < size; i++) highest[i] = sac_max(a[j + i], highest[i]);
        for (int width = SAC_LANES / 2; width > 0; width /= 2)
            for (int i = 0; i < width; i++) highest[i] = sac_max(highest[i], highest[i + width]);
        largest = highest[0];
    }
    return largest;
}

// sum[j] += sum over rows of x[i][j], in the order of rows
static inline void add_columns(float *restrict sum, const float *restrict x, int rows, int size)
{
    for (int i = 0; i < rows; i++, x += size)
        for (int j = 0; j < size; j++) sum[j] += x[j];
}
