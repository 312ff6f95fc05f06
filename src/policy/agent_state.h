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
    int *top;          ///< [K]
    float *centers;    ///< [K, 2]
    float *pixels;     ///< [inputs] of one patch
    float *features;   ///< [feature_count]
    float *before;     ///< [told_count] of the step before, as they were read; empty without motion
    bool started;      ///< there was such a step
    float *unfiltered; ///< [feature_count] as they were read; empty without a filter
    float *whitening;  ///< [feature_count] one over the filter's deviation; likewise
    float *hidden, *cell, *output, *scratch;
    float *queries_by_token, *keys_by_token; ///< [N, D], filled when the gaze is read
};

/// The pixels of a patch of the last image, [patch, patch, channels], 0..1.
void sac_agent_read_patch(const sac_agent_state *state, int index, float *pixels);
