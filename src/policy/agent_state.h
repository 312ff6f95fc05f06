#pragma once

#include "policy/agent.h"

/// What changes while an agent runs: its parameters in the form of the inner loops, and the last look and thought.
struct sac_agent_state
{
    sac_policy_state base;
    const sac_agent *agent;

    // parameters
    float *parameters; ///< [parameter_count]
    float *projection; ///< [2 D + V, inputs] the queries' weights, the keys', the values'
    float *bias;       ///< [2 D + V]
    float *offsets;    ///< [2 D + V, stride] the projection of the positions; empty without
    int32_t *packed;   ///< the projection in int16, packed
    float *scales;     ///< [2 D + V] of one step of a packed weight times one step of a byte
    float *gain;       ///< [V] of the layer norm
    float *weights;    ///< [N] P; empty where all weigh the same
    float *prepared;   ///< [prepared_size] the controller's

    // the image as it is cut; the other one is NULL
    const uint8_t *bytes;
    const float *floats;
    uint8_t *resized_bytes; ///< [height, width, channels]; NULL without resizing
    float *resized_floats;  ///< the same
    void *resize_workspace, *project_scratch, *attention_workspace, *trans_workspace;

    int32_t *sums;     ///< [2 D + V, stride]
    float *tokens;     ///< [2 D + V, stride] queries, keys, values
    float *importance; ///< [stride]
    // how iap-rank scores and draws (rank_scores.c, rank_choice.c); what is not asked for is empty
    float *summary;                             ///< [F] z of the last head
    float *head_scores;                         ///< [stride] of one head
    float *held_keys;                           ///< [H D, stride] that the scores are of, where keys are kept
    float *probabilities;                       ///< [stride]
    double *uniform;                            ///< [K, levels of the tree or 1]
    float *taken;                               ///< [K, F] of the tree
    void *rank_workspace;                       ///< of z and scores
    sac_key_database *databases[SAC_MAX_HEADS]; ///< NULL: none
    uint64_t step;                              ///< of the episode: names the draws
    int *top;                                   ///< [K]
    float *centers;                             ///< [K, 2]
    float *pixels;                              ///< [inputs] of one patch
    float *features;                            ///< [feature_count]
    float *before;     ///< [told_count] of the step before, as they were read; empty without motion
    bool started;      ///< there was such a step
    float *unfiltered; ///< [feature_count] as they were read; empty without a filter
    float *whitening;  ///< [feature_count] one over the filter's deviation; likewise
    float *hidden, *cell, *output, *scratch;
    float *queries_by_token, *keys_by_token; ///< [N, D], filled when the gaze is read
};

/// The mean of all heads' importance, as attention gives it.
void sac_agent_importance(sac_agent_state *state);

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

/// Rows `row`.. of the tokens: queries, keys, values.
static inline const float *sac_agent_rows(const sac_agent_state *state, int row)
{
    return state->tokens + (size_t)row * (size_t)state->agent->stride;
}

/// The keys that the last scores are of.
static inline const float *sac_agent_keys(const sac_agent_state *state)
{
    return state->agent->has_database ? state->held_keys : sac_agent_rows(state, state->agent->query_size);
}

/// The pixels of a patch of the last image, [patch, patch, channels], 0..1.
void sac_agent_read_patch(const sac_agent_state *state, int index, float *pixels);
