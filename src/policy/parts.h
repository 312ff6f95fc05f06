#pragma once

#include "policy/action_tokens/rt.h"
#include "policy/agent_state.h"
#include "policy/cnn.h"
#include "policy/point_cloud/pct.h"

/// What a policy is made of, as exporters and gradients read it: what every kind has, and attention, a convolutional
/// network or neither.
struct sac_policy_parts
{
    const sac_embedding *embedding; ///< NULL: it looks at nothing
    const sac_embedding_state *embedding_state;
    const sac_actor *actor;
    const sac_actor_state *actor_state;
    const sac_agent *agent; ///< NULL: no attention
    const sac_agent_state *agent_state;
    const sac_cnn *cnn; ///< NULL: no convolutional network
    const sac_rt *rt;   ///< NULL: it does not say its actions by tokens
    const sac_pct *pct; ///< NULL: it looks at no point cloud
    enum
    {
        SAC_PARTS_RANK,
        SAC_PARTS_TRANS,
        SAC_PARTS_LAYERS,
        SAC_PARTS_NUMBERS,
        SAC_PARTS_SPEECH,
        SAC_PARTS_CLOUD
    } reading; ///< what is between the tokens and what is told: kept patches, l tokens, or layers; or no tokens; or
               ///< the encoder and the decoder of `rt`, or `pct`, which take the place of an actor as well
};
