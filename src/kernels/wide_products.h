#pragma once

#include "kernels/wide.h"

/// Products of matrices with planar tokens, over the `lanes` of the level file that includes this. WIDE_ROWS is how
/// many rows it has registers for.

enum
{
    PRODUCT_ROWS = WIDE_ROWS,
    PRODUCT_COLUMNS = 2
};

// `rows` rows of 16 columns
WIDE void mix_tile(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                   int size, int left, int stride)
{
    lanes sum[PRODUCT_ROWS], value = load_tokens(x, left);
    for (int r = 0; r < rows; r++) sum[r] = lanes_mul(lanes_set(weights[r * weight_stride]), value);
    for (int m = 1; m < size; m++)
    {
        value = load_tokens(x + (size_t)m * (size_t)stride, left);
        for (int r = 0; r < rows; r++) sum[r] = lanes_fma(lanes_set(weights[r * weight_stride + m]), value, sum[r]);
    }
    for (int r = 0; r < rows; r++) store_tokens(out + (size_t)r * (size_t)out_stride, sum[r], left);
}

static void wide_mix(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                     int size, int n, int stride)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        int r = 0, left = n - j;
        for (; r + PRODUCT_ROWS <= rows; r += PRODUCT_ROWS)
        {
            float *at = out + (size_t)r * (size_t)out_stride + j;
            const float *w = weights + (size_t)r * (size_t)weight_stride;
            if (left >= SAC_LANES)
                mix_tile(at, out_stride, w, weight_stride, PRODUCT_ROWS, x + j, size, SAC_LANES, stride);
            else
                mix_tile(at, out_stride, w, weight_stride, PRODUCT_ROWS, x + j, size, left, stride);
        }
        for (; r < rows; r++)
            mix_tile(out + (size_t)r * (size_t)out_stride + j, out_stride, weights + (size_t)r * (size_t)weight_stride,
                     weight_stride, 1, x + j, size, left, stride);
    }
}

// `rows` times `columns` sums over tokens
WIDE void contract_tile(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                        int columns, int n, int stride)
{
    lanes sum[PRODUCT_ROWS][PRODUCT_COLUMNS];
    for (int r = 0; r < rows; r++)
        for (int m = 0; m < columns; m++) sum[r][m] = lanes_set(0.0f);
    for (int j = 0; j < n; j += SAC_LANES)
    {
        int left = n - j;
        lanes column[PRODUCT_COLUMNS];
        for (int m = 0; m < columns; m++) column[m] = load_tokens(b + (size_t)m * (size_t)stride + j, left);
        for (int r = 0; r < rows; r++)
        {
            lanes value = a ? load_tokens(a + (size_t)r * (size_t)a_stride + j, left) : lanes_set(1.0f);
            for (int m = 0; m < columns; m++) sum[r][m] = lanes_fma(value, column[m], sum[r][m]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int m = 0; m < columns; m++) sums[(size_t)r * (size_t)sums_stride + m] += lanes_sum(sum[r][m]);
}

WIDE void contract_rows(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b, int size,
                        int n, int stride)
{
    int m = 0;
    for (; m + PRODUCT_COLUMNS <= size; m += PRODUCT_COLUMNS)
        contract_tile(sums + m, sums_stride, a, a_stride, rows, b + (size_t)m * (size_t)stride, PRODUCT_COLUMNS, n,
                      stride);
    for (; m < size; m++)
        contract_tile(sums + m, sums_stride, a, a_stride, rows, b + (size_t)m * (size_t)stride, 1, n, stride);
}

static void wide_contract(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b,
                          int size, int n, int stride)
{
    int r = 0;
    for (; a && r + PRODUCT_ROWS <= rows; r += PRODUCT_ROWS)
        contract_rows(sums + (size_t)r * (size_t)sums_stride, sums_stride, a + (size_t)r * (size_t)a_stride, a_stride,
                      PRODUCT_ROWS, b, size, n, stride);
    for (; r < rows; r++)
        contract_rows(sums + (size_t)r * (size_t)sums_stride, sums_stride, a ? a + (size_t)r * (size_t)a_stride : NULL,
                      a_stride, 1, b, size, n, stride);
}
