#include "kernels/kernels.h"
#include "readings_scene.h"

/// IAP-trans: the three orders, the residual, the layer norm.

enum
{
    MAX_ROWS = 12
};

static scene s;
static float projection[MAX_ROWS * SCENE_MAX_TOKENS];

// P A V in double, and the same of magnitudes
static void plain(double *out, double *size, int rows)
{
    static double z[SCENE_MAX_FEATURES], z_size[SCENE_MAX_FEATURES];
    for (int r = 0; r < rows; r++)
    {
        scene_summary(&s, projection + r * s.n, z, z_size);
        for (int v = 0; v < s.v; v++) out[r * s.v + v] = size[r * s.v + v] = 0;
        for (int j = 0; j < s.n; j++)
        {
            double magnitude, score = scene_score(&s, z, z_size, j, &magnitude);
            for (int v = 0; v < s.v; v++)
            {
                double value = (double)s.values[v * s.stride + j];
                out[r * s.v + v] += score * value;
                size[r * s.v + v] += magnitude * fabs(value);
            }
        }
    }
}

static void check(int rows)
{
    double expected[MAX_ROWS * SCENE_MAX_VALUES], size[MAX_ROWS * SCENE_MAX_VALUES];
    float out[MAX_ROWS * SCENE_MAX_VALUES];
    fill_uniform(projection, (size_t)(rows * s.n), 6);
    plain(expected, size, rows);
    sac_trans t = {
        .attention = s.attention, .rows = rows, .value_size = s.v, .projection = projection, .projection_stride = s.n};
    void *workspace = scene_memory(sac_trans_workspace_size(&t));
    for (t.order = SAC_TRANS_CHEAPEST; t.order <= SAC_TRANS_MIDDLE; t.order++)
    {
        sac_trans_run(&t, out, s.queries, s.keys, s.values, s.n, s.stride, workspace);
        for (int i = 0; i < rows * s.v; i++)
            if (!(fabs((double)out[i] - expected[i]) <= size[i] * (2 * s.n + s.f + 4) * ROUNDING))
                fail_msg("%s, N %d, F %d, l %d, V %d: out[%d] is %.9g, expected %.9g", sac_trans_order_name(t.order),
                         s.n, s.f, rows, s.v, i, (double)out[i], expected[i]);
    }
    free(workspace);
}

TEST(all_orders_agree)
{
    static const int sizes[][5] = {// n, d, m, v, l
                                   {1, 1, 1, 1, 1},   {2, 5, 3, 7, 2},     {17, 5, 7, 2, 11},
                                   {53, 3, 5, 24, 3}, {529, 4, 2, 16, 10}, {1100, 16, 3, 3, 5}};
    const char *form;
    for (int i = 0; (form = scene_form(i)); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        {
            scene_open(&s, form, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], k % 2);
            check(sizes[k][4]);
            scene_close(&s);
        }
}

// P A V in double where rows of A are divided by their sums; all numbers are positive but for P and the values
static void plain_divided(double *out, double *size, int rows, const double *weights)
{
    for (int i = 0; i < rows * s.v; i++) out[i] = size[i] = 0;
    for (int i = 0; i < s.n; i++)
    {
        double sum = 0;
        for (int j = 0; j < s.n; j++) sum += weights[i * s.n + j];
        for (int j = 0; j < s.n && sum > 0; j++)
            for (int r = 0; r < rows; r++)
                for (int v = 0; v < s.v; v++)
                {
                    double term = (double)projection[r * s.n + i] * weights[i * s.n + j] / sum *
                                  (double)s.values[v * s.stride + j];
                    out[r * s.v + v] += term;
                    size[r * s.v + v] += fabs(term);
                }
    }
}

// @param roundings  of a weight
static void check_divided(const double *weights, int rows, int roundings)
{
    double expected[MAX_ROWS * SCENE_MAX_VALUES], size[MAX_ROWS * SCENE_MAX_VALUES];
    float out[MAX_ROWS * SCENE_MAX_VALUES];
    fill_uniform(projection, (size_t)(rows * s.n), 6);
    plain_divided(expected, size, rows, weights);
    sac_trans t = {
        .attention = s.attention, .rows = rows, .value_size = s.v, .projection = projection, .projection_stride = s.n};
    void *workspace = scene_memory(sac_trans_workspace_size(&t));
    for (t.order = SAC_TRANS_CHEAPEST; t.order <= SAC_TRANS_MIDDLE; t.order++)
    {
        sac_trans_run(&t, out, s.queries, s.keys, s.values, s.n, s.stride, workspace);
        for (int i = 0; i < rows * s.v; i++)
            if (!(fabs((double)out[i] - expected[i]) <= size[i] * (3 * s.n + 2 * s.f + roundings) * ROUNDING))
                fail_msg("%s, N %d, F %d, l %d, V %d: out[%d] is %.9g, expected %.9g", sac_trans_order_name(t.order),
                         s.n, s.f, rows, s.v, i, (double)out[i], expected[i]);
    }
    free(workspace);
}

// an attention as the scene's, with rows that are divided
static void open_divided(const char *form, int n, int d, int m, int v)
{
    sac_attention_def def = sac_attention_default_def();
    scene_open(&s, strcmp(form, "softmax") == 0 ? "relu" : form, n, d, m, v, false);
    sac_attention_destroy(s.attention);
    def.form = form;
    def.key_size = d;
    def.feature_count = m;
    def.divide_all = true;
    assert_ok(sac_attention_create(&s.attention, &def));
}

TEST(rows_that_are_divided_and_softmax_are_their_formulas)
{
    static const int sizes[][5] = {
        {1, 1, 1, 1, 1}, {17, 5, 7, 2, 11}, {53, 3, 5, 24, 3}, {529, 4, 2, 16, 10}, {1100, 4, 3, 3, 5}};
    static const char *const forms[] = {"relu", "positive", "sara-exp", "sara-square", "softmax"};
    double *weights = malloc(sizeof *weights * SCENE_MAX_TOKENS * SCENE_MAX_TOKENS);
    assert_non_null(weights);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        {
            const bool exact = strcmp(forms[i], "softmax") == 0;
            open_divided(forms[i], sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
            for (int q = 0; q < s.n; q++)
                for (int j = 0; j < s.n; j++)
                {
                    double weight = 0, product = 0;
                    for (int f = 0; f < s.f && !exact; f++)
                        weight += (double)s.phi_q[f * s.n + q] * (double)s.phi_k[f * s.n + j];
                    for (int d = 0; d < s.d; d++)
                        product += (double)s.queries[d * s.stride + q] * (double)s.keys[d * s.stride + j];
                    weights[q * s.n + j] = exact ? exp(product / sqrt(s.d)) : weight;
                }
            // the polynomial of softmax's exponential is off by 4.1e-7 at most, its exponent by the roundings of q.k
            check_divided(weights, sizes[k][4], exact ? 16 + 2 * (s.d + 4) * 4 : 8);
            scene_close(&s);
        }
    free(weights);
}

// multiplications counted by hand, and which order is worth taking when
TEST(the_cheapest_order_is_chosen)
{
    assert_near(sac_trans_cost(SAC_TRANS_LEFT, 10, 16, 64, 12), 10 * 16 * 64 * 2 + 10 * 64 * 12, 0);
    assert_near(sac_trans_cost(SAC_TRANS_RIGHT, 10, 16, 64, 12), 12 * 16 * 64 * 2 + 10 * 64 * 12, 0);
    assert_near(sac_trans_cost(SAC_TRANS_MIDDLE, 10, 16, 64, 12), 10 * 16 * 64 + 12 * 16 * 64 + 10 * 16 * 12, 0);
    assert_int_equal(sac_trans_cheapest(1, 64, 529, 64), SAC_TRANS_LEFT);
    assert_int_equal(sac_trans_cheapest(64, 64, 529, 1), SAC_TRANS_RIGHT);
    assert_int_equal(sac_trans_cheapest(16, 16, 529, 16), SAC_TRANS_MIDDLE); // l = V = m
    for (int l = 1; l < 40; l += 3)
        for (int v = 1; v < 40; v += 3)
        {
            double cost = sac_trans_cost(SAC_TRANS_CHEAPEST, l, 20, 100, v);
            for (int order = SAC_TRANS_LEFT; order <= SAC_TRANS_MIDDLE; order++)
                assert_true(cost <= sac_trans_cost((sac_trans_order)order, l, 20, 100, v));
        }
    static const char *const names[] = {"cheapest", "left", "right", "middle"};
    for (int order = 0; order < 4; order++) assert_string_equal(sac_trans_order_name(order), names[order]);
    assert_null(sac_trans_order_name(4));
}

// out = LN(P V + P A V): mean 0 and variance 1 before gain and bias, and the residual is P V
TEST(a_block_adds_the_residual_and_norms)
{
    enum
    {
        ROWS = 4,
        V = 9
    };
    scene_open(&s, "relu", 37, 5, 6, V, true);
    fill_uniform(projection, (size_t)(ROWS * s.n), 6);
    double attended[ROWS * V], size[ROWS * V];
    plain(attended, size, ROWS);
    float gain[V], bias[V], out[ROWS * V];
    fill_uniform(gain, V, 7);
    fill_uniform(bias, V, 8);
    sac_trans t = {.attention = s.attention,
                   .rows = ROWS,
                   .value_size = V,
                   .projection = projection,
                   .projection_stride = s.n,
                   .residual = true,
                   .gain = gain,
                   .bias = bias};
    void *workspace = scene_memory(sac_trans_workspace_size(&t));
    sac_trans_run(&t, out, s.queries, s.keys, s.values, s.n, s.stride, workspace);
    free(workspace);
    for (int r = 0; r < ROWS; r++)
    {
        double row[V], mean = 0, variance = 0, largest = 0;
        for (int v = 0; v < V; v++)
        {
            row[v] = attended[r * V + v];
            double magnitude = size[r * V + v];
            for (int j = 0; j < s.n; j++)
            {
                double term = (double)projection[r * s.n + j] * (double)s.values[v * s.stride + j];
                row[v] += term, magnitude += fabs(term);
            }
            largest = fmax(largest, magnitude);
            mean += row[v] / V;
        }
        for (int v = 0; v < V; v++) variance += (row[v] - mean) * (row[v] - mean) / V;
        double length = sqrt(variance + 1e-5), error = largest * (3 * s.n + s.f + 5) * ROUNDING / length;
        // an error e of every input moves a normed value x by at most e (2 + |x| sqrt V)
        for (int v = 0; v < V; v++)
        {
            double normed = (row[v] - mean) / length;
            assert_near(out[r * V + v], normed * (double)gain[v] + (double)bias[v],
                        error * (2 + fabs(normed) * 3) + 2 * ROUNDING);
        }
    }
    scene_close(&s);
}

// a block without a norm, of which every array has `n` tokens from `tokens` on
static void run_block(float *out, const sac_attention *a, const float *tokens, int n, int size, bool residual)
{
    const float *keys = tokens + size * n, *values = keys + size * n;
    sac_trans t = {.attention = a,
                   .rows = MAX_ROWS,
                   .value_size = size,
                   .projection = values + size * n,
                   .projection_stride = n,
                   .residual = residual};
    void *workspace = scene_memory(sac_trans_workspace_size(&t));
    sac_trans_run(&t, out, tokens, keys, values, n, n, workspace);
    free(workspace);
}

// With many tokens P V is added up block by block, and past 8 MiB of planes later blocks are fetched: the bits are
// those of P A V and then P V.
TEST(a_residual_of_many_tokens_has_the_same_bits)
{
    static const struct
    {
        int n, size;
        bool divided;
    } cases[] = {{2047, 3, false}, {2048, 3, false}, {2500, 16, true}, {4111, 7, false}, {41000, 16, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    {
        const int n = cases[c].n, size = cases[c].size, count = MAX_ROWS * size;
        float *tokens = malloc((size_t)((3 * size + MAX_ROWS) * n) * sizeof *tokens);
        assert_non_null(tokens);
        fill_uniform(tokens, (size_t)((3 * size + MAX_ROWS) * n), 9 + c);
        sac_attention_def def = sac_attention_default_def();
        def.form = "relu";
        def.key_size = size;
        def.divide_all = cases[c].divided;
        sac_attention *a;
        assert_ok(sac_attention_create(&a, &def));
        float expected[MAX_ROWS * SCENE_MAX_VALUES], out[MAX_ROWS * SCENE_MAX_VALUES];
        run_block(expected, a, tokens, n, size, false);
        sac_kernels kernels = sac_kernels_create(SAC_CPU_SCALAR);
        const float *values = tokens + 2 * size * n;
        kernels.contract(expected, size, values + size * n, n, MAX_ROWS, values, size, n, n);
        run_block(out, a, tokens, n, size, true);
        for (int i = 0; i < count; i++)
            if (memcmp(&out[i], &expected[i], sizeof *out) != 0)
                fail_msg("N %d: out[%d] is %.9g, expected %.9g", n, i, (double)out[i], (double)expected[i]);
        sac_attention_destroy(a);
        free(tokens);
    }
}

TEST(a_normed_row_has_mean_zero_and_variance_one)
{
    enum
    {
        SIZE = 50
    };
    float x[2 * SIZE], one[SIZE], zero[SIZE] = {0};
    for (int i = 0; i < SIZE; i++) one[i] = 1, x[SIZE + i] = 7;
    fill_uniform(x, SIZE, 1);
    sac_layer_norm(x, x, 2, SIZE, one, zero, 1e-12f);
    double mean = 0, square = 0;
    for (int i = 0; i < SIZE; i++) mean += (double)x[i] / SIZE, square += (double)x[i] * (double)x[i] / SIZE;
    assert_near(mean, 0, 2 * ROUNDING);
    assert_near(square, 1, 8 * ROUNDING);
    for (int i = 0; i < SIZE; i++) assert_true(x[SIZE + i] == 0); // a constant row has no variance to divide by
}

TESTS(all_orders_agree, rows_that_are_divided_and_softmax_are_their_formulas, the_cheapest_order_is_chosen,
      a_block_adds_the_residual_and_norms, a_residual_of_many_tokens_has_the_same_bits,
      a_normed_row_has_mean_zero_and_variance_one)
