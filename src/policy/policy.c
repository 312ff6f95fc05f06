#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "policy/kind.h"

enum
{
    MAX_ACTION = 1 << 12,
};

static sac_status check_actions(const sac_policy_def *def)
{
    if (def->action_size < 1 || def->action_size > MAX_ACTION || def->action_choices < 0 ||
        def->action_choices > MAX_ACTION)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %d actions with %d choices, expected 1 to %d", def->action_size,
                        def->action_choices, MAX_ACTION);
    if (def->action_choices == 0 && (!def->action_low || !def->action_high))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: action_low and action_high are needed");
    return SAC_OK;
}

static sac_status check_image(int height, int width, int channels)
{
    if (height >= 1 && width >= 1 && height <= SAC_SPACE_MAX_SIDE && width <= SAC_SPACE_MAX_SIDE && channels >= 1 &&
        channels <= SAC_SPACE_MAX_CHANNELS)
        return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: the observation is %d x %d x %d, expected 1 to %d pixels a side and 1 to %d channels",
                    height, width, channels, SAC_SPACE_MAX_SIDE, SAC_SPACE_MAX_CHANNELS);
}

// Check that a built-in kind can take these inputs. A kind of a plugin checks its inputs itself.
static sac_status check_taste(const sac_policy *policy, int images)
{
    char text[SAC_SPACE_TEXT_SIZE];
    const sac_policy_def *def = &policy->def;
    if ((policy->ops->taste == SAC_TASTE_IMAGE || policy->ops->taste == SAC_TASTE_BOTH) && images != 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s looks at one picture, and among its %d inputs (%s%s) are %d",
                        policy->ops->name, def->input_count, sac_space_format(&def->inputs[0], text),
                        def->input_count > 1 ? ", ..." : "", images);
    if (policy->ops->taste == SAC_TASTE_NUMBERS && images > 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s%s takes vectors of numbers, and its input '%s' is a picture",
                        policy->ops->name, policy->ops->taste_by ? policy->ops->taste_by : "",
                        def->inputs[policy->image].name);
    return SAC_OK;
}

// Copies the def's list of inputs, or makes one of its one picture.
static sac_status copy_inputs(sac_policy *policy, const sac_policy_def *def)
{
    const sac_space camera = {
        .name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {def->height, def->width, def->channels}};
    const sac_space *inputs = def->inputs ? def->inputs : &camera;
    int count = def->inputs ? def->input_count : 1, images = 0;
    if (!def->inputs) SAC_TRY(check_image(def->height, def->width, def->channels));
    SAC_TRY(sac_space_check_parts(inputs, count, "policy"));
    policy->def.inputs = sac_space_copy_parts(inputs, count);
    if (!policy->def.inputs) return sac_fail_memory("a policy");
    policy->def.input_count = count;
    policy->def.height = policy->def.width = policy->def.channels = 0;
    policy->image = -1;
    for (int i = count - 1; i >= 0; i--)
    {
        const int *shape = inputs[i].shape;
        if (!sac_space_is_image(&inputs[i]))
        {
            policy->vector_size += (int)sac_space_size(&inputs[i]);
            continue;
        }
        images++;
        policy->image = i;
        policy->def.height = shape[0], policy->def.width = shape[1], policy->def.channels = shape[2] > 0 ? shape[2] : 1;
        SAC_TRY(check_image(shape[0], shape[1], policy->def.channels));
    }
    return check_taste(policy, images);
}

// Copies the bounds and the resolved options, so that the policy owns all that its def points to.
static sac_status copy_def(sac_policy *policy, const sac_policy_def *def)
{
    policy->def = *def;
    policy->def.kind = policy->ops->name;
    policy->def.settings = NULL;
    policy->def.setting_count = 0;
    policy->def.action_low = policy->def.action_high = NULL;
    policy->def.inputs = NULL;
    SAC_TRY(copy_inputs(policy, def));

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
    // The texts lie behind the settings in one block of memory.
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

// The function that lays out the arrays of a state also measures them, in a workspace without memory.
static sac_status measure_state(sac_policy *policy)
{
    if (!policy->ops->place) return SAC_OK;
    sac_policy_state *state = sac_alloc(policy->ops->state_size);
    if (!state) return sac_fail_memory("a policy");
    sac_workspace scratch = {0}, room = {.scratch = &scratch};
    state->policy = policy;
    policy->ops->place(state, &room);
    policy->state_room = room.used;
    policy->scratch_room = scratch.used;
    sac_free(state);
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
    return policy->parameters ? measure_state(policy) : sac_fail_memory("a policy");
}

sac_status sac_policy_create_of(sac_policy **out, const sac_policy_ops *ops, const sac_policy_def *def)
{
    *out = NULL;
    SAC_TRY(check_actions(def));
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
    // The def holds every option as it was resolved, so that this is the same architecture.
    SAC_TRY(sac_policy_create_of(out, policy->ops, &policy->def));
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
    sac_space_free_parts((sac_space *)policy->def.inputs);
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
    for (int i = 0; i < policy->tensor_count; i++)
    {
        const sac_policy_tensor *tensor = &policy->tensors[i];
        sac_stream stream = sac_stream_create(seed, (uint64_t)i, 0);
        for (size_t j = 0; j < sac_policy_tensor_size(tensor); j++)
            parameters[tensor->offset + j] =
                (float)sac_stream_uniform(&stream, -(double)tensor->init_limit, (double)tensor->init_limit);
    }
}

sac_policy_state *sac_policy_state_take(const sac_policy *policy, sac_workspace *workspace)
{
    sac_policy_state *state = sac_take(workspace, 1, policy->ops->state_size);
    sac_workspace *scratch = workspace->scratch;
    if (!state)
    {
        workspace->used += policy->state_room + (scratch ? 0 : policy->scratch_room);
        if (scratch && scratch->used < policy->scratch_room) scratch->used = policy->scratch_room;
        return NULL;
    }
    if (scratch) scratch->used = 0; // everyone's begins where it begins
    state->policy = policy;
    if (policy->ops->place) policy->ops->place(state, workspace);
    return state;
}

sac_status sac_policy_state_open(sac_policy_state *state)
{
    const sac_policy *policy = state->policy;
    if (policy->ops->open) SAC_TRY(policy->ops->open(state));
    sac_policy_state_set_parameters(state, policy->parameters);
    return SAC_OK;
}

void sac_policy_state_close(sac_policy_state *state)
{
    if (state && state->policy->ops->close) state->policy->ops->close(state);
}

// One block of memory holds a state and all its arrays, so that nothing allocates later.
sac_status sac_policy_state_create(sac_policy_state **out, const sac_policy *policy)
{
    *out = NULL;
    sac_workspace room = {0};
    sac_policy_state_take(policy, &room);
    room = (sac_workspace){.memory = sac_alloc(room.used)};
    if (!room.memory) return sac_fail_memory("a policy's state");
    sac_policy_state *state = sac_policy_state_take(policy, &room);
    sac_status status = sac_policy_state_open(state);
    if (status == SAC_OK)
        *out = state;
    else
        sac_policy_state_destroy(state);
    return status;
}

void sac_policy_state_destroy(sac_policy_state *state)
{
    sac_policy_state_close(state);
    sac_free(state); // it begins its block
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

bool sac_policy_takes_one_picture(const sac_policy *policy)
{
    return policy->def.input_count == 1 && policy->def.inputs[0].kind == SAC_SPACE_PICTURE;
}

void sac_policy_act(sac_policy_state *state, const uint8_t *observation, float *action)
{
    SAC_ASSERT(sac_policy_takes_one_picture(state->policy));
    const void *inputs[] = {observation};
    state->policy->ops->act(state, inputs, action);
}

void sac_policy_act_float(sac_policy_state *state, const float *observation, float *action)
{
    SAC_ASSERT(sac_policy_takes_one_picture(state->policy) && state->policy->ops->act_float);
    state->policy->ops->act_float(state, observation, action);
}

void sac_policy_act_on(sac_policy_state *state, const void *const *inputs, float *action)
{
    state->policy->ops->act(state, inputs, action);
}

static float bounded(float x, float low, float high)
{
    if (isnan(x)) return low / 2 + high / 2;
    return x < low ? low : x > high ? high : x;
}

void sac_policy_bound(const sac_policy_def *def, float *action)
{
    if (def->action_choices > 0)
    {
        action[0] = isnan(action[0]) ? 0 : rintf(bounded(action[0], 0, (float)(def->action_choices - 1)));
        return;
    }
    for (int i = 0; i < def->action_size; i++) action[i] = bounded(action[i], def->action_low[i], def->action_high[i]);
}

void sac_policy_act_batch(sac_policy_state *const *states, const void *const *const *inputs, float *const *actions,
                          int count)
{
    for (int i = 0, next; i < count; i = next)
    {
        const sac_policy *policy = states[i]->policy;
        for (next = i + 1; next < count && states[next]->policy == policy; next++)
        {
        }
        if (policy->ops->act_batch)
            policy->ops->act_batch(states + i, inputs + i, actions + i, next - i);
        else
            for (int k = i; k < next; k++) policy->ops->act(states[k], inputs[k], actions[k]);
    }
}

void sac_policy_gaze(sac_policy_state *state, sac_gaze *gaze)
{
    *gaze = (sac_gaze){0};
    if (state->policy->ops->gaze) state->policy->ops->gaze(state, gaze);
}

int sac_policy_normaliser_size(const sac_policy *policy)
{
    return policy->normaliser_size;
}

const float *sac_policy_normaliser_input(const sac_policy_state *state)
{
    return state->policy->normaliser_size > 0 ? state->policy->ops->normaliser_input(state) : NULL;
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
