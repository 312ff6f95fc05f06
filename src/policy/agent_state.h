#pragma once

#include "attention/form.h"
#include "policy/agent.h"
#include "policy/look.h"

/// What changes while an agent runs: its parameters in the form of the inner loops, and the last look and thought.
struct sac_agent_state
{
    sac_policy_state base; // first
    const sac_agent *agent;

    sac_embedding_state embedding; ///< its tokens are queries, keys, values
    sac_look_state look;
    sac_actor_state actor;

    float *parameters;   ///< [parameter_count]
    sac_attention *maps; ///< [H] of learned maps; NULL: all heads have the agent's attention
    float *gain;         ///< [H V] of the layer norm
    float *weights;      ///< [N] P; empty where all weigh the same
    void *attention_workspace, *trans_workspace;

    float *importance;   ///< [token_stride]
    float *contribution; ///< [token_stride] of iap-trans
    float *mixed;        ///< [l, token_stride] scratch of it: P + P A
    // What scoring and drawing need (rank_scores.c, rank_choice.c); arrays of options that are off are empty.
    float *summary;                             ///< [F] z of the last head; [l, F] of iap-trans
    float *head_scores;                         ///< [token_stride] of one head
    float *held_keys;                           ///< [H D, token_stride] that the scores are of, where keys are kept
    float *probabilities;                       ///< [token_stride]
    double *uniform;                            ///< [K, levels of the tree or 1]
    float *taken;                               ///< [K, F] of the tree
    void *rank_workspace;                       ///< of z and scores
    sac_key_database *databases[SAC_MAX_HEADS]; ///< NULL: none
    uint64_t step;                              ///< of the episode: names the draws
    int *top;                                   ///< [K]
    float *centers;                             ///< [K, 2]
    float *pixels;                              ///< [inputs] of one patch
    float *scratch;                             ///< of the parts
    float *queries_by_token, *keys_by_token;    ///< [N, D], filled when the gaze is read
};

/// The mean of all heads' importance, as attention gives it.
void sac_agent_importance(sac_agent_state *state);

/// Write what each patch contributes in iap-trans, as sac_gaze defines it, into state->contribution.
void sac_agent_contribution(sac_agent_state *state);

/// IAP-rank's scores, into state->importance (rank_scores.c), and which patches they keep, into state->top
/// (rank_choice.c).
sac_status sac_rank_plan_scores(sac_agent *agent, sac_policy *policy);
sac_status sac_rank_plan_choice(sac_agent *agent);
sac_status sac_rank_open(sac_agent_state *state);
void sac_rank_close(sac_agent_state *state);
void sac_rank_restart(sac_agent_state *state);
void sac_rank_prepare(sac_agent_state *state);
void sac_rank_score(sac_agent_state *state);
void sac_rank_choose(sac_agent_state *state);

/// The attention of a head.
static inline const sac_attention *sac_agent_attention(const sac_agent_state *state, int head)
{
    return state->maps ? &state->maps[head] : state->agent->attention;
}

/// Rows `row`.. of the tokens: queries, keys, values.
static inline const float *sac_agent_rows(const sac_agent_state *state, int row)
{
    return state->embedding.tokens + (size_t)row * (size_t)state->agent->embedding.token_stride;
}

/// The keys that the last scores are of.
static inline const float *sac_agent_keys(const sac_agent_state *state)
{
    return state->agent->has_database ? state->held_keys : sac_agent_rows(state, state->agent->query_size);
}
