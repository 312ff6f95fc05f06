#include <math.h>

#include "base/random.h"

/// MT19937 (Matsumoto and Nishimura 1998), seeded and read as NumPy's RandomState does it.

enum
{
    WORDS = 624,
    MIDDLE = 397
};

// The generator's own seeding by one word.
static void seed_word(sac_mersenne *rng, uint32_t seed)
{
    for (uint32_t i = 0; i < WORDS; i++)
    {
        rng->words[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    rng->next = WORDS;
    rng->has_normal = false;
}

// The generator's seeding by several words, which NumPy uses for seeds that do not fit into one.
static void seed_words(sac_mersenne *rng, const uint32_t key[2])
{
    uint32_t *words = rng->words;
    seed_word(rng, 19650218u);
    uint32_t i = 1;
    for (uint32_t k = 0; k < WORDS; k++)
    {
        words[i] = (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1664525u) + key[k % 2] + k % 2;
        if (++i < WORDS) continue;
        words[0] = words[WORDS - 1];
        i = 1;
    }
    for (uint32_t k = 0; k < WORDS - 1; k++)
    {
        words[i] = (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1566083941u) - i;
        if (++i < WORDS) continue;
        words[0] = words[WORDS - 1];
        i = 1;
    }
    words[0] = 0x80000000u;
}

void sac_mersenne_seed(sac_mersenne *rng, uint64_t seed)
{
    if (seed >> 32)
        seed_words(rng, (uint32_t[]){(uint32_t)seed, (uint32_t)(seed >> 32)});
    else
        seed_word(rng, (uint32_t)seed);
}

// Compute the next WORDS words of the recurrence: the twist of the paper.
static void refill(sac_mersenne *rng)
{
    uint32_t *words = rng->words;
    for (int i = 0; i < WORDS; i++)
    {
        uint32_t y = (words[i] & 0x80000000u) | (words[(i + 1) % WORDS] & 0x7fffffffu);
        words[i] = words[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    rng->next = 0;
}

uint32_t sac_mersenne_u32(sac_mersenne *rng)
{
    if (rng->next == WORDS) refill(rng);
    uint32_t y = rng->words[rng->next++];
    // tempering spreads the bits of a word
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double sac_mersenne_random(sac_mersenne *rng)
{
    // 27 and 26 bits make the 53 bits of a double: (high 2^26 + low) / 2^53
    uint32_t high = sac_mersenne_u32(rng) >> 5, low = sac_mersenne_u32(rng) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

double sac_mersenne_uniform(sac_mersenne *rng, double low, double high)
{
    return low + (high - low) * sac_mersenne_random(rng);
}

double sac_mersenne_normal(sac_mersenne *rng)
{
    if (rng->has_normal)
    {
        rng->has_normal = false;
        return rng->normal;
    }
    double x, y, square;
    do
    {
        x = 2.0 * sac_mersenne_random(rng) - 1.0;
        y = 2.0 * sac_mersenne_random(rng) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    double scale = sqrt(-2.0 * log(square) / square);
    rng->normal = scale * x;
    rng->has_normal = true;
    return scale * y;
}
