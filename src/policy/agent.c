#include "policy/parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// This file plans what is fixed: how the image is cut, which parts are used, and where their tensors lie in the vector.

// Where no scale is set, attention has its own; with `by_inputs` it has 1 / sqrt(numbers of a patch), as in the article
// of the attention agent, unless tokens are normalised.
static sac_status plan_attention(sac_agent *agent, sac_policy *policy, bool by_inputs)
{
    const sac_agent_config *config = &agent->config;
    int rows = agent->query_size;
    sac_embedding *embedding = &agent->embedding;
    SAC_TRY(sac_policy_add_layer(policy, "query.bias", "query.weight", rows, embedding->inputs, &agent->query));
    sac_embedding_add(embedding, agent->query, rows);
    SAC_TRY(sac_policy_add_layer(policy, "key.bias", "key.weight", rows, embedding->inputs, &agent->key));
    sac_embedding_add(embedding, agent->key, rows);
    if (agent->value_size)
    {
        SAC_TRY(sac_policy_add_layer(policy, "value.bias", "value.weight", agent->value_size, embedding->inputs,
                                     &agent->value));
        sac_embedding_add(embedding, agent->value, agent->value_size);
    }

    sac_attention_def def = sac_attention_default_def();
    def.form = config->attention;
    def.key_size = config->key_size;
    def.feature_count = config->attention_features;
    def.direction_count = config->attention_directions;
    def.normalise = config->normalise_tokens;
    def.scale = config->scale;
    if (!(config->scale > 0) && by_inputs && !config->normalise_tokens) def.scale = 1 / sqrt((double)embedding->inputs);
    def.seed = config->attention_seed;
    def.divide_all = config->divide;
    sac_status status = sac_attention_create(&agent->attention, &def);
    return status == SAC_OK ? sac_agent_plan_map(agent, policy) : sac_fail_in(status, "policy");
}

// The position of each patch as sinusoids over its numbers (Vaswani et al. 2017, section 3.5), which are added to them.
static sac_status plan_positions(sac_embedding *embedding, const char *word)
{
    if (strcmp(word, "none") == 0) return SAC_OK;
    bool grid = strcmp(word, "grid") == 0;
    if (grid && embedding->inputs % 2 != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: position_encoding is grid, but a patch has %d numbers, an odd number; flat has no "
                        "such need",
                        embedding->inputs);
    embedding->positions = SAC_NEW_MATRIX(float, (size_t)embedding->inputs, (size_t)embedding->token_stride);
    if (!embedding->positions) return sac_fail_memory("an agent's positions");
    if (grid)
        sac_positions_grid(embedding->positions, embedding->token_stride, embedding->inputs, embedding->patches.rows,
                           embedding->patches.columns);
    else
        sac_positions_flat(embedding->positions, embedding->token_stride, embedding->inputs, embedding->count);
    return SAC_OK;
}

static sac_status plan_image(sac_agent *agent, const sac_policy_def *def)
{
    const sac_agent_config *config = &agent->config;
    agent->heads = config->heads > 0 ? config->heads : 1;
    agent->query_size = agent->heads * config->key_size;
    agent->value_size = agent->reading->has_values ? agent->heads * config->value_size : 0;
    int stride = config->stride > 0 ? config->stride : config->patch;
    int outputs = 2 * agent->query_size + agent->value_size;
    const sac_crop crop = {config->crop_top, config->crop_height, config->image_size};
    SAC_TRY(sac_embedding_plan(&agent->embedding, def, crop, config->patch, stride, outputs, "patch"));
    if (config->centre_pixels) agent->embedding.centre = 0.5f;
    const sac_patches *p = &agent->embedding.patches;
    if (config->top <= agent->embedding.count) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "policy: top is %d, but the image of %d x %d pixels has %d patches",
                    config->top, p->height, p->width, agent->embedding.count);
}

static sac_status plan(sac_agent *agent, sac_policy *policy, bool by_inputs)
{
    agent->config = *(const sac_agent_config *)policy->config;
    agent->kernels = sac_kernels_create(sac_get_cpu_level());
    SAC_TRY(plan_image(agent, &policy->def));
    SAC_TRY(sac_actor_check(&agent->config.actor, &policy->def));
    SAC_TRY(plan_attention(agent, policy, by_inputs));
    SAC_TRY(plan_positions(&agent->embedding, agent->config.position_encoding));
    SAC_TRY(agent->reading->plan(agent, policy));
    return sac_actor_plan(&agent->actor, policy, &agent->config.actor, agent->told_count);
}

static void destroy(void *self)
{
    sac_agent *agent = self;
    if (!agent) return;
    sac_attention_destroy(agent->attention);
    sac_embedding_clear(&agent->embedding);
    sac_free(agent);
}

static sac_status create(sac_policy *policy, const sac_reading_ops *reading, bool by_inputs)
{
    sac_agent *agent = SAC_NEW(sac_agent);
    if (!agent) return sac_fail_memory("an agent");
    policy->self = agent; // destroyed with the policy
    agent->reading = reading;
    return plan(agent, policy, by_inputs);
}

static sac_status create_attention_agent(sac_policy *policy)
{
    return create(policy, &sac_reading_rank, true);
}

static sac_status create_iap_rank(sac_policy *policy)
{
    return create(policy, &sac_reading_rank, false);
}

static sac_status create_iap_trans(sac_policy *policy)
{
    return create(policy, &sac_reading_trans, false);
}

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    const sac_agent_state *s = (const sac_agent_state *)base;
    *parts = (sac_policy_parts){.embedding = &s->agent->embedding,
                                .embedding_state = &s->embedding,
                                .actor = &s->agent->actor,
                                .actor_state = &s->actor,
                                .agent = s->agent,
                                .agent_state = s,
                                .reading = s->agent->trans.attention ? SAC_PARTS_TRANS : SAC_PARTS_RANK};
}

static bool resizes(const sac_policy *policy)
{
    const sac_agent_config *config = &((const sac_agent *)policy->self)->config;
    return config->image_size > 0 && config->crop_top == 0 && config->crop_height == 0;
}

static const char *const written[] = {"crop_top",
                                      "crop_height",
                                      "image_size",
                                      "patch",
                                      "stride",
                                      "key_size",
                                      "value_size",
                                      "rows",
                                      "top",
                                      "attention",
                                      "scale",
                                      "attention_features",
                                      "normalise_tokens",
                                      "normalise_positions",
                                      "attention_directions",
                                      "attention_seed",
                                      "patch_features",
                                      "position_encoding",
                                      "bins",
                                      "masking",
                                      "conv_channels",
                                      "conv_kernel",
                                      "conv_stride",
                                      "residual",
                                      "centre_pixels",
                                      "layer_norm",
                                      "order",
                                      "controller",
                                      "hidden",
                                      "activation",
                                      "choice",
                                      "motion",
                                      "normaliser",
                                      NULL};

// the exporters multiply features, which softmax does not have
static sac_status check_mixing(const sac_policy *policy)
{
    if (strcmp(((const sac_agent *)policy->self)->config.attention, "softmax") != 0) return SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE,
                    "export: attention is 'softmax', but of %s only forms with features can be exported",
                    policy->ops->name);
}

static const sac_policy_export export_rank = {.options = written}, export_trans = {written, check_mixing};

// clang-format off
#define AGENT                                                                                                          \
    .config_size = sizeof(sac_agent_config), .renamed = true, .destroy = destroy,                                      \
    .state_size = sizeof(sac_agent_state),                                                                             \
    .place = sac_agent_place, .open = sac_agent_open, .close = sac_agent_close,                                        \
    .set_parameters = sac_agent_set_parameters, .reset = sac_agent_reset,                                              \
    .act = sac_agent_act, .act_float = sac_agent_act_float, .gaze = sac_agent_gaze,                                    \
    .normaliser_input = sac_agent_normaliser_input, .patch = sac_agent_patch,                                          \
    .attention_row = sac_agent_attention_row, .parts = parts, .resizes = resizes
// clang-format on

const sac_policy_ops sac_attention_agent_ops = {.name = "attention-agent",
                                                .options = sac_agent_options,
                                                .create = create_attention_agent,
                                                .exported = &export_rank,
                                                AGENT};

const sac_policy_ops sac_iap_rank_ops = {
    .name = "iap-rank", .options = sac_iap_rank_options, .create = create_iap_rank, .exported = &export_rank, AGENT};

const sac_policy_ops sac_iap_trans_ops = {.name = "iap-trans",
                                          .options = sac_iap_trans_options,
                                          .create = create_iap_trans,
                                          .exported = &export_trans,
                                          AGENT};
