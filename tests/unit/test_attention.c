#include "saccade/attention.h"

#include "test.h"

enum
{
    D = 4,
    N = 53,
    STRIDE = 61
}; // odd on purpose: no size is a multiple of a vector width

_Alignas(64) static unsigned char workspace[1 << 20];

typedef struct scene
{
    float queries[D * STRIDE], keys[D * STRIDE], importance[N];
} scene;

static sac_attention_def def_of(const char *form)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = D;
    return def;
}

static void look(scene *s, const sac_attention_def *def)
{
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, def));
    assert_true(sac_attention_workspace_size(attention, N) <= sizeof workspace);
    sac_attention_importance(attention, s->importance, s->queries, s->keys, N, STRIDE, workspace);
    sac_attention_destroy(attention);
}

static void fill(scene *s, float factor)
{
    fill_uniform(s->queries, D * STRIDE, 1);
    fill_uniform(s->keys, D * STRIDE, 2);
    for (int i = 0; i < D * STRIDE; i++) s->queries[i] *= factor, s->keys[i] *= factor;
}

// column sums of A, from its rows one by one
static void explicit_sums(double *sums, const scene *s, const sac_attention_def *def)
{
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, def));
    memset(sums, 0, N * sizeof *sums);
    float row[N];
    for (int i = 0; i < N; i++)
    {
        sac_attention_row(attention, row, i, s->queries, s->keys, N, STRIDE, workspace);
        for (int j = 0; j < N; j++) sums[j] += row[j];
    }
    sac_attention_destroy(attention);
}

// rows of softmax sum to one, so importances sum to N
TEST(softmax_importance_sums_to_n)
{
    scene s;
    fill(&s, 3);
    sac_attention_def def = def_of("softmax");
    look(&s, &def);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += s.importance[i];
    // N rows of N terms, each rounded a few times
    assert_near(sum, N, N * 8 * 1.2e-7);
}

TEST(softmax_equals_plain_double_formula)
{
    scene s;
    fill(&s, 4);
    sac_attention_def def = def_of("softmax");
    def.scale = 0.7;
    look(&s, &def);
    double expected[N] = {0};
    for (int i = 0; i < N; i++)
    {
        double row[N], sum = 0;
        for (int j = 0; j < N; j++)
        {
            double dot = 0;
            for (int d = 0; d < D; d++) dot += (double)s.queries[d * STRIDE + i] * s.keys[d * STRIDE + j];
            sum += row[j] = exp(0.7 * dot);
        }
        for (int j = 0; j < N; j++) expected[j] += row[j] / sum;
    }
    // |t| <= 0.7 * 4 * 16 * 1.45 = 65 in the exponent of 2: D + 2 roundings of at most 65 * 2^-24 each
    for (int j = 0; j < N; j++) assert_near(s.importance[j], expected[j], expected[j] * (D + 2) * 65 * 6e-8);
}

TEST(every_form_is_the_column_sum_of_its_rows)
{
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
    {
        scene s;
        fill(&s, 1);
        sac_attention_def def = def_of(name);
        look(&s, &def);
        double sums[N];
        explicit_sums(sums, &s, &def);
        double factor = strcmp(name, "softmax") == 0 ? 1 : 1.0 / N;
        // at most N + M + D roundings of positive terms
        for (int j = 0; j < N; j++) assert_near(s.importance[j], factor * sums[j], factor * sums[j] * 80 * 6e-8);
    }
}

// equal columns, near and far apart, in the body and in the tail of vector loops
TEST(equal_columns_get_equal_bits)
{
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
    {
        scene s;
        fill(&s, 2);
        for (int d = 0; d < D; d++)
            for (int i = 7; i < N; i += 3)
            {
                s.queries[d * STRIDE + i] = s.queries[d * STRIDE];
                s.keys[d * STRIDE + i] = s.keys[d * STRIDE];
            }
        sac_attention_def def = def_of(name);
        look(&s, &def);
        for (int i = 7; i < N; i += 3) assert_memory_equal(&s.importance[i], &s.importance[0], sizeof(float));
        assert_true(s.importance[1] != s.importance[0]);
    }
}

TEST(a_constant_image_ties_to_the_lowest_indices)
{
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
    {
        scene s;
        for (int i = 0; i < D * STRIDE; i++) s.queries[i] = s.keys[i] = 0.3f;
        sac_attention_def def = def_of(name);
        look(&s, &def);
        sac_attention *attention;
        assert_ok(sac_attention_create(&attention, &def));
        int top[10];
        sac_attention_top(attention, top, 10, s.importance, N);
        for (int i = 0; i < 10; i++) assert_int_equal(top[i], i);
        sac_attention_destroy(attention);
    }
}

// adding the same vector to every key adds a constant to each row of scores, which softmax does not see
TEST(softmax_ignores_a_shift_of_all_keys)
{
    scene s, t;
    fill(&s, 1);
    t = s;
    for (int d = 0; d < D; d++)
        for (int i = 0; i < N; i++) t.keys[d * STRIDE + i] += (float)d - 1.5f;
    sac_attention_def def = def_of("softmax");
    look(&s, &def);
    look(&t, &def);
    for (int j = 0; j < N; j++) assert_near(s.importance[j], t.importance[j], s.importance[j] * 1e-5);
}

// the order of tokens decides nothing but rounding
TEST(importance_follows_a_permutation)
{
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
    {
        scene s, t;
        fill(&s, 1);
        for (int d = 0; d < D; d++)
            for (int i = 0; i < N; i++)
            {
                t.queries[d * STRIDE + i] = s.queries[d * STRIDE + (i * 20 + 3) % N];
                t.keys[d * STRIDE + i] = s.keys[d * STRIDE + (i * 20 + 3) % N];
            }
        sac_attention_def def = def_of(name);
        look(&s, &def);
        look(&t, &def);
        for (int j = 0; j < N; j++)
            assert_near(t.importance[j], s.importance[(j * 20 + 3) % N], t.importance[j] * 2 * N * 6e-8);
    }
}

// the mean of positive features over many draws is the softmax kernel
TEST(positive_features_estimate_the_softmax_kernel)
{
    scene s;
    fill(&s, 1);
    sac_attention_def def = def_of("positive");
    def.feature_count = 4096;
    look(&s, &def);
    for (int j = 0; j < N; j++)
    {
        double expected = 0;
        for (int i = 0; i < N; i++)
        {
            double dot = 0;
            for (int d = 0; d < D; d++) dot += (double)s.queries[d * STRIDE + i] * s.keys[d * STRIDE + j];
            expected += exp(dot / 2) / N;
        }
        // theory: the variance of one estimate of e^s is e^(|q+k|^2/2 + 2s) (1 - e^-|q+k|^2/2) / M < 0.04 here
        assert_near(s.importance[j], expected, 0.15 * expected);
    }
}

TEST(no_features_are_those_of_the_identity)
{
    scene s, t;
    fill(&s, 1);
    t = s;
    float identity[D * D] = {0};
    for (int d = 0; d < D; d++) identity[d * D + d] = 1;
    sac_attention_def def = def_of("relu");
    def.scale = 0.3;
    def.feature_count = D;
    def.projection = identity;
    look(&s, &def);
    def.feature_count = 0;
    def.projection = NULL;
    look(&t, &def);
    assert_memory_equal(s.importance, t.importance, sizeof s.importance);
}

TEST(normalized_tokens_have_one_length)
{
    scene s, t;
    fill(&s, 1);
    t = s;
    for (int d = 0; d < D; d++)
        for (int i = 0; i < N; i++) t.queries[d * STRIDE + i] *= 4, t.keys[d * STRIDE + i] *= 0.5f;
    sac_attention_def def = def_of("softmax");
    def.normalise = true;
    look(&s, &def);
    look(&t, &def);
    // powers of two: exact
    assert_memory_equal(s.importance, t.importance, sizeof s.importance);
}

TEST(nan_stays_inside)
{
    scene s;
    fill(&s, 1);
    s.keys[5] = NAN;
    sac_attention_def def = def_of("relu");
    look(&s, &def);
    for (int j = 0; j < N; j++) assert_int_equal(isnan(s.importance[j]) != 0, j == 5);
    sac_attention *attention;
    assert_ok(sac_attention_create(&attention, &def));
    int top[N];
    sac_attention_top(attention, top, N, s.importance, N);
    assert_int_equal(top[N - 1], 5);
    sac_attention_destroy(attention);
}

TEST(create_names_the_bad_field)
{
    sac_attention *attention;
    sac_attention_def def = sac_attention_default_def();
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "key_size");
    assert_null(attention);
    def = def_of("softmux");
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "did you mean 'softmax'");
    def.form = "quadratic"; // near to none, so all are named
    for (int i = 0; sac_attention_form_at(i, NULL); i++)
        assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, sac_attention_form_at(i, NULL));
    def = def_of("positive");
    def.feature_count = 0;
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "feature_count");
    const float projection[D] = {1, 1, 1, 1};
    def = def_of("relu");
    def.feature_count = 0;
    def.projection = projection;
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "feature_count is 0");
    def = def_of("softmax");
    def.scale = -1;
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "scale");
    def.internal = 0;
    assert_fails(sac_attention_create(&attention, &def), SAC_ERROR_ARGUMENT, "default_def");
    sac_attention_destroy(NULL);
}

TESTS(softmax_importance_sums_to_n, softmax_equals_plain_double_formula, every_form_is_the_column_sum_of_its_rows,
      equal_columns_get_equal_bits, a_constant_image_ties_to_the_lowest_indices, softmax_ignores_a_shift_of_all_keys,
      importance_follows_a_permutation, positive_features_estimate_the_softmax_kernel,
      no_features_are_those_of_the_identity, normalized_tokens_have_one_length, nan_stays_inside,
      create_names_the_bad_field)
