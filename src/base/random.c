#include "base/random.h"

#include <string.h>

#include "base/error.h"
#include "base/level.h"
#include "base/random/normals.h"

void sac_philox(uint32_t out[4], uint64_t key, uint64_t counter_low, uint64_t counter_high)
{
    uint32_t c0 = (uint32_t)counter_low, c1 = (uint32_t)(counter_low >> 32);
    uint32_t c2 = (uint32_t)counter_high, c3 = (uint32_t)(counter_high >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++)
    {
        uint64_t p0 = UINT64_C(0xD2511F53) * c0, p1 = UINT64_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// The finaliser of SplitMix64 (Steele et al. 2014).
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

uint64_t sac_mix_seed(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    return scramble(scramble(scramble(seed + golden) + a + golden) + b + golden);
}

sac_stream sac_stream_create(uint64_t seed, uint64_t a, uint64_t b)
{
    return (sac_stream){.key = seed, .high = sac_mix_seed(0, a, b)};
}

uint32_t sac_stream_u32(sac_stream *stream)
{
    if (stream->left == 0)
    {
        sac_philox(stream->words, stream->key, stream->low++, stream->high);
        stream->left = 4;
    }
    return stream->words[4 - stream->left--];
}

// Make a double in [0, 1) from 53 random bits of two words.
static double unit(uint32_t a, uint32_t b)
{
    return ((a >> 5) * 67108864.0 + (b >> 6)) * 0x1p-53;
}

double sac_stream_uniform(sac_stream *stream, double low, double high)
{
    uint32_t a = sac_stream_u32(stream), b = sac_stream_u32(stream);
    return low + (high - low) * unit(a, b);
}

uint32_t sac_stream_below(sac_stream *stream, uint32_t count)
{
    // Lemire's rejection makes all results equally likely.
    uint64_t product = (uint64_t)sac_stream_u32(stream) * count;
    if ((uint32_t)product < count)
    {
        uint32_t threshold = (0u - count) % count;
        while ((uint32_t)product < threshold) product = (uint64_t)sac_stream_u32(stream) * count;
    }
    return (uint32_t)(product >> 32);
}

void sac_normals(double *out, size_t count, uint64_t seed, uint64_t generation, uint64_t individual)
{
    sac_normals_from(out, 0, count, seed, generation, individual);
}

void sac_normals_from(double *out, size_t first, size_t count, uint64_t seed, uint64_t generation, uint64_t individual)
{
    SAC_ASSERT(first % 2 == 0);
    sac_normals_block *block = SAC_AT_LEVEL(sac_normals_block);
    // the counter is the pair of numbers, so any part of the sequence can be computed by itself
    uint64_t name = sac_mix_seed(1, generation, individual);
    for (size_t i = 0; i < count; i += SAC_NORMALS_BLOCK)
    {
        double rest[SAC_NORMALS_BLOCK];
        bool whole = count - i >= SAC_NORMALS_BLOCK;
        block(whole ? out + i : rest, seed, (first + i) / 2, name);
        if (!whole) memcpy(out + i, rest, (count - i) * sizeof *out);
    }
}
