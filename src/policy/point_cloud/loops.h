#pragma once

#include "saccade/base.h"

/// The loops over the points of a cloud, compiled once for each CPU level, with the same bits on all. Tokens are
/// planar, [rows, stride], of which `count` columns are used.

typedef struct sac_pct_loops
{
    /// x += bias of each row, and then, where `relu`, max(x, 0).
    void (*bias)(float *x, const float *bias, bool relu, int rows, int count, int stride);
    /// x = norm(x + more + bias) over the rows of each column: gain (x - mean) / sqrt(variance + least) + shift.
    /// @param bias  [rows]
    void (*norm)(float *x, const float *more, const float *bias, const float *gain, const float *shift, float least,
                 int rows, int count, int stride);
    /// The largest number and the mean of each row; zeros where there are no columns.
    void (*pool)(float *largest, float *mean, const float *x, int rows, int count, int stride);
} sac_pct_loops;

extern const sac_pct_loops sac_pct_loops_scalar, sac_pct_loops_neon, sac_pct_loops_avx2, sac_pct_loops_avx512;
