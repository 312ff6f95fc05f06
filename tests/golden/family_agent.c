#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/policy.h"

// the attention agent over the frames of one episode

typedef struct shapes
{
    int height, width, patch, stride, top, key_size, actions, hidden; // in the order of `hyper`
} shapes;

typedef struct results
{
    float *queries, *keys, *importance, *centers, *features, *hidden, *cell, *output, *action;
    float *first_patch, *last_patch, *first_row, *patches;
    int32_t *top;
} results;

static sac_status create_policy(sac_policy **out, const golden *g, shapes *s, int channels, const float *theta,
                                int64_t theta_count)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1}, choice_low[] = {0}, choice_high[] = {2};
    int hyper[8];
    double scale = 0;
    SAC_TRY(golden_integers(g, "hyper", 8, hyper));
    SAC_TRY(golden_number(g, "scale", &scale));
    *s = (shapes){hyper[0], hyper[1], hyper[2], hyper[3], hyper[4], hyper[5], hyper[6], hyper[7]};
    if (s->actions != 1 && s->actions != 3)
        return sac_fail(SAC_ERROR_FORMAT, "hyper: %d outputs, expected 3 (a car) or 1 (a choice)", s->actions);

    char texts[6][SAC_TEXT_SIZE];
    const char *names[] = {"patch", "stride", "top", "key_size", "hidden", "scale"};
    const int values[] = {s->patch, s->stride, s->top, s->key_size, s->hidden};
    sac_setting settings[6];
    for (int i = 0; i < 6; i++)
    {
        if (i < 5)
            snprintf(texts[i], SAC_TEXT_SIZE, "%d", values[i]);
        else
            snprintf(texts[i], SAC_TEXT_SIZE, "%.17g", scale);
        settings[i] = (sac_setting){names[i], texts[i]};
    }
    bool car = s->actions == 3;
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = settings,
                          .setting_count = 6,
                          .height = s->height,
                          .width = s->width,
                          .channels = channels,
                          .action_size = s->actions,
                          .action_choices = car ? 0 : 3,
                          .action_low = car ? low : choice_low,
                          .action_high = car ? high : choice_high};
    sac_policy *shape;
    SAC_TRY(sac_policy_create(&shape, &def));
    sac_status status = SAC_OK;
    if (sac_policy_parameter_count(shape) != theta_count)
        status = sac_fail(SAC_ERROR_FORMAT, "theta holds %d parameters, expected %d", (int)theta_count,
                          sac_policy_parameter_count(shape));
    if (status == SAC_OK) status = sac_policy_create_with(out, shape, theta);
    sac_policy_destroy(shape);
    return status;
}

static sac_status create_results(results *r, golden *g, const shapes *s, const sac_gaze *gaze, int64_t frames,
                                 int64_t inputs)
{
    int64_t n = (int64_t)gaze->rows * gaze->columns, k = s->top, d = s->key_size, hidden = s->hidden, a = s->actions;
    bool car = a == 3;
    sac_status status = SAC_OK;
#define FLOATS(name, rank, ...) golden_output(g, &status, name, SAC_F32, rank, (const int64_t[]){__VA_ARGS__})
    r->queries = FLOATS("Q", 3, frames, n, d);
    r->keys = FLOATS("K", 3, frames, n, d);
    r->importance = FLOATS("importance", 2, frames, n);
    r->top = golden_output(g, &status, "idx", SAC_I32, 2, (const int64_t[]){frames, k});
    r->centers = FLOATS("centers", 3, frames, k, 2);
    r->features = FLOATS("feat", 2, frames, 2 * k);
    r->hidden = FLOATS("h", 2, frames, hidden);
    r->cell = FLOATS("c", 2, frames, hidden);
    r->output = FLOATS("action", 2, frames, a);
    r->action = car ? FLOATS("car_action", 2, frames, a) : FLOATS("car_action", 1, 0);
    r->first_patch = FLOATS("patch0", 1, inputs);
    r->last_patch = FLOATS("patchN", 1, inputs);
    r->first_row = FLOATS("A_row0", 1, n);
    r->patches = FLOATS("X", 2, n, inputs);
#undef FLOATS
    return status;
}

static void copy(float *out, const float *from, size_t frame, size_t count)
{
    memcpy(out + frame * count, from, count * sizeof *out);
}

static void take_frame(results *r, const shapes *s, const sac_gaze *gaze, const float *action, size_t frame)
{
    size_t n = (size_t)(gaze->rows * gaze->columns), k = (size_t)gaze->kept;
    copy(r->queries, gaze->queries, frame, n * (size_t)gaze->key_size);
    copy(r->keys, gaze->keys, frame, n * (size_t)gaze->key_size);
    copy(r->importance, gaze->importance, frame, n);
    for (size_t i = 0; i < k; i++) r->top[frame * k + i] = gaze->top[i];
    copy(r->centers, gaze->centers, frame, 2 * k);
    copy(r->features, gaze->features, frame, (size_t)gaze->feature_count);
    copy(r->hidden, gaze->hidden, frame, (size_t)gaze->hidden_size);
    copy(r->cell, gaze->cell, frame, (size_t)gaze->hidden_size);
    copy(r->output, gaze->output, frame, (size_t)gaze->output_size);
    if (s->actions == 3) copy(r->action, action, frame, 3);
}

static void take_patches(results *r, const sac_policy_state *state, int count, size_t inputs)
{
    for (int i = 0; i < count; i++) sac_policy_patch(state, i, r->patches + (size_t)i * inputs);
    sac_policy_patch(state, 0, r->first_patch);
    sac_policy_patch(state, count - 1, r->last_patch);
    sac_policy_attention_row(state, 0, r->first_row);
}

static sac_status run_frames(golden *g, const shapes *s, sac_policy_state *state, const sac_tensor *images)
{
    size_t frames = (size_t)images->shape[0], channels = (size_t)images->shape[3];
    size_t inputs = (size_t)(s->patch * s->patch) * channels, size = (size_t)(s->height * s->width) * channels;
    results r = {0};
    for (size_t frame = 0; frame < frames; frame++)
    {
        float action[3];
        sac_gaze gaze;
        sac_policy_act_float(state, (const float *)images->data + frame * size, action);
        sac_policy_gaze(state, &gaze);
        if (frame == 0)
        {
            SAC_TRY(create_results(&r, g, s, &gaze, (int64_t)frames, (int64_t)inputs));
            take_patches(&r, state, gaze.rows * gaze.columns, inputs);
        }
        take_frame(&r, s, &gaze, action, frame);
    }
    return SAC_OK;
}

static sac_status run(golden *g)
{
    const sac_tensor *images, *theta;
    sac_status status = SAC_OK;
    golden_input(g, &status, "image", 4, (const int64_t[]){-1, -1, -1, -1}, &images);
    golden_input(g, &status, "theta", 1, (const int64_t[]){-1}, &theta);
    SAC_TRY(status);

    shapes s;
    sac_policy *policy;
    SAC_TRY(create_policy(&policy, g, &s, (int)images->shape[3], theta->data, theta->shape[0]));
    sac_policy_state *state = NULL;
    if (images->shape[1] != s.height || images->shape[2] != s.width)
        status = sac_fail(SAC_ERROR_FORMAT, "image is %d x %d, hyper says %d x %d", (int)images->shape[1],
                          (int)images->shape[2], s.height, s.width);
    if (status == SAC_OK) status = sac_policy_state_create(&state, policy);
    if (status == SAC_OK) status = run_frames(g, &s, state, images);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    return status;
}

const golden_family golden_agent = {"agent", run};
