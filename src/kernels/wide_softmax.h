#pragma once

#include "kernels/wide_maps.h"

/// The exact form's kernels over the `lanes` of the level file that includes this. Sizes and counts are constants where
/// the loops are inlined.

// 2^t for |t| <= SAC_NEAR in units of SAC_NEAR_UNIT, as sac_exp2_near: adding LANES_MAGIC rounds t to a whole number,
// which lanes_raise adds to the exponent of the polynomial's value.
WIDE lanes wide_exp2_near(lanes t)
{
    lanes magic = lanes_add(t, lanes_set(LANES_MAGIC)), f = lanes_sub(t, lanes_sub(magic, lanes_set(LANES_MAGIC)));
    lanes z = lanes_add(f, lanes_set(SAC_NEAR_A0)), y = lanes_mul(z, z);
    lanes p = lanes_fma(lanes_add(y, lanes_set(SAC_NEAR_A1)), y, lanes_set(SAC_NEAR_A2));
    return lanes_raise(lanes_fma(p, lanes_add(f, lanes_set(SAC_NEAR_A3)), lanes_set(SAC_NEAR_A4)), magic);
}

// The compiler makes vectors of this loop by itself, with the instructions of the level.
static void wide_hash_columns(uint32_t *hash, const float *queries, const float *keys, int size, int n, int stride)
{
    for (int i = 0; i < n; i++) hash[i] = 0;
    for (int d = 0; d < size; d++)
        for (int i = 0; i < n; i++)
            hash[i] = sac_hash_step(sac_hash_step(hash[i], queries[d * stride + i]), keys[d * stride + i]);
}

// The compiler makes vectors of this loop, too.
static void wide_compare_columns(uint32_t *changes, const float *queries, const float *keys, int size, int n,
                                 int stride)
{
    for (int i = 0; i < n; i++) changes[i] = i == 0;
    for (int d = 0; d < size; d++)
        for (int i = 1; i < n; i++)
            changes[i] |= sac_differing_bits(queries[d * stride + i], queries[d * stride + i - 1]) |
                          sac_differing_bits(keys[d * stride + i], keys[d * stride + i - 1]);
}

// The sum is there for its NaN and infinity alone, which a maximum may lose: times zero it is NaN then, and else zero.
static void wide_largest_square(float *largest, const float *x, int size, int n, int stride)
{
    lanes most = lanes_set(0.0f), sum = most;
    // whole vectors for all rows at once; the rest row by row, so that the long loop is there once
    for (int j = 0; j < n; j += SAC_LANES)
    {
        lanes square = square_norm(x + j, size, stride, n - j);
        most = lanes_max(square, most);
        sum = lanes_add(sum, square);
    }
    *largest = fmaf(lanes_sum(sum), 0.0f, lanes_largest(most));
}

// Computes t[r] = q_r . k_j + start[r] for 16 keys, or for the `left` last ones.
WIDE void score_keys(lanes *t, const lanes *start, const float *queries, int count, const float *keys, int size,
                     int stride, int left)
{
    // each load of a key serves all rows: the scores are bound by loads, and not by products
    lanes key = load_tokens(keys, left);
    for (int r = 0; r < count; r++) t[r] = lanes_fma(lanes_set(queries[r * size]), key, start[r]);
    for (int d = 1; d < size; d++)
    {
        key = load_tokens(keys + d * stride, left);
        for (int r = 0; r < count; r++) t[r] = lanes_fma(lanes_set(queries[r * size + d]), key, t[r]);
    }
}

// Scores the last columns of one row, fewer than 16. It is not inlined, because it is rare and the loops around it are
// many.
static __attribute__((noinline)) lanes score_last(float start, const float *query, const float *keys, int size,
                                                  int stride, int left)
{
    lanes t, from = lanes_set(start);
    score_keys(&t, &from, query, 1, keys, size, stride, left);
    return t;
}

// The largest score of each row, which is taken away before exponentials, so that none overflows.
WIDE void most_scores(float *largest, const float *queries, int count, const float *keys, int size, int n, int stride)
{
    lanes t[SAC_ROW_BLOCK], zero[SAC_ROW_BLOCK], most[SAC_ROW_BLOCK], least = lanes_set(-INFINITY);
    for (int r = 0; r < count; r++) most[r] = least, zero[r] = lanes_set(0.0f);
    int j = 0;
    for (; j + SAC_LANES <= n; j += SAC_LANES)
    {
        score_keys(t, zero, queries, count, keys + j, size, stride, SAC_LANES);
        for (int r = 0; r < count; r++) most[r] = lanes_max(t[r], most[r]);
    }
    for (int r = 0; r < count; r++) largest[r] = lanes_largest(most[r]);
    for (int r = 0; r < count && j < n; r++)
    {
        float last[SAC_LANES];
        lanes_store(last, score_last(0, queries + r * size, keys + j, size, stride, n - j));
        for (int i = 0; i < n - j; i++) largest[r] = sac_max(last[i], largest[r]);
    }
}

static void wide_largest_scores(float *largest, const float *queries, int count, const float *keys, int size, int n,
                                int stride)
{
    if (count == SAC_ROW_BLOCK)
        most_scores(largest, queries, SAC_ROW_BLOCK, keys, size, n, stride);
    else
        for (int r = 0; r < count; r++) most_scores(largest + r, queries + r * size, 1, keys, size, n, stride);
}

// Rows of exponentials and their weighted sums, in one walk over the keys that the rows share. The last keys, fewer
// than a vector, are done row by row.
WIDE void fill_rows(float *rows, float *sums, const float *queries, const float *shift, int count, const float *keys,
                    const float *weights, int size, int n, int stride)
{
    int pitch = sac_round_up(n), j = 0;
    lanes t[SAC_ROW_BLOCK], sum[SAC_ROW_BLOCK], start[SAC_ROW_BLOCK];
    for (int r = 0; r < count; r++) sum[r] = lanes_set(0.0f), start[r] = lanes_set(shift ? -shift[r] : 0.0f);
    for (; j + SAC_LANES <= n; j += SAC_LANES)
    {
        score_keys(t, start, queries, count, keys + j, size, stride, SAC_LANES);
        for (int r = 0; r < count; r++)
        {
            // without a shift all |t| <= SAC_NEAR, and the cheaper exponential serves
            lanes e = shift ? wide_exp2(t[r]) : wide_exp2_near(t[r]);
            lanes_store(rows + r * pitch + j, e);
            sum[r] = weights ? lanes_fma(lanes_load(weights + j), e, sum[r]) : lanes_add(e, sum[r]);
        }
    }
    for (int r = 0; r < count && j < n; r++)
    {
        // exponentials past the last key are put to zero: they would count in the sum
        lanes e = score_last(shift ? -shift[r] : 0, queries + r * size, keys + j, size, stride, n - j);
        e = lanes_first(shift ? wide_exp2(e) : wide_exp2_near(e), n - j);
        lanes_store(rows + r * pitch + j, e);
        sum[r] = weights ? lanes_fma(lanes_load_part(weights + j, n - j), e, sum[r]) : lanes_add(e, sum[r]);
    }
    for (int r = 0; r < count; r++) sums[r] = lanes_sum(sum[r]);
}

static void wide_softmax_rows(float *rows, float *sums, const float *queries, const float *shift, int count,
                              const float *keys, const float *weights, int size, int n, int stride)
{
    int pitch = sac_round_up(n);
    // a count that the compiler knows keeps the sums in registers; any other goes row by row
    if (count < SAC_ROW_BLOCK)
        for (int r = 0; r < count; r++)
            fill_rows(rows + r * pitch, sums + r, queries + r * size, shift ? shift + r : NULL, 1, keys, weights, size,
                      n, stride);
    else
        fill_rows(rows, sums, queries, shift, SAC_ROW_BLOCK, keys, weights, size, n, stride);
}

// out += sum_r shares[r] rows[r] for 16 columns: a column of A is added up as its rows come, so that A is never held.
WIDE void add_columns(float *out, const float *rows, const float *shares, int count, int pitch, int left)
{
    lanes sum = load_tokens(out, left);
    for (int r = 0; r < count; r++) sum = lanes_fma(lanes_set(shares[r]), lanes_load(rows + r * pitch), sum);
    store_tokens(out, sum, left);
}

WIDE void add_block(float *out, const float *rows, const float *shares, int count, int n)
{
    int pitch = sac_round_up(n), j = 0;
    for (; j + SAC_LANES <= n; j += SAC_LANES) add_columns(out + j, rows + j, shares, count, pitch, SAC_LANES);
    if (j < n) add_columns(out + j, rows + j, shares, count, pitch, n - j);
}

static void wide_add_rows(float *out, const float *rows, const float *shares, int count, int n)
{
    if (count == SAC_ROW_BLOCK)
        add_block(out, rows, shares, SAC_ROW_BLOCK, n);
    else
        add_block(out, rows, shares, count, n);
}

// The importance of all keys: exponentials of four rows, their sums, and their shares added to every key while the rows
// are still in the first cache.
WIDE void add_all(float *out, const float *queries, const float *numbers, int count, const float *keys,
                  const float *weights, int size, int n, int stride, float *rows)
{
    for (int i = 0; i < count; i += SAC_ROW_BLOCK)
    {
        float sums[SAC_ROW_BLOCK], shares[SAC_ROW_BLOCK];
        fill_rows(rows, sums, queries + i * size, NULL, SAC_ROW_BLOCK, keys, weights, size, n, stride);
        for (int r = 0; r < SAC_ROW_BLOCK; r++) shares[r] = numbers[i + r] / sums[r];
        add_block(out, rows, shares, SAC_ROW_BLOCK, n);
    }
}

// The sizes of the agents that are used most are constants here, so that the compiler unrolls the loops over them.
static void wide_add_softmax(float *out, const float *queries, const float *numbers, int count, const float *keys,
                             const float *weights, int size, int n, int stride, float *rows)
{
    if (size == 4 && weights)
        add_all(out, queries, numbers, count, keys, weights, 4, n, stride, rows);
    else if (size == 16 && !weights)
        add_all(out, queries, numbers, count, keys, NULL, 16, n, stride, rows);
    else
        add_all(out, queries, numbers, count, keys, weights, size, n, stride, rows);
}

// `count` rows times `held` values
WIDE void weigh_block(float *out, const float *rows, int count, const float *values, int held, int value_size, int n,
                      int stride)
{
    int pitch = sac_round_up(n);
    lanes sum[LANES_HELD];
    // as many sums as registers hold: every exponential is read once for `held` values
    for (int i = 0; i < count * held; i++) sum[i] = lanes_set(0.0f);
    for (int j = 0; j < n; j += SAC_LANES)
        for (int v = 0; v < held; v++)
        {
            lanes value = load_tokens(values + v * stride + j, n - j);
            for (int r = 0; r < count; r++)
                sum[v * count + r] = lanes_fma(lanes_load(rows + r * pitch + j), value, sum[v * count + r]);
        }
    for (int v = 0; v < held; v++)
        for (int r = 0; r < count; r++) out[r * value_size + v] += lanes_sum(sum[v * count + r]);
}

static void wide_weigh_rows(float *out, const float *rows, int count, const float *values, int value_size, int n,
                            int stride)
{
    enum
    {
        HELD = LANES_HELD / SAC_ROW_BLOCK
    };
    // values past the last whole block, and rows that are no block, are weighed one by one
    int v = 0, pitch = sac_round_up(n);
    if (count == SAC_ROW_BLOCK)
        for (; v + HELD <= value_size; v += HELD)
            weigh_block(out + v, rows, SAC_ROW_BLOCK, values + v * stride, HELD, value_size, n, stride);
    for (; v < value_size; v++)
        for (int r = 0; r < count; r++)
            weigh_block(out + r * value_size + v, rows + r * pitch, 1, values + v * stride, 1, value_size, n, stride);
}

static void softmax_add(sac_kernels *k)
{
    k->hash_columns = wide_hash_columns;
    k->compare_columns = wide_compare_columns;
    k->largest_square = wide_largest_square;
    k->largest_scores = wide_largest_scores;
    k->softmax_rows = wide_softmax_rows;
    k->add_rows = wide_add_rows;
    k->add_softmax = wide_add_softmax;
    k->weigh_rows = wide_weigh_rows;
}
