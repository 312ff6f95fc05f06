#include <float.h>

#include "base/memory.h"

#include "failing_memory.h"
#include "policy_scene.h"
#include "saccade/learn.h"

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
    const double *parameters; // NULL: the policy's
    const char *form;
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
    const float *own = scene_tensor(p->policy, tensor) + index;
    return p->parameters ? p->parameters[own - sac_policy_parameters(p->policy)] : (double)*own;
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

static bool is_softmax(const plain *p)
{
    return strcmp(p->form, "softmax") == 0;
}

// phi of a linear form
static double feature(const plain *p, double x)
{
    if (strcmp(p->form, "sara-exp") == 0) return exp(x);
    return strcmp(p->form, "sara-square") == 0 ? x * x : fmax(x, 0);
}

static double unnormalised(plain *p, const double *query, const double *key)
{
    double sum = 0, size = 0;
    for (int d = 0; d < SIZE; d++)
    {
        const double one =
            is_softmax(p) ? query[d] * key[d] / sqrt((double)SIZE) : feature(p, query[d]) * feature(p, key[d]);
        sum += one;
        size += fabs(one);
    }
    sum = rounded(p, sum, size, SIZE + 12);
    return is_softmax(p) ? rounded(p, exp(sum), exp(sum), 8) : sum;
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
        double total = is_softmax(p) ? 0 : (double)1e-6f, sums[SIZE] = {0}, sizes[SIZE] = {0};
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
            patch[i] = (double)picture[row * SIDE * 3 + column] - 0.5;
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

static sac_status create_small(sac_policy **out, const char *attention, bool floats)
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
    static const sac_space picture = {.name = "floats", .kind = SAC_SPACE_FLOATS, .shape = {SIDE, SIDE, 3}};
    return sac_policy_create(out, &(sac_policy_def){.kind = "action-tokens",
                                                    .settings = settings,
                                                    .setting_count = sizeof settings / sizeof *settings,
                                                    .height = SIDE,
                                                    .width = SIDE,
                                                    .channels = 3,
                                                    .inputs = floats ? &picture : NULL,
                                                    .input_count = floats,
                                                    .action_size = ACTIONS,
                                                    .action_low = low,
                                                    .action_high = high});
}

// with drawn parameters, also of the tensors that start at zero
static sac_policy *small_policy(const char *attention, bool floats)
{
    sac_policy *shape, *policy;
    assert_ok(create_small(&shape, attention, floats));
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
static void compare_step(const sac_policy *policy, const char *form, const float *const *frames, int count,
                         const int *said, const float *logits)
{
    static double exact[ACTIONS][BINS], moved[ACTIONS][BINS];
    plain p = {.policy = policy, .form = form, .stream = sac_stream_create(77, (uint64_t)count, 0)};
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
    sac_policy *policy = small_policy(attention, false);
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
        compare_step(policy, attention, history, count, said, gaze.output);
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
    check_cache("sara-exp");
    check_cache("sara-square");
}

// A frame that has left the history has left no trace: the same bits as of an episode that began behind it.
TEST(old_frames_leave_no_trace)
{
    static const char *const forms[] = {"softmax", "sara-relu", "sara-exp", "sara-square", "relu"};
    static float frames[FRAMES][PICTURE];
    draw_frames(frames);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    {
        sac_policy *policy = small_policy(forms[f], false);
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
    sac_policy *policy = small_policy(attention, false);
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

// --- gradients ---

enum
{
    STEPS = 5,
    SEQUENCES = 2,
    BATCH = STEPS * SEQUENCES
};

/// A minibatch of two sequences side by side. In the second one an episode begins on the way.
typedef struct minibatch
{
    sac_gradient *gradient;
    sac_batch batch;
    float frames[BATCH][PICTURE], said[BATCH][ACTIONS], doutputs[BATCH][ACTIONS * BINS], outputs[BATCH][ACTIONS * BINS];
    const void *parts[BATCH];
    const float *actions[BATCH];
    uint8_t starts[BATCH];
    void *workspace;
} minibatch;

static minibatch *minibatch_create(const sac_policy *policy)
{
    static minibatch m;
    const sac_gradient_def def = sac_gradient_default_def();
    sac_stream stream = sac_stream_create(31, 0, 0);
    assert_ok(sac_gradient_create(&m.gradient, policy, &def));
    assert_int_equal(sac_gradient_output_size(m.gradient), ACTIONS * BINS);
    memset(m.starts, 0, sizeof m.starts);
    m.starts[0] = m.starts[1] = m.starts[2 * SEQUENCES + 1] = 1;
    for (int f = 0; f < BATCH; f++)
    {
        for (int i = 0; i < PICTURE; i++) m.frames[f][i] = (float)sac_stream_uniform(&stream, 0, 1);
        for (int a = 0; a < ACTIONS; a++) m.said[f][a] = (float)sac_stream_uniform(&stream, a ? 0 : -1, 1);
        for (int i = 0; i < ACTIONS * BINS; i++) m.doutputs[f][i] = (float)sac_stream_uniform(&stream, -1, 1);
        m.parts[f] = m.frames[f];
        m.actions[f] = m.said[f];
    }
    m.batch = (sac_batch){.steps = STEPS,
                          .sequences = SEQUENCES,
                          .starts = m.starts,
                          .parts = m.parts,
                          .actions = m.actions,
                          .temperature = 1};
    m.workspace = sac_alloc(sac_gradient_workspace_size(m.gradient, STEPS, SEQUENCES));
    assert_non_null(m.workspace);
    return &m;
}

static void minibatch_destroy(minibatch *m)
{
    sac_gradient_destroy(m->gradient);
    sac_free(m->workspace);
}

// The logits of a frame of the minibatch in doubles.
static void speak_frame(plain *p, double logits[ACTIONS][BINS], const minibatch *m, int frame)
{
    const float *history[HISTORY], *back[HISTORY];
    int count = 0, said[ACTIONS];
    for (int at = frame; at >= 0 && count < HISTORY; at -= SEQUENCES)
    {
        back[count++] = m->frames[at];
        if (m->starts[at]) break;
    }
    for (int i = 0; i < count; i++) history[i] = back[count - 1 - i];
    for (int a = 0; a < ACTIONS; a++) said[a] = bin_of(m->said[frame][a], a);
    speak(p, logits, history, count, said);
}

static double loss_of(plain *p, const minibatch *m)
{
    double loss = 0, logits[ACTIONS][BINS];
    for (int f = 0; f < BATCH; f++)
    {
        speak_frame(p, logits, m, f);
        for (int i = 0; i < ACTIONS * BINS; i++) loss += (double)m->doutputs[f][i] * logits[i / BINS][i % BINS];
    }
    return loss;
}

// The slope of the loss along a drawn direction of one tensor: differences of doubles around the parameters, whose own
// error is far below float's.
static double slope_along(const minibatch *m, const sac_policy *policy, const char *form,
                          const sac_policy_tensor *tensor, const double *direction)
{
    const int count = sac_policy_parameter_count(policy);
    const double step = 1e-6;
    double *moved = malloc((size_t)count * sizeof *moved), loss[2];
    assert_non_null(moved);
    for (int side = 0; side < 2; side++)
    {
        for (int i = 0; i < count; i++) moved[i] = (double)sac_policy_parameters(policy)[i];
        for (size_t i = 0; i < sac_policy_tensor_size(tensor); i++)
            moved[tensor->offset + i] += (side ? step : -step) * direction[i];
        loss[side] = loss_of(&(plain){.policy = policy, .parameters = moved, .form = form}, m);
    }
    free(moved);
    return (loss[1] - loss[0]) / (2 * step);
}

// Logits are those of doubles, and each tensor's gradient along a drawn direction has the slope of the loss: off by
// 1e-4 of the gradient's length at most, a thousand roundings.
static void check_gradient(const char *attention)
{
    sac_policy *policy = small_policy(attention, true);
    minibatch *m = minibatch_create(policy);
    float *sums = calloc((size_t)sac_policy_parameter_count(policy), sizeof *sums);
    assert_non_null(sums);
    sac_gradient_forward(m->gradient, m->outputs[0], sac_policy_parameters(policy), &m->batch, m->workspace);
    sac_gradient_backward(m->gradient, sums, m->doutputs[0], sac_policy_parameters(policy), &m->batch, m->workspace);
    double logits[ACTIONS][BINS];
    for (int f = 0; f < BATCH; f++)
    {
        speak_frame(&(plain){.policy = policy, .form = attention}, logits, m, f);
        for (int i = 0; i < ACTIONS * BINS; i++)
            assert_true(fabs((double)m->outputs[f][i] - logits[i / BINS][i % BINS]) < 1e-4);
    }
    for (int t = 0; t < sac_policy_tensor_count(policy); t++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, t);
        const size_t size = sac_policy_tensor_size(tensor);
        double *direction = malloc(size * sizeof *direction), along = 0, length = 0, span = 0;
        assert_non_null(direction);
        sac_stream stream = sac_stream_create(41, (uint64_t)t, 0);
        for (size_t i = 0; i < size; i++)
        {
            const double slope = (double)sums[tensor->offset + i];
            direction[i] = sac_stream_uniform(&stream, -1, 1);
            along += slope * direction[i];
            length += slope * slope;
            span += direction[i] * direction[i];
        }
        const double expected = slope_along(m, policy, attention, tensor, direction);
        if (!(fabs(along - expected) <= 1e-4 * (sqrt(length * span) + 1e-2)))
            fail_msg("%s: the slope of %s is %g, expected %g", attention, tensor->name, along, expected);
        free(direction);
    }
    free(sums);
    minibatch_destroy(m);
    sac_policy_destroy(policy);
}

TEST(gradients_of_softmax)
{
    check_gradient("softmax");
}

TEST(gradients_of_linear_attention)
{
    check_gradient("sara-relu");
    check_gradient("sara-exp");
    check_gradient("sara-square");
}

TEST(attention_without_gradient_is_refused)
{
    sac_policy *policy;
    sac_gradient *gradient;
    const sac_gradient_def def = sac_gradient_default_def();
    assert_ok(scene_create(&policy, "kind=action-tokens,attention=positive,attention_features=4"));
    assert_fails(sac_gradient_create(&gradient, policy, &def), SAC_ERROR_ARGUMENT, "attention_features 0");
    sac_policy_destroy(policy);
}

static float *fitted(const sac_policy *policy, int threads, double spread, double loss[2])
{
    enum
    {
        COUNT_OF = 12
    };
    static uint8_t pictures[COUNT_OF][PICTURE];
    static float actions[COUNT_OF][ACTIONS];
    sac_stream stream = sac_stream_create(51, 0, 0);
    for (int i = 0; i < COUNT_OF; i++)
    {
        const unsigned bright = sac_stream_below(&stream, 200);
        for (int k = 0; k < PICTURE; k++) pictures[i][k] = (uint8_t)(bright + sac_stream_below(&stream, 40));
        for (int a = 0; a < ACTIONS; a++) actions[i][a] = bright > 100 ? 1.0f : 0.0f;
    }
    sac_fit_def def = sac_fit_default_def();
    def.batch = 4;
    def.steps = 2;
    def.rate = 0.02;
    def.threads = threads;
    def.spread = spread;
    sac_fit *fit;
    assert_ok(sac_fit_create(&fit, policy, &def));
    const sac_examples examples = {.count = COUNT_OF, .observations = pictures[0], .actions = actions[0]};
    assert_ok(sac_fit_run(fit, &examples, 60, loss));
    const size_t bytes = (size_t)sac_policy_parameter_count(policy) * sizeof(float);
    float *parameters = malloc(bytes);
    assert_non_null(parameters);
    memcpy(parameters, sac_fit_parameters(fit), bytes);
    sac_fit_destroy(fit);
    return parameters;
}

// The loss begins near that of bins drawn alike, log B, and falls; threads change no bit.
TEST(cloning_learns)
{
    sac_policy *policy = small_policy("sara-relu", false);
    double loss[2], other[2];
    float *one = fitted(policy, 1, 0, loss), *three = fitted(policy, 3, 0, other);
    assert_memory_equal(one, three, (size_t)sac_policy_parameter_count(policy) * sizeof *one);
    assert_true(loss[1] < loss[0] / 2 && loss[1] < log(BINS) / 2);
    free(one);
    free(three);
    sac_policy_destroy(policy);
}

// What is spread around a number: the loss is the divergence of the bins' chances from it, in the mean over frames and
// dimensions, before any step that changes something (the rate is 0). Sums of B logarithms in float: 1e-5.
TEST(numbers_are_spread_over_bins)
{
    const double spread = 1.5;
    sac_policy *policy = small_policy("softmax", false);
    static uint8_t pictures[2][PICTURE];
    static float actions[2][ACTIONS] = {{-0.37f, 0.02f, 1}, {2, 0.5f, 0.99f}};
    sac_stream stream = sac_stream_create(52, 0, 0);
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < PICTURE; k++) pictures[f][k] = (uint8_t)sac_stream_below(&stream, 256);
    sac_fit_def def = sac_fit_default_def();
    def.batch = 1;
    def.steps = 2;
    def.lead = 0;
    def.rate = 0;
    def.spread = spread;
    sac_fit *fit;
    assert_ok(sac_fit_create(&fit, policy, &def));
    const sac_examples examples = {.count = 2, .observations = pictures[0], .actions = actions[0]};
    double loss[2], expected = 0;
    assert_ok(sac_fit_run(fit, &examples, 1, loss));
    sac_fit_destroy(fit);
    for (int f = 0; f < 2; f++)
    {
        static float frames[2][PICTURE];
        const float *history[2] = {frames[0], frames[1]};
        double logits[ACTIONS][BINS];
        int said[ACTIONS];
        for (int k = 0; k < PICTURE; k++) frames[f][k] = (float)pictures[f][k] / 255;
        for (int a = 0; a < ACTIONS; a++) said[a] = bin_of(fminf(actions[f][a], 1), a);
        speak(&(plain){.policy = policy, .form = "softmax"}, logits, history, f + 1, said);
        for (int a = 0; a < ACTIONS; a++)
        {
            const double low = a ? 0 : -1, place = (fmin((double)actions[f][a], 1) - low) / (1 - low) * (BINS - 1);
            double total = 0, chances = 0;
            for (int b = 0; b < BINS; b++)
            {
                total += exp(logits[a][b]);
                chances += exp(-(b - place) * (b - place) / (2 * spread * spread));
            }
            for (int b = 0; b < BINS; b++)
            {
                const double p = exp(-(b - place) * (b - place) / (2 * spread * spread)) / chances;
                expected += p * (log(p) - logits[a][b] + log(total)) / (2 * ACTIONS);
            }
        }
    }
    assert_near(loss[0], expected, 1e-5);
    sac_policy_destroy(policy);
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
        sac_policy *policy = small_policy(forms[f], false);
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
    sac_policy *policy = small_policy("softmax", false);
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
    assert_fails(scene_create(&policy, "kind=action-tokens,attention=positive"), SAC_ERROR_ARGUMENT,
                 "attention_features is 0, expected 1 to 4096");
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
      every_cpu_level_gives_the_same_bits, gradients_of_softmax, gradients_of_linear_attention,
      attention_without_gradient_is_refused, cloning_learns, numbers_are_spread_over_bins,
      importance_is_a_share_of_attention, choices_have_one_token_each, parameters_that_are_no_numbers,
      settings_that_do_not_fit, lack_of_memory_is_survived)
