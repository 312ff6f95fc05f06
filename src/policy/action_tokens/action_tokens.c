#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "policy/parts.h"
#include "saccade/action_codec.h"

#define CONFIG sac_rt_config
#include "policy/options/kind_rows.h"

// This file plans what is fixed, and lists the kind's functions.

static sac_status check(const sac_rt_config *config, const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    if (config->width % config->heads != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: width is %d, expected a multiple of heads, which is %d",
                        config->width, config->heads);
    if (policy->vector_size > 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: action-tokens looks at one picture and takes no vectors, but inputs has %d numbers",
                        policy->vector_size);
    if (def->action_choices == 1 || def->action_choices > SAC_MAX_ACTION_BINS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: action-tokens chooses among 2 to %d actions, not %d",
                        SAC_MAX_ACTION_BINS, def->action_choices);
    for (int i = 0; def->action_choices == 0 && i < def->action_size; i++)
        if (!(def->action_low[i] < def->action_high[i]) || !isfinite(def->action_high[i] - def->action_low[i]))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy: action %d is bounded by %g and %g; action-tokens needs finite bounds to cut into "
                            "bins",
                            i, (double)def->action_low[i], (double)def->action_high[i]);
    return SAC_OK;
}

static sac_status plan_attention(sac_rt *rt)
{
    const sac_rt_config *config = &rt->config;
    sac_attention_def def = sac_attention_default_def();
    if (config->attention_features == 0 && !sac_attention_form_takes_identity(config->attention))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: attention is %s, whose features are random, and attention_features is 0, expected 1 "
                        "to 4096",
                        config->attention);
    def.form = config->attention;
    def.key_size = rt->head_size;
    def.feature_count = config->attention_features;
    def.direction_count = config->attention_directions;
    def.scale = config->scale;
    def.epsilon = strcmp(config->attention, "softmax") == 0 ? 0 : (double)SAC_RT_EPSILON;
    def.seed = config->attention_seed;
    const sac_status status = sac_attention_create(&rt->attention, &def);
    if (status != SAC_OK) return sac_fail_in(status, "policy");
    rt->features = sac_attention_feature_size(rt->attention);
    return SAC_OK;
}

// Positions are added to the patches before these are projected.
static sac_status plan_positions(sac_embedding *e, const sac_rt_config *config)
{
    const char *word = config->position_encoding;
    if (strcmp(word, "none") == 0) return SAC_OK;
    const bool grid = strcmp(word, "grid") == 0;
    if (grid && e->inputs % 2 != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: position_encoding is grid, but a patch has %d numbers, an odd number; flat has no "
                        "such need",
                        e->inputs);
    e->positions = SAC_NEW_MATRIX(float, (size_t)e->inputs, (size_t)e->token_stride);
    if (!e->positions) return sac_fail_memory("a policy's positions");
    if (grid)
        sac_positions_grid(e->positions, e->token_stride, e->inputs, e->patches.rows, e->patches.columns);
    else
        sac_positions_flat(e->positions, e->token_stride, e->inputs, e->count);
    for (size_t i = 0; i < (size_t)e->inputs * (size_t)e->token_stride; i++)
        e->positions[i] *= (float)config->position_size;
    return SAC_OK;
}

static sac_status plan_image(sac_rt *rt, const sac_policy_def *def)
{
    const sac_rt_config *c = &rt->config;
    SAC_TRY(sac_embedding_plan(&rt->embedding, def, (sac_crop){c->crop_top, c->crop_height, c->image_size}, c->patch,
                               c->stride > 0 ? c->stride : c->patch, c->width, "patch"));
    if (c->centre_pixels) rt->embedding.centre = 0.5f;
    return plan_positions(&rt->embedding, c);
}

// Tensors of `count` layers [out, in], as PyTorch draws them.
static sac_status add_layers(sac_policy *policy, const char *bias, const char *weight, int count, int out, int in,
                             sac_layer *layer)
{
    const double limit = 1 / sqrt((double)in);
    SAC_TRY(sac_policy_add_tensor(policy, bias, limit, 2, (int[]){count, out}, &layer->bias));
    return sac_policy_add_tensor(policy, weight, limit, 3, (int[]){count, out, in}, &layer->weight);
}

#define ADD_BLOCK(policy, name, count, width, hidden, block)                                                         \
    do                                                                                                               \
    {                                                                                                                \
        const int shape_[] = {count, width};                                                                         \
        SAC_TRY(sac_policy_add_tensor(policy, name ".norm", 0, 2, shape_, &(block)->norm));                          \
        SAC_TRY(add_layers(policy, name ".mix.bias", name ".mix.weight", count, 3 * (width), width, &(block)->mix)); \
        SAC_TRY(add_layers(policy, name ".out.bias", name ".out.weight", count, width, width, &(block)->out));       \
        SAC_TRY(sac_policy_add_tensor(policy, name ".middle_norm", 0, 2, shape_, &(block)->middle_norm));            \
        SAC_TRY(add_layers(policy, name ".up.bias", name ".up.weight", count, hidden, width, &(block)->up));         \
        SAC_TRY(add_layers(policy, name ".down.bias", name ".down.weight", count, width, hidden, &(block)->down));   \
    } while (0)

static sac_status add_encoder(sac_rt *rt, sac_policy *policy)
{
    const int width = rt->config.width, inputs = rt->embedding.inputs;
    const double limit = 1 / sqrt((double)inputs);
    SAC_TRY(sac_policy_add_tensor(policy, "patches.bias", limit, 1, &width, &rt->patches.bias));
    // as if pixels were divided by a quarter
    SAC_TRY(sac_policy_add_tensor(policy, "patches.weight", 4 * limit, 2, (int[]){width, inputs}, &rt->patches.weight));
    sac_embedding_add(&rt->embedding, rt->patches, width);
    if (rt->config.layers > 0) ADD_BLOCK(policy, "encoder", rt->config.layers, width, rt->config.units, &rt->encoder);
    SAC_TRY(sac_policy_add_tensor(policy, "memory.norm", 0, 1, &width, &rt->frame_norm));
    SAC_TRY(sac_policy_add_layer(policy, "memory.bias", "memory.weight", 2 * width, width, &rt->memory));
    return sac_policy_add_tensor(policy, "memory.ages", 0, 2, (int[]){rt->config.heads, rt->config.history}, &rt->ages);
}

static sac_status add_decoder(sac_rt *rt, sac_policy *policy)
{
    const int width = rt->config.width;
    const double limit = 1 / sqrt((double)width);
    SAC_TRY(sac_policy_add_tensor(policy, "dimensions", limit, 2, (int[]){rt->tokens, width}, &rt->dimensions));
    SAC_TRY(sac_policy_add_tensor(policy, "bins", limit, 2, (int[]){rt->bins, width}, &rt->words));
    ADD_BLOCK(policy, "decoder", 1, width, rt->config.units, &rt->decoder);
    SAC_TRY(sac_policy_add_tensor(policy, "logits.norm", 0, 1, &width, &rt->last_norm));
    SAC_TRY(sac_policy_add_tensor(policy, "logits.bias", limit, 2, (int[]){rt->tokens, rt->bins}, &rt->logits.bias));
    return sac_policy_add_tensor(policy, "logits.weight", limit, 2, (int[]){rt->bins, width}, &rt->logits.weight);
}

static sac_status create(sac_policy *policy)
{
    sac_rt *rt = SAC_NEW(sac_rt);
    if (!rt) return sac_fail_memory("a policy");
    policy->self = rt; // destroyed with the policy
    rt->config = *(const sac_rt_config *)policy->config;
    rt->kernels = sac_kernels_create(sac_get_cpu_level());
    SAC_TRY(check(&rt->config, policy));
    rt->head_size = rt->config.width / rt->config.heads;
    SAC_TRY(sac_rt_plan_spelling(rt, &policy->def));
    SAC_TRY(plan_image(rt, &policy->def));
    SAC_TRY(plan_attention(rt));
    rt->actor.controller.outputs = rt->tokens * rt->bins;
    SAC_TRY(add_encoder(rt, policy));
    return add_decoder(rt, policy);
}

static void destroy(void *self)
{
    sac_rt *rt = self;
    if (!rt) return;
    sac_attention_destroy(rt->attention);
    sac_embedding_clear(&rt->embedding);
    sac_free(rt);
}

static void place_history(sac_rt_state *s, const sac_rt *rt, sac_workspace *workspace)
{
    const size_t stride = (size_t)rt->embedding.token_stride, width = (size_t)rt->config.width;
    const size_t frames = (size_t)rt->config.history, own = (size_t)sac_round_up(rt->tokens);
    const size_t sums = (size_t)rt->config.heads * (size_t)(rt->head_size + 1) * (size_t)rt->features;
    const bool keeps = rt->features == 0;
    s->memory = sac_take(workspace, keeps ? frames * 2 * width * stride : 0, sizeof(float));
    s->own = sac_take(workspace, keeps ? 2 * width * own : 0, sizeof(float));
    s->memory_sums = sac_take(workspace, frames * sums, sizeof(float));
    s->sums = sac_take(workspace, sums, sizeof(float));
    s->seen_keys = sac_take(workspace, keeps ? 0 : width * stride, sizeof(float));
}

static void place_speech(sac_rt_state *s, const sac_rt *rt, sac_workspace *workspace)
{
    const size_t tokens = (size_t)rt->tokens, width = (size_t)rt->config.width, heads = (size_t)rt->config.heads;
    s->token = sac_take(workspace, width, sizeof(float));
    s->logits = sac_take(workspace, tokens * (size_t)rt->bins, sizeof(float));
    s->queries = sac_take(workspace, tokens * width, sizeof(float));
    s->shifts = sac_take(workspace, tokens * heads, sizeof(float));
    s->totals = sac_take(workspace, tokens * heads, sizeof(float));
    s->said = sac_take(workspace, tokens, sizeof(int));
    s->importance = sac_take(workspace, (size_t)rt->embedding.token_stride, sizeof(float));
}

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    sac_rt_state *s = (sac_rt_state *)base;
    const sac_policy *policy = base->policy;
    const sac_rt *rt = s->rt = policy->self;
    const int count = rt->embedding.count, own = sac_round_up(rt->tokens);
    const size_t stride = (size_t)rt->embedding.token_stride, width = (size_t)rt->config.width;
    const size_t attention = sac_attention_workspace_size(rt->attention, count);
    const size_t output = sac_attention_output_workspace_size(rt->attention, count, rt->head_size);
    s->parameters = sac_take(workspace, (size_t)policy->parameter_count, sizeof(float));
    s->factors = sac_take(workspace, (size_t)(rt->config.heads * rt->config.history), sizeof(float));
    s->normed = sac_take_scratch(workspace, width * stride, sizeof(float));
    s->mixed = sac_take_scratch(workspace, 3 * width * stride, sizeof(float));
    s->gathered = sac_take_scratch(workspace, width * stride, sizeof(float));
    s->units = sac_take_scratch(workspace, (size_t)rt->config.units * stride, sizeof(float));
    s->features = sac_take_scratch(workspace, (size_t)rt->features * stride, sizeof(float));
    s->query_features = sac_take_scratch(workspace, (size_t)rt->features, sizeof(float));
    s->weights = sac_take_scratch(workspace, (size_t)own > stride ? (size_t)own : stride, sizeof(float));
    s->workspace = sac_take_scratch(workspace, attention > output ? attention : output, 1);
    place_history(s, rt, workspace);
    place_speech(s, rt, workspace);
    sac_embedding_place(&s->embedding, &rt->embedding, workspace);
    sac_look_place(&s->look, policy, workspace);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_rt_state *s = (sac_rt_state *)base;
    const sac_rt *rt = s->rt;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    sac_embedding_set(&s->embedding, &rt->embedding, s->parameters);
    rt->kernels.exp(s->factors, s->parameters + rt->ages, rt->config.heads * rt->config.history);
}

static void reset(sac_policy_state *base)
{
    sac_rt_state *s = (sac_rt_state *)base;
    s->frames = s->newest = 0;
}

static void decide(sac_rt_state *s, float *action)
{
    sac_rt_encode(s);
    sac_rt_speak(s);
    sac_rt_read(s->rt, &s->base.policy->def, action, s->said);
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    sac_rt_state *s = (sac_rt_state *)base;
    sac_look(&s->look, &s->embedding, &s->rt->embedding, base->policy, inputs);
    decide(s, action);
}

static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    sac_rt_state *s = (sac_rt_state *)base;
    sac_embedding_run_floats(&s->embedding, &s->rt->embedding, observation + s->rt->embedding.first);
    decide(s, action);
}

static void patch(const sac_policy_state *base, int index, float *pixels)
{
    const sac_rt_state *s = (const sac_rt_state *)base;
    sac_embedding_patch(&s->embedding, &s->rt->embedding, index, pixels);
}

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    const sac_rt_state *s = (const sac_rt_state *)base;
    *parts = (sac_policy_parts){.embedding = &s->rt->embedding,
                                .embedding_state = &s->embedding,
                                .actor = &s->rt->actor,
                                .rt = s->rt,
                                .reading = SAC_PARTS_SPEECH};
}

static bool resizes(const sac_policy *policy)
{
    const sac_rt_config *config = &((const sac_rt *)policy->self)->config;
    return config->image_size > 0 && config->crop_top == 0 && config->crop_height == 0;
}

static const sac_option options[] = {
    INT(crop_top, "0", 0, 4096, "rows of pixels at the observation's top that are left out"),
    INT(crop_height, "0", 0, 4096, "rows of pixels that are looked at from there on; 0: all that are left"),
    INT(image_size, "84", 0, 4096, "side in pixels that the observation is resized to (bilinear); 0: as it is"),
    INT(patch, "6", 1, 64, "side of a patch in pixels"),
    INT(stride, "0", 0, 64, "pixels from one patch to the next; 0: as many as a patch has, no overlap"),
    TEXT(position_encoding, "grid", "none flat grid",
         "sinusoids added to the patches: over their index, or over row and column"),
    REAL(position_size, "0.25", 1e6, "factor of these sinusoids"),
    BOOL(centre_pixels, "true", "subtract 1/2 from pixels, which then lie between -1/2 and 1/2"),
    INT(history, "3", 1, SAC_RT_MAX_HISTORY, "frames that the decoder attends to, the newest included"),
    INT(width, "16", 1, SAC_RT_MAX_WIDTH, "W: numbers of a token"),
    INT(heads, "2", 1, 16, "H: attentions side by side, each of W / H numbers"),
    INT(layers, "1", 0, SAC_RT_MAX_LAYERS, "blocks of the encoder, in which a frame's tokens attend to each other"),
    INT(units, "32", 1, 1024, "hidden units of each block's MLP"),
    TEXT(spelling, "bins", "bins decimals",
         "how numbers are said: as one bin each, or sign and digits, four of them after the point"),
    INT(bins, "256", 2, SAC_MAX_ACTION_BINS, "B: action tokens, the bins of each number; choices have one each"),
    TEXT(attention, "softmax", NULL, ANY_FORM),
    REAL(scale, "0", 1e6, "factor of the logits; 0: 1/sqrt(W / H), of relu and sara-* 1"),
    INT(attention_features, "0", 0, 4096,
        "random features M of linear forms; 0, for relu and sara-*: queries and keys as they are, whose layers then "
        "are "
        "the learned maps of SARA"),
    INT(attention_directions, "5", 1, 64, "directions R whose signs estimate angles in hybrid"),
    SEED(attention_seed, "1", "draws those features and directions"),
    {0},
};

const sac_policy_ops sac_action_tokens_ops = {.name = "action-tokens",
                                              .options = options,
                                              .config_size = sizeof(sac_rt_config),
                                              .create = create,
                                              .destroy = destroy,
                                              .state_size = sizeof(sac_rt_state),
                                              .place = place,
                                              .set_parameters = set_parameters,
                                              .reset = reset,
                                              .act = act,
                                              .act_float = act_float,
                                              .gaze = sac_rt_gaze,
                                              .patch = patch,
                                              .parts = parts,
                                              .resizes = resizes};
