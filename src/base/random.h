#pragma once

#include "saccade/base.h"

/// Random numbers. Everything of our own uses Philox, which is counter-based: a pure function of a key and a counter.
/// PCG64 and SeedSequence are NumPy's, for the tracks that Gymnasium draws, and so is MT19937, for the resets of
/// dm_control.

/// Philox4x32-10 (Salmon et al. 2011): four words from a key and a counter.
void sac_philox(uint32_t out[4], uint64_t key, uint64_t counter_low, uint64_t counter_high);

/// A stream of Philox numbers for sequential use, named by up to three numbers.
typedef struct sac_stream
{
    uint64_t key, high, low; ///< key, the stream's name, the position in it
    uint32_t words[4];
    int left;
} sac_stream;

sac_stream sac_stream_create(uint64_t seed, uint64_t a, uint64_t b);
uint32_t sac_stream_u32(sac_stream *stream);
double sac_stream_uniform(sac_stream *stream, double low, double high); ///< low <= x < high
uint32_t sac_stream_below(sac_stream *stream, uint32_t count);          ///< 0..count-1, count >= 1

/// `count` standard normal numbers, a pure function of (seed, generation, individual); the same bits on every machine.
void sac_normals(double *out, size_t count, uint64_t seed, uint64_t generation, uint64_t individual);

/// Numbers first..first+count-1 of the same sequence; `first` is even.
void sac_normals_from(double *out, size_t first, size_t count, uint64_t seed, uint64_t generation, uint64_t individual);

/// A 64-bit hash of three numbers: an independent seed for each combination.
uint64_t sac_mix_seed(uint64_t seed, uint64_t a, uint64_t b);

/// NumPy's SeedSequence(seed): its pool and the first `count` words of generate_state(count, uint32).
void sac_seed_sequence(uint64_t seed, uint32_t pool[4], uint32_t *state, int count);

/// NumPy's PCG64 as numpy.random.default_rng(seed) makes it.
typedef struct sac_pcg64
{
    uint64_t state_high, state_low, increment_high, increment_low;
    uint32_t half; ///< upper half of a 64-bit draw, kept for the next 32-bit draw
    bool has_half;
} sac_pcg64;

sac_pcg64 sac_pcg64_create(uint64_t seed);
uint64_t sac_pcg64_u64(sac_pcg64 *rng);
uint32_t sac_pcg64_u32(sac_pcg64 *rng);
double sac_pcg64_random(sac_pcg64 *rng); ///< 0 <= x < 1
double sac_pcg64_uniform(sac_pcg64 *rng, double low, double high);
uint32_t sac_pcg64_integers(sac_pcg64 *rng, uint32_t count); ///< 0..count-1, 2 <= count

/// NumPy's RandomState(seed): MT19937. NumPy takes seeds beyond 32 bits only as arrays of words, so such a seed is
/// RandomState([low word, high word]).
typedef struct sac_mersenne
{
    uint32_t words[624];
    int next;
    bool has_normal;
    double normal; ///< the second of a pair, kept for the next draw
} sac_mersenne;

void sac_mersenne_seed(sac_mersenne *rng, uint64_t seed);
uint32_t sac_mersenne_u32(sac_mersenne *rng);
double sac_mersenne_random(sac_mersenne *rng); ///< rand(): 0 <= x < 1
double sac_mersenne_uniform(sac_mersenne *rng, double low, double high);
double sac_mersenne_normal(sac_mersenne *rng); ///< randn() by the polar method; its logarithm is libm's, as NumPy's is
