#include <string.h>

#include "base/error.h"
#include "policy/agent_state.h"

// IAP-rank's scores r = (1/N) P A, the mean over heads. P is a row of ones or learned, and the keys of A are those of
// this step or, kept as features, of one before. Where neither is asked for this is the attention's own importance, of
// every form; the others are for forms with features.

static sac_status needs_features(const sac_agent *agent, const char *option, const char *value)
{
    if (sac_attention_feature_size(agent->attention) > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: %s is %s, which needs an attention with features, such as relu or positive, not %s",
                    option, value, agent->config.attention);
}

// readings that take attention as it is
static sac_status refuse_divided(const char *option, const char *value)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: divide is true, but %s is %s, whose scores are of attention that is not divided", option,
                    value);
}

sac_status sac_rank_plan_scores(sac_agent *agent, sac_policy *policy)
{
    const sac_agent_config *config = &agent->config;
    agent->has_projection = strcmp(config->projection, "learned") == 0;
    agent->has_database = config->key_period > 1 || agent->selection == SAC_SELECT_TREE;
    if (agent->has_projection) SAC_TRY(needs_features(agent, "projection", "learned"));
    if (config->key_period > 1) SAC_TRY(needs_features(agent, "key_period", "more than 1"));
    if (config->divide && agent->has_projection) return refuse_divided("projection", "learned");
    if (config->divide && config->key_period > 1) return refuse_divided("key_period", "more than 1");
    if (config->divide && agent->selection == SAC_SELECT_TREE) return refuse_divided("selection", "tree");
    if (agent->has_projection)
        return sac_policy_add_tensor(policy, "rank.projection", 0, 1, &agent->embedding.count, &agent->rank_projection);
    return SAC_OK;
}

sac_status sac_rank_open(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    sac_key_database_def def = sac_key_database_default_def();
    def.capacity = a->embedding.count;
    def.period = a->config.key_period;
    def.tree = a->selection == SAC_SELECT_TREE;
    for (int h = 0; a->has_database && h < a->heads; h++)
    {
        def.attention = sac_agent_attention(s, h);
        SAC_TRY(sac_key_database_create(&s->databases[h], &def));
    }
    return SAC_OK;
}

void sac_rank_close(sac_agent_state *s)
{
    for (int h = 0; h < SAC_MAX_HEADS; h++) sac_key_database_destroy(s->databases[h]);
}

// An episode begins without kept keys and with the first of its draws.
void sac_rank_restart(sac_agent_state *s)
{
    s->step = 0;
    for (int h = 0; s->agent->has_database && h < s->agent->heads; h++) sac_key_database_reset(s->databases[h]);
}

// The vector holds P - 1, so that a vector of zeros gives the plain sum.
void sac_rank_prepare(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    for (int n = 0; a->has_projection && n < a->embedding.count; n++)
        s->weights[n] = 1 + s->parameters[a->rank_projection + (size_t)n];
}

static void score_head(sac_agent_state *s, int head, float *scores)
{
    const sac_agent *a = s->agent;
    const sac_attention *attention = sac_agent_attention(s, head);
    int d = a->config.key_size;
    const float *queries = sac_agent_rows(s, head * d), *keys = sac_agent_rows(s, a->query_size + head * d);
    sac_rank_summary(attention, s->summary, a->has_projection ? s->weights : NULL, 1, a->embedding.token_stride,
                     queries, a->embedding.count, a->embedding.token_stride, s->rank_workspace);
    if (!a->has_database)
    {
        sac_rank_scores(attention, scores, a->embedding.token_stride, s->summary, 1, a->embedding.count, keys,
                        a->embedding.count, a->embedding.token_stride, s->rank_workspace);
        return;
    }
    sac_key_database *database = s->databases[head];
    if (sac_key_database_frame(database))
    {
        sac_key_database_refresh(database, keys, a->embedding.count, a->embedding.token_stride);
        size_t size = (size_t)d * (size_t)a->embedding.token_stride;
        memcpy(s->held_keys + (size_t)head * size, keys, size * sizeof *keys); // for those who look at the gaze
    }
    sac_key_database_scores(database, scores, a->embedding.token_stride, s->summary, 1, a->embedding.count);
}

void sac_agent_importance(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    const float *keys = sac_agent_rows(s, a->query_size);
    if (a->heads == 1)
    {
        sac_attention_importance(sac_agent_attention(s, 0), s->importance, s->embedding.tokens, keys,
                                 a->embedding.count, a->embedding.token_stride, s->attention_workspace);
        return;
    }
    const sac_attention *heads[SAC_MAX_HEADS];
    for (int h = 0; h < a->heads; h++) heads[h] = sac_agent_attention(s, h);
    sac_multi_head_importance(&(sac_multi_head){heads, a->heads}, s->importance, s->embedding.tokens, keys,
                              a->embedding.count, a->embedding.token_stride, s->attention_workspace);
}

void sac_rank_score(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    if (!a->has_projection && !a->has_database)
    {
        sac_agent_importance(s);
        return;
    }
    score_head(s, 0, s->importance);
    if (a->heads == 1) return;
    for (int h = 1; h < a->heads; h++)
    {
        score_head(s, h, s->head_scores);
        for (int n = 0; n < a->embedding.count; n++) s->importance[n] += s->head_scores[n];
    }
    for (int n = 0; n < a->embedding.count; n++) s->importance[n] /= (float)a->heads;
}
