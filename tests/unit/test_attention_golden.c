#include "attention/form.h"
#include "files/arrays/safetensors.h"
#include "saccade/attention.h"
#include "test.h"

// importance, rows, top K and random features against the reference arrays, on every CPU level of this machine

enum
{
    MAX_TOKENS = 1024,
    MAX_SIZE = 16
};

_Alignas(64) static unsigned char workspace[1 << 20];

static sac_tensors *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SAC_SOURCE_DIR "/tests/golden/data/%s.safetensors", name);
    sac_tensors *tensors;
    assert_ok(sac_tensors_load(&tensors, path, 1 << 24));
    return tensors;
}

static const float *floats(const sac_tensors *tensors, const char *name, int rank)
{
    const sac_tensor *tensor;
    assert_ok(sac_tensors_get(&tensor, tensors, name, SAC_F32, rank, (const int64_t[]){-1, -1, -1}));
    return tensor->data;
}

// [n, size] -> [size, n]
static void planar(float *out, const float *tokens, int n, int size)
{
    assert_true(n <= MAX_TOKENS && size <= MAX_SIZE);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < size; d++) out[d * n + i] = tokens[i * size + d];
}

// the files' tolerance: 1e-4 of the array's largest magnitude
static void compare(const char *what, const float *got, const float *expected, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs((double)expected[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs((double)got[i] - (double)expected[i]) <= 1e-4 * largest))
            fail_msg("%s[%d] is %.9g, expected %.9g", what, i, (double)got[i], (double)expected[i]);
}

static void each_level(void (*check)(void))
{
    sac_cpu_level before = sac_get_cpu_level();
    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        if ((int)sac_get_cpu_level() == level) check();
    }
    sac_set_cpu_level(before);
}

static void check_agent(const char *name)
{
    sac_tensors *tensors = load(name);
    const sac_tensor *queries, *scale, *indices;
    assert_ok(sac_tensors_get(&queries, tensors, "Q", SAC_F32, 3, (const int64_t[]){-1, -1, -1}));
    scale = sac_tensors_find(tensors, "scale"); // float32 where that holds it
    assert_non_null(scale);
    assert_ok(sac_tensors_get(&indices, tensors, "idx", SAC_I32, 2, (const int64_t[]){-1, -1}));
    int frames = (int)queries->shape[0], n = (int)queries->shape[1], size = (int)queries->shape[2];
    int kept = (int)indices->shape[1];

    sac_attention_def def = sac_attention_default_def();
    def.key_size = size;
    def.scale = scale->dtype == SAC_F64 ? *(const double *)scale->data : (double)*(const float *)scale->data;
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, &def));
    assert_true(sac_attention_workspace_size(attention, n) <= sizeof workspace);
    for (int frame = 0; frame < frames; frame++)
    {
        static float q[MAX_SIZE * MAX_TOKENS], k[MAX_SIZE * MAX_TOKENS], importance[MAX_TOKENS], row[MAX_TOKENS];
        planar(q, (const float *)queries->data + frame * n * size, n, size);
        planar(k, floats(tensors, "K", 3) + frame * n * size, n, size);
        sac_attention_importance(attention, importance, q, k, n, n, workspace);
        compare("importance", importance, floats(tensors, "importance", 2) + frame * n, n);
        int top[SAC_MAX_TOP];
        sac_attention_top(attention, top, kept, importance, n);
        for (int i = 0; i < kept; i++) assert_int_equal(top[i], ((const int32_t *)indices->data)[frame * kept + i]);
        sac_attention_row(attention, row, 0, q, k, n, n, workspace);
        if (frame == 0) compare("A_row0", row, floats(tensors, "A_row0", 1), n);
    }
    sac_attention_destroy(attention);
    sac_tensors_destroy(tensors);
}

static void check_agents(void)
{
    check_agent("agent_carracing");
    check_agent("agent_takecover");
    check_agent("agent_scale_sqrt_d");
    check_agent("agent_tie");
}

static void check_form(const char *form, const sac_tensors *tensors, const char *expected, const char *row,
                       int features)
{
    const sac_tensor *queries;
    assert_ok(sac_tensors_get(&queries, tensors, "Q", SAC_F32, 2, (const int64_t[]){-1, -1}));
    int n = (int)queries->shape[0], size = (int)queries->shape[1];
    static float q[MAX_SIZE * MAX_TOKENS], k[MAX_SIZE * MAX_TOKENS], importance[MAX_TOKENS], weights[MAX_TOKENS];
    planar(q, queries->data, n, size);
    planar(k, floats(tensors, "K", 2), n, size);

    const sac_tensor *mode, *matrix;
    assert_ok(sac_tensors_get(&mode, tensors, "mode", SAC_I32, -1, NULL));
    assert_ok(sac_tensors_get(&matrix, tensors, "W", SAC_F32, 2, (const int64_t[]){-1, size}));
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = size;
    def.feature_count = features ? (int)matrix->shape[0] : 0;
    def.projection = features ? matrix->data : NULL;
    def.normalise = features && *(const int32_t *)mode->data == 1;
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, &def));
    sac_attention_importance(attention, importance, q, k, n, n, workspace);
    compare(expected, importance, floats(tensors, expected, 1), n);
    if (row)
    {
        sac_attention_row(attention, weights, 0, q, k, n, n, workspace);
        compare(row, weights, floats(tensors, row, 1), n);
    }
    sac_attention_destroy(attention);
}

static void check_forms(void)
{
    const char *const names[] = {"features_scaled", "features_normalized"};
    for (int i = 0; i < 2; i++)
    {
        sac_tensors *tensors = load(names[i]);
        check_form("relu", tensors, "r_relu", NULL, false);
        check_form("positive", tensors, "r_exp", NULL, true);
        if (sac_tensors_find(tensors, "importance_softmax"))
            check_form("softmax", tensors, "importance_softmax", NULL, false);
        sac_tensors_destroy(tensors);
    }
}

TEST(importance_and_top_of_the_agent)
{
    each_level(check_agents);
}

TEST(importance_of_the_forms)
{
    each_level(check_forms);
}

TEST(orthogonal_features)
{
    const char *const names[] = {"features_scaled", "features_normalized"};
    for (int file = 0; file < 2; file++)
    {
        sac_tensors *tensors = load(names[file]);
        const sac_tensor *given, *source;
        assert_ok(sac_tensors_get(&given, tensors, "G_blocks", SAC_F32, 3, (const int64_t[]){-1, -1, -1}));
        assert_ok(sac_tensors_get(&source, tensors, "norm_src", SAC_F32, 2, (const int64_t[]){-1, -1}));
        int count = (int)source->shape[0], size = (int)source->shape[1];
        double blocks[256], lengths[256];
        assert_true(sac_tensor_count(given) <= 256);
        for (size_t i = 0; i < sac_tensor_count(given); i++) blocks[i] = (double)((const float *)given->data)[i];
        for (int i = 0; i < count * size; i++) lengths[i] = (double)((const float *)source->data)[i];
        float matrix[256];
        sac_orthogonal_features(matrix, blocks, lengths, count, size);
        compare("W", matrix, floats(tensors, "W", 2), count * size);
        sac_tensors_destroy(tensors);
    }
}

TESTS(importance_and_top_of_the_agent, importance_of_the_forms, orthogonal_features)
