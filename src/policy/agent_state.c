#include "policy/agent_state.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// one array of a state: where its pointer is, elements, bytes of one
typedef struct array
{
    void **pointer;
    size_t count, size;
} array;

#define ARRAY(field, count)                                   \
    {                                                         \
        (void **)&s->field, (size_t)(count), sizeof *s->field \
    }
#define BYTES(field, count)   \
    {                         \
        &s->field, (count), 1 \
    }

enum
{
    ARRAY_COUNT = 38,
    MOST_LEVELS = 31 ///< of a tree of patches, each of which takes a number
};

// of the importance of all heads
static size_t workspace_size(const sac_agent *a)
{
    if (!a->attention) return 0;
    if (a->heads == 1) return sac_attention_workspace_size(a->attention, a->count);
    const sac_attention *heads[SAC_MAX_HEADS] = {a->attention};
    for (int h = 1; h < a->heads; h++) heads[h] = a->attention;
    return sac_multi_head_workspace_size(&(sac_multi_head){heads, a->heads}, a->count, 1);
}

static void list_arrays(array arrays[ARRAY_COUNT], sac_agent_state *s, const sac_agent *a, int parameter_count)
{
    size_t outputs = (size_t)a->patches.outputs, stride = (size_t)a->stride, d = (size_t)a->query_size;
    size_t image = (size_t)a->patches.height * (size_t)a->patches.width * (size_t)a->channels;
    size_t resized = a->resize ? image : 0, resizing = a->resize ? sac_resize_workspace_size(a->resize) : 0;
    size_t kept = (size_t)a->config.top, f = a->attention ? (size_t)sac_attention_feature_size(a->attention) : 0;
    bool ranks = a->has_projection || a->has_database;
    const array list[ARRAY_COUNT] = {
        ARRAY(parameters, parameter_count),
        ARRAY(projection, outputs * (size_t)a->inputs),
        ARRAY(bias, outputs),
        ARRAY(offsets, a->positions ? outputs * stride : 0),
        ARRAY(packed, sac_project_packed_count(&a->patches)),
        ARRAY(scales, outputs),
        ARRAY(gain, a->value_size),
        ARRAY(weights, a->has_projection ? stride : 0),
        ARRAY(prepared, a->prepared_size),
        ARRAY(resized_bytes, resized),
        ARRAY(resized_floats, resized),
        BYTES(resize_workspace, resizing),
        BYTES(project_scratch, sac_project_scratch_size(&a->patches)),
        BYTES(attention_workspace, workspace_size(a)),
        BYTES(rank_workspace, ranks ? sac_rank_workspace_size(a->attention) : 0),
        BYTES(trans_workspace, a->trans.attention ? sac_trans_workspace_size(&a->trans) : 0),
        ARRAY(sums, outputs * stride),
        ARRAY(tokens, outputs * stride),
        ARRAY(importance, stride),
        ARRAY(summary, ranks ? f : 0),
        ARRAY(head_scores, a->heads > 1 ? stride : 0),
        ARRAY(held_keys, a->has_database ? d * stride : 0),
        ARRAY(probabilities, a->selection == SAC_SELECT_SAMPLE ? stride : 0),
        ARRAY(uniform, a->selection == SAC_SELECT_TOP ? 0 : kept * MOST_LEVELS),
        ARRAY(taken, a->selection == SAC_SELECT_TREE ? kept * f : 0),
        ARRAY(top, kept),
        ARRAY(centers, 2 * kept),
        ARRAY(pixels, a->inputs),
        ARRAY(features, a->feature_count),
        ARRAY(before, a->config.motion ? a->told_count : 0),
        ARRAY(unfiltered, a->config.filter ? a->feature_count : 0),
        ARRAY(whitening, a->config.filter ? a->feature_count : 0),
        ARRAY(hidden, a->hidden_size),
        ARRAY(cell, a->hidden_size),
        ARRAY(output, a->output_size),
        ARRAY(scratch, a->scratch_size),
        ARRAY(queries_by_token, stride * d),
        ARRAY(keys_by_token, stride * d),
    };
    memcpy(arrays, list, sizeof list);
}

sac_status sac_agent_state_create(sac_policy_state **out, const sac_policy *policy)
{
    sac_agent_state *state = SAC_NEW(sac_agent_state);
    if (!state) return sac_fail_memory("an agent's state");
    state->base.policy = policy;
    state->agent = policy->self;
    array arrays[ARRAY_COUNT];
    list_arrays(arrays, state, state->agent, policy->parameter_count);
    for (int i = 0; i < ARRAY_COUNT; i++)
    {
        *arrays[i].pointer = sac_alloc_array(arrays[i].count, arrays[i].size);
        if (*arrays[i].pointer) continue;
        sac_agent_state_destroy(&state->base);
        return sac_fail_memory("an agent's state");
    }
    sac_status status = state->agent->reading->open ? state->agent->reading->open(state) : SAC_OK;
    if (status != SAC_OK)
    {
        sac_agent_state_destroy(&state->base);
        return status;
    }
    *out = &state->base;
    return SAC_OK;
}

void sac_agent_state_destroy(sac_policy_state *base)
{
    sac_agent_state *state = (sac_agent_state *)base;
    if (state->agent->reading->close) state->agent->reading->close(state);
    array arrays[ARRAY_COUNT];
    list_arrays(arrays, state, state->agent, state->base.policy->parameter_count);
    for (int i = 0; i < ARRAY_COUNT; i++) sac_free(*arrays[i].pointer);
    sac_free(state);
}

// a layer's place among the rows of the projection
static void take_layer(sac_agent_state *s, size_t bias, size_t weight, int first, int count)
{
    size_t inputs = (size_t)s->agent->inputs;
    memcpy(s->bias + first, s->parameters + bias, (size_t)count * sizeof(float));
    memcpy(s->projection + (size_t)first * inputs, s->parameters + weight, (size_t)count * inputs * sizeof(float));
}

void sac_agent_set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_agent *a = s->agent;
    int d = a->query_size;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    take_layer(s, a->query_bias, a->query_weight, 0, d);
    take_layer(s, a->key_bias, a->key_weight, d, d);
    take_layer(s, a->value_bias, a->value_weight, 2 * d, a->value_size);
    sac_project_quantise(s->packed, s->scales, s->projection, &a->patches);
    for (int o = 0; o < a->patches.outputs; o++) s->scales[o] = (float)((double)s->scales[o] / 255.0);
    if (a->positions) // W (x + p) = W x + W p
        a->kernels.mix(s->offsets, a->stride, s->projection, a->inputs, a->patches.outputs, a->positions, a->inputs,
                       a->count, a->stride);
    const float *deviation = s->parameters + base->policy->filter_deviation;
    for (int i = 0; i < base->policy->filter_size; i++) s->whitening[i] = deviation[i] > 0 ? 1 / deviation[i] : 1;
    if (a->reading->prepare) a->reading->prepare(s);
    if (a->controller->prepare) a->controller->prepare(a, s->parameters, s->prepared);
}

void sac_agent_reset(sac_policy_state *base)
{
    sac_agent_state *s = (sac_agent_state *)base;
    s->started = false;
    if (s->agent->reading->reset) s->agent->reading->reset(s);
    memset(s->hidden, 0, (size_t)s->agent->hidden_size * sizeof(float));
    memset(s->cell, 0, (size_t)s->agent->hidden_size * sizeof(float));
}

// image -> queries, keys and values, from bytes: the sums are whole numbers, so every level gives the same bits
static void look_at_bytes(sac_agent_state *s, const uint8_t *observation)
{
    const sac_agent *a = s->agent;
    s->bytes = observation;
    s->floats = NULL;
    if (a->resize)
    {
        const sac_policy_def *def = &s->base.policy->def;
        sac_image image = sac_image_view(observation, def->height, def->width, def->channels, SAC_PIXELS_PLAIN);
        sac_resize_run(a->resize, s->resized_bytes, &image, s->resize_workspace);
        s->bytes = s->resized_bytes;
    }
    a->kernels.project_bytes(s->sums, a->stride, s->bytes, s->packed, &a->patches, s->project_scratch);
    for (int o = 0; o < a->patches.outputs; o++)
    {
        size_t row = (size_t)o * (size_t)a->stride;
        a->kernels.rescale(s->tokens + row, s->sums + row, s->scales[o], s->bias[o], a->count);
    }
}

static void look_at_floats(sac_agent_state *s, const float *observation)
{
    const sac_agent *a = s->agent;
    s->floats = observation;
    s->bytes = NULL;
    if (a->resize)
    {
        const sac_policy_def *def = &s->base.policy->def;
        sac_float_image image = sac_float_image_view(observation, def->height, def->width, def->channels);
        sac_resize_run_floats(a->resize, s->resized_floats, &image, s->resize_workspace);
        s->floats = s->resized_floats;
    }
    a->kernels.project_floats(s->tokens, a->stride, s->floats, s->projection, &a->patches, s->project_scratch);
    for (int o = 0; o < a->patches.outputs; o++)
        for (int n = 0; n < a->count; n++) s->tokens[(size_t)o * (size_t)a->stride + (size_t)n] += s->bias[o];
}

// nothing moves in an episode's first step
static void tell_motion(sac_agent_state *s)
{
    int count = s->agent->told_count;
    for (int i = 0; i < count; i++)
    {
        s->features[count + i] = s->started ? s->features[i] - s->before[i] : 0;
        s->before[i] = s->features[i];
    }
    s->started = true;
}

static void attend(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    if (a->positions) sac_tokens_add(s->tokens, a->stride, s->offsets, a->stride, a->patches.outputs, a->count);
    a->reading->attend(s);
    if (a->config.motion) tell_motion(s);
}

// features as the controller is given them
static void filter(sac_agent_state *s)
{
    const sac_policy *policy = s->base.policy;
    const float *mean = s->parameters + policy->filter_mean;
    for (int i = 0; i < policy->filter_size; i++)
    {
        s->unfiltered[i] = s->features[i];
        s->features[i] = (s->features[i] - mean[i]) * s->whitening[i];
    }
}

const float *sac_agent_filter_input(const sac_policy_state *state)
{
    return ((const sac_agent_state *)state)->unfiltered;
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

static int choose(const sac_agent *a, const float *output)
{
    const float third = 1.0f / 3.0f;
    if (a->threshold) return output[0] < -third ? 1 : output[0] > third ? 2 : 0;
    int best = 0;
    for (int i = 1; i < a->output_size; i++)
        if (output[i] > output[best] || isnan(output[best])) best = i;
    return isnan(output[best]) ? 0 : best;
}

static void act(sac_agent_state *s, float *action)
{
    const sac_agent *a = s->agent;
    const sac_policy_def *def = &s->base.policy->def;
    filter(s);
    sac_controller_io io = {s->features, s->hidden, s->cell, s->output, s->scratch};
    a->controller->step(a, s->parameters, s->prepared, &io);

    bool none = strcmp(a->config.activation, "none") == 0;
    if (strcmp(a->config.activation, "tanh") == 0)
        a->kernels.tanh(s->output, s->output, a->output_size);
    else if (!none)
        for (int i = 0; i < a->output_size; i++) s->output[i] = clamp(s->output[i], -1, 1);

    if (def->action_choices)
    {
        action[0] = (float)choose(a, s->output);
        return;
    }
    for (int i = 0; i < def->action_size; i++)
    {
        float low = def->action_low[i], high = def->action_high[i];
        float x = isnan(s->output[i]) ? 0 : s->output[i];
        action[i] = clamp(none ? x : x * (high - low) / 2 + (high + low) / 2, low, high);
    }
}

void sac_agent_act(sac_policy_state *base, const uint8_t *observation, float *action)
{
    sac_agent_state *s = (sac_agent_state *)base;
    look_at_bytes(s, observation);
    attend(s);
    act(s, action);
}

void sac_agent_act_float(sac_policy_state *base, const float *observation, float *action)
{
    sac_agent_state *s = (sac_agent_state *)base;
    look_at_floats(s, observation);
    attend(s);
    act(s, action);
}
