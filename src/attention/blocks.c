#include "attention/blocks.h"

#include <string.h>

int sac_block_size(const sac_attention *a, sac_block_kind kind)
{
    static const struct
    {
        int floats, tokens;
    } limits[] = {
        [SAC_BLOCK_SMALL] = {32768, 512},
        // The size is not 512, because rows of features that are a power of two apart would share few lines of the
        // cache.
        [SAC_BLOCK_LARGE] = {65536, 496},
    };
    int tokens = limits[kind].floats / a->feature_size / SAC_LANES * SAC_LANES;
    return tokens < SAC_LANES ? SAC_LANES : tokens > limits[kind].tokens ? limits[kind].tokens : tokens;
}

void sac_block_take(sac_block *block, const sac_attention *a, sac_block_kind kind, sac_workspace *workspace)
{
    *block = (sac_block){.size = sac_block_size(a, kind)};
    size_t size = (size_t)block->size;
    block->features = sac_take(workspace, (size_t)a->feature_size * size, sizeof(float));
    block->tokens = sac_take(workspace, a->normalise ? (size_t)a->key_size * size : 0, sizeof(float));
}

sac_block_tokens sac_block_at(const sac_block *block, const sac_attention *a, const float *x, int first,
                              int token_count, int stride, int size)
{
    sac_block_tokens t = {x + first, token_count - first < size ? token_count - first : size, stride};
    if (!a->normalise) return t;
    a->kernels.normalise(block->tokens, block->size, t.x, a->key_size, t.count, stride);
    return (sac_block_tokens){block->tokens, t.count, block->size};
}

bool sac_block_read(sac_block *block, const sac_attention *a, sac_attention_side side, const float *x, int first,
                    int token_count, int stride)
{
    if (first >= token_count) return false;
    sac_block_tokens t = sac_block_at(block, a, x, first, token_count, stride, block->size);
    block->count = t.count;
    a->map(block->features, block->size, t.x, t.count, t.stride, &a->features[side]);
    return true;
}

void sac_apply_gains(const sac_attention *a, sac_attention_side side, float *out, const float *sums, int rows)
{
    for (int r = 0; r < rows; r++, out += a->feature_size, sums += a->feature_size)
        for (int f = 0; f < a->feature_size; f++) out[f] = (float)((double)sums[f] * a->gains[side][f]);
}

void sac_block_sum_keys(sac_block *block, const sac_attention *a, float *key_sums, const float *keys, int token_count,
                        int stride)
{
    int f = a->feature_size;
    memset(key_sums, 0, (size_t)f * sizeof *key_sums);
    for (int i = 0; sac_block_read(block, a, SAC_KEYS, keys, i, token_count, stride); i += block->size)
        a->kernels.contract(key_sums, f, NULL, 0, 1, block->features, f, block->count, block->size);
    sac_apply_gains(a, SAC_KEYS, key_sums, key_sums, 1);
    sac_apply_gains(a, SAC_QUERIES, key_sums, key_sums, 1);
}

void sac_block_divide(const sac_block *block, const sac_attention *a, const float *key_sums, float *divisors)
{
    int f = a->feature_size;
    a->kernels.mix(divisors, 0, key_sums, f, 1, block->features, f, block->count, block->size);
    a->kernels.divide_rows(block->features, block->size, f, divisors, 0, block->count);
}
