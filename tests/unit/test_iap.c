#include "policy_scene.h"
#include "scratch.h"

/// Policies of Implicit Attention for Pixels: iap-trans, and what the attention agent has for IAP-rank.

enum
{
    N = 529,
    INPUTS = 147,
    D = 4
};

static uint8_t image[SCENE_SIZE];
static float floats[SCENE_SIZE];

typedef struct seen
{
    sac_policy *policy;
    sac_policy_state *state;
    sac_gaze gaze;
    float action[3];
    double centre; // subtracted from pixels before the layers take them
} seen;

// floats, so that weights are not rounded
static seen look(const char *settings)
{
    seen s = {.policy = scene_any_policy(settings)};
    s.state = scene_state(s.policy);
    scene_image(image, 4);
    scene_floats(floats, image);
    sac_policy_act_float(s.state, floats, s.action);
    sac_policy_gaze(s.state, &s.gaze);
    return s;
}

static void forget(seen *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

TEST(parameters_follow_from_the_shapes)
{
    enum
    {
        LAYERS = (4 + 4 + 4) * (INPUTS + 1)
    };
    assert_int_equal(scene_count("kind=iap-trans,controller=linear"), LAYERS + 10 * N + 2 * 4 + 3 * 40 + 3);
    assert_int_equal(scene_count("kind=iap-trans,controller=linear,layer_norm=false,rows=3,value_size=7"),
                     (4 + 4 + 7) * (INPUTS + 1) + 3 * N + 3 * 21 + 3);
    assert_int_equal(scene_count("patch_features=values,value_size=6,controller=linear"),
                     (4 + 4 + 6) * (INPUTS + 1) + 3 * 60 + 3);
    assert_int_equal(scene_count("masking=true,controller=linear"), 8 * (INPUTS + 1) + 3 * 2 * N + 3);
}

// w x + b of one patch, in double
static double layer(const seen *s, const char *name, int row, const float *patch)
{
    char text[64];
    snprintf(text, sizeof text, "%s.weight", name);
    const float *weight = scene_tensor(s->policy, text) + row * INPUTS;
    snprintf(text, sizeof text, "%s.bias", name);
    double sum = (double)scene_tensor(s->policy, text)[row];
    for (int i = 0; i < INPUTS; i++) sum += (double)weight[i] * ((double)patch[i] - s->centre);
    return sum;
}

// LN(P V + P Q' K'^T V) with Q' = max(0, Q), in double from the tensors and the pixels
static void transform(const seen *s, double *out, int rows, int values, bool block)
{
    static double q[N][D], k[N][D], v[N][8];
    for (int n = 0; n < N; n++)
    {
        float patch[INPUTS];
        assert_true(sac_policy_patch(s->state, n, patch));
        for (int d = 0; d < D; d++) q[n][d] = fmax(0, layer(s, "query", d, patch));
        for (int d = 0; d < D; d++) k[n][d] = fmax(0, layer(s, "key", d, patch));
        for (int i = 0; i < values; i++) v[n][i] = layer(s, "value", i, patch);
    }
    const float *p = scene_tensor(s->policy, "trans.projection");
    for (int r = 0; r < rows; r++)
    {
        double z[D] = {0}, mean = 0, variance = 0, *row = out + r * values;
        for (int d = 0; d < D; d++)
            for (int n = 0; n < N; n++) z[d] += (double)p[r * N + n] * q[n][d];
        for (int i = 0; i < values; i++)
        {
            row[i] = 0;
            for (int n = 0; n < N; n++)
            {
                double share = block ? (double)p[r * N + n] : 0;
                for (int d = 0; d < D; d++) share += z[d] * k[n][d];
                row[i] += share * v[n][i];
            }
            mean += row[i] / values;
        }
        for (int i = 0; i < values; i++) variance += (row[i] - mean) * (row[i] - mean) / values;
        for (int i = 0; i < values && block; i++)
            row[i] = (row[i] - mean) / sqrt(variance + 1e-5) * (1 + (double)scene_tensor(s->policy, "trans.gain")[i]) +
                     (double)scene_tensor(s->policy, "trans.bias")[i];
    }
}

TEST(iap_trans_is_its_formula)
{
    enum
    {
        ROWS = 3,
        VALUES = 5
    };
    static const char *const words[] = {"residual=false,layer_norm=false", "residual=true,layer_norm=true",
                                        "residual=true,layer_norm=true,centre_pixels=true"};
    for (int row = 0; row < 3; row++)
    {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "kind=iap-trans,attention=relu,attention_features=0,normalise_tokens=false,rows=3,value_size=5,%s",
                 words[row]);
        seen s = look(settings);
        s.centre = row == 2 ? 0.5 : 0;
        double expected[ROWS * VALUES], largest = 0;
        transform(&s, expected, ROWS, VALUES, row > 0);
        for (int i = 0; i < ROWS * VALUES; i++) largest = fmax(largest, fabs(expected[i]));
        assert_true(largest > 0.1);
        assert_int_equal(s.gaze.told_count, ROWS * VALUES);
        // the tolerance of reference arrays: 1e-4 of the largest
        for (int i = 0; i < ROWS * VALUES; i++) assert_near(s.gaze.told[i], expected[i], 1e-4 * largest);
        forget(&s);
    }
}

TEST(every_order_gives_the_same_action)
{
    seen s = look("kind=iap-trans,order=left"), t = look("kind=iap-trans,order=middle"),
         u = look("kind=iap-trans,order=right");
    // sums of some 1200 terms, each off by 6e-8 of magnitudes a few times the normed rows, which are of order 1
    for (int i = 0; i < s.gaze.told_count; i++)
    {
        assert_near(t.gaze.told[i], s.gaze.told[i], 1e-3);
        assert_near(u.gaze.told[i], s.gaze.told[i], 1e-3);
    }
    forget(&s), forget(&t), forget(&u);
}

TEST(a_gaze_shows_what_attention_there_is)
{
    seen s = look("kind=iap-trans,attention=relu");
    assert_int_equal(s.gaze.kept, 0);
    double sums[N] = {0}, size[N] = {0};
    for (int query = 0; query < N; query++)
    {
        float row[N];
        assert_true(sac_policy_attention_row(s.state, query, row));
        for (int j = 0; j < N; j++) sums[j] += (double)row[j] / N, size[j] += fabs((double)row[j]) / N;
    }
    for (int j = 0; j < N; j++) assert_near(s.gaze.importance[j], sums[j], size[j] * 600 * 6e-8);
    forget(&s);
}

// P + P A of one head and the values of all patches, in double
typedef struct mixture
{
    double mixed[3][N], values[N][8];
} mixture;

static void mix(const seen *s, mixture *m, int rows, int values)
{
    const float *p = scene_tensor(s->policy, "trans.projection");
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < N; n++) m->mixed[r][n] = (double)p[r * N + n];
    for (int i = 0; i < N; i++)
    {
        float row[N], patch[INPUTS];
        assert_true(sac_policy_attention_row(s->state, i, row));
        assert_true(sac_policy_patch(s->state, i, patch));
        for (int v = 0; v < values; v++) m->values[i][v] = layer(s, "value", v, patch);
        for (int r = 0; r < rows; r++)
            for (int n = 0; n < N; n++) m->mixed[r][n] += (double)p[r * N + i] * (double)row[n];
    }
}

// what rows are divided by in the norm
static double deviation(const mixture *m, int r, int values)
{
    double mean = 0, squares = 0;
    for (int v = 0; v < values; v++)
    {
        double told = 0;
        for (int n = 0; n < N; n++) told += m->mixed[r][n] * m->values[n][v];
        mean += told / values, squares += told * told / values;
    }
    return sqrt(squares - mean * mean + 1e-5);
}

// A patch contributes the length of the change of P V + P A V that follows when its row of V becomes the mean row.
TEST(a_contribution_is_what_a_patch_changes)
{
    enum
    {
        ROWS = 3,
        VALUES = 5
    };
    static const char *const words[] = {"attention=relu,attention_features=0,layer_norm=false", "attention=relu",
                                        "attention=softmax", "attention=positive,divide=true"};
    static mixture m;
    for (int k = 0; k < 4; k++)
    {
        char settings[256];
        snprintf(settings, sizeof settings, "kind=iap-trans,rows=3,value_size=5,%s", words[k]);
        seen s = look(settings);
        mix(&s, &m, ROWS, VALUES);
        double expected[N], largest = 0;
        for (int n = 0; n < N; n++)
        {
            double weight = 0, length = 0;
            for (int r = 0; r < ROWS; r++)
            {
                double size = k ? deviation(&m, r, VALUES) : 1;
                weight += m.mixed[r][n] * m.mixed[r][n] / (size * size);
            }
            for (int v = 0; v < VALUES; v++)
            {
                double mean = 0, gain = k ? 1 + (double)scene_tensor(s.policy, "trans.gain")[v] : 1;
                for (int j = 0; j < N; j++) mean += m.values[j][v] / N;
                length += gain * gain * (m.values[n][v] - mean) * (m.values[n][v] - mean);
            }
            expected[n] = sqrt(weight * length);
            largest = fmax(largest, expected[n]);
        }
        assert_true(largest > 0);
        assert_non_null(s.gaze.contribution);
        assert_ptr_equal(sac_gaze_shown(&s.gaze), s.gaze.contribution);
        // the tolerance of reference arrays: 1e-4 of the largest
        for (int n = 0; n < N; n++) assert_near(s.gaze.contribution[n], expected[n], 1e-4 * largest);
        forget(&s);
    }
    seen other = look("");
    assert_null(other.gaze.contribution);
    assert_ptr_equal(sac_gaze_shown(&other.gaze), other.gaze.importance);
    forget(&other);
}

TEST(masked_features_stay_in_their_place)
{
    seen s = look("patch_features=positions+values,value_size=3"),
         t = look("patch_features=positions+values,value_size=3,masking=true");
    enum
    {
        EACH = 5
    };
    assert_int_equal(t.gaze.told_count, EACH * N);
    int others = 0;
    for (int n = 0; n < N; n++)
    {
        const float *kept = NULL;
        for (int k = 0; k < t.gaze.kept; k++)
            if (t.gaze.top[k] == n) kept = s.gaze.told + EACH * k;
        for (int i = 0; i < EACH; i++) assert_true(t.gaze.told[EACH * n + i] == (kept ? kept[i] : 0));
        others += !kept;
    }
    assert_int_equal(others, N - 10);
    forget(&s), forget(&t);
}

TEST(values_are_a_layer_on_the_patch)
{
    seen s = look("patch_features=values,value_size=3");
    for (int k = 0; k < 10; k++)
    {
        float patch[INPUTS];
        assert_true(sac_policy_patch(s.state, s.gaze.top[k], patch));
        // at most 147 weights of 0.083 with pixels up to 1: a sum of at most 12.2, rounded 148 times
        for (int v = 0; v < 3; v++)
            assert_near(s.gaze.told[3 * k + v], layer(&s, "value", v, patch), 12.2 * 148 * 6e-8);
    }
    forget(&s);
}

// powers of two are exact: with one length for all, longer queries are the same queries
TEST(normalized_queries_have_no_length)
{
    seen s = look("attention=positive,normalise_tokens=true");
    float importance[N];
    memcpy(importance, s.gaze.importance, sizeof importance);
    int count = sac_policy_parameter_count(s.policy);
    float *parameters = malloc((size_t)count * sizeof *parameters);
    assert_non_null(parameters);
    memcpy(parameters, sac_policy_parameters(s.policy), (size_t)count * sizeof *parameters);
    for (int i = 0; i < 4 * (INPUTS + 1); i++) parameters[i] *= 8; // query.bias and query.weight
    sac_policy_state_set_parameters(s.state, parameters);
    sac_policy_act_float(s.state, floats, s.action);
    sac_policy_gaze(s.state, &s.gaze);
    assert_memory_equal(s.gaze.importance, importance, sizeof importance);
    free(parameters);
    forget(&s);
}

TEST(positions_are_added_to_the_patches)
{
    seen s = look(""), t = look("position_encoding=flat");
    const float *weight = scene_tensor(s.policy, "query.weight");
    for (int n = 0; n < N; n++)
        for (int d = 0; d < D; d++)
        {
            double sum = 0;
            for (int i = 0; i < INPUTS; i++)
            {
                double angle = n / pow(10000, (i - i % 2) / (double)INPUTS);
                sum += (double)weight[d * INPUTS + i] * (i % 2 ? cos(angle) : sin(angle));
            }
            assert_near((double)t.gaze.queries[n * D + d] - (double)s.gaze.queries[n * D + d], sum,
                        3 * 12.2 * 148 * 6e-8);
        }
    forget(&s), forget(&t);
}

TEST(the_same_bits_at_every_level)
{
    const sac_cpu_level best = sac_get_cpu_level();
    static const char *const agents[] = {"kind=iap-trans,position_encoding=flat", "kind=iap-trans,attention=relu",
                                         "kind=iap-trans,attention=hybrid,order=right",
                                         "attention=hybrid,normalise_tokens=true,patch_features=values,masking=true"};
    for (int i = 0; i < 4; i++)
    {
        float expected[3] = {0}, got[3];
        for (sac_cpu_level level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
        {
            sac_set_cpu_level(level);
            if (sac_get_cpu_level() != level) continue;
            seen s = look(agents[i]);
            sac_policy_act(s.state, image, got);
            forget(&s);
            if (level == SAC_CPU_SCALAR) memcpy(expected, got, sizeof expected);
            assert_memory_equal(got, expected, sizeof expected);
        }
    }
    sac_set_cpu_level(best);
}

TEST(a_file_holds_it)
{
    scratch_open();
    const char *path = scratch_path("policy.safetensors");
    seen s = look("kind=iap-trans,rows=2,attention=trig,order=middle,position_encoding=flat");
    sac_policy *loaded;
    sac_policy_info info = {.environment = "toy"};
    float action[3];
    assert_ok(sac_policy_save(s.policy, NULL, &info, path));
    assert_ok(sac_policy_load(&loaded, NULL, path));
    assert_string_equal(sac_policy_kind(loaded), "iap-trans");
    sac_policy_state *state = scene_state(loaded);
    sac_policy_act_float(state, floats, action);
    assert_memory_equal(action, s.action, sizeof action);
    sac_policy_state_destroy(state);
    sac_policy_destroy(loaded);
    forget(&s);
}

TEST(mistakes_are_named)
{
    sac_policy *policy;
    assert_fails(scene_create(&policy, "kind=iap-trans,attention=softmax,order=left"), SAC_ERROR_ARGUMENT,
                 "order is left, but softmax has no features to multiply in that order; expected cheapest or right");
    assert_fails(scene_create(&policy, "position_encoding=grid"), SAC_ERROR_ARGUMENT, "147 numbers, an odd number");
    assert_fails(scene_create(&policy, "kind=iap-trans,order=rihgt"), SAC_ERROR_ARGUMENT, "did you mean 'right'");
    assert_fails(scene_create(&policy, "kind=iap-trans,top=3"), SAC_ERROR_ARGUMENT, "top");
    assert_fails(scene_create(&policy, "kind=iap-tranz"), SAC_ERROR_ARGUMENT, "did you mean 'iap-trans'");
}

TESTS(parameters_follow_from_the_shapes, iap_trans_is_its_formula, every_order_gives_the_same_action,
      a_gaze_shows_what_attention_there_is, a_contribution_is_what_a_patch_changes, masked_features_stay_in_their_place,
      values_are_a_layer_on_the_patch, normalized_queries_have_no_length, positions_are_added_to_the_patches,
      the_same_bits_at_every_level, a_file_holds_it, mistakes_are_named)
