#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/policy.h"

// The attention agent over the frames of one episode. Its A outputs are numbers of a box and, of a second agent with
// the same parameters, what a choice is made by: the car's bounds where there are three, a choice among three where
// there is one.

typedef struct shapes
{
    int height, width, patch, stride, top, key_size, outputs, hidden; // in the order of `hyper`
} shapes;

typedef struct results
{
    float *queries, *keys, *importance, *centers, *features, *hidden, *cell, *output, *action;
    float *first_patch, *last_patch, *first_row, *patches;
    int32_t *top, *choice;
} results;

typedef struct agents
{
    sac_policy *box, *choice;
    sac_policy_state *box_state, *choice_state;
    float *action; // [A]
} agents;

static const char *const names[] = {"patch", "stride", "top", "key_size", "hidden", "scale", "choice"};

enum
{
    SETTINGS = sizeof names / sizeof *names,
    CAR = 3
};

static sac_status create_policy(sac_policy **out, golden *g, const shapes *s, int channels, bool choice)
{
    sac_status status = SAC_OK;
    const sac_tensor *tensor;
    double scale = 0;
    const float *theta = golden_input(g, &status, "theta", 1, (const int64_t[]){GOLDEN_ANY}, &tensor);
    float *bounds = golden_scratch(g, &status, 2 * (size_t)s->outputs, sizeof *bounds);
    SAC_TRY(status);
    SAC_TRY(golden_number(g, "scale", &scale));
    for (int i = 0; i < s->outputs; i++)
    {
        bounds[i] = s->outputs == CAR && i > 0 ? 0 : -1;
        bounds[s->outputs + i] = 1;
    }
    const int values[] = {s->patch, s->stride, s->top, s->key_size, s->hidden};
    char texts[SETTINGS][SAC_TEXT_SIZE];
    sac_setting settings[SETTINGS];
    for (int i = 0; i < SETTINGS; i++) settings[i] = (sac_setting){names[i], texts[i]};
    for (int i = 0; i < 5; i++) snprintf(texts[i], SAC_TEXT_SIZE, "%d", values[i]);
    snprintf(texts[5], SAC_TEXT_SIZE, "%.17g", scale);
    snprintf(texts[6], SAC_TEXT_SIZE, "%s", s->outputs == 1 ? "threshold" : "argmax");
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = settings,
                          .setting_count = SETTINGS,
                          .height = s->height,
                          .width = s->width,
                          .channels = channels,
                          .action_size = choice ? 1 : s->outputs,
                          .action_choices = !choice           ? 0
                                            : s->outputs == 1 ? 3
                                                              : s->outputs,
                          .action_low = choice ? NULL : bounds,
                          .action_high = choice ? NULL : bounds + s->outputs};
    if (!choice) def.setting_count--;
    sac_policy *shape;
    SAC_TRY(sac_policy_create(&shape, &def));
    int expected = sac_policy_parameter_count(shape);
    if (tensor->shape[0] != expected)
        status = sac_fail(SAC_ERROR_FORMAT, "theta holds %d parameters, but the sizes in hyper make %d",
                          (int)tensor->shape[0], expected);
    if (status == SAC_OK) status = sac_policy_create_with(out, shape, theta);
    sac_policy_destroy(shape);
    return status;
}

static sac_status create_results(results *r, golden *g, const shapes *s, const sac_gaze *gaze, int64_t frames,
                                 int64_t inputs)
{
    int64_t n = (int64_t)gaze->rows * gaze->columns, k = s->top, d = s->key_size, hidden = s->hidden, a = s->outputs;
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
    r->action = a == CAR ? FLOATS("car_action", 2, frames, a) : FLOATS("car_action", 1, 0);
    r->choice = golden_output(g, &status, "choice", SAC_I32, 1, (const int64_t[]){frames});
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
    size_t n = (size_t)gaze->rows * (size_t)gaze->columns, k = (size_t)gaze->kept;
    copy(r->queries, gaze->queries, frame, n * (size_t)gaze->key_size);
    copy(r->keys, gaze->keys, frame, n * (size_t)gaze->key_size);
    copy(r->importance, gaze->importance, frame, n);
    for (size_t i = 0; i < k; i++) r->top[frame * k + i] = gaze->top[i];
    copy(r->centers, gaze->centers, frame, 2 * k);
    copy(r->features, gaze->told, frame, (size_t)gaze->told_count);
    copy(r->hidden, gaze->hidden, frame, (size_t)gaze->hidden_size);
    copy(r->cell, gaze->cell, frame, (size_t)gaze->hidden_size);
    copy(r->output, gaze->output, frame, (size_t)gaze->output_size);
    if (s->outputs == CAR) copy(r->action, action, frame, CAR);
}

static void take_patches(results *r, const sac_policy_state *state, int count, size_t inputs)
{
    for (int i = 0; i < count; i++) sac_policy_patch(state, i, r->patches + (size_t)i * inputs);
    sac_policy_patch(state, 0, r->first_patch);
    sac_policy_patch(state, count - 1, r->last_patch);
    sac_policy_attention_row(state, 0, r->first_row);
}

static sac_status run_frames(golden *g, const shapes *s, const agents *a, const float *pixels, const sac_tensor *images)
{
    size_t frames = (size_t)images->shape[0], channels = (size_t)images->shape[3];
    size_t inputs = (size_t)s->patch * (size_t)s->patch * channels,
           size = (size_t)s->height * (size_t)s->width * channels;
    results r = {0};
    for (size_t frame = 0; frame < frames; frame++)
    {
        float choice;
        sac_gaze gaze;
        sac_policy_act_float(a->box_state, pixels + frame * size, a->action);
        sac_policy_act_float(a->choice_state, pixels + frame * size, &choice);
        sac_policy_gaze(a->box_state, &gaze);
        if (frame == 0)
        {
            SAC_TRY(create_results(&r, g, s, &gaze, (int64_t)frames, (int64_t)inputs));
            take_patches(&r, a->box_state, gaze.rows * gaze.columns, inputs);
        }
        take_frame(&r, s, &gaze, a->action, frame);
        r.choice[frame] = (int32_t)choice;
    }
    return SAC_OK;
}

static sac_status read_shapes(golden *g, shapes *s, const sac_tensor *images)
{
    sac_status status = SAC_OK;
    const int *hyper = golden_integers(g, &status, "hyper", 1, (const int64_t[]){8}, NULL);
    SAC_TRY(status);
    *s = (shapes){hyper[0], hyper[1], hyper[2], hyper[3], hyper[4], hyper[5], hyper[6], hyper[7]};
    if (images->shape[1] != s->height || images->shape[2] != s->width)
        return sac_fail(SAC_ERROR_FORMAT, "image is %d x %d, hyper says %d x %d", (int)images->shape[1],
                        (int)images->shape[2], s->height, s->width);
    if (s->outputs < 1) return sac_fail(SAC_ERROR_FORMAT, "hyper: %d outputs, expected 1 or more", s->outputs);
    return SAC_OK;
}

static sac_status create_agents(agents *a, golden *g, const shapes *s, int channels)
{
    sac_status status = SAC_OK;
    a->action = golden_scratch(g, &status, (size_t)s->outputs, sizeof *a->action);
    SAC_TRY(status);
    SAC_TRY(create_policy(&a->box, g, s, channels, false));
    SAC_TRY(create_policy(&a->choice, g, s, channels, true));
    SAC_TRY(sac_policy_state_create(&a->box_state, a->box));
    return sac_policy_state_create(&a->choice_state, a->choice);
}

static sac_status run(golden *g)
{
    const sac_tensor *images;
    const int64_t any[] = {GOLDEN_ANY, GOLDEN_ANY, GOLDEN_ANY, GOLDEN_ANY};
    sac_status status = SAC_OK;
    const float *pixels = golden_input(g, &status, "image", 4, any, &images);
    SAC_TRY(status);
    shapes s;
    agents a = {0};
    SAC_TRY(read_shapes(g, &s, images));
    status = create_agents(&a, g, &s, (int)images->shape[3]);
    if (status == SAC_OK) status = run_frames(g, &s, &a, pixels, images);
    sac_policy_state_destroy(a.box_state);
    sac_policy_state_destroy(a.choice_state);
    sac_policy_destroy(a.box);
    sac_policy_destroy(a.choice);
    return status;
}

const golden_family golden_agent = {"agent", run};
