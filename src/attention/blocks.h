#pragma once

#include "attention/form.h"

/// Features of tokens, block by block: what every reading of a linear form is made of.

enum
{
    SAC_BLOCK_FLOATS = 8192, ///< of features, 32 KiB
    SAC_MAX_BLOCK = 512      ///< tokens
};

/// Tokens in a block: whole lanes, a function of F alone, so that sums over blocks have the same bits everywhere.
static inline int sac_block_size(const sac_attention *a)
{
    int tokens = SAC_BLOCK_FLOATS / sac_attention_feature_size(a) / SAC_LANES * SAC_LANES;
    return tokens < SAC_LANES ? SAC_LANES : tokens > SAC_MAX_BLOCK ? SAC_MAX_BLOCK : tokens;
}

/// A block of features [F, size] with its scratch, in the caller's workspace.
typedef struct sac_block
{
    float *features; ///< [F, size]
    int size;        ///< of a full block
    int count;       ///< tokens in it
    void *workspace;
} sac_block;

static inline sac_block sac_block_take(const sac_attention *a, unsigned char **workspace)
{
    int size = sac_block_size(a);
    sac_block block = {.size = size};
    block.features = sac_take(workspace, (size_t)sac_attention_feature_size(a) * (size_t)size, sizeof(float));
    block.workspace = sac_take(workspace, sac_attention_workspace_size(a, size), 1);
    return block;
}

/// The features of the tokens from `first` on; false past the end.
static inline bool sac_block_read(sac_block *block, const sac_attention *a, sac_attention_side side, const float *x,
                                  int first, int token_count, int stride)
{
    block->count = token_count - first < block->size ? token_count - first : block->size;
    if (block->count <= 0) return false;
    sac_attention_features(a, side, block->features, block->size, x + first, block->count, stride, block->workspace);
    return true;
}
