#pragma once

#include "policy/agent_state.h"
#include "policy/cnn.h"

/// What a policy is made of, as exporters read it: what every kind has, and either attention or a convolutional
/// network.
struct sac_policy_parts
{
    const sac_embedding *embedding;
    const sac_embedding_state *embedding_state;
    const sac_actor *actor;
    const sac_actor_state *actor_state;
    const sac_agent *agent; ///< NULL: no attention
    const sac_agent_state *agent_state;
    const sac_cnn *cnn; ///< NULL: no convolutional network
    enum
    {
        SAC_PARTS_RANK,
        SAC_PARTS_TRANS,
        SAC_PARTS_LAYERS
    } reading; ///< what is between the tokens and the features: kept patches, l tokens, or layers
};
