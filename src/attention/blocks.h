#pragma once

#include "attention/form.h"

/// Features of tokens, block by block: what every reading of a linear form is made of. They are raw: phi without its
/// gains, which are cheaper to apply to sums.

enum
{
    SAC_BLOCK_FLOATS = 65536, ///< of features, 256 KiB: sums over a block should outweigh the adding up of their lanes
    SAC_MAX_BLOCK = 496       ///< tokens; rows of features a power of two apart would share few lines of the cache
};

/// Tokens in a block: whole lanes, a function of F alone, so that sums over blocks have the same bits everywhere.
static inline int sac_block_size(const sac_attention *a)
{
    int tokens = SAC_BLOCK_FLOATS / a->feature_size / SAC_LANES * SAC_LANES;
    return tokens < SAC_LANES ? SAC_LANES : tokens > SAC_MAX_BLOCK ? SAC_MAX_BLOCK : tokens;
}

/// A block of features, in the caller's workspace.
typedef struct sac_block
{
    float *features; ///< [F, size]
    float *tokens;   ///< [D, size] normalised
    int size;        ///< of a full block
    int count;       ///< tokens in it
} sac_block;

static inline sac_block sac_block_take(const sac_attention *a, unsigned char **workspace)
{
    sac_block block = {.size = sac_block_size(a)};
    size_t size = (size_t)block.size;
    block.features = sac_take(workspace, (size_t)a->feature_size * size, sizeof(float));
    block.tokens = sac_take(workspace, a->normalize ? (size_t)a->key_size * size : 0, sizeof(float));
    return block;
}

/// The features of the tokens from `first` on; false past the end.
static inline bool sac_block_read(sac_block *block, const sac_attention *a, sac_attention_side side, const float *x,
                                  int first, int token_count, int stride)
{
    block->count = token_count - first < block->size ? token_count - first : block->size;
    if (block->count <= 0) return false;
    x += first;
    if (a->normalize)
    {
        a->kernels.normalize(block->tokens, block->size, x, a->key_size, block->count, stride);
        x = block->tokens, stride = block->size;
    }
    a->map(block->features, block->size, x, block->count, stride, &a->features[side]);
    return true;
}

/// Multiply sums [rows, F] by the gains of a side; out may be sums.
static inline void sac_apply_gains(const sac_attention *a, sac_attention_side side, float *out, const float *sums,
                                   int rows)
{
    for (int r = 0; r < rows; r++, out += a->feature_size, sums += a->feature_size)
        for (int f = 0; f < a->feature_size; f++) out[f] = (float)((double)sums[f] * a->gains[side][f]);
}
