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

typedef struct map
{
    const char *name;
    void (*ref_sums)(float *, const float *, int, int, const sac_features *);
    void (*ref_scores)(float *, const float *, const float *, int, int, const sac_features *);
    void (*now_sums)(float *, const float *, int, int, const sac_features *);
    void (*now_scores)(float *, const float *, const float *, int, int, const sac_features *);
} map;

static void check_map(const map *m, int size, int count, int n, float square, bool identity)
{
    int stride = n + 2;
    float *x = check_floats(size * stride), *matrix = check_floats(size * count);
    float *expected = check_floats(n), *out = check_floats(n);
    float *sums = check_floats(count), *new_sums = check_floats(count);
    check_fill(x, size * stride, -2, 2);
    check_fill(matrix, size * count, -3, 3);
    sac_features f = {.matrix = identity ? NULL : matrix, .count = count, .size = size, .square = square};
    m->ref_sums(sums, x, n, stride, &f);
    m->now_sums(new_sums, x, n, stride, &f);
    check_same_floats(sums, new_sums, count, "%s sums: size %d, features %d, n %d", m->name, size, count, n);
    m->ref_scores(expected, sums, x, n, stride, &f);
    m->now_scores(out, sums, x, n, stride, &f);
    check_same_floats(expected, out, n, "%s scores: size %d, features %d, n %d", m->name, size, count, n);
}

static void bench_maps(const sac_kernels *ref, const sac_kernels *now)
{
    enum
    {
        D = 4,
        M = 16,
        N = 529,
        STRIDE = 544
    };
    float *x = check_floats(D * STRIDE), *matrix = check_floats(D * M), *out = check_floats(N), *sums = check_floats(M);
    check_fill(x, D * STRIDE, -2, 2);
    check_fill(matrix, D * M, -1, 1);
    sac_features f = {.matrix = matrix, .count = M, .size = D, .square = -0.7f};
    check_bench("relu_sums d4 m16 n529", k->relu_sums(sums, x, N, STRIDE, &f));
    check_bench("relu_scores d4 m16 n529", k->relu_scores(out, sums, x, N, STRIDE, &f));
    check_bench("exp_sums d4 m16 n529", k->exp_sums(sums, x, N, STRIDE, &f));
    check_bench("exp_scores d4 m16 n529", k->exp_scores(out, sums, x, N, STRIDE, &f));
}

static void check_maps(const sac_kernels *ref, const sac_kernels *now)
{
    static const int sizes[] = {1, 3, 4, 8}, counts[] = {1, 4, 8, 16, 19}, tokens[] = {1, 15, 16, 17, 64, 529};
    const map maps[] = {{"relu", ref->relu_sums, ref->relu_scores, now->relu_sums, now->relu_scores},
                        {"exp", ref->exp_sums, ref->exp_scores, now->exp_sums, now->exp_scores}};
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 5; c++)
            for (int t = 0; t < 2; t++)
            {
                int n = tokens[check_integer(0, 5)];
                check_map(&maps[t], sizes[s], counts[c], n, t ? -0.5f : 0, false);
                check_map(&maps[t], sizes[s], sizes[s], n, t ? -0.5f : 0, true);
                check_release();
            }
    bench_maps(ref, now);
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
    bool own = check_kernel(relu_sums);
    own |= check_kernel(relu_scores);
    own |= check_kernel(exp_sums);
    own |= check_kernel(exp_scores);
    if (own) check_maps(ref, now);
}
