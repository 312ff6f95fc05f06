#include <math.h>
#include <string.h>

#include "base/error.h"
#include "policy/agent_state.h"

// IAP-trans, or the same with softmax: the N patches become l tokens, LN(P V + P A V), and the controller is told all
// of them; with several heads those of one after those of another, from one P

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    const sac_agent_config *config = &agent->config;
    int l = config->rows, n = agent->embedding.count, v = agent->value_size; // of all heads
    bool orders = strcmp(config->order, "left") == 0 || strcmp(config->order, "middle") == 0;
    if (sac_attention_feature_size(agent->attention) == 0 && orders)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: order is %s, but %s has no features to multiply in that order; expected cheapest or "
                        "right",
                        config->order, config->attention);
    SAC_TRY(sac_policy_add_tensor(policy, "trans.projection", 1 / sqrt((double)n), 2, (int[]){l, n},
                                  &agent->trans_projection));
    if (config->layer_norm)
    {
        SAC_TRY(sac_policy_add_tensor(policy, "trans.gain", 0, 1, &v, &agent->trans_gain));
        SAC_TRY(sac_policy_add_tensor(policy, "trans.bias", 0, 1, &v, &agent->trans_bias));
    }
    agent->trans = (sac_trans){.attention = agent->attention,
                               .rows = l,
                               .value_size = config->value_size,
                               .projection_stride = n,
                               .residual = config->residual};
    for (int order = 0; sac_trans_order_name(order); order++)
        if (strcmp(sac_trans_order_name(order), config->order) == 0) agent->trans.order = (sac_trans_order)order;
    agent->told_count = l * v;
    agent->config.top = 0; // no patch is kept
    return SAC_OK;
}

// The vector holds gain - 1, so that a vector of zeros gives the plain norm.
static void prepare(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    for (int v = 0; a->config.layer_norm && v < a->value_size; v++)
        s->gain[v] = 1 + s->parameters[a->trans_gain + (size_t)v];
}

static void attend(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    int d = a->config.key_size, v = a->config.value_size;
    sac_trans trans = a->trans;
    trans.projection = s->parameters + a->trans_projection;
    for (int h = 0; h < a->heads; h++)
    {
        trans.attention = sac_agent_attention(s, h);
        if (a->config.layer_norm) trans.gain = s->gain + h * v, trans.bias = s->parameters + a->trans_bias + h * v;
        sac_trans_run(&trans, s->actor.told + h * trans.rows * v, sac_agent_rows(s, h * d),
                      sac_agent_rows(s, a->query_size + h * d), sac_agent_rows(s, 2 * a->query_size + h * v),
                      a->embedding.count, a->embedding.token_stride, s->trans_workspace);
    }
}

static void look_back(sac_agent_state *s)
{
    sac_agent_importance(s);
    sac_agent_contribution(s);
}

const sac_reading_ops sac_reading_trans = {
    .has_values = true, .plan = plan, .prepare = prepare, .attend = attend, .look_back = look_back};
