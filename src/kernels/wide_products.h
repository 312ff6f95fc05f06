#pragma once

#include "kernels/wide.h"

/// Products of matrices with planar tokens, over the `lanes` of the level file that includes this. WIDE_ROWS is how
/// many rows it has registers for.

enum
{
    PRODUCT_ROWS = WIDE_ROWS,
    PRODUCT_SUMS = 2 * WIDE_ROWS,
    CARRY_SIDE = 16,    ///< rows and columns whose sums are carried from block to block
    CARRY_BLOCK = 512,  ///< tokens: 32 planes of them stay in the first or second cache
    CARRY_TOKENS = 2048 ///< from here on planes are worth reading once
};

// `rows` rows of 16 columns
WIDE void mix_tile(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                   int size, int left, int stride)
{
    // the first product starts the sum, as in scalar.c
    lanes sum[PRODUCT_ROWS], value = load_tokens(x, left);
    for (int r = 0; r < rows; r++) sum[r] = lanes_mul(lanes_set(weights[r * weight_stride]), value);
    for (int m = 1; m < size; m++)
    {
        value = load_tokens(x + (size_t)m * (size_t)stride, left);
        for (int r = 0; r < rows; r++) sum[r] = lanes_fma(lanes_set(weights[r * weight_stride + m]), value, sum[r]);
    }
    for (int r = 0; r < rows; r++) store_tokens(out + (size_t)r * (size_t)out_stride, sum[r], left);
}

// Computes all rows of 16 columns, or of the `left` last ones.
WIDE void mix_columns(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                      int size, int left, int stride)
{
    int r = 0;
    for (; r + PRODUCT_ROWS <= rows; r += PRODUCT_ROWS)
        mix_tile(out + (size_t)r * (size_t)out_stride, out_stride, weights + (size_t)r * (size_t)weight_stride,
                 weight_stride, PRODUCT_ROWS, x, size, left, stride);
    for (; r + 4 <= rows; r += 4)
        mix_tile(out + (size_t)r * (size_t)out_stride, out_stride, weights + (size_t)r * (size_t)weight_stride,
                 weight_stride, 4, x, size, left, stride);
    for (; r < rows; r++)
        mix_tile(out + (size_t)r * (size_t)out_stride, out_stride, weights + (size_t)r * (size_t)weight_stride,
                 weight_stride, 1, x, size, left, stride);
}

static void wide_mix(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                     int size, int n, int stride)
{
    int j = 0;
    for (; j + SAC_LANES <= n; j += SAC_LANES)
        mix_columns(out + j, out_stride, weights, weight_stride, rows, x + j, size, SAC_LANES, stride);
    if (j < n) mix_columns(out + j, out_stride, weights, weight_stride, rows, x + j, size, n - j, stride);
}

// Adds the products of 16 tokens, or of the `left` last ones; lanes past them hold zero.
WIDE void contract_step(lanes sum[PRODUCT_SUMS], const float *a, int a_stride, int rows, const float *b, int columns,
                        int stride, int left)
{
    lanes column[PRODUCT_SUMS];
    for (int m = 0; m < columns; m++) column[m] = load_tokens(b + (size_t)m * (size_t)stride, left);
    for (int r = 0; r < rows; r++)
    {
        lanes value = a ? load_tokens(a + (size_t)r * (size_t)a_stride, left) : lanes_set(1.0f);
        for (int m = 0; m < columns; m++) sum[r * columns + m] = lanes_fma(value, column[m], sum[r * columns + m]);
    }
}

// `rows` times `columns` sums over tokens
WIDE void contract_tile(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                        int columns, int n, int stride)
{
    lanes sum[PRODUCT_SUMS];
    for (int i = 0; i < rows * columns; i++) sum[i] = lanes_set(0.0f);
    int j = 0;
    for (; j + SAC_LANES <= n; j += SAC_LANES)
        contract_step(sum, a ? a + j : NULL, a_stride, rows, b + j, columns, stride, SAC_LANES);
    if (j < n) contract_step(sum, a ? a + j : NULL, a_stride, rows, b + j, columns, stride, n - j);
    // The sums go through memory, so that the code that adds up lanes is there once.
    float part[PRODUCT_SUMS * SAC_LANES];
    for (int i = 0; i < rows * columns; i++) lanes_store(part + i * SAC_LANES, sum[i]);
// not unrolled: the code that adds up sixteen lanes is long, and this is done once a tile
#pragma GCC unroll 1
    for (int i = 0; i < rows * columns; i++)
        sums[(size_t)(i / columns) * (size_t)sums_stride + i % columns] += lanes_sum(lanes_load(part + i * SAC_LANES));
}

static void contract_one(float *sums, const float *a, const float *b, int n, int stride)
{
    contract_tile(sums, 0, a, 0, 1, b, 1, n, stride);
}

// `rows` rows against all columns, as many at a time as there are registers for their sums.
WIDE void contract_rows(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b, int size,
                        int columns, int n, int stride)
{
    int m = 0;
    for (; m + columns <= size; m += columns)
        contract_tile(sums + m, sums_stride, a, a_stride, rows, b + (size_t)m * (size_t)stride, columns, n, stride);
    for (; m < size; m++)
        for (int r = 0; r < rows; r++)
            contract_one(sums + (size_t)r * (size_t)sums_stride + m, a ? a + (size_t)r * (size_t)a_stride : NULL,
                         b + (size_t)m * (size_t)stride, n, stride);
}

// The same, with its lanes kept in `carried` [rows, carried_stride vectors] from one block of tokens to the next.
WIDE void carry_tile(float *carried, int carried_stride, const float *a, int a_stride, int rows, const float *b,
                     int columns, int n, int stride)
{
    lanes sum[PRODUCT_SUMS];
    for (int i = 0; i < rows * columns; i++)
        sum[i] = lanes_load(carried + (i / columns * carried_stride + i % columns) * SAC_LANES);
    int j = 0;
    for (; j + SAC_LANES <= n; j += SAC_LANES)
        contract_step(sum, a + j, a_stride, rows, b + j, columns, stride, SAC_LANES);
    if (j < n) contract_step(sum, a + j, a_stride, rows, b + j, columns, stride, n - j);
    for (int i = 0; i < rows * columns; i++)
        lanes_store(carried + (i / columns * carried_stride + i % columns) * SAC_LANES, sum[i]);
}

static void carry_one(float *carried, const float *a, const float *b, int n, int stride)
{
    carry_tile(carried, 1, a, 0, 1, b, 1, n, stride);
}

static void carry_rows(float *carried, const float *a, int a_stride, const float *b, int size, int n, int stride)
{
    int m = 0;
    for (; m + PRODUCT_SUMS / PRODUCT_ROWS <= size; m += PRODUCT_SUMS / PRODUCT_ROWS)
        carry_tile(carried + m * SAC_LANES, size, a, a_stride, PRODUCT_ROWS, b + (size_t)m * (size_t)stride,
                   PRODUCT_SUMS / PRODUCT_ROWS, n, stride);
    for (; m < size; m++)
        for (int r = 0; r < PRODUCT_ROWS; r++)
            carry_one(carried + (r * size + m) * SAC_LANES, a + (size_t)r * (size_t)a_stride,
                      b + (size_t)m * (size_t)stride, n, stride);
}

// The same for one row.
static void carry_row(float *carried, const float *a, const float *b, int size, int n, int stride)
{
    int m = 0;
    for (; m + PRODUCT_SUMS <= size; m += PRODUCT_SUMS)
        carry_tile(carried + m * SAC_LANES, size, a, 0, 1, b + (size_t)m * (size_t)stride, PRODUCT_SUMS, n, stride);
    for (; m < size; m++) carry_one(carried + m * SAC_LANES, a, b + (size_t)m * (size_t)stride, n, stride);
}

static void wide_carry(float *carried, const float *a, int a_stride, int rows, const float *b, int size, int n,
                       int stride)
{
    size_t row = (size_t)size * SAC_LANES;
    int r = 0;
    for (; r + PRODUCT_ROWS <= rows; r += PRODUCT_ROWS)
        carry_rows(carried + (size_t)r * row, a + (size_t)r * (size_t)a_stride, a_stride, b, size, n, stride);
    for (; r < rows; r++) carry_row(carried + (size_t)r * row, a + (size_t)r * (size_t)a_stride, b, size, n, stride);
}

// Computes up to CARRY_SIDE rows and columns over many tokens and reads each plane once: it goes block by block, and
// every sum has the order of one walk over all tokens.
static void contract_in_blocks(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                               int columns, int n, int stride)
{
    float carried[CARRY_SIDE * CARRY_SIDE * SAC_LANES];
    memset(carried, 0, (size_t)rows * (size_t)columns * SAC_LANES * sizeof *carried);
    for (int j = 0; j < n; j += CARRY_BLOCK)
        wide_carry(carried, a + j, a_stride, rows, b + j, columns, n - j < CARRY_BLOCK ? n - j : CARRY_BLOCK, stride);
    for (int r = 0; r < rows; r++)
        for (int m = 0; m < columns; m++)
            sums[(size_t)r * (size_t)sums_stride + (size_t)m] +=
                lanes_sum(lanes_load(carried + (r * columns + m) * SAC_LANES));
}

static void contract_many(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                          int size, int n, int stride)
{
    for (int r = 0; r < rows; r += CARRY_SIDE)
        for (int m = 0; m < size; m += CARRY_SIDE)
            contract_in_blocks(sums + (size_t)r * (size_t)sums_stride + m, sums_stride,
                               a + (size_t)r * (size_t)a_stride, a_stride,
                               rows - r < CARRY_SIDE ? rows - r : CARRY_SIDE, b + (size_t)m * (size_t)stride,
                               size - m < CARRY_SIDE ? size - m : CARRY_SIDE, n, stride);
}

// A tile of sums stays in registers for a walk over all tokens. With few rows, or few tokens, that reads each plane a
// few times from the cache; with many tokens the planes no longer fit there, and blocks of tokens are used instead.
static void wide_contract(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                          int size, int n, int stride)
{
    if (!a)
    {
        contract_rows(sums, sums_stride, NULL, 0, 1, b, size, PRODUCT_SUMS, n, stride);
        return;
    }
    if (n >= CARRY_TOKENS)
    {
        contract_many(sums, sums_stride, a, a_stride, rows, b, size, n, stride);
        return;
    }
    int r = 0;
    for (; r + PRODUCT_ROWS <= rows; r += PRODUCT_ROWS)
        contract_rows(sums + (size_t)r * (size_t)sums_stride, sums_stride, a + (size_t)r * (size_t)a_stride, a_stride,
                      PRODUCT_ROWS, b, size, PRODUCT_SUMS / PRODUCT_ROWS, n, stride);
    for (; r < rows; r++)
        contract_rows(sums + (size_t)r * (size_t)sums_stride, sums_stride, a + (size_t)r * (size_t)a_stride, a_stride,
                      1, b, size, PRODUCT_SUMS, n, stride);
}
