#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/parts.h"

#define CONFIG sac_pct_config
#include "policy/options/kind_rows.h"

// This file plans what is fixed, and lists the kind's functions.

static sac_status check(const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    char text[SAC_SPACE_TEXT_SIZE];
    if (!sac_space_is_floats(&def->inputs[policy->image]) || def->width != 3 || def->channels != 1)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: point-cloud takes points of 3 floats, a row each, and '%s' is none of those",
                        sac_space_format(&def->inputs[policy->image], text));
    if (def->action_size != SAC_PCT_OUTPUTS || def->action_choices > 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: point-cloud says a grasp by %d numbers (tip, approach, roll), not %d numbers with %d "
                        "choices",
                        SAC_PCT_OUTPUTS, def->action_size, def->action_choices);
    return SAC_OK;
}

static sac_status plan_attention(sac_pct *pct)
{
    const sac_pct_config *config = &pct->config;
    sac_attention_def def = sac_attention_default_def();
    def.form = config->attention;
    def.key_size = config->width;
    def.feature_count = config->attention_features;
    def.direction_count = config->attention_directions;
    def.scale = config->scale;
    def.epsilon = strcmp(config->attention, "softmax") == 0 ? 0 : (double)SAC_PCT_EPSILON;
    def.seed = config->attention_seed;
    def.divide_all = sac_attention_form_divides(config->attention); // for the gaze: outputs are divided in any case
    const sac_status status = sac_attention_create(&pct->attention, &def);
    if (status != SAC_OK) return sac_fail_in(status, "policy");
    pct->features = sac_attention_feature_size(pct->attention);
    return SAC_OK;
}

// Tensors of `count` layers [out, in], as PyTorch draws them.
static sac_status add_layers(sac_policy *policy, const char *bias, const char *weight, int count, int out, int in,
                             sac_layer *layer)
{
    const double limit = 1 / sqrt((double)in);
    SAC_TRY(sac_policy_add_tensor(policy, bias, limit, 2, (int[]){count, out}, &layer->bias));
    return sac_policy_add_tensor(policy, weight, limit, 3, (int[]){count, out, in}, &layer->weight);
}

static sac_status add_norm(sac_policy *policy, const char *gain, const char *shift, int count, int width,
                           sac_pct_norm *norm)
{
    const int shape[] = {count, width};
    SAC_TRY(sac_policy_add_tensor(policy, gain, 0, 2, shape, &norm->gain));
    return sac_policy_add_tensor(policy, shift, 0, 2, shape, &norm->shift);
}

static sac_status add_blocks(sac_policy *policy, const sac_pct_config *c, sac_pct_block *b)
{
    const int count = c->layers, width = c->width;
    const double limit = 1 / sqrt((double)width);
    SAC_TRY(sac_policy_add_tensor(policy, "mix.weight", limit, 3, (int[]){count, 3 * width, width}, &b->mix));
    SAC_TRY(add_layers(policy, "out.bias", "out.weight", count, width, width, &b->out));
    SAC_TRY(add_norm(policy, "middle_norm.gain", "middle_norm.shift", count, width, &b->middle));
    SAC_TRY(add_layers(policy, "up.bias", "up.weight", count, c->units, width, &b->up));
    SAC_TRY(add_layers(policy, "down.bias", "down.weight", count, width, c->units, &b->down));
    return add_norm(policy, "norm.gain", "norm.shift", count, width, &b->last);
}

static sac_status create(sac_policy *policy)
{
    sac_pct *pct = SAC_NEW(sac_pct);
    if (!pct) return sac_fail_memory("a policy");
    policy->self = pct; // destroyed with the policy
    pct->config = *(const sac_pct_config *)policy->config;
    const sac_pct_config *c = &pct->config;
    pct->kernels = sac_kernels_create(sac_get_cpu_level());
    SAC_TRY(check(policy));
    pct->points = policy->def.height;
    pct->stride = sac_round_up(pct->points);
    pct->told = policy->vector_size + (c->center ? SAC_PCT_CENTER : 0);
    pct->actor.controller.outputs = SAC_PCT_OUTPUTS;
    SAC_TRY(plan_attention(pct));
    SAC_TRY(sac_policy_add_layer(policy, "near.bias", "near.weight", c->width, 3, &pct->near));
    SAC_TRY(sac_policy_add_layer(policy, "embed.bias", "embed.weight", c->width, c->width, &pct->embed));
    if (c->layers > 0) SAC_TRY(add_blocks(policy, c, &pct->blocks));
    SAC_TRY(sac_policy_add_layer(policy, "head.bias", "head.weight", c->hidden, 2 * c->width + pct->told, &pct->head));
    return sac_policy_add_layer(policy, "grasp.bias", "grasp.weight", SAC_PCT_OUTPUTS, c->hidden, &pct->grasp);
}

static void destroy(void *self)
{
    sac_pct *pct = self;
    if (!pct) return;
    sac_attention_destroy(pct->attention);
    sac_free(pct);
}

// What acting needs, and what looking back does.
static size_t workspace_size(const sac_pct *pct)
{
    const size_t output = sac_attention_output_workspace_size(pct->attention, pct->points, pct->config.width);
    const size_t importance = sac_attention_workspace_size(pct->attention, pct->points);
    return output > importance ? output : importance;
}

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    sac_pct_state *s = (sac_pct_state *)base;
    const sac_pct *pct = s->pct = base->policy->self;
    const size_t stride = (size_t)pct->stride, width = (size_t)pct->config.width;
    s->parameters = sac_take(workspace, (size_t)base->policy->parameter_count, sizeof(float));
    s->gain = sac_take_scratch(workspace, width, sizeof(float));
    s->x = sac_take_scratch(workspace, width * stride, sizeof(float));
    s->mixed = sac_take_scratch(workspace, 3 * width * stride, sizeof(float));
    s->gathered = sac_take_scratch(workspace, width * stride, sizeof(float));
    s->units = sac_take_scratch(workspace, (size_t)pct->config.units * stride, sizeof(float));
    s->workspace = sac_take_scratch(workspace, workspace_size(pct), 1);
    s->cloud = sac_take(workspace, 3 * (size_t)pct->points, sizeof(float));
    s->importance = sac_take(workspace, (size_t)pct->points, sizeof(float));
    s->received = sac_take(workspace, (size_t)pct->points, sizeof(float));
    s->pooled = sac_take(workspace, 2 * width + (size_t)pct->told, sizeof(float));
    s->hidden = sac_take(workspace, (size_t)pct->config.hidden, sizeof(float));
    s->raw = sac_take(workspace, SAC_PCT_OUTPUTS, sizeof(float));
    s->output = sac_take(workspace, SAC_PCT_OUTPUTS, sizeof(float));
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_pct_state *s = (sac_pct_state *)base;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
}

static void reset(sac_policy_state *base)
{
    (void)base; // it has no memory
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    sac_pct_state *s = (sac_pct_state *)base;
    const sac_policy_def *def = &base->policy->def;
    sac_pct_run(s, inputs);
    memcpy(s->cloud, inputs[base->policy->image], 3 * (size_t)s->pct->points * sizeof *s->cloud);
    for (int i = 0; i < SAC_PCT_OUTPUTS; i++)
    {
        const float low = def->action_low[i], high = def->action_high[i], number = s->output[i];
        action[i] = number < low ? low : number > high ? high : number;
    }
}

// A cloud is no picture of bytes, so sac_policy_act_float may not be called for this kind.
static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    const void *inputs[] = {observation};
    act(base, inputs, action);
}

static void gaze(sac_policy_state *base, sac_gaze *gaze)
{
    sac_pct_state *s = (sac_pct_state *)base;
    gaze->output = s->output;
    gaze->output_size = SAC_PCT_OUTPUTS;
    if (s->pct->config.layers == 0) return; // points do not attend to each other
    sac_pct_look_back(s);
    gaze->rows = s->pct->points;
    gaze->columns = 1;
    gaze->importance = s->importance;
}

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    const sac_pct_state *s = (const sac_pct_state *)base;
    *parts = (sac_policy_parts){.actor = &s->pct->actor, .pct = s->pct, .reading = SAC_PARTS_CLOUD};
}

static const sac_option options[] = {
    INT(width, "16", 1, SAC_PCT_MAX_WIDTH, "W: numbers of a point's token"),
    INT(layers, "2", 0, SAC_PCT_MAX_LAYERS, "layers, in which the points attend to each other"),
    INT(units, "32", 1, 1024, "hidden units of each layer's MLP"),
    INT(hidden, "16", 1, 1024, "hidden units between what is pooled and the grasp"),
    BOOL(center, "true",
         "points are taken relative to their mean, and the grasp is told this mean and the axis in which they spread "
         "most; false: points are taken as they come, and the grasp is told vectors alone"),
    {"unit", SAC_OPTION_REAL, offsetof(CONFIG, unit), "1", 1e-6, 1e6, NULL,
     "metres that count as 1: places of points, and the mean that is told, are divided by it. Layers begin with "
     "weights "
     "of about 1, so points that are a few centimetres apart are all one to them"},
    REAL(down, "0", 1e3,
         "taken from the approach's z before the approach is divided by its length: with 1 or more, grasps begin from "
         "above, and a fit need not turn round one that points up"),
    {"tip_unit", SAC_OPTION_REAL, offsetof(CONFIG, tip_unit), "1", 1e-6, 1e6, NULL,
     "metres by which an output of 1 moves the tip. Evolution changes all numbers by the same deviation, so the tip "
     "should be said in a unit in which it matters as much as the other outputs: 0.1, where the world's tip goes to "
     "0.1 m, or less"},
    TEXT(attention, "softmax", NULL, ANY_FORM),
    REAL(scale, "0", 1e6, "factor of the logits; 0: 1/sqrt(W), of relu and sara-* 1"),
    INT(attention_features, "0", 0, 4096,
        "random features M of linear forms; 0, for relu and sara-*: queries and keys as they are, whose layers then "
        "are the learned maps of SARA"),
    INT(attention_directions, "5", 1, 64, "directions R whose signs estimate angles in hybrid"),
    SEED(attention_seed, "1", "draws those features and directions"),
    {0},
};

const sac_policy_ops sac_point_cloud_ops = {.name = "point-cloud",
                                            .options = options,
                                            .config_size = sizeof(sac_pct_config),
                                            .taste = SAC_TASTE_BOTH,
                                            .create = create,
                                            .destroy = destroy,
                                            .state_size = sizeof(sac_pct_state),
                                            .place = place,
                                            .set_parameters = set_parameters,
                                            .reset = reset,
                                            .act = act,
                                            .act_float = act_float,
                                            .gaze = gaze,
                                            .parts = parts};
