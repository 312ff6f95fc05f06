#pragma once

#include "base/workspace.h"
#include "policy/kind.h"
#include "saccade/tokens.h"
#include "tokens/projector.h"

/// How an image becomes tokens: it is resized, cut into patches, and each patch is multiplied by learned weights (the
/// patch embedding of vision transformers). Any kind of policy may use it.

enum
{
    SAC_MAX_EMBEDDING_LAYERS = 3
};

/// What of an observation is looked at: rows of pixels, and the side that they are resized to.
typedef struct sac_crop
{
    int top, height; ///< rows that are left out at the top, and those that follow; 0: all that are left
    int image_size;  ///< 0: as they are
} sac_crop;

/// What is fixed after creation.
typedef struct sac_embedding
{
    sac_projector projector;
    sac_resize *resize;          ///< NULL: the observation is cut as it is
    size_t first;                ///< numbers of the observation before the rows that are looked at
    int height, width, channels; ///< of what is looked at of the observation
    int above, beneath;          ///< rows of the observation that are not
    sac_patches patches;         ///< how the image is cut; its outputs are all layers'
    int count, token_stride;     ///< N; N in whole lanes, floats from one output's tokens to the next
    int inputs;                  ///< numbers in a patch
    float *positions;            ///< [inputs, token_stride] added to the patches; NULL: none
    float centre;                ///< subtracted from the pixels, which are 0..1, before the layers take them
    struct
    {
        sac_layer tensors;
        int outputs;
    } layers[SAC_MAX_EMBEDDING_LAYERS]; ///< one below the other in the tokens
    int layer_count;
} sac_embedding;

/// What changes: the weights in the form of the inner loops, and the last image.
typedef struct sac_embedding_state
{
    sac_projector_weights weights; ///< of all layers
    float *offsets;                ///< [outputs, token_stride] the projection of the positions; empty without

    // The image that is cut into patches, as bytes or as floats. The other one is NULL.
    const uint8_t *bytes;
    const float *floats;
    uint8_t *resized_bytes; ///< [height, width, channels]; empty without resizing
    float *resized_floats;  ///< the same
    void *resize_workspace;
    sac_projector_scratch scratch;
    float *tokens; ///< [outputs, token_stride]
} sac_embedding_state;

/// Cut what a crop leaves of the def's images into patches.
/// @param option  names the size of a patch where it does not fit
sac_status sac_embedding_plan(sac_embedding *embedding, const sac_policy_def *def, sac_crop crop, int patch, int stride,
                              int outputs, const char *option);

/// Put a layer of the parameters below those that are there; all layers' outputs together are those of the plan.
void sac_embedding_add(sac_embedding *embedding, sac_layer tensors, int outputs);

/// Release what the plan has taken.
void sac_embedding_clear(sac_embedding *embedding);

/// Take the state's arrays from a workspace.
void sac_embedding_place(sac_embedding_state *state, const sac_embedding *embedding, sac_workspace *workspace);

/// Take parameters, the policy's whole vector.
void sac_embedding_set(sac_embedding_state *state, const sac_embedding *embedding, const float *parameters);

/// Image -> tokens. `rows` are those that are looked at, from the number `first` of the observation on. They must stay
/// where they are as long as their patches are read.
void sac_embedding_run(sac_embedding_state *state, const sac_embedding *embedding, const uint8_t *rows);
void sac_embedding_run_floats(sac_embedding_state *state, const sac_embedding *embedding, const float *rows);

/// The pixels of a patch of the last image, [patch, patch, channels], 0..1.
void sac_embedding_patch(const sac_embedding_state *state, const sac_embedding *embedding, int index, float *pixels);
