#include "policy/agent.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// what is fixed: how the image is cut, which parts are used, where their tensors lie in the vector

static sac_status check_config(const sac_agent_config *config, const sac_policy_def *def)
{
    int height = config->image_size ? config->image_size : def->height;
    int width = config->image_size ? config->image_size : def->width;
    if (config->patch > height || config->patch > width)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: patch is %d, larger than the image of %d x %d pixels",
                        config->patch, height, width);
    int count = ((height - config->patch) / config->stride + 1) * ((width - config->patch) / config->stride + 1);
    if (config->top > count)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: top is %d, but the image of %d x %d pixels has %d patches",
                        config->top, height, width, count);
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

static sac_status plan_image(sac_agent *agent, const sac_policy_def *def)
{
    const sac_agent_config *config = &agent->config;
    int height = config->image_size ? config->image_size : def->height;
    int width = config->image_size ? config->image_size : def->width;
    agent->channels = def->channels;
    agent->heads = config->heads > 0 ? config->heads : 1;
    agent->query_size = agent->heads * config->key_size;
    agent->value_size = agent->reading->has_values ? agent->heads * config->value_size : 0;
    agent->patches = sac_patches_create(height, width, def->channels, config->patch, config->stride,
                                        2 * agent->query_size + agent->value_size);
    agent->count = agent->patches.rows * agent->patches.columns;
    agent->stride = sac_round_up(agent->count);
    agent->inputs = sac_patch_size(&agent->patches);
    if (height == def->height && width == def->width) return SAC_OK;
    return sac_resize_create(&agent->resize, def->height, def->width, def->channels, height, width,
                             SAC_RESIZE_BILINEAR);
}

static sac_status plan_attention(sac_agent *agent, sac_policy *policy)
{
    const sac_agent_config *config = &agent->config;
    int rows = agent->query_size;
    SAC_TRY(sac_policy_add_layer(policy, "query.bias", "query.weight", rows, agent->inputs, &agent->query_bias,
                                 &agent->query_weight));
    SAC_TRY(sac_policy_add_layer(policy, "key.bias", "key.weight", rows, agent->inputs, &agent->key_bias,
                                 &agent->key_weight));
    if (agent->value_size)
        SAC_TRY(sac_policy_add_layer(policy, "value.bias", "value.weight", agent->value_size, agent->inputs,
                                     &agent->value_bias, &agent->value_weight));

    sac_attention_def def = sac_attention_default_def();
    def.form = config->attention;
    def.key_size = config->key_size;
    def.feature_count = config->attention_features;
    def.direction_count = config->attention_directions;
    def.normalize = config->normalize;
    // the attention agent's own default; IAP's is the attention's: d^(1/4) on either side
    bool natural = config->normalize || policy->ops != &sac_attention_agent_ops;
    def.scale = config->scale > 0 || natural ? config->scale : 1 / sqrt((double)agent->inputs);
    def.seed = config->attention_seed;
    sac_status status = sac_attention_create(&agent->attention, &def);
    return status == SAC_OK ? SAC_OK : sac_fail_in(status, "policy");
}

// where each patch is, as sinusoids over its numbers
static sac_status plan_positions(sac_agent *agent)
{
    const char *word = agent->config.position_encoding;
    if (strcmp(word, "none") == 0) return SAC_OK;
    bool grid = strcmp(word, "grid") == 0;
    if (grid && agent->inputs % 2 != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: position_encoding is grid, but a patch has %d numbers, an odd number; flat has no "
                        "such need",
                        agent->inputs);
    agent->positions = SAC_NEW_ARRAY(float, (size_t)agent->inputs *(size_t)agent->stride);
    if (!agent->positions) return sac_fail_memory("an agent's positions");
    if (grid)
        sac_positions_grid(agent->positions, agent->stride, agent->inputs, agent->patches.rows, agent->patches.columns);
    else
        sac_positions_flat(agent->positions, agent->stride, agent->inputs, agent->count);
    return SAC_OK;
}

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    agent->config = *(const sac_agent_config *)policy->config;
    agent->kernels = sac_kernels_create(sac_get_cpu_level());
    if (agent->reading->adapt) SAC_TRY(agent->reading->adapt(&agent->config));
    if (agent->config.stride == 0) agent->config.stride = agent->config.patch;
    SAC_TRY(check_config(&agent->config, def));
    agent->threshold = def->action_choices == 3 && strcmp(agent->config.choice, "argmax") != 0;
    agent->output_size = def->action_choices == 0 ? def->action_size : agent->threshold ? 1 : def->action_choices;
    SAC_TRY(plan_image(agent, def));
    if (agent->config.key_size > 0) SAC_TRY(plan_attention(agent, policy));
    SAC_TRY(plan_positions(agent));
    SAC_TRY(agent->reading->plan(agent, policy));
    agent->told_count = agent->feature_count;
    if (agent->config.motion) agent->feature_count *= 2;
    SAC_TRY(sac_agent_plan_controller(agent, policy));
    return agent->config.filter ? sac_policy_add_filter(policy, agent->feature_count) : SAC_OK;
}

static void destroy(void *self)
{
    sac_agent *agent = self;
    if (!agent) return;
    sac_attention_destroy(agent->attention);
    sac_resize_destroy(agent->resize);
    sac_free(agent->positions);
    sac_free(agent);
}

static sac_status create(sac_policy *policy, const sac_reading_ops *reading)
{
    sac_agent *agent = SAC_NEW(sac_agent);
    if (!agent) return sac_fail_memory("an agent");
    policy->self = agent; // destroyed with the policy
    agent->reading = reading;
    return plan(agent, policy);
}

static sac_status create_attention_agent(sac_policy *policy)
{
    return create(policy, &sac_reading_rank);
}

static sac_status create_iap_rank(sac_policy *policy)
{
    return create(policy, &sac_reading_rank);
}

static sac_status create_iap_trans(sac_policy *policy)
{
    return create(policy, &sac_reading_trans);
}

static sac_status create_cnn(sac_policy *policy)
{
    return create(policy, &sac_reading_conv);
}

// clang-format off
#define AGENT                                                                                                          \
    .config_size = sizeof(sac_agent_config), .destroy = destroy, .state_create = sac_agent_state_create,               \
    .state_destroy = sac_agent_state_destroy, .set_parameters = sac_agent_set_parameters, .reset = sac_agent_reset,    \
    .act = sac_agent_act, .act_float = sac_agent_act_float, .gaze = sac_agent_gaze,                                    \
    .filter_input = sac_agent_filter_input
#define ATTENTIVE .patch = sac_agent_patch, .attention_row = sac_agent_attention_row
// clang-format on

const sac_policy_ops sac_attention_agent_ops = {
    .name = "attention-agent", .options = sac_agent_options, .create = create_attention_agent, AGENT, ATTENTIVE};

const sac_policy_ops sac_iap_rank_ops = {
    .name = "iap-rank", .options = sac_iap_rank_options, .create = create_iap_rank, AGENT, ATTENTIVE};

const sac_policy_ops sac_iap_trans_ops = {
    .name = "iap-trans", .options = sac_iap_trans_options, .create = create_iap_trans, AGENT, ATTENTIVE};

const sac_policy_ops sac_cnn_ops = {.name = "cnn", .options = sac_cnn_options, .create = create_cnn, AGENT};
