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

// P A of a head into s->mixed [l, stride]: by sums over features where the form has them and rows of A have any length,
// else row by row of A, in a time that grows with the square of the number of patches
static void project_attention(sac_agent_state *s, int head, const float *projection)
{
    const sac_agent *a = s->agent;
    const sac_attention *attention = sac_agent_attention(s, head);
    const int n = a->embedding.count, stride = a->embedding.token_stride, l = a->trans.rows, d = a->config.key_size;
    const float *queries = sac_agent_rows(s, head * d), *keys = sac_agent_rows(s, a->query_size + head * d);
    if (sac_attention_feature_size(attention) > 0 && !attention->divide_all)
    {
        sac_rank_summary(attention, s->summary, projection, l, n, queries, n, stride, s->rank_workspace);
        sac_rank_scores(attention, s->mixed, stride, s->summary, l, 1, keys, n, stride, s->rank_workspace);
        return;
    }
    memset(s->mixed, 0, (size_t)l * (size_t)stride * sizeof *s->mixed);
    for (int i = 0; i < n; i++)
    {
        sac_attention_row(attention, s->head_scores, i, queries, keys, n, stride, s->attention_workspace);
        for (int r = 0; r < l; r++)
            for (int j = 0; j < n; j++) s->mixed[r * stride + j] += projection[r * n + i] * s->head_scores[j];
    }
}

// The deviation that the layer norm divides row r of P V + P A V by, or 1.
static double row_size(const sac_agent_state *s, int head, int r)
{
    const sac_agent *a = s->agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride, v = a->config.value_size;
    const float *values = sac_agent_rows(s, 2 * a->query_size + head * v), *mixed = s->mixed + (size_t)r * stride;
    double sum = 0, squares = 0;
    for (int i = 0; i < v; i++)
    {
        double told = 0;
        for (int j = 0; j < n; j++) told += (double)mixed[j] * (double)values[i * stride + j];
        sum += told, squares += told * told;
    }
    return a->config.layer_norm ? sqrt(fmax(squares / v - sum / v * (sum / v), 0) + 1e-5) : 1;
}

// How far each patch's values are from their mean, squared, in units of the gain, into s->head_scores.
static void measure_values(sac_agent_state *s, int head)
{
    const sac_agent *a = s->agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride, v = a->config.value_size;
    const float *values = sac_agent_rows(s, 2 * a->query_size + head * v);
    memset(s->head_scores, 0, (size_t)n * sizeof *s->head_scores);
    for (int i = 0; i < v; i++, values += stride)
    {
        float mean = 0, gain = a->config.layer_norm ? s->gain[head * v + i] : 1;
        for (int j = 0; j < n; j++) mean += values[j] / (float)n;
        for (int j = 0; j < n; j++) s->head_scores[j] += gain * gain * (values[j] - mean) * (values[j] - mean);
    }
}

// What each patch contributes: |change of P V + P A V| if its row of V were the mean row, A staying as it is.
static void look_back(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    const float *projection = s->parameters + a->trans_projection;
    sac_agent_importance(s);
    memset(s->contribution, 0, (size_t)n * sizeof *s->contribution);
    for (int h = 0; h < a->heads; h++)
    {
        project_attention(s, h, projection);
        measure_values(s, h);
        for (int r = 0; r < a->trans.rows; r++)
        {
            float *mixed = s->mixed + (size_t)r * (size_t)stride;
            for (int j = 0; j < n && a->trans.residual; j++) mixed[j] += projection[r * n + j];
            float scale = (float)(1 / row_size(s, h, r));
            for (int j = 0; j < n; j++) s->contribution[j] += scale * scale * mixed[j] * mixed[j] * s->head_scores[j];
        }
    }
    for (int j = 0; j < n; j++) s->contribution[j] = sqrtf(s->contribution[j]);
}

const sac_reading_ops sac_reading_trans = {
    .has_values = true, .plan = plan, .prepare = prepare, .attend = attend, .look_back = look_back};
