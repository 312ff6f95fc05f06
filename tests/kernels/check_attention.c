#include <math.h>
#include <stdio.h>

#include "check.h"

// queries and keys of `range` in each dimension; NaN and infinity here and there when `odd`
static void check_softmax(const sac_kernels *ref, const sac_kernels *now, int size, int n, float range, bool odd)
{
    int stride = sac_round_up(n);
    float *queries = check_aligned_floats(size * stride), *keys = check_aligned_floats(size * stride);
    float *weights = check_aligned_floats(stride), *scratch = check_aligned_floats(stride * SAC_ROW_BLOCK);
    float *expected = check_aligned_floats(stride), *out = check_aligned_floats(stride);
    check_fill(queries, size * stride, -range, range);
    check_fill(keys, size * stride, -range, range);
    if (odd) queries[check_integer(0, n - 1)] = check_integer(0, 1) ? NAN : INFINITY;
    for (int i = 0; i < stride; i++)
    {
        weights[i] = i < n ? (float)check_integer(1, 9) : 0;
        for (int d = 0; i >= n && d < size; d++) keys[d * stride + i] = keys[d * stride + n - 1];
    }
    ref->softmax_importance(expected, queries, keys, weights, size, n, stride, scratch);
    now->softmax_importance(out, queries, keys, weights, size, n, stride, scratch);
    check_same_floats(expected, out, n, "size %d, n %d, range %g%s", size, n, (double)range, odd ? ", odd" : "");
    if (size == 4 && (n == 283 || n == 529) && !odd && range == 2)
    {
        char label[64];
        snprintf(label, sizeof label, "softmax_importance d4 n%d", n);
        check_bench(label, k->softmax_importance(out, queries, keys, weights, size, n, stride, scratch));
    }
}

static void check_hash(const sac_kernels *ref, const sac_kernels *now, int size, int n)
{
    int stride = n + 3;
    float *queries = check_floats(size * stride), *keys = check_floats(size * stride);
    int32_t *expected = check_buffer((size_t)n * sizeof(int32_t), 4),
            *out = check_buffer((size_t)n * sizeof(int32_t), 4);
    check_fill(queries, size * stride, -2, 2);
    check_fill(keys, size * stride, -2, 2);
    ref->hash_columns((uint32_t *)expected, queries, keys, size, n, stride);
    now->hash_columns((uint32_t *)out, queries, keys, size, n, stride);
    check_same_integers(expected, out, n, "size %d, n %d", size, n);
    if (size == 4 && n == 529)
        check_bench("hash_columns d4 n529", k->hash_columns((uint32_t *)out, queries, keys, size, n, stride));
}

void check_attention(const sac_kernels *ref, const sac_kernels *now)
{
    static const int sizes[] = {1, 3, 4, 8}, tokens[] = {1, 2, 15, 16, 17, 67, 283, 529};
    if (check_kernel(softmax_importance))
        for (int s = 0; s < 4; s++)
            for (int t = 0; t < 8; t++)
            {
                if (tokens[t] > 67 && sizes[s] != 4) continue;
                // 60: most of a row underflows
                check_softmax(ref, now, sizes[s], tokens[t], 2, false);
                if (tokens[t] <= 67) check_softmax(ref, now, sizes[s], tokens[t], 60, false);
                if (tokens[t] <= 67) check_softmax(ref, now, sizes[s], tokens[t], 2, true);
                check_release();
            }
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 8; t++)
        {
            if (check_kernel(hash_columns)) check_hash(ref, now, sizes[s], tokens[t]);
            check_release();
        }
}
