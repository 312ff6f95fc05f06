#include <float.h>

#include "base/memory.h"

#include "failing_memory.h"
#include "policy_scene.h"

/// Policies of kind action-tokens. What acts with a cache of frames equals the whole history computed anew, in doubles
/// and straight from the formulas.

enum
{
    SIDE = 24, // of the picture, in patches of 6
    PATCH = 6,
    COUNT = 16, // tokens a frame
    INPUTS = PATCH * PATCH * 3,
    WIDTH = 8,
    HEADS = 2,
    SIZE = WIDTH / HEADS,
    UNITS = 12,
    LAYERS = 2,
    BINS = 16,
    ACTIONS = 3,
    HISTORY = 3,
    FRAMES = 7,
    PICTURE = SIDE * SIDE * 3
};

// --- the same in doubles ---

/// Each number that is computed is changed by up to what rounding its sum to float may change: `noise` is the sign and
/// the share of that. 0: exact.
typedef struct plain
{
    const sac_policy *policy;
    bool softmax;
    double noise;
    sac_stream stream;
} plain;

static double rounded(plain *p, double x, double size, int count)
{
    if (p->noise == 0) return x;
    const double sign = sac_stream_below(&p->stream, 2) ? 1 : -1;
    return x + sign * p->noise * count * (double)FLT_EPSILON / 2 * size;
}

static double number(const plain *p, const char *tensor, int index)
{
    return (double)scene_tensor(p->policy, tensor)[index];
}

// out [rows] = weight [rows, size] x + bias, from row `first` of a tensor on
static void layer(plain *p, double *out, const char *name, int first, int rows, const double *x, int size)
{
    char bias[64], weight[64];
    snprintf(bias, sizeof bias, "%.40s.bias", name);
    snprintf(weight, sizeof weight, "%.40s.weight", name);
    for (int r = 0; r < rows; r++)
    {
        double sum = number(p, bias, first + r), magnitude = fabs(sum);
        for (int i = 0; i < size; i++)
        {
            const double product = number(p, weight, (first + r) * size + i) * x[i];
            sum += product;
            magnitude += fabs(product);
        }
        out[r] = rounded(p, sum, magnitude, size + 2);
    }
}

static void norm(plain *p, double *out, const double *x, const char *gain, int first)
{
    double mean = 0, square = 0, size = 0;
    for (int i = 0; i < WIDTH; i++) mean += x[i] / WIDTH, size += fabs(x[i]);
    for (int i = 0; i < WIDTH; i++) square += (x[i] - mean) * (x[i] - mean) / WIDTH;
    for (int i = 0; i < WIDTH; i++)
    {
        const double deviation = sqrt(square + (double)1e-5f), factor = 1 + number(p, gain, first + i);
        // the mean's rounding is of the size of the numbers, the rest of that of the result
        const double apart = rounded(p, x[i] - mean, size / WIDTH + fabs(x[i]), WIDTH + 2);
        out[i] = rounded(p, apart / deviation * factor, fabs(apart / deviation * factor), 2 * WIDTH + 8);
    }
}

static double unnormalised(plain *p, const double *query, const double *key)
{
    double sum = 0, size = 0;
    for (int d = 0; d < SIZE; d++)
    {
        const double one = p->softmax ? query[d] * key[d] / sqrt((double)SIZE) : fmax(query[d], 0) * fmax(key[d], 0);
        sum += one;
        size += fabs(one);
    }
    sum = rounded(p, sum, size, SIZE + 4);
    return p->softmax ? rounded(p, exp(sum), exp(sum), 8) : sum;
}

/// Tokens that are looked at: their keys and values, [WIDTH] each, and a factor of all of them by head.
typedef struct looked
{
    double keys[WIDTH], values[WIDTH], factor[HEADS];
} looked;

static void gather(plain *p, double *out, const double *query, const looked *tokens, int count)
{
    for (int h = 0; h < HEADS; h++)
    {
        double total = 0, sums[SIZE] = {0}, sizes[SIZE] = {0};
        for (int j = 0; j < count; j++)
        {
            const double weight = tokens[j].factor[h] * unnormalised(p, query + h * SIZE, tokens[j].keys + h * SIZE);
            total += weight;
            for (int d = 0; d < SIZE; d++)
            {
                sums[d] += weight * tokens[j].values[h * SIZE + d];
                sizes[d] += fabs(weight * tokens[j].values[h * SIZE + d]);
            }
        }
        for (int d = 0; d < SIZE; d++)
            out[h * SIZE + d] = total > 0 ? rounded(p, sums[d] / total, sizes[d] / total, 2 * count + 4) : 0;
    }
}

static void perceive(plain *p, double *x, const double *attended, const char *name, int layer_index)
{
    char text[4][32];
    static const char *const parts[] = {"out", "middle_norm", "up", "down"};
    for (int i = 0; i < 4; i++) snprintf(text[i], sizeof text[i], "%s.%s", name, parts[i]);
    double more[WIDTH], normed[WIDTH], units[UNITS];
    layer(p, more, text[0], layer_index * WIDTH, WIDTH, attended, WIDTH);
    for (int i = 0; i < WIDTH; i++) x[i] = rounded(p, x[i] + more[i], fabs(x[i]) + fabs(more[i]), 1);
    norm(p, normed, x, text[1], layer_index * WIDTH);
    layer(p, units, text[2], layer_index * UNITS, UNITS, normed, WIDTH);
    for (int i = 0; i < UNITS; i++) units[i] = fmax(units[i], 0);
    layer(p, more, text[3], layer_index * WIDTH, WIDTH, units, UNITS);
    for (int i = 0; i < WIDTH; i++) x[i] = rounded(p, x[i] + more[i], fabs(x[i]) + fabs(more[i]), 1);
}

// A frame of an age becomes what the decoder looks at.
static void encode(plain *p, looked *out, const float *picture, int age)
{
    static double x[COUNT][WIDTH], mixed[COUNT][3 * WIDTH];
    static looked tokens[COUNT];
    for (int n = 0; n < COUNT; n++)
    {
        double patch[INPUTS];
        for (int i = 0; i < INPUTS; i++)
        {
            const int row = n / 4 * PATCH + i / (PATCH * 3), column = n % 4 * PATCH * 3 + i % (PATCH * 3);
            patch[i] = (double)picture[row * SIDE * 3 + column];
        }
        layer(p, x[n], "patches", 0, WIDTH, patch, INPUTS);
    }
    for (int l = 0; l < LAYERS; l++)
    {
        for (int n = 0; n < COUNT; n++)
        {
            double normed[WIDTH];
            norm(p, normed, x[n], "encoder.norm", l * WIDTH);
            layer(p, mixed[n], "encoder.mix", l * 3 * WIDTH, 3 * WIDTH, normed, WIDTH);
            memcpy(tokens[n].keys, mixed[n] + WIDTH, sizeof tokens[n].keys);
            memcpy(tokens[n].values, mixed[n] + 2 * WIDTH, sizeof tokens[n].values);
            for (int h = 0; h < HEADS; h++) tokens[n].factor[h] = 1;
        }
        for (int n = 0; n < COUNT; n++)
        {
            double attended[WIDTH];
            gather(p, attended, mixed[n], tokens, COUNT);
            perceive(p, x[n], attended, "encoder", l);
        }
    }
    for (int n = 0; n < COUNT; n++)
    {
        double normed[WIDTH], both[2 * WIDTH];
        norm(p, normed, x[n], "memory.norm", 0);
        layer(p, both, "memory", 0, 2 * WIDTH, normed, WIDTH);
        memcpy(out[n].keys, both, sizeof out[n].keys);
        memcpy(out[n].values, both + WIDTH, sizeof out[n].values);
        for (int h = 0; h < HEADS; h++)
            out[n].factor[h] = rounded(p, exp(number(p, "memory.ages", h * HISTORY + age)), 2, 4);
    }
}

// The logits of a step from all frames of its history, the last one the newest; `said` are the bins that were said.
static void speak(plain *p, double logits[ACTIONS][BINS], const float *const *pictures, int frames, const int *said)
{
    static looked tokens[HISTORY * COUNT + ACTIONS];
    for (int f = 0; f < frames; f++) encode(p, tokens + f * COUNT, pictures[f], frames - 1 - f);
    int count = frames * COUNT;
    for (int a = 0; a < ACTIONS; a++)
    {
        double x[WIDTH], normed[WIDTH], mixed[3 * WIDTH], attended[WIDTH];
        for (int i = 0; i < WIDTH; i++)
            x[i] = number(p, "dimensions", a * WIDTH + i) + (a > 0 ? number(p, "bins", said[a - 1] * WIDTH + i) : 0);
        norm(p, normed, x, "decoder.norm", 0);
        layer(p, mixed, "decoder.mix", 0, 3 * WIDTH, normed, WIDTH);
        memcpy(tokens[count].keys, mixed + WIDTH, sizeof tokens[count].keys);
        memcpy(tokens[count].values, mixed + 2 * WIDTH, sizeof tokens[count].values);
        for (int h = 0; h < HEADS; h++) tokens[count].factor[h] = 1;
        gather(p, attended, mixed, tokens, ++count);
        perceive(p, x, attended, "decoder", 0);
        norm(p, normed, x, "logits.norm", 0);
        for (int b = 0; b < BINS; b++)
        {
            double sum = number(p, "logits.bias", a * BINS + b), size = fabs(sum);
            for (int i = 0; i < WIDTH; i++)
            {
                const double product = number(p, "logits.weight", b * WIDTH + i) * normed[i];
                sum += product;
                size += fabs(product);
            }
            logits[a][b] = rounded(p, sum, size, WIDTH + 2);
        }
    }
}

// --- tests ---

static int bin_of(float action, int dimension)
{
    const double low = dimension == 0 ? -1 : 0;
    return (int)lround(((double)action - low) / (1 - low) * (BINS - 1));
}

static void draw_frames(float frames[FRAMES][PICTURE])
{
    sac_stream stream = sac_stream_create(21, 0, 0);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < PICTURE; i++) frames[f][i] = (float)sac_stream_uniform(&stream, 0, 1);
}

static sac_status create_small(sac_policy **out, const char *attention)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1};
    const sac_setting settings[] = {{"image_size", "0"},
                                    {"width", "8"},
                                    {"heads", "2"},
                                    {"units", "12"},
                                    {"layers", "2"},
                                    {"bins", "16"},
                                    {"position_encoding", "none"},
                                    {"attention", attention}};
    return sac_policy_create(out, &(sac_policy_def){.kind = "action-tokens",
                                                    .settings = settings,
                                                    .setting_count = sizeof settings / sizeof *settings,
                                                    .height = SIDE,
                                                    .width = SIDE,
                                                    .channels = 3,
                                                    .action_size = ACTIONS,
                                                    .action_low = low,
                                                    .action_high = high});
}

// with drawn parameters, also of the tensors that start at zero
static sac_policy *small_policy(const char *attention)
{
    sac_policy *shape, *policy;
    assert_ok(create_small(&shape, attention));
    float *parameters = malloc((size_t)sac_policy_parameter_count(shape) * sizeof *parameters);
    assert_non_null(parameters);
    sac_policy_draw(shape, 4, parameters);
    for (int i = 0; i < sac_policy_tensor_count(shape); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(shape, i);
        sac_stream stream = sac_stream_create(5, (uint64_t)i, 0);
        for (size_t k = 0; tensor->init_limit == 0 && k < sac_policy_tensor_size(tensor); k++)
            parameters[tensor->offset + k] = (float)sac_stream_uniform(&stream, -0.5, 0.5);
    }
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

// How far the logits of a step are from those of doubles, beside what rounding may make of them: twice the largest
// change of any logit when every number that is computed is off by its worst rounding, with signs drawn eight times.
static void compare_step(const sac_policy *policy, bool softmax, const float *const *frames, int count, const int *said,
                         const float *logits)
{
    static double exact[ACTIONS][BINS], moved[ACTIONS][BINS];
    plain p = {.policy = policy, .softmax = softmax, .stream = sac_stream_create(77, (uint64_t)count, 0)};
    speak(&p, exact, frames, count, said);
    double allowed = 0;
    p.noise = 1;
    for (int draw = 0; draw < 8; draw++)
    {
        speak(&p, moved, frames, count, said);
        for (int i = 0; i < ACTIONS * BINS; i++)
            allowed = fmax(allowed, 2 * fabs(moved[i / BINS][i % BINS] - exact[i / BINS][i % BINS]));
    }
    assert_true(allowed < 1e-3); // the policy itself is not ill-conditioned
    for (int i = 0; i < ACTIONS * BINS; i++)
        if (!(fabs((double)logits[i] - exact[i / BINS][i % BINS]) <= allowed))
            fail_msg("logit %d of %d frames is %.9g, expected %.9g +- %.2g", i, count, (double)logits[i],
                     exact[i / BINS][i % BINS], allowed);
}

static void check_cache(const char *attention)
{
    static float frames[FRAMES][PICTURE];
    draw_frames(frames);
    sac_policy *policy = small_policy(attention);
    sac_policy_state *state = scene_state(policy);
    for (int t = 0; t < FRAMES; t++)
    {
        float action[ACTIONS];
        sac_gaze gaze;
        sac_policy_act_float(state, frames[t], action);
        sac_policy_gaze(state, &gaze);
        assert_int_equal(gaze.output_size, ACTIONS * BINS);
        const float *history[HISTORY];
        const int count = t + 1 < HISTORY ? t + 1 : HISTORY;
        for (int i = 0; i < count; i++) history[i] = frames[t - count + 1 + i];
        int said[ACTIONS];
        for (int a = 0; a < ACTIONS; a++) said[a] = bin_of(action[a], a);
        compare_step(policy, strcmp(attention, "softmax") == 0, history, count, said, gaze.output);
        for (int a = 0; a < ACTIONS; a++)
            for (int b = 0; b < BINS; b++) assert_true(gaze.output[a * BINS + b] <= gaze.output[a * BINS + said[a]]);
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(cached_softmax_equals_the_whole_history)
{
    check_cache("softmax");
}

TEST(cached_sums_equal_the_whole_history)
{
    check_cache("sara-relu");
}

// A frame that has left the history has left no trace: the same bits as of an episode that began behind it.
TEST(old_frames_leave_no_trace)
{
    static const char *const forms[] = {"softmax", "sara-relu", "sara-exp", "sara-square", "relu"};
    static float frames[FRAMES][PICTURE];
    draw_frames(frames);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    {
        sac_policy *policy = small_policy(forms[f]);
        sac_policy_state *all = scene_state(policy), *late = scene_state(policy);
        float action[ACTIONS], other[ACTIONS];
        for (int t = 0; t < FRAMES; t++) sac_policy_act_float(all, frames[t], action);
        for (int t = FRAMES - HISTORY; t < FRAMES; t++) sac_policy_act_float(late, frames[t], other);
        sac_gaze a, b;
        sac_policy_gaze(all, &a);
        sac_policy_gaze(late, &b);
        assert_memory_equal(a.output, b.output, (size_t)a.output_size * sizeof *a.output);
        assert_memory_equal(a.importance, b.importance, COUNT * sizeof *a.importance);
        sac_policy_state_reset(all);
        sac_policy_state_reset(late);
        sac_policy_act_float(all, frames[0], action);
        sac_policy_act_float(late, frames[0], other);
        assert_memory_equal(action, other, sizeof action);
        sac_policy_state_destroy(all);
        sac_policy_state_destroy(late);
        sac_policy_destroy(policy);
    }
}

static void run_at(sac_cpu_level level, const char *attention, float logits[FRAMES][ACTIONS * BINS])
{
    static float frames[FRAMES][PICTURE];
    const sac_cpu_level best = sac_get_cpu_level();
    draw_frames(frames);
    sac_set_cpu_level(level);
    sac_policy *policy = small_policy(attention);
    sac_policy_state *state = scene_state(policy);
    for (int t = 0; t < FRAMES; t++)
    {
        float action[ACTIONS];
        sac_gaze gaze;
        sac_policy_act_float(state, frames[t], action);
        sac_policy_gaze(state, &gaze);
        memcpy(logits[t], gaze.output, sizeof logits[t]);
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    sac_set_cpu_level(best);
}

TEST(every_cpu_level_gives_the_same_bits)
{
    static const char *const forms[] = {"softmax", "sara-relu", "sara-exp"};
    static float scalar[FRAMES][ACTIONS * BINS], logits[FRAMES][ACTIONS * BINS];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    {
        run_at(SAC_CPU_SCALAR, forms[f], scalar);
        run_at(sac_get_cpu_level(), forms[f], logits);
        assert_memory_equal(scalar, logits, sizeof scalar);
    }
}

// All attention of the decoder goes to the frames and to the tokens that were said; with one frame, the patches get
// what the tokens do not, and no patch gets less than nothing.
TEST(importance_is_a_share_of_attention)
{
    static const char *const forms[] = {"softmax", "sara-relu"};
    static float frames[FRAMES][PICTURE];
    draw_frames(frames);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    {
        sac_policy *policy = small_policy(forms[f]);
        sac_policy_state *state = scene_state(policy);
        float action[ACTIONS];
        sac_gaze gaze;
        sac_policy_act_float(state, frames[0], action);
        sac_policy_gaze(state, &gaze);
        assert_int_equal(gaze.rows * gaze.columns, COUNT);
        double sum = 0;
        for (int n = 0; n < COUNT; n++)
        {
            assert_true(gaze.importance[n] >= 0);
            sum += (double)gaze.importance[n];
        }
        assert_true(sum > 0 && sum <= 1 + COUNT * ACTIONS * HEADS * (double)FLT_EPSILON);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
}

TEST(choices_have_one_token_each)
{
    const sac_policy_def def = {.kind = "action-tokens",
                                .height = SCENE_SIDE,
                                .width = SCENE_SIDE,
                                .channels = 3,
                                .action_size = 1,
                                .action_choices = 5};
    sac_policy *shape, *policy;
    assert_ok(sac_policy_create(&shape, &def));
    float *parameters = malloc((size_t)sac_policy_parameter_count(shape) * sizeof *parameters);
    assert_non_null(parameters);
    static uint8_t image[SCENE_SIZE];
    scene_image(image, 3);
    unsigned chosen = 0;
    for (uint64_t seed = 0; seed < 40; seed++)
    {
        sac_policy_draw(shape, seed, parameters);
        assert_ok(sac_policy_create_with(&policy, shape, parameters));
        sac_policy_state *state = scene_state(policy);
        float action;
        sac_policy_act(state, image, &action);
        assert_true(action >= 0 && action < 5 && action == floorf(action));
        chosen |= 1U << (int)action;
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
    assert_int_equal(chosen, 0x1f); // forty draws that leave one of five out are rarer than one in a thousand
    free(parameters);
    sac_policy_destroy(shape);
}

TEST(parameters_that_are_no_numbers)
{
    sac_policy *policy = small_policy("softmax");
    const int count = sac_policy_parameter_count(policy);
    float *parameters = malloc((size_t)count * sizeof *parameters), action[ACTIONS];
    assert_non_null(parameters);
    for (int i = 0; i < count; i++) parameters[i] = NAN;
    sac_policy_state *state = scene_state(policy);
    static float frames[FRAMES][PICTURE];
    draw_frames(frames);
    sac_policy_state_set_parameters(state, parameters);
    sac_policy_act_float(state, frames[0], action);
    assert_int_equal(bin_of(action[0], 0), (BINS - 1) / 2);
    free(parameters);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(settings_that_do_not_fit)
{
    sac_policy *policy;
    assert_fails(scene_create(&policy, "kind=action-tokens,width=15"), SAC_ERROR_ARGUMENT, "a multiple of heads");
    assert_fails(scene_create(&policy, "kind=action-tokens,patch=5"), SAC_ERROR_ARGUMENT, "an odd number");
    assert_fails(scene_create(&policy, "kind=action-tokens,image_size=5"), SAC_ERROR_ARGUMENT, "patch is 6");
    assert_fails(scene_create(&policy, "kind=action-tokens,bins=1"), SAC_ERROR_ARGUMENT, "bins");
    assert_fails(scene_create(&policy, "kind=action-tokens,attention=positive"), SAC_ERROR_ARGUMENT, "feature_count");
    assert_fails(scene_create(&policy, "kind=action-tokens,inputs=camera+state"), SAC_ERROR_ARGUMENT,
                 "takes no vectors");
}

static sac_policy *created;

static sac_status create(void)
{
    return scene_create(&created, "kind=action-tokens,attention=sara-relu");
}

static void destroy(void)
{
    sac_policy_destroy(created);
}

TEST(lack_of_memory_is_survived)
{
    assert_survives_lack_of_memory(create(), destroy());
}

TESTS(cached_softmax_equals_the_whole_history, cached_sums_equal_the_whole_history, old_frames_leave_no_trace,
      every_cpu_level_gives_the_same_bits, importance_is_a_share_of_attention, choices_have_one_token_each,
      parameters_that_are_no_numbers, settings_that_do_not_fit, lack_of_memory_is_survived)
