#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "policy/kind.h"

enum
{
    MAX_SIDE = 1 << 14,
    MAX_ACTION = 1 << 12,
};

static const char *kind_name(const void *user, int index)
{
    (void)user;
    return sac_policy_kind_at(index, NULL);
}

static sac_status check_shapes(const sac_policy_def *def)
{
    if (def->height < 1 || def->width < 1 || def->height > MAX_SIDE || def->width > MAX_SIDE || def->channels < 1 ||
        def->channels > 4)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: the observation is %d x %d x %d, expected 1 to %d pixels a side "
                        "and 1 to 4 channels",
                        def->height, def->width, def->channels, MAX_SIDE);
    if (def->action_size < 1 || def->action_size > MAX_ACTION || def->action_choices < 0 ||
        def->action_choices > MAX_ACTION)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %d actions with %d choices, expected 1 to %d", def->action_size,
                        def->action_choices, MAX_ACTION);
    if (def->action_choices == 0 && (!def->action_low || !def->action_high))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: action_low and action_high are needed");
    return SAC_OK;
}

// the bounds and the resolved options as settings, all owned by the policy
static sac_status copy_def(sac_policy *policy, const sac_policy_def *def)
{
    policy->def = *def;
    policy->def.kind = policy->ops->name;
    policy->def.settings = NULL;
    policy->def.setting_count = 0;
    policy->def.action_low = policy->def.action_high = NULL;

    size_t size = (size_t)def->action_size;
    float *bounds = SAC_NEW_ARRAY(float, 2 * size);
    if (!bounds) return sac_fail_memory("a policy");
    policy->def.action_low = bounds;
    policy->def.action_high = bounds + size;
    for (size_t i = 0; i < size; i++)
    {
        bounds[i] = def->action_low ? def->action_low[i] : 0.0f;
        bounds[size + i] = def->action_high ? def->action_high[i] : (float)(def->action_choices - 1);
    }

    int count = 0;
    while (policy->ops->options[count].name) count++;
    // the texts lie behind the settings in one block
    sac_setting *settings = sac_alloc_array((size_t)count, sizeof *settings + SAC_TEXT_SIZE);
    if (!settings) return sac_fail_memory("a policy");
    policy->def.settings = settings;
    policy->def.setting_count = count;
    char *text = (char *)(settings + count);
    for (int i = 0; i < count; i++, text += SAC_TEXT_SIZE)
    {
        sac_options_format(&policy->ops->options[i], policy->config, text);
        settings[i] = (sac_setting){policy->ops->options[i].name, text};
    }
    return SAC_OK;
}

static sac_status create(sac_policy *policy, const sac_policy_def *def)
{
    policy->config = sac_alloc(policy->ops->config_size);
    if (!policy->config) return sac_fail_memory("a policy");
    SAC_TRY(sac_options_read(policy->ops->options, policy->config, def->settings, def->setting_count, "policy"));
    SAC_TRY(copy_def(policy, def));
    SAC_TRY(policy->ops->create(policy));
    policy->parameters = SAC_NEW_ARRAY(float, (size_t)policy->parameter_count);
    return policy->parameters ? SAC_OK : sac_fail_memory("a policy");
}

sac_status sac_policy_create(sac_policy **out, const sac_policy_def *def)
{
    *out = NULL;
    const sac_policy_ops *ops = sac_policy_find_kind(def->kind);
    if (!ops)
    {
        const char *meant = sac_did_you_mean(sac_nearest(def->kind, kind_name, NULL));
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: unknown kind '%.80s'%s", def->kind,
                        meant[0] ? meant : "; one that is not built in comes with a plugin, which is not loaded");
    }
    SAC_TRY(check_shapes(def));

    sac_policy *policy = SAC_NEW(sac_policy);
    if (!policy) return sac_fail_memory("a policy");
    policy->ops = ops;
    sac_status status = create(policy, def);
    if (status != SAC_OK)
    {
        sac_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return SAC_OK;
}

sac_status sac_policy_create_with(sac_policy **out, const sac_policy *policy, const float *parameters)
{
    // the def holds every option as resolved, so that this is the same architecture
    SAC_TRY(sac_policy_create(out, &policy->def));
    memcpy((*out)->parameters, parameters, (size_t)policy->parameter_count * sizeof *parameters);
    return SAC_OK;
}

void sac_policy_destroy(sac_policy *policy)
{
    if (!policy) return;
    policy->ops->destroy(policy->self);
    sac_free(policy->parameters);
    sac_free((void *)policy->def.settings);
    sac_free((void *)policy->def.action_low);
    sac_free(policy->config);
    sac_free(policy);
}

const char *sac_policy_kind(const sac_policy *policy)
{
    return policy->ops->name;
}

int sac_policy_parameter_count(const sac_policy *policy)
{
    return policy->parameter_count;
}

const float *sac_policy_parameters(const sac_policy *policy)
{
    return policy->parameters;
}

const sac_policy_def *sac_policy_get_def(const sac_policy *policy)
{
    return &policy->def;
}

void sac_policy_draw(const sac_policy *policy, uint64_t seed, float *parameters)
{
    for (int i = 0; i < policy->view_count; i++)
    {
        const sac_view *view = &policy->views[i];
        sac_stream stream = sac_stream_create(seed, (uint64_t)i, 0);
        for (size_t j = 0; j < sac_view_size(view); j++)
            parameters[view->offset + j] =
                (float)sac_stream_uniform(&stream, -(double)view->init_limit, (double)view->init_limit);
    }
}

sac_status sac_policy_state_create(sac_policy_state **out, const sac_policy *policy)
{
    *out = NULL;
    SAC_TRY(policy->ops->state_create(out, policy));
    (*out)->policy = policy;
    sac_policy_state_set_parameters(*out, policy->parameters);
    return SAC_OK;
}

void sac_policy_state_destroy(sac_policy_state *state)
{
    if (state) state->policy->ops->state_destroy(state);
}

void sac_policy_state_set_parameters(sac_policy_state *state, const float *parameters)
{
    state->policy->ops->set_parameters(state, parameters);
    sac_policy_state_reset(state);
}

void sac_policy_state_reset(sac_policy_state *state)
{
    state->policy->ops->reset(state);
}

void sac_policy_act(sac_policy_state *state, const uint8_t *observation, float *action)
{
    state->policy->ops->act(state, observation, action);
}

void sac_policy_act_float(sac_policy_state *state, const float *observation, float *action)
{
    state->policy->ops->act_float(state, observation, action);
}

void sac_policy_act_batch(sac_policy_state *const *states, const uint8_t *const *observations, float *const *actions,
                          int count)
{
    for (int i = 0; i < count; i++) states[i]->policy->ops->act(states[i], observations[i], actions[i]);
}

void sac_policy_gaze(sac_policy_state *state, sac_gaze *gaze)
{
    *gaze = (sac_gaze){0};
    state->policy->ops->gaze(state, gaze);
}

int sac_policy_filter_size(const sac_policy *policy)
{
    return policy->filter_size;
}

const float *sac_policy_filter_input(const sac_policy_state *state)
{
    return state->policy->filter_size > 0 ? state->policy->ops->filter_input(state) : NULL;
}

bool sac_policy_patch(const sac_policy_state *state, int index, float *pixels)
{
    if (!state->policy->ops->patch) return false;
    state->policy->ops->patch(state, index, pixels);
    return true;
}

bool sac_policy_attention_row(const sac_policy_state *state, int query, float *weights)
{
    if (!state->policy->ops->attention_row) return false;
    state->policy->ops->attention_row(state, query, weights);
    return true;
}
