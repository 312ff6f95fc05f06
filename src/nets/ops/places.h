#pragma once

#include "nets/node.h"

/// Differences of places on a grid of tokens: (p_i - p_j) has 2 rows - 1 by 2 columns - 1 values.

typedef struct net_grid
{
    int rows, columns, tokens;
    int down, right; ///< differences of rows, and of columns
} net_grid;

static inline net_grid net_grid_of(const sac_net_shape *s)
{
    return (net_grid){s->rows, s->columns, s->rows * s->columns, 2 * s->rows - 1, 2 * s->columns - 1};
}

/// A product with all steps said: out [rows, columns] (+)= a [rows, inner] b [inner, columns].
static inline void net_product(const sac_learn *l, float *out, ptrdiff_t out_row, const float *a, ptrdiff_t a_row,
                               ptrdiff_t a_column, const float *b, ptrdiff_t b_row, ptrdiff_t b_column, int rows,
                               int inner, int columns, bool add)
{
    l->gemm(&(sac_gemm){.rows = rows,
                        .columns = columns,
                        .inner = inner,
                        .a = a,
                        .a_row = a_row,
                        .a_column = a_column,
                        .b = b,
                        .b_row = b_row,
                        .b_column = b_column,
                        .out = out,
                        .out_row = out_row,
                        .add = add},
            l->scratch);
}
