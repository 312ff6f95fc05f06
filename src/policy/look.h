#pragma once

#include "policy/embedding.h"

/// From the picture of bytes or of floats among a policy's inputs to tokens.

typedef struct sac_look_state
{
    float *floats; ///< [height, width, channels] the picture of floats in 0..1; empty where the policy looks at bytes
} sac_look_state;

/// Cut the state's arrays from a workspace.
void sac_look_place(sac_look_state *state, const sac_policy *policy, sac_workspace *workspace);

/// Bring a picture of floats from its bounds to 0..1, where it has any, cut there; whatever is no number becomes 0.
void sac_look_scale(float *out, const float *numbers, size_t count, const sac_space *space);

/// Look at the policy's image: its tokens are in `embedding_state` then.
void sac_look(sac_look_state *state, sac_embedding_state *embedding_state, const sac_embedding *embedding,
              const sac_policy *policy, const void *const *inputs);
