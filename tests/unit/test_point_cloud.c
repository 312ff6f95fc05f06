#include "failing_memory.h"
#include "policy/kind.h"
#include "saccade/learn.h"
#include "saccade/policy.h"
#include "saccade/tokens.h"
#include "test.h"

/// Policies of kind point-cloud: beside the same network in plain loops over doubles, which also gives the gradients by
/// finite differences.

enum
{
    N = 13, // rows of a cloud, of which two hold no point
    W = 6,
    UNITS = 7,
    HIDDEN = 5,
    LAYERS = 2,
    OUTPUTS = 7,
    TOUCH = 2, // numbers of a vector beside the cloud
    MOST = 2000
};

static const char *const forms[] = {"softmax", "relu", "sara-relu", "sara-exp", "sara-square"};
enum
{
    FORMS = sizeof forms / sizeof *forms
};

static const float low[OUTPUTS] = {-9, -9, -9, -1, -1, -1, -4}, high[OUTPUTS] = {9, 9, 9, 1, 1, 1, 4};

static const double unit = 0.5, down = 0.3, tip_unit = 0.7; // as set below

static sac_policy *make(const char *form, bool center)
{
    const sac_setting settings[] = {{"width", "6"},  {"units", "7"},      {"hidden", "5"},
                                    {"layers", "2"}, {"attention", form}, {"unit", "0.5"},
                                    {"down", "0.3"}, {"tip_unit", "0.7"}, {"center", center ? "true" : "false"}};
    const sac_space inputs[] = {{.name = "touch", .kind = SAC_SPACE_VECTOR, .shape = {TOUCH}},
                                {.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {N, 3}}};
    const sac_policy_def def = {.kind = "point-cloud",
                                .settings = settings,
                                .setting_count = 9,
                                .inputs = inputs,
                                .input_count = 2,
                                .action_size = OUTPUTS,
                                .action_low = low,
                                .action_high = high};
    sac_policy *empty, *policy;
    static float parameters[MOST];
    assert_ok(sac_policy_create(&empty, &def));
    assert_true(sac_policy_parameter_count(empty) < MOST);
    fill_uniform(parameters, (size_t)sac_policy_parameter_count(empty), 3); // gains and shifts, too
    for (int i = 0; i < MOST; i++) parameters[i] *= 0.6f;
    assert_ok(sac_policy_create_with(&policy, empty, parameters));
    sac_policy_destroy(empty);
    return policy;
}

// a long cloud beside the origin
static void fill_cloud(float cloud[3 * N], uint64_t seed)
{
    fill_uniform(cloud, 3 * N, seed);
    for (int i = 0; i < N; i++) cloud[3 * i] = 2 * cloud[3 * i] + 0.5f, cloud[3 * i + 2] *= 0.3f;
    cloud[3 * 4 + 1] = NAN, cloud[3 * 9] = INFINITY;
}

// --- the twin

typedef struct twin
{
    const sac_policy *policy;
    const double *parameters;
    const char *form;
    bool center;
} twin;

static const double *tensor(const twin *t, const char *name)
{
    for (int i = 0; i < sac_policy_tensor_count(t->policy); i++)
        if (strcmp(sac_policy_tensor_at(t->policy, i)->name, name) == 0)
            return t->parameters + sac_policy_tensor_at(t->policy, i)->offset;
    fail_msg("no tensor %s", name);
    return NULL;
}

static void twin_linear(double *out, const double *weights, const double *bias, const double *x, int outputs,
                        int inputs)
{
    for (int o = 0; o < outputs; o++)
    {
        out[o] = bias ? bias[o] : 0;
        for (int i = 0; i < inputs; i++) out[o] += weights[o * inputs + i] * x[i];
    }
}

static void twin_relu(double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

static void twin_norm(double x[W], const double *gain, const double *shift)
{
    double mean = 0, square = 0;
    for (int i = 0; i < W; i++) mean += x[i] / W;
    for (int i = 0; i < W; i++) square += (x[i] - mean) * (x[i] - mean) / W;
    for (int i = 0; i < W; i++) x[i] = (x[i] - mean) / sqrt(square + 1e-5) * (1 + gain[i]) + shift[i];
}

static double twin_map(const twin *t, double u)
{
    if (strcmp(t->form, "sara-exp") == 0) return exp(u);
    return strcmp(t->form, "sara-square") == 0 ? u * u : u > 0 ? u : 0;
}

static double twin_received[N]; // how much attention each point received in all layers so far

// what one query gathers
static void twin_attend(const twin *t, double out[W], const double *query, const double (*mixed)[3 * W], int count)
{
    double total = strcmp(t->form, "softmax") == 0 ? 0 : 1e-6, weights[N];
    for (int w = 0; w < W; w++) out[w] = 0;
    for (int j = 0; j < count; j++)
    {
        double weight = 0;
        for (int w = 0; w < W; w++)
            weight += strcmp(t->form, "softmax") == 0 ? query[w] * mixed[j][W + w]
                                                      : twin_map(t, query[w]) * twin_map(t, mixed[j][W + w]);
        if (strcmp(t->form, "softmax") == 0) weight = exp(weight / sqrt(W));
        total += weights[j] = weight;
        for (int w = 0; w < W; w++) out[w] += weight * mixed[j][2 * W + w];
    }
    for (int w = 0; w < W; w++) out[w] /= total;
    for (int j = 0; j < count; j++) twin_received[j] += weights[j] / total;
}

static void twin_layer(const twin *t, double (*x)[W], int layer, int count)
{
    static double mixed[N][3 * W];
    double gathered[W], more[W], units[UNITS];
    for (int i = 0; i < count; i++)
        twin_linear(mixed[i], tensor(t, "mix.weight") + (ptrdiff_t)layer * 3 * W * W, NULL, x[i], 3 * W, W);
    for (int i = 0; i < count; i++)
    {
        twin_attend(t, gathered, mixed[i], (const double(*)[3 * W]) mixed, count);
        twin_linear(more, tensor(t, "out.weight") + (ptrdiff_t)layer * W * W, tensor(t, "out.bias") + layer * W,
                    gathered, W, W);
        for (int w = 0; w < W; w++) x[i][w] += more[w];
        twin_norm(x[i], tensor(t, "middle_norm.gain") + layer * W, tensor(t, "middle_norm.shift") + layer * W);
        twin_linear(units, tensor(t, "up.weight") + (ptrdiff_t)layer * UNITS * W, tensor(t, "up.bias") + layer * UNITS,
                    x[i], UNITS, W);
        twin_relu(units, UNITS);
        twin_linear(more, tensor(t, "down.weight") + (ptrdiff_t)layer * W * UNITS, tensor(t, "down.bias") + layer * W,
                    units, W, UNITS);
        for (int w = 0; w < W; w++) x[i][w] += more[w];
        twin_norm(x[i], tensor(t, "norm.gain") + layer * W, tensor(t, "norm.shift") + layer * W);
    }
}

// the points, and the numbers that are told beside them
static int twin_read(const twin *t, double (*points)[3], double *told, const float *cloud, const float *touch)
{
    const sac_cloud described = {cloud, N, 0, 3 * sizeof(float)};
    float center[3] = {0}, axis[3];
    int count = 0, at = 0;
    if (t->center)
    {
        sac_cloud_center(center, &described);
        sac_cloud_axis(axis, &described);
        for (int d = 0; d < 3; d++) told[d] = (double)center[d] / unit, told[3 + d] = (double)axis[d];
        at = 6;
    }
    for (int i = 0; i < TOUCH; i++) told[at + i] = (double)touch[i];
    for (int i = 0; i < N; i++)
    {
        const float *p = cloud + (ptrdiff_t)3 * i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) continue;
        for (int d = 0; d < 3; d++)
            points[count][d] = (double)(p[d] - center[d]) / unit; // floats are what the policy sees
        count++;
    }
    return count;
}

static void twin_run(const twin *t, double out[OUTPUTS], const float *cloud, const float *touch)
{
    double points[N][3], x[N][W], pooled[2 * W + 6 + TOUCH] = {0}, near[W], hidden[HIDDEN];
    memset(twin_received, 0, sizeof twin_received);
    const int count = twin_read(t, points, pooled + (ptrdiff_t)2 * W, cloud, touch);
    for (int i = 0; i < count; i++)
    {
        twin_linear(near, tensor(t, "near.weight"), tensor(t, "near.bias"), points[i], W, 3);
        twin_relu(near, W);
        twin_linear(x[i], tensor(t, "embed.weight"), tensor(t, "embed.bias"), near, W, W);
        twin_relu(x[i], W);
    }
    for (int l = 0; l < LAYERS; l++) twin_layer(t, x, l, count);
    for (int i = 0; i < count; i++)
        for (int w = 0; w < W; w++)
        {
            pooled[w] = i == 0 || x[i][w] > pooled[w] ? x[i][w] : pooled[w];
            pooled[W + w] += x[i][w] / count;
        }
    twin_linear(hidden, tensor(t, "head.weight"), tensor(t, "head.bias"), pooled, HIDDEN,
                2 * W + TOUCH + (t->center ? 6 : 0));
    for (int i = 0; i < HIDDEN; i++) hidden[i] = tanh(hidden[i]);
    twin_linear(out, tensor(t, "grasp.weight"), tensor(t, "grasp.bias"), hidden, OUTPUTS, HIDDEN);
    for (int i = 0; i < 3; i++) out[i] *= tip_unit;
    out[5] -= down;
    const double length = sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5]);
    for (int i = 3; i < 6; i++) out[i] /= length;
    out[6] = M_PI * tanh(out[6]);
}

static void twin_take(double *parameters, const sac_policy *policy)
{
    for (int i = 0; i < sac_policy_parameter_count(policy); i++)
        parameters[i] = (double)sac_policy_parameters(policy)[i];
}

// --- tests

// Sums of at most N terms round N times, in each of about a dozen steps, of which norms enlarge what they are given by
// up to 1 / deviation: here ten times. That is a promise of 1e-4, as for golden values.
static const double promise = 1e-4;

TEST(acting_equals_the_twin)
{
    float cloud[3 * N], touch[TOUCH], action[OUTPUTS];
    static double parameters[MOST];
    double expected[OUTPUTS];
    for (int f = 0; f < 2 * FORMS; f++)
    {
        sac_policy *policy = make(forms[f / 2], f % 2);
        sac_policy_state *state;
        const twin t = {policy, parameters, forms[f / 2], f % 2};
        twin_take(parameters, policy);
        assert_ok(sac_policy_state_create(&state, policy));
        for (uint64_t seed = 1; seed < 5; seed++)
        {
            fill_cloud(cloud, seed);
            fill_uniform(touch, TOUCH, 50 + seed);
            sac_policy_act_on(state, (const void *const[]){touch, cloud}, action);
            twin_run(&t, expected, cloud, touch);
            for (int i = 0; i < OUTPUTS; i++) assert_near((double)action[i], expected[i], promise);
            assert_near(hypot(hypot((double)action[3], (double)action[4]), (double)action[5]), 1, 4 * 0x1p-24);
        }
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

TEST(neither_order_nor_empty_rows_matter)
{
    float cloud[3 * N], turned[3 * N], touch[TOUCH] = {0.1f, -0.2f}, action[OUTPUTS], again[OUTPUTS];
    for (int f = 0; f < FORMS; f++)
    {
        sac_policy *policy = make(forms[f], true);
        sac_policy_state *state;
        assert_ok(sac_policy_state_create(&state, policy));
        fill_cloud(cloud, 7);
        for (int i = 0; i < N; i++) memcpy(turned + (ptrdiff_t)3 * i, cloud + (ptrdiff_t)3 * (N - 1 - i), 12);
        sac_policy_act_on(state, (const void *const[]){touch, cloud}, action);
        sac_policy_act_on(state, (const void *const[]){touch, turned}, again);
        for (int i = 0; i < OUTPUTS; i++) assert_near((double)action[i], (double)again[i], promise);
        // nothing at all: numbers still, and the same ones each time
        for (int i = 0; i < 3 * N; i++) turned[i] = NAN;
        sac_policy_act_on(state, (const void *const[]){touch, turned}, action);
        sac_policy_act_on(state, (const void *const[]){touch, turned}, again);
        for (int i = 0; i < OUTPUTS; i++) assert_true(isfinite(action[i]));
        assert_memory_equal(action, again, sizeof action);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

// Each point of each layer shares an attention of 1 out, and what comes of it stands in the rows of the cloud. Reading
// it changes no action.
TEST(attention_is_read_by_rows)
{
    float cloud[3 * N], touch[TOUCH] = {0.1f, -0.2f}, action[OUTPUTS], again[OUTPUTS];
    static double parameters[MOST];
    double ignored[OUTPUTS];
    for (int f = 0; f < 2 * FORMS; f++)
    {
        sac_policy *policy = make(forms[f / 2], f % 2);
        sac_policy_state *state;
        sac_gaze gaze;
        const twin t = {policy, parameters, forms[f / 2], f % 2};
        twin_take(parameters, policy);
        assert_ok(sac_policy_state_create(&state, policy));
        sac_policy_gaze(state, &gaze); // before it has looked at anything
        assert_true(gaze.rows == N && gaze.columns == 1 && gaze.patch == 0);
        for (int i = 0; i < N; i++) assert_true(gaze.importance[i] == 0);
        fill_cloud(cloud, 7);
        twin_run(&t, ignored, cloud, touch);
        sac_policy_act_on(state, (const void *const[]){touch, cloud}, action);
        memset(cloud, 0, sizeof cloud); // the policy has its own copy
        sac_policy_gaze(state, &gaze);
        for (int row = 0, point = 0; row < N; row++)
        {
            const bool none = row == 4 || row == 9;
            assert_near((double)gaze.importance[row], none ? 0 : twin_received[point] / LAYERS, promise);
            point += !none;
        }
        fill_cloud(cloud, 7);
        sac_policy_act_on(state, (const void *const[]){touch, cloud}, again);
        assert_memory_equal(action, again, sizeof action);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

enum
{
    FRAMES = 3
};

// three frames, of which the last one is empty
typedef struct frames
{
    float clouds[FRAMES][3 * N], touches[FRAMES][TOUCH];
    const void *parts[2 * FRAMES];
    float doutputs[FRAMES * OUTPUTS];
    sac_batch batch;
} frames;

static void fill_frames(frames *f)
{
    *f = (frames){.batch = {.steps = 1, .sequences = FRAMES, .temperature = 1}};
    for (int i = 0; i < FRAMES; i++)
    {
        fill_cloud(f->clouds[i], 20 + (uint64_t)i);
        fill_uniform(f->touches[i], TOUCH, 30 + (uint64_t)i);
        f->parts[2 * i] = f->touches[i], f->parts[2 * i + 1] = f->clouds[i];
    }
    for (int i = 0; i < 3 * N; i++) f->clouds[FRAMES - 1][i] = NAN;
    fill_uniform(f->doutputs, FRAMES * OUTPUTS, 4);
    f->batch.parts = f->parts;
}

static double twin_loss(const twin *t, const frames *f)
{
    double loss = 0, out[OUTPUTS];
    for (int i = 0; i < FRAMES; i++)
    {
        twin_run(t, out, f->clouds[i], f->touches[i]);
        for (int o = 0; o < OUTPUTS; o++) loss += out[o] * (double)f->doutputs[i * OUTPUTS + o];
    }
    return loss;
}

static void check_gradient(const char *form, bool center)
{
    static double parameters[MOST];
    static float sums[MOST];
    static frames f;
    float outputs[FRAMES * OUTPUTS];
    sac_policy *policy = make(form, center);
    const twin t = {policy, parameters, form, center};
    const sac_gradient_def def = sac_gradient_default_def();
    const int count = sac_policy_parameter_count(policy);
    sac_gradient *g;
    fill_frames(&f);
    twin_take(parameters, policy);
    assert_ok(sac_gradient_create(&g, policy, &def));
    assert_int_equal(sac_gradient_output_size(g), OUTPUTS);
    void *workspace = aligned_alloc(64, (sac_gradient_workspace_size(g, 1, FRAMES) + 63) / 64 * 64);
    memset(sums, 0, sizeof sums);
    sac_gradient_forward(g, outputs, sac_policy_parameters(policy), &f.batch, workspace);
    sac_gradient_backward(g, sums, f.doutputs, sac_policy_parameters(policy), &f.batch, workspace);
    double expected[OUTPUTS], largest = 0;
    for (int i = 0; i < FRAMES; i++)
    {
        twin_run(&t, expected, f.clouds[i], f.touches[i]);
        for (int o = 0; o < OUTPUTS; o++) assert_near((double)outputs[i * OUTPUTS + o], expected[o], promise);
    }
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs((double)sums[i]));
    for (int i = 0; i < count; i++)
    {
        // of order h^2 = 1e-10, and 1e-16 / h of rounding: far below the promise
        const double kept = parameters[i], h = 1e-5;
        parameters[i] = kept + h;
        const double above = twin_loss(&t, &f);
        parameters[i] = kept - h;
        const double slope = (above - twin_loss(&t, &f)) / (2 * h);
        parameters[i] = kept;
        if (!(fabs((double)sums[i] - slope) <= 10 * promise * largest))
            fail_msg("%s, parameter %d: %.9g, expected %.9g", form, i, (double)sums[i], slope);
    }
    free(workspace);
    sac_gradient_destroy(g);
    sac_policy_destroy(policy);
}

TEST(gradients_are_finite_differences_of_the_twin)
{
    for (int f = 0; f < FORMS; f++) check_gradient(forms[f], f % 2);
}

// acting and both passes, at every level
TEST(levels_give_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    static float sums[2][MOST], outputs[2][FRAMES * OUTPUTS + OUTPUTS];
    static frames f;
    fill_frames(&f);
    for (int form = 0; form < FORMS; form++)
        for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
        {
            sac_set_cpu_level((sac_cpu_level)level);
            const int at = level > SAC_CPU_SCALAR;
            sac_policy *policy = make(forms[form], true);
            sac_policy_state *state;
            sac_gradient *g;
            const sac_gradient_def def = sac_gradient_default_def();
            assert_ok(sac_policy_state_create(&state, policy));
            assert_ok(sac_gradient_create(&g, policy, &def));
            void *workspace = aligned_alloc(64, (sac_gradient_workspace_size(g, 1, FRAMES) + 63) / 64 * 64);
            memset(sums[at], 0, sizeof sums[at]);
            sac_gradient_forward(g, outputs[at], sac_policy_parameters(policy), &f.batch, workspace);
            sac_gradient_backward(g, sums[at], f.doutputs, sac_policy_parameters(policy), &f.batch, workspace);
            sac_policy_act_on(state, f.parts, outputs[at] + (ptrdiff_t)FRAMES * OUTPUTS);
            if (at)
            {
                assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
                assert_memory_equal(outputs[0], outputs[1], sizeof outputs[0]);
            }
            free(workspace);
            sac_gradient_destroy(g);
            sac_policy_state_destroy(state);
            sac_policy_destroy(policy);
        }
    sac_set_cpu_level(best);
}

// it learns where clouds are, and where they point
TEST(it_learns_from_examples)
{
    enum
    {
        EXAMPLES = 64
    };
    static float clouds[EXAMPLES * 3 * N], touches[EXAMPLES * TOUCH], actions[EXAMPLES * OUTPUTS];
    for (int i = 0; i < EXAMPLES; i++)
    {
        const sac_cloud cloud = {clouds + (ptrdiff_t)i * 3 * N, N, 0, 3 * sizeof(float)};
        float *action = actions + (ptrdiff_t)i * OUTPUTS;
        fill_cloud(clouds + (ptrdiff_t)i * 3 * N, 100 + (uint64_t)i);
        sac_cloud_center(action, &cloud);
        sac_cloud_axis(action + 3, &cloud);
        action[6] = action[0];
    }
    sac_policy *policy = make("sara-relu", true);
    const sac_examples examples = {
        .count = EXAMPLES, .actions = actions, .parts = (const void *const[]){touches, clouds}};
    sac_fit_def def = sac_fit_default_def();
    def.batch = 16;
    def.rate = 1e-2;
    sac_fit *fit;
    double loss[2];
    assert_ok(sac_fit_create(&fit, policy, &def));
    assert_ok(sac_fit_run(fit, &examples, 400, loss));
    assert_true(loss[1] < loss[0] / 4);
    sac_fit_destroy(fit);
    sac_policy_destroy(policy);
}

static sac_status create(sac_policy **out, const char *key, const char *value, int height, int width, int actions)
{
    const sac_setting setting = {key, value};
    const sac_space cloud = {.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {height, width}};
    const sac_policy_def def = {.kind = "point-cloud",
                                .settings = &setting,
                                .setting_count = 1,
                                .inputs = &cloud,
                                .input_count = 1,
                                .action_size = actions,
                                .action_low = low,
                                .action_high = high};
    return sac_policy_create(out, &def);
}

TEST(what_does_not_fit_is_named)
{
    sac_policy *policy;
    sac_gradient *g;
    const sac_gradient_def def = sac_gradient_default_def();
    assert_fails(create(&policy, "layers", "1", 8, 4, 7), SAC_ERROR_ARGUMENT, "points of 3 floats");
    assert_fails(create(&policy, "layers", "1", 8, 3, 6), SAC_ERROR_ARGUMENT, "7 numbers");
    assert_fails(create(&policy, "attention", "sara", 8, 3, 7), SAC_ERROR_ARGUMENT, "sara");
    assert_null(policy);
    assert_ok(create(&policy, "attention_features", "9", 8, 3, 7));
    assert_ok(sac_gradient_create(&g, policy, &def)); // softmax draws none
    sac_gradient_destroy(g);
    sac_policy_destroy(policy);
    assert_survives_lack_of_memory(create(&policy, "layers", "1", 8, 3, 7), sac_policy_destroy(policy));
}

TEST(acting_allocates_nothing)
{
    sac_policy *policy = make("softmax", true);
    sac_policy_state *state;
    float cloud[3 * N], touch[TOUCH] = {0}, action[OUTPUTS];
    fill_cloud(cloud, 1);
    assert_ok(sac_policy_state_create(&state, policy));
    failing.until_failure = 0, failing.failed = false;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    sac_policy_state_reset(state);
    sac_policy_act_on(state, (const void *const[]){touch, cloud}, action);
    sac_set_allocator(NULL);
    assert_false(failing.failed);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TESTS(acting_equals_the_twin, neither_order_nor_empty_rows_matter, attention_is_read_by_rows,
      gradients_are_finite_differences_of_the_twin, levels_give_the_same_bits, it_learns_from_examples,
      what_does_not_fit_is_named, acting_allocates_nothing)
