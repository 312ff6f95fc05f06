#pragma once

#include "policy/embedding.h"

/// From the picture or the depth picture among a policy's inputs to tokens.

typedef struct sac_look_state
{
    float *depth; ///< [height, width] the depth picture in 0..1; empty where the policy looks at bytes
} sac_look_state;

/// The bytes of the state's arrays, which are set into `block`; NULL: only counted.
size_t sac_look_place(sac_look_state *state, const sac_policy *policy, unsigned char *block);

/// Look at the policy's image: its tokens are in `embedding_state` then.
void sac_look(sac_look_state *state, sac_embedding_state *embedding_state, const sac_embedding *embedding,
              const sac_policy *policy, const void *const *inputs);
