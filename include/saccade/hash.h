#pragma once

#include "saccade/attention.h"

/// Hashing computes the scores of tokens from bits.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// Sign hashing: bit b of x says whether (G x)_b >= 0. Vectors at an angle theta differ in theta / pi of the bits on
/// average, so the bits determine scores up to a common length. Trigonometric features of normalised keys have one
/// length.
typedef struct sac_hash sac_hash;

/// @param[out] out     NULL on failure
/// @param bit_count    1..65536
/// @param size         of a vector, F in 1..65536
/// @param seed         draws G [bit_count, size], standard normal
/// @param projection   G given instead, copied; NULL: drawn
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_hash_create(sac_hash **out, int bit_count, int size, uint64_t seed,
                                               const float *projection);
SAC_API void sac_hash_destroy(sac_hash *hash); ///< NULL is ignored

/// 32-bit words that the bits of one vector take.
SAC_API int sac_hash_words(const sac_hash *hash);

/// Compute the bits of vectors: bit b of vector n is bits[b / 32 * bits_stride + n] >> b % 32 & 1; bits past the last
/// are 0.
/// @param[out] bits  [words, bits_stride]
/// @param      x     [F, stride]
SAC_API void sac_hash_bits(const sac_hash *hash, uint32_t *bits, int bits_stride, const float *x, int count,
                           int stride);

/// Count in how many bits each vector differs from one query.
/// @param[out] distances  [count]
/// @param      bits       [words, bits_stride]
/// @param      query      [words]: a vector's bits with stride 1
SAC_API void sac_hash_distances(const sac_hash *hash, int32_t *distances, const uint32_t *bits, int bits_stride,
                                const uint32_t *query, int count);

/// Compute the angle theta = pi distance / bit_count and the score length * cos(theta).
/// @param[out] angles  [count] radians; NULL: not wanted
/// @param[out] scores  [count]; NULL: not wanted
/// @param      length  |z| |phi(k)| / N, see sac_hash_length
SAC_API void sac_hash_scores(const sac_hash *hash, float *angles, float *scores, const int32_t *distances, float length,
                             int count);

/// |z| exp(|k|^2 / 2) / query_count for normalised keys of the form trig: |k|^2 is the attention's scale.
SAC_API float sac_hash_length(const sac_attention *attention, const float *z, int query_count);
