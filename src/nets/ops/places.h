#pragma once

#include "nets/node.h"

/// Differences of places on a grid of tokens: (p_i - p_j) has 2 rows - 1 by 2 columns - 1 values, and a table over them
/// says what a head makes of each.

typedef struct net_grid
{
    int rows, columns, tokens;
    int down, right; ///< differences of rows, and of columns
} net_grid;

static inline net_grid net_grid_of(const sac_net_shape *s)
{
    return (net_grid){s->rows, s->columns, s->rows * s->columns, 2 * s->rows - 1, 2 * s->columns - 1};
}

/// Logits of token i from a table [down, right]: out [tokens], the entry of p_i - p_j for each j.
static inline void net_grid_look(const net_grid *g, float *out, const float *table, int i)
{
    const int row = i / g->columns, column = i % g->columns;
    for (int y = 0; y < g->rows; y++)
    {
        const float *line = table + (ptrdiff_t)(row - y + g->rows - 1) * g->right + column + g->columns - 1;
        for (int x = 0; x < g->columns; x++) *out++ = line[-x];
    }
}

/// The way back: adds the gradients of token i's logits to those of the table.
static inline void net_grid_look_back(const net_grid *g, float *dtable, const float *dout, int i)
{
    const int row = i / g->columns, column = i % g->columns;
    for (int y = 0; y < g->rows; y++)
    {
        float *line = dtable + (ptrdiff_t)(row - y + g->rows - 1) * g->right + column + g->columns - 1;
        for (int x = 0; x < g->columns; x++) line[-x] += *dout++;
    }
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
