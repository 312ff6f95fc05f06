#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/// The exact form's kernels. Keys, values and weights end at a guard page, the rows of A are aligned and whole lanes.

typedef struct shape
{
    int size, n, stride, count;
} shape;

static shape shape_of(int size, int n)
{
    return (shape){size, n, n + check_integer(0, 3), check_integer(1, SAC_ROW_BLOCK)};
}

// columns that are often the same as the one before
static void check_columns(const sac_kernels *ref, const sac_kernels *now, int size, int n)
{
    shape s = shape_of(size, n);
    int whole = (size - 1) * s.stride + n;
    float *queries = check_floats(whole), *keys = check_floats(whole);
    int32_t *expected = check_buffer((size_t)n * sizeof(int32_t), 4),
            *out = check_buffer((size_t)n * sizeof(int32_t), 4);
    check_fill(queries, whole, -2, 2);
    check_fill(keys, whole, -2, 2);
    for (int i = 1; i < n; i++)
        for (int d = 0, same = check_integer(0, 1); same && d < size; d++)
        {
            queries[d * s.stride + i] = queries[d * s.stride + i - 1];
            keys[d * s.stride + i] = keys[d * s.stride + i - 1];
        }
    if (check_kernel(hash_columns))
    {
        ref->hash_columns((uint32_t *)expected, queries, keys, size, n, s.stride);
        now->hash_columns((uint32_t *)out, queries, keys, size, n, s.stride);
        check_same_integers(expected, out, n, "size %d, n %d", size, n);
    }
    if (check_kernel(compare_columns))
    {
        ref->compare_columns((uint32_t *)expected, queries, keys, size, n, s.stride);
        now->compare_columns((uint32_t *)out, queries, keys, size, n, s.stride);
        check_same_integers(expected, out, n, "size %d, n %d", size, n);
    }
    if (size != 4 || n != 283) return;
    check_bench("hash_columns d4 n283", k->hash_columns((uint32_t *)out, queries, keys, 4, 283, s.stride));
    check_bench("compare_columns d4 n283", k->compare_columns((uint32_t *)out, queries, keys, 4, 283, s.stride));
}

static void check_largest(const sac_kernels *ref, const sac_kernels *now, int size, int n, bool odd)
{
    shape s = shape_of(size, n);
    float *queries = check_floats(s.count * size), *keys = check_floats((size - 1) * s.stride + n);
    float expected[SAC_ROW_BLOCK], out[SAC_ROW_BLOCK];
    check_fill(queries, s.count * size, -2, 2);
    check_fill(keys, (size - 1) * s.stride + n, -2, 2);
    if (odd) keys[check_integer(0, n - 1)] = check_integer(0, 1) ? NAN : INFINITY;
    if (check_kernel(largest_square))
    {
        ref->largest_square(expected, keys, size, n, s.stride);
        now->largest_square(out, keys, size, n, s.stride);
        check_same_floats(expected, out, 1, "size %d, n %d", size, n);
    }
    if (check_kernel(largest_scores))
    {
        ref->largest_scores(expected, queries, s.count, keys, size, n, s.stride);
        now->largest_scores(out, queries, s.count, keys, size, n, s.stride);
        check_same_floats(expected, out, s.count, "size %d, n %d, count %d", size, n, s.count);
    }
}

// scores within SAC_NEAR, or anywhere with a shift
static void check_rows(const sac_kernels *ref, const sac_kernels *now, int size, int n, bool near, bool weighted)
{
    shape s = shape_of(size, n);
    int pitch = sac_round_up(n);
    float range = near ? sqrtf((float)SAC_NEAR / (float)size) : 60;
    float *queries = check_floats(s.count * size), *keys = check_floats((size - 1) * s.stride + n);
    float *weights = check_floats(n), *expected = check_aligned_floats(s.count * pitch);
    float *out = check_aligned_floats(s.count * pitch), *sum = check_floats(n), *now_sum = check_floats(n);
    float sums[SAC_ROW_BLOCK], now_sums[SAC_ROW_BLOCK], shift[SAC_ROW_BLOCK];
    check_fill(queries, s.count * size, -range, range);
    check_fill(keys, (size - 1) * s.stride + n, -range, range);
    check_fill(sum, n, 0, 1);
    memcpy(now_sum, sum, (size_t)n * sizeof *sum);
    for (int j = 0; j < n; j++) weights[j] = (float)check_integer(1, 9);
    if (!near && check_integer(0, 3) == 0) keys[check_integer(0, n - 1)] = check_integer(0, 1) ? NAN : INFINITY;
    ref->largest_scores(shift, queries, s.count, keys, size, n, s.stride);
    const float *w = weighted ? weights : NULL, *off = near ? NULL : shift;
    ref->softmax_rows(expected, sums, queries, off, s.count, keys, w, size, n, s.stride);
    if (check_kernel(softmax_rows))
    {
        now->softmax_rows(out, now_sums, queries, off, s.count, keys, w, size, n, s.stride);
        check_same_floats(expected, out, s.count * pitch, "size %d, n %d, count %d%s%s", size, n, s.count,
                          near ? ", near" : "", weighted ? ", weights" : "");
        check_same_floats(sums, now_sums, s.count, "sums: size %d, n %d, count %d", size, n, s.count);
    }
    if (check_kernel(add_rows))
    {
        ref->add_rows(sum, expected, sums, s.count, n);
        now->add_rows(now_sum, expected, sums, s.count, n);
        check_same_floats(sum, now_sum, n, "n %d, count %d", n, s.count);
    }
}

static void check_sum(const sac_kernels *ref, const sac_kernels *now, int size, int n, bool weighted)
{
    shape s = shape_of(size, n);
    int count = SAC_ROW_BLOCK * check_integer(1, 3), whole = (size - 1) * s.stride + n;
    float range = sqrtf((float)SAC_NEAR / (float)size);
    float *queries = check_floats(count * size), *keys = check_floats(whole), *weights = check_floats(n);
    float *numbers = check_floats(count), *rows = check_aligned_floats(SAC_ROW_BLOCK * sac_round_up(n));
    float *expected = check_floats(n), *out = check_floats(n);
    check_fill(queries, count * size, -range, range);
    check_fill(keys, whole, -range, range);
    check_fill(expected, n, 0, 1);
    memcpy(out, expected, (size_t)n * sizeof *out);
    for (int j = 0; j < n; j++) weights[j] = (float)check_integer(1, 9);
    for (int r = 0; r < count; r++) numbers[r] = (float)check_integer(0, 3);
    const float *w = weighted ? weights : NULL;
    ref->add_softmax(expected, queries, numbers, count, keys, w, size, n, s.stride, rows);
    now->add_softmax(out, queries, numbers, count, keys, w, size, n, s.stride, rows);
    check_same_floats(expected, out, n, "size %d, n %d, count %d%s", size, n, count, weighted ? ", weights" : "");
}

static void check_weigh(const sac_kernels *ref, const sac_kernels *now, int value_size, int n)
{
    shape s = shape_of(value_size, n);
    int pitch = sac_round_up(n), whole = (value_size - 1) * s.stride + n;
    float *rows = check_aligned_floats(s.count * pitch), *values = check_floats(whole);
    float *expected = check_floats(s.count * value_size), *out = check_floats(s.count * value_size);
    check_fill(values, whole, -1, 1);
    for (int i = 0; i < s.count * pitch; i++) rows[i] = i % pitch < n ? check_uniform(0, 1) : 0;
    check_fill(expected, s.count * value_size, -1, 1);
    memcpy(out, expected, (size_t)(s.count * value_size) * sizeof *out);
    ref->weigh_rows(expected, rows, s.count, values, value_size, n, s.stride);
    now->weigh_rows(out, rows, s.count, values, value_size, n, s.stride);
    check_same_floats(expected, out, s.count * value_size, "values %d, n %d, count %d", value_size, n, s.count);
}

static void bench_softmax(const sac_kernels *ref, const sac_kernels *now)
{
    enum
    {
        D = 16,
        N = 529,
        STRIDE = 544,
        ROWS = 64,
        BLOCK = SAC_ROW_BLOCK
    };
    float *x = check_aligned_floats(D * STRIDE), *rows = check_aligned_floats(BLOCK * STRIDE);
    float *queries = check_floats(ROWS * D), *weights = check_aligned_floats(STRIDE), *out = check_floats(BLOCK * D);
    float *importance = check_aligned_floats(N), sums[BLOCK], shares[BLOCK] = {0.1f, 0.2f, 0.3f, 0.4f};
    check_fill(x, D * STRIDE, -1, 1);
    check_fill(queries, ROWS * D, -1, 1);
    check_fill(weights, STRIDE, 1, 2);
    check_fill(importance, N, 0, 1);
    check_bench("add_softmax d4 n283 rows64",
                k->add_softmax(importance, queries, weights, ROWS, x, weights, 4, 283, STRIDE, rows));
    check_bench("add_softmax d4 n529 rows64",
                k->add_softmax(importance, queries, weights, ROWS, x, weights, 4, N, STRIDE, rows));
    check_bench("add_softmax d16 n529 rows64",
                k->add_softmax(importance, queries, weights, ROWS, x, NULL, D, N, STRIDE, rows));
    check_bench("softmax_rows d16 n529", k->softmax_rows(rows, sums, queries, NULL, BLOCK, x, NULL, D, N, STRIDE));
    check_bench("add_rows n529", k->add_rows(importance, rows, shares, BLOCK, N));
    check_bench("weigh_rows v16 n529", k->weigh_rows(out, rows, BLOCK, x, D, N, STRIDE));
}

void check_softmax(const sac_kernels *ref, const sac_kernels *now)
{
    static const int sizes[] = {1, 3, 4, 5, 16}, tokens[] = {1, 2, 15, 16, 17, 67, 283};
    for (int i = 0; i < 5; i++)
        for (int t = 0; t < 7; t++)
        {
            check_columns(ref, now, sizes[i], tokens[t]);
            check_release();
            for (int odd = 0; odd < 2; odd++) check_largest(ref, now, sizes[i], tokens[t], odd);
            check_release();
            for (int kind = 0; kind < 4; kind++)
            {
                check_rows(ref, now, sizes[i], tokens[t], kind & 1, kind & 2);
                check_release();
            }
            for (int kind = 0; kind < 2 && check_kernel(add_softmax); kind++)
            {
                check_sum(ref, now, sizes[i], tokens[t], kind);
                check_release();
            }
            if (check_kernel(weigh_rows)) check_weigh(ref, now, sizes[i], tokens[t]);
            check_release();
        }
    bench_softmax(ref, now);
}
