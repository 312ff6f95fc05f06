#pragma once

#include <string.h>

#include "base/error.h"
#include "gemm/gemm.h"
#include "kernels/wide_elementary.h"

/// Products of matrices over the `lanes` of the level file that includes this. GEMM_LANES is how many vectors of
/// columns a tile has, 1 or 2, and GEMM_ROWS how many rows there are registers for, 6 or 12.
///
/// A tile of outputs stays in registers while k runs; blocks of B and A are copied so that a tile reads them in a row
/// from the first and the second cache (Goto and van de Geijn 2008). Small matrices are read where they are.

enum
{
    GEMM_COLUMNS = GEMM_LANES * SAC_LANES,
};

// A tile's part of A: element r, k is at[r * row + k * column]
typedef struct gemm_a
{
    const float *at;
    ptrdiff_t row, column;
} gemm_a;

typedef struct gemm_tile
{
    gemm_a a;
    const float *b; // [inner], b_step apart, GEMM_COLUMNS or SAC_LANES columns each
    ptrdiff_t b_step;
    int inner;
    float *out;
    ptrdiff_t out_row;
    int columns;       // that are stored
    bool add;          // start from out
    const float *bias; // else from these; NULL: from 0
    sac_activation activation;
} gemm_tile;

WIDE lanes gemm_activate(lanes x, sac_activation activation)
{
    switch (activation)
    {
    case SAC_ACTIVATION_RELU: return lanes_max(x, lanes_set(0.0f));
    case SAC_ACTIVATION_TANH: return wide_tanh(x);
    case SAC_ACTIVATION_SIGMOID: return wide_sigmoid(x);
    default: return x;
    }
}

// rows of A are three to a pointer, so that pointers and steps fit the registers, too
WIDE void gemm_rows(const gemm_tile *t, lanes (*sum)[2], int rows, int width)
{
    enum
    {
        TRIPLES = (GEMM_ROWS + 2) / 3
    };
    const ptrdiff_t row = t->a.row, column = t->a.column, b_step = t->b_step;
    const float *a[TRIPLES], *b = t->b;
    for (int r = 0; 3 * r < rows; r++) a[r] = t->a.at + 3 * r * row;
    for (int k = 0; k < t->inner; k++, b += b_step)
    {
        lanes value[2];
        for (int v = 0; v < width; v++) value[v] = lanes_load(b + v * SAC_LANES);
        for (int r = 0; r < rows; r++)
        {
            lanes factor = lanes_set(a[r / 3][r % 3 * row + k * column]);
            for (int v = 0; v < width; v++) sum[r][v] = lanes_fma(factor, value[v], sum[r][v]);
        }
    }
}

// the same where the rows of A lie side by side
WIDE void gemm_side_by_side(const gemm_tile *t, lanes (*sum)[2], int rows, int width)
{
    const ptrdiff_t column = t->a.column, b_step = t->b_step;
    const float *a = t->a.at, *b = t->b;
    for (int k = 0; k < t->inner; k++, a += column, b += b_step)
    {
        lanes value[2];
        for (int v = 0; v < width; v++) value[v] = lanes_load(b + v * SAC_LANES);
        for (int r = 0; r < rows; r++)
        {
            lanes factor = lanes_set(a[r]);
            for (int v = 0; v < width; v++) sum[r][v] = lanes_fma(factor, value[v], sum[r][v]);
        }
    }
}

WIDE void gemm_begin(const gemm_tile *t, lanes (*sum)[2], int rows, int width)
{
    for (int v = 0; v < width; v++)
    {
        int left = t->columns - v * SAC_LANES;
        lanes start = !t->add && t->bias ? load_tokens(t->bias + v * SAC_LANES, left) : lanes_set(0.0f);
        for (int r = 0; r < rows; r++)
            sum[r][v] = t->add ? load_tokens(t->out + r * t->out_row + v * SAC_LANES, left) : start;
    }
}

WIDE void gemm_end(const gemm_tile *t, lanes (*sum)[2], int rows, int width)
{
    float *out = t->out;
    bool whole = t->columns >= width * SAC_LANES;
    for (int r = 0; r < rows; r++, out += t->out_row)
        for (int v = 0; v < width; v++)
        {
            lanes value = sum[r][v];
            if (t->activation == SAC_ACTIVATION_RELU) value = lanes_max(value, lanes_set(0.0f));
            if (whole)
                lanes_store(out + v * SAC_LANES, value);
            else
                store_tokens(out + v * SAC_LANES, value, t->columns - v * SAC_LANES);
        }
    // long functions are there once
    if (t->activation <= SAC_ACTIVATION_RELU) return;
    out = t->out;
    for (int r = 0; r < rows; r++, out += t->out_row)
#pragma GCC unroll 1
        for (int j = 0; j < t->columns; j += SAC_LANES)
            store_tokens(out + j, gemm_activate(load_tokens(out + j, t->columns - j), t->activation), t->columns - j);
}

WIDE void gemm_tile_of(const gemm_tile *t, int rows, int width)
{
    lanes sum[GEMM_ROWS][2];
    gemm_begin(t, sum, rows, width);
    if (t->a.row == 1)
        gemm_side_by_side(t, sum, rows, width);
    else
        gemm_rows(t, sum, rows, width);
    gemm_end(t, sum, rows, width);
}

#define GEMM_TILE(rows)                                                        \
    static __attribute__((noinline)) void gemm_tile_##rows(const gemm_tile *t) \
    {                                                                          \
        if (GEMM_LANES == 1 || t->columns <= SAC_LANES)                        \
            gemm_tile_of(t, rows, 1);                                          \
        else                                                                   \
            gemm_tile_of(t, rows, GEMM_LANES);                                 \
    }
GEMM_TILE(1)
GEMM_TILE(2)
GEMM_TILE(3)
GEMM_TILE(4)
GEMM_TILE(6)
#if GEMM_ROWS == 12
GEMM_TILE(8)
GEMM_TILE(10)
GEMM_TILE(12)
#endif

static const struct
{
    int rows;
    void (*run)(const gemm_tile *t);
} gemm_tiles[] = {
#if GEMM_ROWS == 12
    {12, gemm_tile_12}, {10, gemm_tile_10}, {8, gemm_tile_8},
#endif
    {6, gemm_tile_6},   {4, gemm_tile_4},   {3, gemm_tile_3}, {2, gemm_tile_2}, {1, gemm_tile_1},
};

// the index of the tile that takes the next of `left` rows, such that none is left with too few
static int gemm_tile_for(int left)
{
    int tiles = (left + GEMM_ROWS - 1) / GEMM_ROWS, wanted = (left + tiles - 1) / tiles, i = 0;
    while (gemm_tiles[i].rows > left) i++;
    while (i + 1 < (int)(sizeof gemm_tiles / sizeof *gemm_tiles) && gemm_tiles[i + 1].rows >= wanted) i++;
    return i;
}

// four rows of four numbers become four columns
WIDE void gemm_turn_four(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row)
{
    typedef float four __attribute__((vector_size(16)));
    four a, b, c, d;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + from_row, sizeof b);
    memcpy(&c, from + 2 * from_row, sizeof c);
    memcpy(&d, from + 3 * from_row, sizeof d);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    four ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
    d = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
    memcpy(to, &a, sizeof a);
    memcpy(to + to_row, &b, sizeof b);
    memcpy(to + 2 * to_row, &c, sizeof c);
    memcpy(to + 3 * to_row, &d, sizeof d);
}

// to[k * to_row + i] = from[i * from_row + k], `count` of i and `inner` of k
WIDE void gemm_turn(float *to, int to_row, const float *from, ptrdiff_t from_row, int count, int inner)
{
    int i = 0;
    for (; i + 4 <= count; i += 4, to += 4, from += 4 * from_row)
    {
        int k = 0;
        for (; k + 4 <= inner; k += 4) gemm_turn_four(to + k * to_row, to_row, from + k, from_row);
        for (; k < inner; k++)
            for (int r = 0; r < 4; r++) to[k * to_row + r] = from[r * from_row + k];
    }
    for (; i < count; i++, to++, from += from_row)
        for (int k = 0; k < inner; k++) to[k * to_row] = from[k];
}

// [inner, GEMM_COLUMNS], zero past `columns`
static void gemm_copy_panel(float *to, const float *b, const sac_gemm *g, int inner, int columns)
{
    if (g->b_column != 1)
    {
        SAC_ASSERT(g->b_row == 1);
        for (int k = 0; columns < GEMM_COLUMNS && k < inner; k++)
            for (int v = 0; v < GEMM_LANES; v++) lanes_store(to + k * GEMM_COLUMNS + v * SAC_LANES, lanes_set(0.0f));
        gemm_turn(to, GEMM_COLUMNS, b, g->b_column, columns, inner);
        return;
    }
    for (int k = 0; k < inner; k++, b += g->b_row, to += GEMM_COLUMNS)
        for (int v = 0; v < GEMM_LANES; v++)
        {
            int left = columns - v * SAC_LANES;
            lanes_store(to + v * SAC_LANES, left > 0 ? load_tokens(b + v * SAC_LANES, left) : lanes_set(0.0f));
        }
}

// the rows of a block, side by side for the tiles that take them, one tile after the other
static void gemm_copy_rows(float *to, const float *a, const sac_gemm *g, int rows, int inner)
{
    while (rows > 0)
    {
        int count = gemm_tiles[gemm_tile_for(rows)].rows;
        if (g->a_row != 1)
            gemm_turn(to, count, a, g->a_row, count, inner);
        else
            for (int k = 0; k < inner; k++)
                for (int r = 0; r < count; r++) to[k * count + r] = a[r + k * g->a_column];
        to += (ptrdiff_t)count * inner;
        a += count * g->a_row;
        rows -= count;
    }
}

// every row of a block against one panel of columns
static void gemm_panel(gemm_tile t, int rows, bool copied)
{
    while (rows > 0)
    {
        int i = gemm_tile_for(rows), count = gemm_tiles[i].rows;
        if (copied) t.a.row = 1, t.a.column = count;
        gemm_tiles[i].run(&t);
        t.a.at += count * (copied ? t.inner : t.a.row);
        t.out += count * t.out_row;
        rows -= count;
    }
}

// a block of rows and of the sum, for all columns
static void gemm_block(const sac_gemm *g, int row, int rows, int k, int inner, float *scratch)
{
    const bool last = k + inner == g->inner, copied = g->columns > 2 * GEMM_COLUMNS;
    const float *a = g->a + row * g->a_row + k * g->a_column;
    float *panel = scratch, *copy = scratch + SAC_GEMM_INNER * SAC_GEMM_COLUMNS;
    if (copied) gemm_copy_rows(copy, a, g, rows, inner);
    gemm_tile t = {.a = {copied ? copy : a, g->a_row, g->a_column},
                   .inner = inner,
                   .out_row = g->out_row,
                   .add = k > 0 || g->add,
                   .activation = last ? g->activation : SAC_ACTIVATION_NONE};
    for (int j = 0; j < g->columns; j += GEMM_COLUMNS)
    {
        t.columns = g->columns - j < GEMM_COLUMNS ? g->columns - j : GEMM_COLUMNS;
        t.b = g->b + k * g->b_row + j * g->b_column;
        t.b_step = g->b_row;
        bool whole = t.columns == GEMM_COLUMNS || t.columns == SAC_LANES;
        bool near = rows <= 2 * GEMM_ROWS || inner * g->b_row <= SAC_GEMM_INNER * SAC_GEMM_COLUMNS;
        if (g->b_column != 1 || !whole || !near)
        {
            gemm_copy_panel(panel, t.b, g, inner, t.columns);
            t.b = panel;
            t.b_step = GEMM_COLUMNS;
        }
        t.out = g->out + row * g->out_row + j;
        t.bias = g->bias ? g->bias + j : NULL;
        gemm_panel(t, rows, copied);
    }
}

static void wide_gemm(const sac_gemm *g, void *scratch)
{
    for (int row = 0; row < g->rows; row += SAC_GEMM_ROWS)
    {
        int rows = g->rows - row < SAC_GEMM_ROWS ? g->rows - row : SAC_GEMM_ROWS, k = 0;
        do
        {
            int inner = g->inner - k < SAC_GEMM_INNER ? g->inner - k : SAC_GEMM_INNER;
            gemm_block(g, row, rows, k, inner, scratch);
            k += inner;
        } while (k < g->inner);
    }
}
