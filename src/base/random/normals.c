#include "base/random/normals.h"

#include <math.h>
#include <string.h>

/// Standard normal numbers by Box and Muller (1958). A block is computed at a time, in the compiler's vectors. Several
/// vectors are computed side by side, because each by itself is a long chain in which every operation waits for the one
/// before. This file is compiled once for each CPU level. No result may depend on the order of operations, so all
/// levels give the same bits.

#define LANES_OF_DOUBLES
#include "base/lanes/vectors.h"

// words hold 32 bits each, in their lower halves
enum
{
    PAIRS = SAC_NORMALS_BLOCK / 2,
    GROUP = LANES_COUNT == 8 ? 8 : 2, // vectors that are computed side by side
};

// sac_philox for GROUP vectors of counters in a row. The upper halves of lanes are ignored.
static inline void philox(words w[4][GROUP], uint64_t key, uint64_t counter, uint64_t name)
{
    static const uint64_t steps[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int g = 0; g < GROUP; g++)
    {
        memcpy(&w[0][g], steps, sizeof w[0][g]);
        w[0][g] += counter + (uint64_t)(LANES_COUNT * g);
        w[1][g] = w[0][g] >> 32;
        w[2][g] = words_set(name);
        w[3][g] = w[2][g] >> 32;
    }
    for (int round = 0; round < 10; round++)
    {
        for (int g = 0; g < GROUP; g++)
        {
            words a = words_multiply_halves(w[0][g], UINT32_C(0xD2511F53)),
                  b = words_multiply_halves(w[2][g], UINT32_C(0xCD9E8D57));
            w[0][g] = (b >> 32) ^ w[1][g] ^ k0;
            w[1][g] = b;
            w[2][g] = (a >> 32) ^ w[3][g] ^ k1;
            w[3][g] = a;
        }
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

// Bits of doubles whose last places can hold whole numbers: with these bits set, an integer is a double.
#define BITS_OF_2_25 UINT64_C(0x4180000000000000) // in units of 2^-27
#define BITS_OF_HALF UINT64_C(0x3FE0000000000000) // in units of 2^-53
#define BITS_OF_2_52 UINT64_C(0x4330000000000000) // in units of 1

// Make a double in [0, 1) from 53 random bits of two words, exactly.
static inline lanes unit(words a, words b)
{
    lanes high = lanes_cast((a >> 5 & 0x7FFFFFF) | BITS_OF_2_25), low = lanes_cast((b >> 6 & 0x3FFFFFF) | BITS_OF_HALF);
    return high - (0x1p25 + 0.5) + low;
}

// Compute ln(x) for x in [2^-53, 1] as 2 atanh((m - 1) / (m + 1)) + e ln 2 with x = m 2^e and m near 1.
static inline void log_unit(lanes x[GROUP])
{
    static const double series[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                    1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1};
    const uint64_t raise = UINT64_C(64) << 52; // keeps the exponent positive
    lanes s[GROUP], t[GROUP], sum[GROUP], exponent[GROUP];
    for (int g = 0; g < GROUP; g++)
    {
        // Subtracting the bits of sqrt(1/2) borrows from the exponent where m would be below sqrt(1/2).
        words bits = (words)x[g], power = (bits - UINT64_C(0x3FE6A09E667F3BCD) + raise) >> 52;
        lanes m = lanes_cast(bits - (power << 52) + raise);
        exponent[g] = lanes_cast(power | BITS_OF_2_52) - (0x1p52 + 64);
        s[g] = (m - 1) / (m + 1);
        t[g] = s[g] * s[g];
        sum[g] = lanes_set(series[0]);
    }
    for (size_t k = 1; k < sizeof series / sizeof *series; k++)
        for (int g = 0; g < GROUP; g++) sum[g] = sum[g] * t[g] + series[k];
    for (int g = 0; g < GROUP; g++) x[g] = 2 * s[g] * sum[g] + exponent[g] * 0.69314718055994531;
}

// Compute sin and cos of 2 pi t, 0 <= t < 1, by Taylor series in the octant around the nearest quarter turn.
static inline void sin_cos_turn(const lanes t[GROUP], lanes sine[GROUP], lanes cosine[GROUP])
{
    static const double odd[] = {1.0 / 355687428096000, // 17!
                                 -1.0 / 1307674368000,  1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                 -1.0 / 5040,           1.0 / 120,        -1.0 / 6};
    static const double even[] = {-1.0 / 6402373705728000, // 18!
                                  1.0 / 20922789888000,
                                  -1.0 / 87178291200,
                                  1.0 / 479001600,
                                  -1.0 / 3628800,
                                  1.0 / 40320,
                                  -1.0 / 720,
                                  1.0 / 24,
                                  -1.0 / 2,
                                  1};
    lanes x[GROUP], y[GROUP], s[GROUP], c[GROUP];
    words quarter[GROUP];
    for (int g = 0; g < GROUP; g++)
    {
        // the addition rounds, so the number of the nearest quarter is in the last place
        lanes turned = t[g] * 4 + 0x1p52;
        quarter[g] = words_cast(turned);
        x[g] = (t[g] - (turned - 0x1p52) * 0.25) * 6.2831853071795865;
        y[g] = x[g] * x[g];
        s[g] = lanes_set(odd[0]);
        c[g] = lanes_set(even[0]);
    }
    for (size_t k = 1; k < sizeof odd / sizeof *odd; k++)
        for (int g = 0; g < GROUP; g++) s[g] = s[g] * y[g] + odd[k];
    for (size_t k = 1; k < sizeof even / sizeof *even; k++)
        for (int g = 0; g < GROUP; g++) c[g] = c[g] * y[g] + even[k];
    for (int g = 0; g < GROUP; g++)
    {
        words a = words_cast(s[g] * y[g] * x[g] + x[g]), b = words_cast(c[g]);
        words exchanged = (a ^ b) & -(quarter[g] & 1);
        sine[g] = lanes_cast(a ^ exchanged ^ (quarter[g] & 2) << 62);
        cosine[g] = lanes_cast(b ^ exchanged ^ ((quarter[g] + 1) & 2) << 62);
    }
}

void SAC_LEVEL_NAME(sac_normals_block)(double *out, uint64_t key, uint64_t counter, uint64_t name)
{
    double radius[PAIRS], sine[PAIRS], cosine[PAIRS];
    for (int at = 0; at < PAIRS; at += LANES_COUNT * GROUP)
    {
        words w[4][GROUP];
        lanes x[GROUP], turn[GROUP], s[GROUP], c[GROUP];
        philox(w, key, counter + (uint64_t)at, name);
        for (int g = 0; g < GROUP; g++)
        {
            x[g] = 1 - unit(w[0][g], w[1][g]);
            turn[g] = unit(w[2][g], w[3][g]);
        }
        log_unit(x);
        sin_cos_turn(turn, s, c);
        memcpy(radius + at, x, sizeof x);
        memcpy(sine + at, s, sizeof s);
        memcpy(cosine + at, c, sizeof c);
    }
    for (int i = 0; i < PAIRS; i++) radius[i] = sqrt(-2 * radius[i]);
    for (int i = 0; i < PAIRS; i++)
    {
        out[2 * i] = radius[i] * cosine[i];
        out[2 * i + 1] = radius[i] * sine[i];
    }
}
