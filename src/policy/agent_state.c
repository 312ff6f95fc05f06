#include "policy/agent_state.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    MOST_LEVELS = 31 ///< of a tree of patches, each of which takes a number
};

// The bytes that computing the importance needs, with all heads.
static size_t workspace_size(const sac_agent *a)
{
    if (a->heads == 1) return sac_attention_workspace_size(a->attention, a->embedding.count);
    const sac_attention *heads[SAC_MAX_HEADS] = {a->attention};
    for (int h = 1; h < a->heads; h++) heads[h] = a->attention;
    return sac_multi_head_workspace_size(&(sac_multi_head){heads, a->heads}, a->embedding.count, 1);
}

// Learned maps are one attention a head, and their arrays follow.
static void place_maps(sac_agent_state *s, const sac_agent *a, sac_workspace *workspace)
{
    if (!a->has_learned_map) return;
    s->maps = sac_take(workspace, (size_t)a->heads, sizeof *s->maps);
    for (int h = 0; h < a->heads; h++) sac_learned_map_take(s->maps ? &s->maps[h] : NULL, a->attention, workspace);
}

// All arrays of a state lie in one block. An option that is off has arrays of no size.
void sac_agent_place(sac_policy_state *base, sac_workspace *workspace)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_policy *policy = base->policy;
    const sac_agent *a = s->agent = policy->self;
    size_t stride = (size_t)a->embedding.token_stride, d = (size_t)a->query_size;
    size_t kept = (size_t)a->config.top, f = (size_t)sac_attention_feature_size(a->attention);
    bool ranks = a->has_projection || a->has_database, mixes = a->trans.attention;
    s->parameters = sac_take(workspace, (size_t)policy->parameter_count, sizeof(float));
    s->gain = sac_take(workspace, (size_t)a->value_size, sizeof(float));
    s->weights = sac_take(workspace, a->has_projection ? stride : 0, sizeof(float));
    place_maps(s, a, workspace);
    s->attention_workspace = sac_take_scratch(workspace, workspace_size(a), 1);
    s->rank_workspace =
        sac_take_scratch(workspace, ranks || (mixes && f > 0) ? sac_rank_workspace_size(a->attention) : 0, 1);
    s->trans_workspace = sac_take_scratch(workspace, mixes ? sac_trans_workspace_size(&a->trans) : 0, 1);
    s->importance = sac_take(workspace, stride, sizeof(float));
    s->contribution = sac_take(workspace, mixes ? stride : 0, sizeof(float));
    s->mixed = sac_take_scratch(workspace, mixes ? (size_t)a->config.rows * stride : 0, sizeof(float));
    s->summary = sac_take(workspace, ranks ? f : mixes ? (size_t)a->config.rows * f : 0, sizeof(float));
    s->head_scores = sac_take(workspace, a->heads > 1 || mixes ? stride : 0, sizeof(float));
    s->held_keys = sac_take(workspace, a->has_database ? d * stride : 0, sizeof(float));
    s->probabilities = sac_take(workspace, a->selection == SAC_SELECT_SAMPLE ? stride : 0, sizeof(float));
    s->uniform = sac_take(workspace, a->selection == SAC_SELECT_TOP ? 0 : kept * MOST_LEVELS, sizeof(double));
    s->taken = sac_take(workspace, a->selection == SAC_SELECT_TREE ? kept * f : 0, sizeof(float));
    s->top = sac_take(workspace, kept, sizeof(int));
    s->centers = sac_take(workspace, 2 * kept, sizeof(float));
    s->pixels = sac_take(workspace, (size_t)a->embedding.inputs, sizeof(float));
    s->scratch = sac_take(workspace, (size_t)a->scratch_size, sizeof(float));
    s->queries_by_token = sac_take(workspace, stride * d, sizeof(float));
    s->keys_by_token = sac_take(workspace, stride * d, sizeof(float));
    sac_embedding_place(&s->embedding, &a->embedding, workspace);
    sac_look_place(&s->look, policy, workspace);
    sac_actor_place(&s->actor, &a->actor, policy, workspace);
}

sac_status sac_agent_open(sac_policy_state *base)
{
    sac_agent_state *s = (sac_agent_state *)base;
    return s->agent->reading->open ? s->agent->reading->open(s) : SAC_OK;
}

void sac_agent_close(sac_policy_state *base)
{
    sac_agent_state *s = (sac_agent_state *)base;
    if (s->agent->reading->close) s->agent->reading->close(s);
}

void sac_agent_set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_agent *a = s->agent;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    sac_embedding_set(&s->embedding, &a->embedding, s->parameters);
    for (int h = 0; a->has_learned_map && h < a->heads; h++) sac_agent_set_map(&s->maps[h], a, h, s->parameters);
    if (a->reading->prepare) a->reading->prepare(s);
    sac_actor_set(&s->actor, &a->actor, base->policy, s->parameters);
}

void sac_agent_reset(sac_policy_state *base)
{
    sac_agent_state *s = (sac_agent_state *)base;
    if (s->agent->reading->reset) s->agent->reading->reset(s);
    sac_actor_reset(&s->actor, &s->agent->actor);
}

// Look (resize, cut, project), attend (scores, kept patches or tokens, what is told of them), and act.
void sac_agent_act(sac_policy_state *base, const void *const *inputs, float *action)
{
    sac_agent_state *s = (sac_agent_state *)base;
    sac_look(&s->look, &s->embedding, &s->agent->embedding, base->policy, inputs);
    s->agent->reading->attend(s);
    sac_actor_act(&s->actor, &s->agent->actor, base->policy, s->parameters, inputs, action);
}

void sac_agent_act_float(sac_policy_state *base, const float *observation, float *action)
{
    sac_agent_state *s = (sac_agent_state *)base;
    sac_embedding_run_floats(&s->embedding, &s->agent->embedding, observation + s->agent->embedding.first);
    s->agent->reading->attend(s);
    sac_actor_act(&s->actor, &s->agent->actor, base->policy, s->parameters, NULL, action);
}

const float *sac_agent_normaliser_input(const sac_policy_state *state)
{
    return ((const sac_agent_state *)state)->actor.unnormalised;
}
