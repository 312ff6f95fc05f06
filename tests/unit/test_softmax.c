#include <math.h>
#include <stdlib.h>

#include "saccade/attention.h"
#include "test.h"

/// The exact form against its formula in double: every size, scores far and near, copies, queries and keys of different
/// counts.

enum
{
    MAX_N = 1100,
    MAX_D = 17,
    MAX_V = 5,
    STRIDE = MAX_N + 3
};

static float queries[MAX_D * STRIDE], keys[MAX_D * STRIDE], values[MAX_V * STRIDE], out[MAX_V * STRIDE];
static double expected[MAX_V * STRIDE];

static sac_attention *open_form(int d, bool divide, double epsilon)
{
    sac_attention_def def = sac_attention_default_def();
    def.key_size = d;
    def.divide = divide;
    def.epsilon = epsilon;
    sac_attention *a;
    assert_ok(sac_attention_create(&a, &def));
    return a;
}

static void *memory(size_t size)
{
    void *workspace = aligned_alloc(64, size / 64 * 64 + 64);
    assert_non_null(workspace);
    memset(workspace, 0xa5, size); // contents are ignored
    return workspace;
}

static void fill(int d, float factor)
{
    fill_uniform(queries, (size_t)(d * STRIDE), 1);
    fill_uniform(keys, (size_t)(d * STRIDE), 2);
    fill_uniform(values, MAX_V * STRIDE, 3);
    for (int i = 0; i < d * STRIDE; i++) queries[i] *= factor, keys[i] *= factor;
}

// exp(s_ij - largest s_ij), or exp(s_ij)
static void exact_row(double *row, int i, int n, int d, bool divide)
{
    double largest = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++)
    {
        row[j] = 0;
        for (int k = 0; k < d; k++) row[j] += (double)queries[k * STRIDE + i] * (double)keys[k * STRIDE + j] / sqrt(d);
        if (row[j] > largest) largest = row[j];
    }
    for (int j = 0; j < n; j++) sum += row[j] = exp(row[j] - (divide ? largest : 0));
    for (int j = 0; divide && j < n; j++) row[j] /= sum;
}

// relative error of a weight: D + 2 roundings of scores up to `largest` in the exponent of 2, exp2's and the sum's own
static double bound(int n, int d, float factor)
{
    double largest = 1.45 * sqrt(d) * (double)(factor * factor);
    return (d + 2) * (largest + 1) * 0x1p-23 + (n / 16.0 + 16) * 0x1p-23;
}

static void check_importance(int n, int d, float factor, bool divide)
{
    static double row[MAX_N];
    sac_attention *a = open_form(d, divide, 0);
    void *workspace = memory(sac_attention_workspace_size(a, n));
    sac_attention_importance(a, out, queries, keys, n, STRIDE, workspace);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < n; i++)
    {
        exact_row(row, i, n, d, divide);
        for (int j = 0; j < n; j++) expected[j] += divide ? row[j] : row[j] / n;
    }
    // parts that are too small for float are lost: at most 2^-125 of each row
    for (int j = 0; j < n; j++)
        assert_near(out[j], expected[j], expected[j] * (bound(n, d, factor) + n * 0x1p-24) + n * 0x1p-120);
    exact_row(row, n / 2, n, d, divide);
    sac_attention_row(a, out, n / 2, queries, keys, n, STRIDE, workspace);
    for (int j = 0; j < n; j++) assert_near(out[j], row[j], row[j] * bound(n, d, factor) + 0x1p-120);
    free(workspace);
    sac_attention_destroy(a);
}

static const int sizes[][2] = {{1, 1}, {2, 5}, {3, 17}, {15, 4}, {16, 1}, {17, 16}, {67, 5}, {131, 3}, {1100, 4}};

TEST(importance_is_the_formula_of_every_size)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int divide = 0; divide < 2; divide++)
        {
            fill(sizes[k][1], 2);
            check_importance(sizes[k][0], sizes[k][1], 2, divide);
        }
}

// scores of some hundreds: their exponentials are no floats, but their shares are
TEST(scores_beyond_the_range_of_float_are_shared_out)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    {
        fill(sizes[k][1], 16);
        check_importance(sizes[k][0], sizes[k][1], 16, true);
    }
}

// more distinct columns than are held, and copies of them
TEST(copies_change_nothing_but_their_number)
{
    for (int distinct = 1; distinct <= 1024; distinct *= 32)
    {
        fill(4, 1);
        for (int i = distinct; i < MAX_N; i++)
            for (int d = 0; d < 4; d++)
            {
                queries[d * STRIDE + i] = queries[d * STRIDE + i % distinct];
                keys[d * STRIDE + i] = keys[d * STRIDE + i % distinct];
            }
        check_importance(MAX_N, 4, 1, true);
        check_importance(MAX_N, 4, 1, false);
    }
}

static void check_output(int query_count, int key_count, int d, int v, float factor, bool divide, double epsilon)
{
    static double row[MAX_N];
    fill(d, factor);
    sac_attention *a = open_form(d, divide, epsilon);
    int most = query_count > key_count ? query_count : key_count;
    void *workspace = memory(sac_attention_output_workspace_size(a, most, v));
    sac_attention_output(a, out, STRIDE, queries, query_count, STRIDE, keys, values, key_count, STRIDE, v, workspace);
    for (int i = 0; i < query_count; i++)
    {
        exact_row(row, i, key_count, d, divide && epsilon == 0);
        double sum = 0;
        for (int j = 0; j < key_count; j++) sum += row[j];
        for (int u = 0; u < v; u++)
        {
            double gained = 0, size = 0, divisor = divide ? sum + epsilon : 1;
            for (int j = 0; j < key_count; j++)
            {
                gained += row[j] * (double)values[u * STRIDE + j] / divisor;
                size += row[j] * fabs((double)values[u * STRIDE + j]) / divisor;
            }
            assert_near(out[u * STRIDE + i], gained, size * 2 * bound(key_count, d, factor) + 0x1p-120);
        }
    }
    free(workspace);
    sac_attention_destroy(a);
}

TEST(output_is_the_formula_of_every_size)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    {
        int n = sizes[k][0], d = sizes[k][1];
        check_output(n, n, d, 1, 2, true, 0);
        check_output(1, n, d, 3, 2, true, 0);
        check_output(n, 1, d, 5, 2, false, 0);
        check_output(n, (n + 1) / 2, d, 4, 2, true, 0.5);
        check_output(n, n, d, 2, 16, true, 0);
    }
}

TEST(scratch_stays_below_a_mebibyte)
{
    sac_attention *a = open_form(16, true, 0);
    assert_true(sac_attention_workspace_size(a, 19200) < 1 << 20);
    assert_true(sac_attention_output_workspace_size(a, 19200, 16) < 1 << 20);
    sac_attention_destroy(a);
}

// one token that is not a number makes the attention of its row, and so all importances, none
TEST(nan_shows_everywhere)
{
    for (int side = 0; side < 2; side++)
    {
        fill(4, 1);
        (side ? keys : queries)[STRIDE + 70] = NAN;
        sac_attention *a = open_form(4, true, 0);
        void *workspace = memory(sac_attention_workspace_size(a, 100));
        sac_attention_importance(a, out, queries, keys, 100, STRIDE, workspace);
        for (int j = 0; j < 100; j++) assert_true(isnan(out[j]));
        free(workspace);
        sac_attention_destroy(a);
    }
}

TESTS(importance_is_the_formula_of_every_size, scores_beyond_the_range_of_float_are_shared_out,
      copies_change_nothing_but_their_number, output_is_the_formula_of_every_size, scratch_stays_below_a_mebibyte,
      nan_shows_everywhere)
