#include <math.h>
#include <string.h>

#include "base/normals.h"

/// Standard normal numbers by Box and Muller (1958), a block at a time in loops that the compiler turns into vectors.
/// This file is compiled once a CPU level; no operation may depend on the others' order, so all levels give the same
/// bits.

enum
{
    PAIRS = SAC_NORMALS_BLOCK / 2
};

// What 32-bit words are kept in: 64 bits where a vector multiplies these in one instruction.
#ifdef __AVX512DQ__
typedef uint64_t word;
enum
{
    LANES = 32
};
#else
typedef uint32_t word;
enum
{
    LANES = PAIRS
};
#endif

// both halves of a product of 32-bit numbers
static inline word high(word a, uint32_t b)
{
    return (word)((uint64_t)a * b >> 32);
}

static inline word low(word a, uint32_t b)
{
    return (uint32_t)(a * b);
}

// sac_philox for PAIRS counters in a row, as many at a time as stay in registers
static void philox_block(uint32_t words[4][PAIRS], uint64_t key, uint64_t counter, uint64_t name)
{
    for (int at = 0; at < PAIRS; at += LANES)
    {
        word w[4][LANES];
        uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
        for (int i = 0; i < LANES; i++)
        {
            uint64_t position = counter + (uint64_t)(at + i);
            w[0][i] = (uint32_t)position, w[1][i] = (uint32_t)(position >> 32);
            w[2][i] = (uint32_t)name, w[3][i] = (uint32_t)(name >> 32);
        }
        for (int round = 0; round < 10; round++)
        {
            for (int i = 0; i < LANES; i++)
            {
                word a = w[0][i], b = w[2][i];
                w[0][i] = high(b, UINT32_C(0xCD9E8D57)) ^ w[1][i] ^ k0;
                w[1][i] = low(b, UINT32_C(0xCD9E8D57));
                w[2][i] = high(a, UINT32_C(0xD2511F53)) ^ w[3][i] ^ k1;
                w[3][i] = low(a, UINT32_C(0xD2511F53));
            }
            k0 += UINT32_C(0x9E3779B9);
            k1 += UINT32_C(0xBB67AE85);
        }
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < LANES; i++) words[k][at + i] = (uint32_t)w[k][i];
    }
}

// 53 random bits from two words, in [0, 1)
static inline double unit(uint32_t a, uint32_t b)
{
    return ((double)(int32_t)(a >> 5) * 0x1p26 + (double)(int32_t)(b >> 6)) * 0x1p-53;
}

// ln(x) for x in [2^-53, 1]: 2 atanh((m - 1) / (m + 1)) + e ln 2 with x = m 2^e and m around 1
static inline double log_unit(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    // adding the bits of 1 / sqrt(1/2) carries into the exponent where m would be above sqrt(2)
    int64_t shifted = bits - INT64_C(0x3FE6A09E667F3BCD);
    int32_t exponent = (int32_t)(shifted >> 52);
    bits -= (int64_t)((uint64_t)shifted & UINT64_C(0xFFF0000000000000));
    double m;
    memcpy(&m, &bits, sizeof m);
    double s = (m - 1) / (m + 1), t = s * s;
    double sum = 1.0 / 21;
    sum = sum * t + 1.0 / 19;
    sum = sum * t + 1.0 / 17;
    sum = sum * t + 1.0 / 15;
    sum = sum * t + 1.0 / 13;
    sum = sum * t + 1.0 / 11;
    sum = sum * t + 1.0 / 9;
    sum = sum * t + 1.0 / 7;
    sum = sum * t + 1.0 / 5;
    sum = sum * t + 1.0 / 3;
    sum = sum * t + 1;
    return 2 * s * sum + exponent * 0.69314718055994531;
}

// sin and cos of 2 pi t, 0 <= t < 1, by Taylor series in the octant around the nearest quarter turn
static inline void sin_cos_turn(double t, double *sine, double *cosine)
{
    int quarter = (int)(t * 4 + 0.5);
    double x = (t - quarter * 0.25) * 6.2831853071795865, y = x * x;
    double s = 1.0 / 355687428096000; // 17!
    s = s * y - 1.0 / 1307674368000;
    s = s * y + 1.0 / 6227020800;
    s = s * y - 1.0 / 39916800;
    s = s * y + 1.0 / 362880;
    s = s * y - 1.0 / 5040;
    s = s * y + 1.0 / 120;
    s = s * y - 1.0 / 6;
    s = s * y * x + x;
    double c = -1.0 / 6402373705728000; // 18!
    c = c * y + 1.0 / 20922789888000;
    c = c * y - 1.0 / 87178291200;
    c = c * y + 1.0 / 479001600;
    c = c * y - 1.0 / 3628800;
    c = c * y + 1.0 / 40320;
    c = c * y - 1.0 / 720;
    c = c * y + 1.0 / 24;
    c = c * y - 1.0 / 2;
    c = c * y + 1;
    double odd = quarter & 1;
    double a = odd != 0 ? c : s, b = odd != 0 ? s : c;
    *sine = a * (1 - (quarter & 2));
    *cosine = b * (1 - ((quarter + 1) & 2));
}

void SAC_LEVEL_NAME(sac_normals_block)(double *out, uint64_t key, uint64_t counter, uint64_t name)
{
    uint32_t words[4][PAIRS];
    philox_block(words, key, counter, name);
    for (int i = 0; i < PAIRS; i++)
    {
        double radius = sqrt(-2 * log_unit(1 - unit(words[0][i], words[1][i]))), sine, cosine;
        sin_cos_turn(unit(words[2][i], words[3][i]), &sine, &cosine);
        out[2 * i] = radius * cosine;
        out[2 * i + 1] = radius * sine;
    }
}
