#include "base/random.h"

// These are NumPy's generators, step by step: numpy/random/bit_generator.pyx (SeedSequence), and PCG XSL-RR 128/64
// (O'Neill 2014).

__extension__ typedef unsigned __int128 u128;

static uint32_t hash_mix(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ (value >> 16);
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    uint32_t result = x * UINT32_C(0xca01f9dd) - y * UINT32_C(0x4973f715);
    return result ^ (result >> 16);
}

void sac_seed_sequence(uint64_t seed, uint32_t pool[4], uint32_t *state, int count)
{
    const uint32_t entropy[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    uint32_t constant = UINT32_C(0x43b0d7e5);
    for (int i = 0; i < 4; i++) pool[i] = hash_mix(entropy[i], &constant, UINT32_C(0x931e8875));
    for (int source = 0; source < 4; source++)
        for (int target = 0; target < 4; target++)
            if (source != target)
                pool[target] = mix(pool[target], hash_mix(pool[source], &constant, UINT32_C(0x931e8875)));

    constant = UINT32_C(0x8b51f9dd);
    for (int i = 0; i < count; i++) state[i] = hash_mix(pool[i % 4], &constant, UINT32_C(0x58f38ded));
}

static u128 get_state(const sac_pcg64 *rng)
{
    return (u128)rng->state_high << 64 | rng->state_low;
}

static void advance(sac_pcg64 *rng, u128 add)
{
    const u128 multiplier = (u128)UINT64_C(0x2360ed051fc65da4) << 64 | UINT64_C(0x4385df649fccf645);
    const u128 increment = (u128)rng->increment_high << 64 | rng->increment_low;
    u128 state = (get_state(rng) + add) * multiplier + increment;
    rng->state_high = (uint64_t)(state >> 64);
    rng->state_low = (uint64_t)state;
}

sac_pcg64 sac_pcg64_create(uint64_t seed)
{
    uint32_t pool[4], words[8];
    sac_seed_sequence(seed, pool, words, 8);
    uint64_t quads[4];
    for (int i = 0; i < 4; i++) quads[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;

    u128 increment = ((u128)quads[2] << 64 | quads[3]) << 1 | 1;
    sac_pcg64 rng = {.increment_high = (uint64_t)(increment >> 64), .increment_low = (uint64_t)increment};
    advance(&rng, 0);
    advance(&rng, (u128)quads[0] << 64 | quads[1]);
    return rng;
}

uint64_t sac_pcg64_u64(sac_pcg64 *rng)
{
    advance(rng, 0);
    // XSL-RR: the halves of the state are combined by xor and rotated by its six highest bits
    uint64_t folded = rng->state_high ^ rng->state_low;
    unsigned rotation = (unsigned)(rng->state_high >> 58);
    return folded >> rotation | folded << (-rotation & 63);
}

uint32_t sac_pcg64_u32(sac_pcg64 *rng)
{
    if (rng->has_half)
    {
        rng->has_half = false;
        return rng->half;
    }
    uint64_t draw = sac_pcg64_u64(rng);
    rng->half = (uint32_t)(draw >> 32);
    rng->has_half = true;
    return (uint32_t)draw;
}

double sac_pcg64_random(sac_pcg64 *rng)
{
    return (double)(sac_pcg64_u64(rng) >> 11) * 0x1p-53;
}

double sac_pcg64_uniform(sac_pcg64 *rng, double low, double high)
{
    return low + (high - low) * sac_pcg64_random(rng);
}

uint32_t sac_pcg64_integers(sac_pcg64 *rng, uint32_t count)
{
    // Lemire's method on 32-bit draws, as NumPy uses it: the upper half of a product is the result, and draws whose
    // lower half is below the threshold are rejected, so that all results are equally likely.
    uint64_t product = (uint64_t)sac_pcg64_u32(rng) * count;
    if ((uint32_t)product < count)
    {
        uint32_t threshold = (UINT32_MAX - (count - 1)) % count;
        while ((uint32_t)product < threshold) product = (uint64_t)sac_pcg64_u32(rng) * count;
    }
    return (uint32_t)(product >> 32);
}
