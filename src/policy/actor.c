#include "policy/actor.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

const char *const sac_squash_names[] = {"tanh", "clip", "none", NULL};

sac_status sac_actor_check(const sac_actor_config *config, const sac_policy_def *def)
{
    if (def->action_choices > 0 && def->action_size != 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a choice among %d is one number, not %d", def->action_choices,
                        def->action_size);
    if (strcmp(config->choice, "threshold") == 0 && def->action_choices != 3)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: choice threshold is for 3 discrete actions, not %d",
                        def->action_choices);
    for (int i = 0; def->action_choices == 0 && i < def->action_size; i++)
    {
        float low = def->action_low[i], high = def->action_high[i];
        bool stretched = strcmp(config->activation, "none") != 0;
        if (!(low <= high) || (stretched && !isfinite(high - low)))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy: action %d is bounded by %g and %g; without finite bounds the "
                            "activation must be none",
                            i, (double)low, (double)high);
    }
    return SAC_OK;
}

sac_status sac_actor_plan(sac_actor *a, sac_policy *policy, const sac_actor_config *config, int read_count)
{
    const sac_policy_def *def = &policy->def;
    for (int i = 0; sac_squash_names[i]; i++)
        if (strcmp(sac_squash_names[i], config->activation) == 0) a->squash = (sac_squash)i;
    a->motion = config->motion;
    a->limit = config->normaliser_limit > 0 ? (float)config->normaliser_limit : INFINITY;
    a->read_count = read_count;
    a->told_count = read_count + policy->vector_size;
    a->input_count = config->motion ? 2 * a->told_count : a->told_count;
    a->threshold = def->action_choices == 3 && strcmp(config->choice, "argmax") != 0;
    int outputs = def->action_choices == 0 ? def->action_size : a->threshold ? 1 : def->action_choices;
    a->controller = (sac_controller){.inputs = a->input_count,
                                     .hidden = config->hidden,
                                     .layers = config->layers > 0 ? config->layers : 1,
                                     .outputs = outputs};
    SAC_TRY(sac_controller_plan(&a->controller, policy, config->controller));
    return config->normaliser ? sac_policy_add_normaliser(policy, a->input_count) : SAC_OK;
}

void sac_actor_place(sac_actor_state *s, const sac_actor *a, const sac_policy *policy, sac_workspace *workspace)
{
    const sac_controller *c = &a->controller;
    size_t normalised = (size_t)policy->normaliser_size;
    s->told = sac_take(workspace, (size_t)a->input_count, sizeof(float));
    s->before = sac_take(workspace, a->motion ? (size_t)a->told_count : 0, sizeof(float));
    s->unnormalised = sac_take(workspace, normalised, sizeof(float));
    s->inverse_deviation = sac_take(workspace, normalised, sizeof(float));
    s->prepared = sac_take(workspace, (size_t)c->prepared_size, sizeof(float));
    s->hidden = sac_take(workspace, (size_t)c->hidden, sizeof(float));
    s->cell = sac_take(workspace, (size_t)c->hidden, sizeof(float));
    s->output = sac_take(workspace, (size_t)c->outputs, sizeof(float));
    s->scratch = sac_take(workspace, (size_t)c->scratch_size, sizeof(float));
}

void sac_actor_set(sac_actor_state *s, const sac_actor *a, const sac_policy *policy, const float *parameters)
{
    const float *deviation = parameters + policy->normaliser_deviation;
    for (int i = 0; i < policy->normaliser_size; i++) s->inverse_deviation[i] = deviation[i] > 0 ? 1 / deviation[i] : 1;
    const sac_controller *c = &a->controller;
    if (c->ops->prepare) c->ops->prepare(c, parameters, s->prepared);
}

void sac_actor_reset(sac_actor_state *s, const sac_actor *a)
{
    s->started = false;
    memset(s->hidden, 0, (size_t)a->controller.hidden * sizeof(float));
    memset(s->cell, 0, (size_t)a->controller.hidden * sizeof(float));
}

void sac_tell_finite(float *told, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) told[i] = isfinite(numbers[i]) ? numbers[i] : 0;
}

// Tells the numbers of all vectors, in the order of the inputs.
void sac_actor_tell_vectors(float *told, const sac_policy_def *def, const void *const *inputs)
{
    for (int i = 0; i < def->input_count; i++)
    {
        if (sac_space_is_image(&def->inputs[i])) continue;
        const size_t count = sac_space_size(&def->inputs[i]);
        sac_tell_finite(told, inputs[i], count);
        told += count;
    }
}

// In the first step of an episode there is no step before, so the changes are told as zero.
static void tell_motion(sac_actor_state *s, const sac_actor *a)
{
    int count = a->told_count;
    for (int i = 0; i < count; i++)
    {
        s->told[count + i] = s->started ? s->told[i] - s->before[i] : 0;
        s->before[i] = s->told[i];
    }
    s->started = true;
}

// Normalises what was told. What it was before is kept, since training measures the normaliser by it.
static void normalise(sac_actor_state *s, const sac_actor *a, const sac_policy *policy, const float *parameters)
{
    const float *mean = parameters + policy->normaliser_mean;
    for (int i = 0; i < policy->normaliser_size; i++)
    {
        s->unnormalised[i] = s->told[i];
        s->told[i] = sac_actor_normalise(a, s->told[i], mean[i], s->inverse_deviation[i]);
    }
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

static int choose(const sac_actor *a, const float *output)
{
    const float third = 1.0f / 3.0f;
    if (a->threshold) return output[0] < -third ? 1 : output[0] > third ? 2 : 0;
    int best = 0;
    for (int i = 1; i < a->controller.outputs; i++)
        if (output[i] > output[best] || isnan(output[best])) best = i;
    return isnan(output[best]) ? 0 : best;
}

static void activate(float *output, const sac_actor *a)
{
    const sac_controller *c = &a->controller;
    if (a->squash == SAC_SQUASH_TANH) c->kernels.tanh(output, output, c->outputs);
    if (a->squash != SAC_SQUASH_CLIP) return;
    for (int i = 0; i < c->outputs; i++) output[i] = clamp(output[i], -1, 1);
}

// What the controller is told: what was read, the numbers of the inputs, their changes, and all of that normalised.
static void tell(sac_actor_state *s, const sac_actor *a, const sac_policy *policy, const float *parameters,
                 const void *const *inputs)
{
    if (policy->vector_size > 0) sac_actor_tell_vectors(s->told + a->read_count, &policy->def, inputs);
    if (a->motion) tell_motion(s, a);
    normalise(s, a, policy, parameters);
}

// From the controller's output to an action within the world's bounds, or to a choice.
static void decide(sac_actor_state *s, const sac_actor *a, const sac_policy_def *def, float *action)
{
    activate(s->output, a);
    if (def->action_choices)
    {
        action[0] = (float)choose(a, s->output);
        return;
    }
    bool stretched = a->squash != SAC_SQUASH_NONE;
    for (int i = 0; i < def->action_size; i++)
    {
        float low = def->action_low[i], high = def->action_high[i];
        float x = isnan(s->output[i]) ? 0 : s->output[i];
        action[i] = clamp(stretched ? x * (high - low) / 2 + (high + low) / 2 : x, low, high);
    }
}

void sac_actor_act(sac_actor_state *s, const sac_actor *a, const sac_policy *policy, const float *parameters,
                   const void *const *inputs, float *action)
{
    tell(s, a, policy, parameters, inputs);
    sac_controller_io io = {s->told, s->hidden, s->cell, s->output, s->scratch};
    a->controller.ops->step(&a->controller, parameters, s->prepared, &io);
    decide(s, a, &policy->def, action);
}

// Numbers of a layer of all episodes, [count, SAC_LANES], become those of one, or the other way round.
static void from_columns(float *numbers, const float *columns, int count, int column)
{
    for (int i = 0; i < count; i++) numbers[i] = columns[(ptrdiff_t)i * SAC_LANES + column];
}

static void to_columns(float *columns, const float *numbers, int count, int column)
{
    for (int i = 0; i < count; i++) columns[(ptrdiff_t)i * SAC_LANES + column] = numbers[i];
}

bool sac_actor_has_columns(const sac_actor *a)
{
    const sac_controller *c = &a->controller;
    return c->ops->step_columns && c->inputs + c->hidden + c->outputs + (int)c->scratch_size <= SAC_ACTOR_COLUMN_ROWS;
}

void sac_actor_act_columns(sac_actor_state *const *s, const sac_actor *a, const sac_policy *policy,
                           const float *parameters, const void *const *const *inputs, float *const *actions, int count)
{
    const sac_controller *c = &a->controller;
    _Alignas(64) float room[SAC_ACTOR_COLUMN_ROWS * SAC_LANES]; // of which a small controller touches little
    float *told = room, *hidden = told + (ptrdiff_t)c->inputs * SAC_LANES;
    float *output = hidden + (ptrdiff_t)c->hidden * SAC_LANES, *scratch = output + (ptrdiff_t)c->outputs * SAC_LANES;
    if (count < SAC_LANES) memset(told, 0, (size_t)c->inputs * SAC_LANES * sizeof *told);
    for (int i = 0; i < count; i++)
    {
        tell(s[i], a, policy, parameters, inputs[i]);
        to_columns(told, s[i]->told, c->inputs, i);
    }
    c->ops->step_columns(c, parameters, &(sac_controller_io){told, hidden, NULL, output, scratch});
    for (int i = 0; i < count; i++)
    {
        from_columns(s[i]->hidden, hidden, c->hidden, i);
        from_columns(s[i]->output, output, c->outputs, i);
        decide(s[i], a, &policy->def, actions[i]);
    }
}

void sac_actor_gaze(const sac_actor_state *s, const sac_actor *a, sac_gaze *gaze)
{
    const sac_controller *c = &a->controller;
    gaze->told = s->told;
    gaze->told_count = a->input_count;
    gaze->hidden = c->hidden ? s->hidden : NULL;
    gaze->cell = c->has_cell ? s->cell : NULL;
    gaze->hidden_size = c->hidden;
    gaze->output = s->output;
    gaze->output_size = c->outputs;
}
