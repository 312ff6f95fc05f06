#pragma once

#include "attention/form.h"

/// Features of tokens, block by block: what every reading of a linear form is made of, so that features stay in the
/// cache between the map that writes them and the product that reads them. They are raw: phi without its gains, which
/// are cheaper to apply to sums.
///
///     for (int i = 0; sac_block_read(&block, a, side, x, i, count, stride); i += block.size) use block.features

/// A block has whole lanes of tokens, and how many is a function of F alone: a sum over tokens is added up once a
/// block, so the size decides its last bits. Each reading has had its size since its first policies.
typedef enum sac_block_kind
{
    SAC_BLOCK_SMALL, ///< importance and outputs (linear.c): 128 KiB of features, 512 tokens at most
    SAC_BLOCK_LARGE, ///< IAP's products (rank.c, trans.c, tree.c), whose sums have many lanes to add up: 256 KiB, 496
} sac_block_kind;

int sac_block_size(const sac_attention *a, sac_block_kind kind);

/// Divide a workspace.
void sac_block_take(sac_block *block, const sac_attention *a, sac_block_kind kind, sac_workspace *workspace);

/// Tokens as a map wants them.
typedef struct sac_block_tokens
{
    const float *x;
    int count, stride;
} sac_block_tokens;

/// The tokens from `first` on, `size` at most, normalised where the attention asks for it; size <= block->size then.
sac_block_tokens sac_block_at(const sac_block *block, const sac_attention *a, const float *x, int first,
                              int token_count, int stride, int size);

/// The features of the tokens from `first` on; false past the end.
bool sac_block_read(sac_block *block, const sac_attention *a, sac_attention_side side, const float *x, int first,
                    int token_count, int stride);

/// Multiply sums [rows, F] by the gains of a side; out may be sums.
void sac_apply_gains(const sac_attention *a, sac_attention_side side, float *out, const float *sums, int rows);

/// Where rows of A are divided by their sums: the sums of phi over all keys, with the gains of both sides [F], and the
/// features of a block of queries divided by what they make of them. A row whose sum is zero becomes zero.
/// @param divisors  scratch [block->size]
void sac_block_sum_keys(sac_block *block, const sac_attention *a, float *key_sums, const float *keys, int token_count,
                        int stride);
void sac_block_divide(const sac_block *block, const sac_attention *a, const float *key_sums, float *divisors);
