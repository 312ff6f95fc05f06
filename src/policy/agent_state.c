#include "policy/agent_state.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/arrays.h"

enum
{
    MOST_LEVELS = 31 ///< of a tree of patches, each of which takes a number
};

// of the importance of all heads
static size_t workspace_size(const sac_agent *a)
{
    if (a->heads == 1) return sac_attention_workspace_size(a->attention, a->embedding.count);
    const sac_attention *heads[SAC_MAX_HEADS] = {a->attention};
    for (int h = 1; h < a->heads; h++) heads[h] = a->attention;
    return sac_multi_head_workspace_size(&(sac_multi_head){heads, a->heads}, a->embedding.count, 1);
}

// the bytes of all arrays, which are set into `block`; NULL: only counted
static size_t place(sac_agent_state *s, const sac_policy *policy, unsigned char *block)
{
    const sac_agent *a = s->agent;
    size_t stride = (size_t)a->embedding.stride, d = (size_t)a->query_size;
    size_t kept = (size_t)a->config.top, f = (size_t)sac_attention_feature_size(a->attention);
    bool ranks = a->has_projection || a->has_database;
    const sac_array arrays[] = {
        SAC_ARRAY(s, parameters, policy->parameter_count),
        SAC_ARRAY(s, gain, a->value_size),
        SAC_ARRAY(s, weights, a->has_projection ? stride : 0),
        SAC_BYTES(s, attention_workspace, workspace_size(a)),
        SAC_BYTES(s, rank_workspace, ranks ? sac_rank_workspace_size(a->attention) : 0),
        SAC_BYTES(s, trans_workspace, a->trans.attention ? sac_trans_workspace_size(&a->trans) : 0),
        SAC_ARRAY(s, importance, stride),
        SAC_ARRAY(s, summary, ranks ? f : 0),
        SAC_ARRAY(s, head_scores, a->heads > 1 ? stride : 0),
        SAC_ARRAY(s, held_keys, a->has_database ? d * stride : 0),
        SAC_ARRAY(s, probabilities, a->selection == SAC_SELECT_SAMPLE ? stride : 0),
        SAC_ARRAY(s, uniform, a->selection == SAC_SELECT_TOP ? 0 : kept * MOST_LEVELS),
        SAC_ARRAY(s, taken, a->selection == SAC_SELECT_TREE ? kept * f : 0),
        SAC_ARRAY(s, top, kept),
        SAC_ARRAY(s, centers, 2 * kept),
        SAC_ARRAY(s, pixels, a->embedding.inputs),
        SAC_ARRAY(s, scratch, a->scratch_size),
        SAC_ARRAY(s, queries_by_token, stride * d),
        SAC_ARRAY(s, keys_by_token, stride * d),
    };
    size_t used = sac_arrays_place(arrays, sizeof arrays / sizeof *arrays, block);
    used += sac_embedding_place(&s->embedding, &a->embedding, block ? block + used : NULL);
    used += sac_look_place(&s->look, policy, block ? block + used : NULL);
    return used + sac_actor_place(&s->actor, &a->actor, policy, block ? block + used : NULL);
}

sac_status sac_agent_state_create(sac_policy_state **out, const sac_policy *policy)
{
    sac_agent_state *state = SAC_NEW(sac_agent_state);
    if (!state) return sac_fail_memory("an agent's state");
    state->base.policy = policy;
    state->agent = policy->self;
    state->block = sac_alloc(place(state, policy, NULL));
    sac_status status = state->block ? SAC_OK : sac_fail_memory("an agent's state");
    if (status == SAC_OK) place(state, policy, state->block);
    if (status == SAC_OK && state->agent->reading->open) status = state->agent->reading->open(state);
    if (status != SAC_OK)
    {
        sac_agent_state_destroy(&state->base);
        return status;
    }
    *out = &state->base;
    return SAC_OK;
}

void sac_agent_state_destroy(sac_policy_state *base)
{
    sac_agent_state *state = (sac_agent_state *)base;
    if (state->agent->reading->close) state->agent->reading->close(state);
    sac_free(state->block);
    sac_free(state);
}

void sac_agent_set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_agent *a = s->agent;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    sac_embedding_set(&s->embedding, &a->embedding, s->parameters);
    if (a->reading->prepare) a->reading->prepare(s);
    sac_actor_set(&s->actor, &a->actor, base->policy, s->parameters);
}

void sac_agent_reset(sac_policy_state *base)
{
    sac_agent_state *s = (sac_agent_state *)base;
    if (s->agent->reading->reset) s->agent->reading->reset(s);
    sac_actor_reset(&s->actor, &s->agent->actor);
}

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
    sac_embedding_run_floats(&s->embedding, &s->agent->embedding, observation);
    s->agent->reading->attend(s);
    sac_actor_act(&s->actor, &s->agent->actor, base->policy, s->parameters, NULL, action);
}

const float *sac_agent_filter_input(const sac_policy_state *state)
{
    return ((const sac_agent_state *)state)->actor.unfiltered;
}
