#pragma once

#include "saccade/attention.h"
#include "saccade/tokens.h"

/// A camera computes the importance of an image's patches from its bytes, and the tokens in between never outgrow the
/// cache.
///
///     q = W_q patch + b_q, k = W_k patch + b_k        importance[j] = (1 / N) phi(k_j).sum_i phi(q_i)
///
/// It passes over the picture twice, a few rows of patches at a time: first it sums the features of the queries, and
/// then it scores the keys against that sum. Where phi is the positive part of W q (relu and sara-relu, tokens not
/// normalised), W W_q and W W_k are multiplied once, in advance, if that is less work; then features are computed
/// directly from pixels.
///
/// Only linear forms can be used. A camera is immutable once created, so threads may share it, each with its own
/// workspace; only create allocates. Results have the same bits on every machine and CPU level.

/// What to create. Start from sac_camera_default_def().
typedef struct sac_camera_def
{
    sac_attention_def attention; ///< a linear form; key_size is D
    int height, width, channels; ///< of the frames, no default
    sac_pixel_order order;       ///< of their pixels; default SAC_PIXELS_PLAIN
    int patch, stride;           ///< pixels; default 1, 1
    const float *query_weights;  ///< W_q [D, patch * patch * channels] for pixels in 0..1, copied
    const float *query_bias;     ///< b_q [D], copied; NULL: zero
    const float *key_weights;    ///< W_k, b_k: the same of keys
    const float *key_bias;
    uint32_t internal; ///< marks a def that came from the default; do not set
} sac_camera_def;

typedef struct sac_camera sac_camera;

SAC_API sac_camera_def sac_camera_default_def(void);

/// Create a camera. Weights are rounded to 16 bits a row, see sac_projection_def.
/// @param[out] out  owned by the caller, released by sac_camera_destroy; NULL on failure
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_camera_create(sac_camera **out, const sac_camera_def *def);

/// NULL is ignored.
SAC_API void sac_camera_destroy(sac_camera *camera);

SAC_API sac_grid sac_camera_grid(const sac_camera *camera);

/// Tell whether W was multiplied into the projections.
SAC_API bool sac_camera_is_folded(const sac_camera *camera);

/// Bytes of workspace: a few rows of patches, whatever the height.
SAC_API size_t sac_camera_workspace_size(const sac_camera *camera);

/// The importance of each patch of a frame, as sac_attention_importance of its queries and keys.
/// @param[out] importance  [N]
/// @param      image       of the size, channels and order of the def
/// @param      workspace   sac_camera_workspace_size bytes, 64-byte aligned, contents ignored
SAC_API void sac_camera_importance(const sac_camera *camera, float *importance, const sac_image *image,
                                   void *workspace);

/// The k most important patches, as sac_attention_top.
SAC_API void sac_camera_top(const sac_camera *camera, int *top, int k, const float *importance);
