#include "readings_scene.h"

/// Several heads side by side, and a linear layer on planar tokens.

enum
{
    HEADS = 3,
    D = 4,
    V = 5,
    N = 37,
    STRIDE = 41
};

static float queries[HEADS * D * STRIDE], keys[HEADS * D * STRIDE], values[HEADS * V * STRIDE];

static void create(sac_attention **heads, const char *form)
{
    fill_uniform(queries, HEADS * D * STRIDE, 1);
    fill_uniform(keys, HEADS * D * STRIDE, 2);
    fill_uniform(values, HEADS * V * STRIDE, 3);
    for (int h = 0; h < HEADS; h++)
    {
        sac_attention_def def = sac_attention_default_def();
        def.form = form;
        def.key_size = D;
        def.feature_count = 3;
        def.seed = (uint64_t)h;
        assert_ok(sac_attention_create(&heads[h], &def));
    }
}

TEST(each_head_sees_its_own_rows)
{
    float importance[N], one[N], out[HEADS * V * STRIDE], alone[V * STRIDE];
    const char *form;
    for (int i = 0; (form = scene_form(i)); i++)
    {
        sac_attention *heads[HEADS];
        create(heads, form);
        sac_multi_head multi = {(const sac_attention *const *)heads, HEADS};
        void *workspace = scene_memory(sac_multi_head_workspace_size(&multi, N, V));
        double mean[N] = {0}, size[N] = {0};
        sac_multi_head_importance(&multi, importance, queries, keys, N, STRIDE, workspace);
        sac_multi_head_output(&multi, out, STRIDE, queries, keys, values, V, N, STRIDE, workspace);
        for (int h = 0; h < HEADS; h++)
        {
            const float *q = queries + h * D * STRIDE, *k = keys + h * D * STRIDE;
            sac_attention_importance(heads[h], one, q, k, N, STRIDE, workspace);
            for (int j = 0; j < N; j++) mean[j] += (double)one[j] / HEADS, size[j] += fabs((double)one[j]) / HEADS;
            sac_attention_output(heads[h], alone, STRIDE, q, N, STRIDE, k, values + h * V * STRIDE, N, STRIDE, V,
                                 workspace);
            for (int v = 0; v < V; v++)
                assert_memory_equal(out + (h * V + v) * STRIDE, alone + v * STRIDE, N * sizeof(float));
        }
        for (int j = 0; j < N; j++) assert_near(importance[j], mean[j], size[j] * (HEADS + 1) * ROUNDING);
        free(workspace);
        for (int h = 0; h < HEADS; h++) sac_attention_destroy(heads[h]);
    }
}

TEST(a_linear_layer_maps_each_token)
{
    enum
    {
        IN = 7,
        OUT = 3
    };
    float weights[OUT * IN], bias[OUT], x[IN * STRIDE], out[OUT * N], plain[OUT * N];
    fill_uniform(weights, OUT * IN, 1);
    fill_uniform(bias, OUT, 2);
    fill_uniform(x, IN * STRIDE, 3);
    sac_linear(out, N, weights, bias, OUT, x, IN, N, STRIDE);
    sac_linear(plain, N, weights, NULL, OUT, x, IN, N, STRIDE);
    for (int o = 0; o < OUT; o++)
        for (int j = 0; j < N; j++)
        {
            double sum = 0, size = fabs((double)bias[o]);
            for (int i = 0; i < IN; i++)
            {
                double term = (double)weights[o * IN + i] * (double)x[i * STRIDE + j];
                sum += term, size += fabs(term);
            }
            assert_near(plain[o * N + j], sum, size * (IN + 1) * ROUNDING);
            assert_near(out[o * N + j], sum + (double)bias[o], size * (IN + 2) * ROUNDING);
        }
}

TESTS(each_head_sees_its_own_rows, a_linear_layer_maps_each_token)
