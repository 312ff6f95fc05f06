#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

// products with planar tokens, and hashes of them

static void check_mix(const sac_kernels *ref, const sac_kernels *now, int rows, int size, int n)
{
    int stride = n + 3, out_stride = n + 1, weight_stride = size + 2;
    float *weights = check_floats(rows * weight_stride - 2), *x = check_floats(size * stride - 3);
    float *expected = check_floats(rows * out_stride), *out = check_floats(rows * out_stride);
    check_fill(weights, rows * weight_stride - 2, -1, 1);
    check_fill(x, size * stride - 3, -1, 1);
    memcpy(out, expected, (size_t)(rows * out_stride) * sizeof(float)); // what lies between rows stays
    ref->mix(expected, out_stride, weights, weight_stride, rows, x, size, n, stride);
    now->mix(out, out_stride, weights, weight_stride, rows, x, size, n, stride);
    check_same_floats(expected, out, rows * out_stride, "rows %d, size %d, n %d", rows, size, n);
}

static void check_contract(const sac_kernels *ref, const sac_kernels *now, int rows, int size, int n, bool ones)
{
    int stride = n + 3, a_stride = n + 1, sums_stride = size + 2;
    float *a = check_floats(rows * a_stride - 1), *b = check_floats(size * stride - 3);
    float *expected = check_floats(rows * sums_stride), *out = check_floats(rows * sums_stride);
    check_fill(a, rows * a_stride - 1, -1, 1);
    check_fill(b, size * stride - 3, -1, 1);
    check_fill(expected, rows * sums_stride, -1, 1);
    memcpy(out, expected, (size_t)(rows * sums_stride) * sizeof(float));
    ref->contract(expected, sums_stride, ones ? NULL : a, a_stride, ones ? 1 : rows, b, size, n, stride);
    now->contract(out, sums_stride, ones ? NULL : a, a_stride, ones ? 1 : rows, b, size, n, stride);
    check_same_floats(expected, out, rows * sums_stride, "rows %d, size %d, n %d%s", rows, size, n,
                      ones ? ", ones" : "");
}

// Token by token and block by block it adds up what a walk of contract over all tokens does.
static void check_carry(const sac_kernels *ref, const sac_kernels *now, int rows, int size, int blocks, int last)
{
    enum
    {
        BLOCK = 3 * SAC_LANES
    };
    int n = blocks * BLOCK + last, stride = n + 3, a_stride = n + 1, count = rows * size;
    float *a = check_floats(rows * a_stride - 1), *b = check_floats(size * stride - 3);
    float *expected = check_floats(count * SAC_LANES), *out = check_floats(count * SAC_LANES);
    float *sums = check_floats(count), *added = check_floats(count);
    check_fill(a, rows * a_stride - 1, -1, 1);
    check_fill(b, size * stride - 3, -1, 1);
    memset(expected, 0, (size_t)(count * SAC_LANES) * sizeof(float));
    memset(out, 0, (size_t)(count * SAC_LANES) * sizeof(float));
    memset(sums, 0, (size_t)count * sizeof(float));
    memset(added, 0, (size_t)count * sizeof(float));
    for (int i = 0; i < n; i += BLOCK)
        now->carry(out, a + i, a_stride, rows, b + i, size, n - i < BLOCK ? n - i : BLOCK, stride);
    ref->carry(expected, a, a_stride, rows, b, size, n, stride);
    check_same_floats(expected, out, count * SAC_LANES, "rows %d, size %d, n %d", rows, size, n);
    now->contract(sums, size, a, a_stride, rows, b, size, n, stride);
    now->contract(added, count, NULL, 0, 1, out, count, SAC_LANES, SAC_LANES);
    check_same_floats(sums, added, count, "added up: rows %d, size %d, n %d", rows, size, n);
}

static void check_bits(const sac_kernels *ref, const sac_kernels *now, int count, int size, int n)
{
    int stride = n + 3, bits_stride = n + 1, words = (count + 31) / 32;
    float *matrix = check_floats(count * size), *x = check_floats(size * stride - 3);
    size_t bytes = (size_t)(words * bits_stride) * sizeof(int32_t);
    int32_t *expected = check_buffer(bytes, 4), *out = check_buffer(bytes, 4);
    check_fill(matrix, count * size, -1, 1);
    check_fill(x, size * stride - 3, -1, 1);
    for (int d = 0; d < size; d++) x[d * stride + n / 2] = n % 2 ? 0.0f : -0.0f; // both zeros count as positive
    if (n > 2) x[n - 1] = NAN;
    memcpy(out, expected, bytes);
    ref->sign_bits((uint32_t *)expected, bits_stride, matrix, count, x, size, n, stride);
    now->sign_bits((uint32_t *)out, bits_stride, matrix, count, x, size, n, stride);
    check_same_integers(expected, out, words * bits_stride, "bits %d, size %d, n %d", count, size, n);
}

static void check_hamming(const sac_kernels *ref, const sac_kernels *now, int words, int n)
{
    int stride = n + 2;
    size_t size = (size_t)n * sizeof(int32_t);
    uint32_t *bits = check_buffer((size_t)(words * stride - 2) * sizeof *bits, 4);
    uint32_t *query = check_buffer((size_t)words * sizeof *query, 4);
    int32_t *expected = check_buffer(size, 4), *out = check_buffer(size, 4);
    for (int i = 0; i < words * stride - 2; i++) bits[i] = (uint32_t)check_integer(INT32_MIN, INT32_MAX);
    for (int i = 0; i < words; i++) query[i] = i % 2 ? (uint32_t)check_integer(INT32_MIN, INT32_MAX) : ~bits[i];
    ref->hamming(expected, bits, stride, query, words, n);
    now->hamming(out, bits, stride, query, words, n);
    check_same_integers(expected, out, n, "words %d, n %d", words, n);
}

static void bench(const sac_kernels *ref, const sac_kernels *now)
{
    enum
    {
        N = 512,
        SIZE = 32,
        ROWS = 16,
        BITS = 256
    };
    float *x = check_floats(SIZE * N), *weights = check_floats(BITS * SIZE), *out = check_floats(ROWS * N);
    float *lanes = check_floats(ROWS * SIZE * SAC_LANES);
    uint32_t *bits = check_buffer((size_t)(BITS / 32 * N) * sizeof *bits, 4), query[BITS / 32] = {0};
    int32_t *distances = check_buffer((size_t)N * sizeof *distances, 4);
    check_fill(x, SIZE * N, -1, 1);
    check_fill(weights, BITS * SIZE, -1, 1);
    memset(out, 0, (size_t)(ROWS * N) * sizeof *out);
    memset(lanes, 0, (size_t)(ROWS * SIZE * SAC_LANES) * sizeof *lanes);
    check_bench("mix 16x32 n512", k->mix(out, N, weights, SIZE, ROWS, x, SIZE, N, N));
    check_bench("contract 16x32 n512", k->contract(out, SIZE, x, N, ROWS, x, SIZE, N, N));
    check_bench("carry 16x32 n512", k->carry(lanes, x, N, ROWS, x, SIZE, N, N));
    check_bench("sign_bits 256x32 n512", k->sign_bits(bits, N, weights, BITS, x, SIZE, N, N));
    check_bench("hamming 256 bits n512", k->hamming(distances, bits, N, query, BITS / 32, N));
    check_release();
}

void check_products(const sac_kernels *ref, const sac_kernels *now)
{
    static const int rows[] = {1, 4, 5, 11}, sizes[] = {1, 2, 7, 16}, tokens[] = {1, 2, 15, 16, 17, 83};
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
        {
            int n = tokens[check_integer(0, 5)];
            if (check_kernel(mix)) check_mix(ref, now, rows[r], sizes[s], n);
            if (check_kernel(contract)) check_contract(ref, now, rows[r], sizes[s], n, r == 0);
            if (check_kernel(carry)) check_carry(ref, now, rows[r], sizes[s], s, n);
            if (check_kernel(sign_bits)) check_bits(ref, now, 10 * rows[r], sizes[s], n);
            if (check_kernel(hamming)) check_hamming(ref, now, rows[r], n);
            check_release();
        }
    // where planes are read once, in blocks: about its first token count, and groups of rows and columns
    static const int many[] = {2047, 2048, 2049, 2560, 3001};
    for (int i = 0; i < 5 && check_kernel(contract); i++)
    {
        // drawn one after the other: a compiler may call the arguments of a call in any order
        int size = check_integer(1, 35), row_count = check_integer(1, 35);
        check_contract(ref, now, row_count, size, many[i], false);
        check_release();
    }
    bench(ref, now);
}
