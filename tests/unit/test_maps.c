#include "failing_memory.h"
#include "saccade/attention.h"
#include "saccade/theory.h"
#include "test.h"

// what the papers promise of the maps, measured through the public features

enum
{
    D = 4,
    MAX_F = 3 * 16 * 6
};

_Alignas(64) static unsigned char workspace[1 << 20];

static sac_attention_def def_of(const char *form, int m)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = D;
    def.feature_count = m;
    def.scale = 1;
    return def;
}

static sac_attention *create(const sac_attention_def *def)
{
    sac_attention *a;
    assert_ok(sac_attention_create(&a, def));
    assert_true(sac_attention_workspace_size(a, 1) <= sizeof workspace);
    assert_true(sac_attention_feature_size(a) <= MAX_F);
    return a;
}

// phi(q).phi(k) in double
static double kernel(const sac_attention *a, const float *q, const float *k)
{
    float phi_q[MAX_F], phi_k[MAX_F];
    sac_attention_features(a, SAC_QUERIES, phi_q, 1, q, 1, 1, workspace);
    sac_attention_features(a, SAC_KEYS, phi_k, 1, k, 1, 1, workspace);
    double sum = 0;
    for (int f = 0; f < sac_attention_feature_size(a); f++) sum += (double)phi_q[f] * (double)phi_k[f];
    return sum;
}

static double dot(const float *x, const float *y)
{
    double sum = 0;
    for (int d = 0; d < D; d++) sum += (double)x[d] * (double)y[d];
    return sum;
}

static const float point[D] = {0.7f, -0.4f, 0.2f, 0.5f};
static const float opposite[D] = {-0.7f, 0.4f, -0.2f, -0.5f};
static const float other[D] = {0.1f, 0.6f, -0.3f, 0.4f};

// Choromanski et al. 2021 (Unlocking Pixels, first version): there is no variance where the estimate is exact
TEST(equal_and_opposite_tokens_are_exact)
{
    double same = exp(dot(point, point)), against = exp(dot(point, opposite));
    for (int seed = 0; seed < 20; seed++)
    {
        sac_attention_def trig = def_of("trig", 5), positive = def_of("positive", 5), hybrid = def_of("hybrid", 5);
        trig.seed = positive.seed = hybrid.seed = (uint64_t)seed;
        sac_attention *t = create(&trig), *p = create(&positive), *h = create(&hybrid);
        // a hundred terms of a few roundings each, the exponent's error times its size
        assert_near(kernel(t, point, point), same, same * 2e-6);
        assert_near(kernel(p, point, opposite), against, against * 2e-6);
        assert_near(kernel(h, point, point), same, same * 4e-6);
        // the terms that cancel here are larger than what is left
        assert_near(kernel(h, point, opposite), against, same * 4e-6);
        sac_attention_destroy(t);
        sac_attention_destroy(p);
        sac_attention_destroy(h);
    }
}

// mean and mean squared error over many draws of independent vectors, against the closed forms
static void check_moments(const char *form, int m, int r, double mse)
{
    enum
    {
        DRAWS = 4000
    };
    double expected = exp(dot(point, other)), sum = 0, squares = 0, fourth = 0;
    for (int seed = 0; seed < DRAWS; seed++)
    {
        sac_attention_def def = def_of(form, m);
        def.direction_count = r;
        def.orthogonal = false;
        def.seed = (uint64_t)seed;
        sac_attention *a = create(&def);
        double error = kernel(a, point, other) - expected;
        sum += error;
        squares += error * error;
        fourth += error * error * error * error;
        sac_attention_destroy(a);
    }
    double measured = squares / DRAWS, spread = sqrt((fourth / DRAWS - measured * measured) / DRAWS);
    // four standard errors: one seed in 16,000 would fail by chance, and the seeds are fixed
    assert_near(sum / DRAWS, 0, 4 * sqrt(mse / DRAWS));
    assert_near(measured, mse, 4 * spread);
}

TEST(errors_are_those_of_the_closed_forms)
{
    double x[D], y[D];
    for (int d = 0; d < D; d++) x[d] = (double)point[d], y[d] = (double)other[d];
    check_moments("trig", 3, 1, sac_theory_mse_trig(x, y, D, 3));
    check_moments("positive", 3, 1, sac_theory_mse_exp(x, y, D, 3));
    check_moments("hybrid", 3, 2, sac_theory_mse_hybrid(x, y, D, 3, 2));
}

// in units of the scale: features of sqrt(s) x with scale 1 are those of x with scale s
TEST(scale_is_a_factor_of_the_tokens)
{
    const char *const forms[] = {"relu", "positive", "trig", "hybrid", "sara-relu", "sara-exp", "sara-square"};
    float half[D];
    for (int d = 0; d < D; d++) half[d] = 0.5f * point[d];
    for (int i = 0; i < 7; i++)
    {
        sac_attention_def def = def_of(forms[i], 6);
        sac_attention *plain = create(&def);
        def.scale = 4;
        sac_attention *scaled = create(&def);
        double expected = kernel(plain, point, point), got = kernel(scaled, half, half);
        assert_near(got, expected, expected * 1e-5);
        sac_attention_destroy(plain);
        sac_attention_destroy(scaled);
    }
}

TEST(sara_without_a_matrix_is_the_function_of_the_token)
{
    static const char *const forms[] = {"sara-relu", "sara-exp", "sara-square"};
    const float gains[D] = {2, -1, 0.5f, 0};
    for (int i = 0; i < 3; i++)
    {
        sac_attention_def def = def_of(forms[i], 0);
        def.feature_gains = gains;
        sac_attention *a = create(&def);
        assert_int_equal(sac_attention_feature_size(a), D);
        float phi[D];
        sac_attention_features(a, SAC_KEYS, phi, 1, point, 1, 1, workspace);
        for (int d = 0; d < D; d++)
        {
            double x = (double)point[d], f = i == 0 ? fmax(0, x) : i == 1 ? exp(x) : x * x;
            // exp: the product with log2 e, the power of two within 2 ulp, the gain
            assert_near(phi[d], (double)gains[d] * f, fabs((double)gains[d] * f) * 4 * 1.2e-7);
        }
        sac_attention_destroy(a);
    }
}

TEST(sara_has_a_matrix_for_each_side)
{
    float queries[2 * D] = {1, 0, 0, 0, 0, 1, 0, 0}, keys[2 * D] = {0, 0, 2, 0, 0, 0, 0, 1};
    sac_attention_def def = def_of("sara-relu", 2);
    def.projection = queries;
    def.key_projection = keys;
    sac_attention *a = create(&def);
    float phi[2];
    sac_attention_features(a, SAC_QUERIES, phi, 1, point, 1, 1, workspace);
    assert_true(phi[0] == point[0] && phi[1] == 0);
    sac_attention_features(a, SAC_KEYS, phi, 1, point, 1, 1, workspace);
    assert_true(phi[0] == 2 * point[2] && phi[1] == point[3]);
    sac_attention_destroy(a);
}

// planes given or drawn, apart from W
TEST(directions_are_given_or_drawn)
{
    const float directions[2 * D] = {1, 0, 0, 0, 0, 1, 0, 0};
    sac_attention_def def = def_of("hybrid", 1);
    def.direction_count = 2;
    def.directions = directions;
    sac_attention *a = create(&def);
    assert_int_equal(sac_attention_feature_size(a), 9);
    float phi[9];
    sac_attention_features(a, SAC_KEYS, phi, 1, point, 1, 1, workspace); // on the sides + and -
    float root = sqrtf(0.5f);
    for (int k = 0; k < 2; k++)
    {
        assert_near(phi[3 + k], phi[k] * root, 1e-6);
        assert_near(phi[5 + k], -phi[k] * root, 1e-6);
    }
    assert_near(phi[7], phi[2] * root, 1e-6);
    assert_near(phi[8], -phi[2] * root, 1e-6);
    sac_attention_features(a, SAC_QUERIES, phi, 1, point, 1, 1, workspace); // the mended minus
    assert_near(phi[7], -phi[2] * root, 1e-6);
    sac_attention_destroy(a);

    def.directions = NULL;
    float first[9], second[9];
    for (uint64_t seed = 0; seed < 2; seed++)
    {
        def.seed = seed;
        a = create(&def);
        sac_attention_features(a, SAC_KEYS, seed ? second : first, 1, point, 1, 1, workspace);
        sac_attention_destroy(a);
    }
    assert_memory_not_equal(first, second, sizeof first);
}

TEST(create_names_the_bad_field)
{
    const float numbers[D * D] = {1};
    sac_attention *a;
    sac_attention_def def = def_of("hybrid", 4);
    def.direction_count = 65;
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "direction_count");
    def = def_of("trig", 0);
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "feature_count");
    def = def_of("trig", 4);
    def.projection = def.key_projection = numbers;
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "key_projection");
    def = def_of("relu", 4);
    def.feature_gains = numbers;
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "feature_gains");
    def = def_of("sara-exp", 4);
    def.key_projection = numbers;
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "without projection");
    def = def_of("sara-cube", 4);
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "did you mean 'sara-");
}

TEST(create_survives_lack_of_memory)
{
    sac_attention *a;
    sac_attention_def def = def_of("hybrid", 4);
    assert_survives_lack_of_memory(sac_attention_create(&a, &def), sac_attention_destroy(a));
    def = def_of("sara-exp", 0);
    assert_survives_lack_of_memory(sac_attention_create(&a, &def), sac_attention_destroy(a));
}

TESTS(equal_and_opposite_tokens_are_exact, errors_are_those_of_the_closed_forms, scale_is_a_factor_of_the_tokens,
      sara_without_a_matrix_is_the_function_of_the_token, sara_has_a_matrix_for_each_side,
      directions_are_given_or_drawn, create_names_the_bad_field, create_survives_lack_of_memory)
