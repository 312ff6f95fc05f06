#pragma once

#include "base/workspace.h"
#include "kernels/kernels.h"

/// Patches times weights: what a sac_projection, whose weights are fixed, and a policy's embedding, whose weights
/// change with every candidate, have in common. What is fixed, the weights and the scratch are three things, and the
/// last two lie in memory of the caller's, so that new weights allocate nothing.

/// What is fixed after creation.
typedef struct sac_projector
{
    sac_kernels kernels;
    sac_patches bytes, floats;  ///< the image as bytes (its channels are a pixel's bytes), and as floats
    int block_rows, sum_stride; ///< rows of the grid that are summed at a time, and columns of their sums
} sac_projector;

/// @param channels    that the weights know
/// @param pixel_size  bytes from a pixel to the next
sac_projector sac_projector_create(int height, int width, int channels, int pixel_size, int patch, int stride,
                                   int outputs);

/// Weights in the forms of the inner loops.
typedef struct sac_projector_weights
{
    float *floats; ///< [O, patch size]
    float *bias;   ///< [O]
    int32_t *packed;
    float *scales; ///< [O] of one step of a packed weight times one step of a byte
} sac_projector_weights;

void sac_projector_take_weights(sac_projector_weights *weights, const sac_projector *projector,
                                sac_workspace *workspace);

/// Round to integers what pixels of bytes are multiplied by.
/// @param arranged  [O, patch size of the bytes]: the weights in the places of a pixel's bytes; may be weights->floats
void sac_projector_pack(sac_projector_weights *weights, const sac_projector *projector, const float *arranged);

typedef struct sac_projector_scratch
{
    void *lines;   ///< of the kernels
    int32_t *sums; ///< [O, sum_stride]
} sac_projector_scratch;

void sac_projector_take_scratch(sac_projector_scratch *scratch, const sac_projector *projector,
                                sac_workspace *workspace);

/// Tokens [O, stride] of `rows` rows of the grid, whose first image row begins at `pixels`. The sums are whole numbers,
/// so every level gives the same bits.
/// @param pitch  bytes from an image row to the next
void sac_projector_run(const sac_projector *projector, const sac_projector_weights *weights, float *tokens, int stride,
                       const uint8_t *pixels, ptrdiff_t pitch, int rows, const sac_projector_scratch *scratch);

/// Tokens of a whole image of floats.
/// @param pitch  floats from an image row to the next
void sac_projector_run_floats(const sac_projector *projector, const sac_projector_weights *weights, float *tokens,
                              int stride, const float *pixels, ptrdiff_t pitch, const sac_projector_scratch *scratch);
