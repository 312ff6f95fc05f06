#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/// exp, exp2, sine, cosine, sigmoid and tanh as every level computes them: the coefficients, and the scalar functions
/// that define the operations and their order. Minimax polynomials (Remez exchange), rounded to float. Errors over all
/// floats, proven by test_elementary: exp 2 ulp, exp2 2 ulp, sigmoid 3 ulp, tanh 3 ulp, sine 2 ulp, cosine 2 ulp.

/// 2^f on |f| <= 0.5: 1 + f c1 + ... + f^5 c5, error 1.1 units of the last place before rounding.
#define SAC_EXP2_C1 0.693146825f
#define SAC_EXP2_C2 0.240222365f
#define SAC_EXP2_C3 0.0555089153f
#define SAC_EXP2_C4 0.00967176352f
#define SAC_EXP2_C5 0.00132257084f

/// 2^f on |f| <= 0.5 in units of SAC_NEAR_UNIT, with three products where the sum above takes five: ((y + a1) y + a2)
/// (f + a3) + a4, y = (f + a0)^2 (Knuth's adapted coefficients; the unit is the leading one). Relative error 4.1e-7.
#define SAC_NEAR_A0   0.603423119f
#define SAC_NEAR_A1   27.8595352f
#define SAC_NEAR_A2   343.651703f
#define SAC_NEAR_A3   4.87403011f
#define SAC_NEAR_A4   -971.844543f
#define SAC_NEAR_UNIT 0.001327644892389623

/// exp(r) on |r| <= ln2 / 2: 1 + r + r^2 c2 + ... + r^6 c6, relative error 1.9e-9 before rounding.
#define SAC_EXP_C2 0.4999999f
#define SAC_EXP_C3 0.1666642f
#define SAC_EXP_C4 0.041668225f
#define SAC_EXP_C5 0.008374824f
#define SAC_EXP_C6 0.0013836835f

/// tanh(x) = x + x y (c0 + ... + y^4 c4), y = x^2, on |x| < 0.625, relative error 4.4e-9 before rounding.
#define SAC_TANH_C0    -0.3333328f
#define SAC_TANH_C1    0.13331442f
#define SAC_TANH_C2    -0.053739656f
#define SAC_TANH_C3    0.020638883f
#define SAC_TANH_C4    -0.0057047494f
#define SAC_TANH_LIMIT 0.625f

/// sin(pi/2 f) = f (s0 + ... + y^3 s3), y = f^2, on |f| <= 0.5, relative error 3.1e-9 before rounding.
#define SAC_SIN_C0 1.5707964f
#define SAC_SIN_C1 -0.6459635f
#define SAC_SIN_C2 0.07968023f
#define SAC_SIN_C3 -0.004602177f

/// cos(pi/2 f) = 1 + y c1 + ... + y^4 c4 there, error 5.4e-11 before rounding.
#define SAC_COS_C1   -1.2337005f
#define SAC_COS_C2   0.25366923f
#define SAC_COS_C3   -0.020860288f
#define SAC_COS_C4   0.00090402167f
#define SAC_TURN_MAX 4194304.0f // quarter turns; further out sine and cosine stay

#define SAC_LOG2_E   1.44269504f
#define SAC_LN2_HIGH 0.693145752f   // 15 bits, so that n * high is exact
#define SAC_LN2_LOW  1.42860677e-6f // ln 2 - high
#define SAC_MAGIC    12582912.0f    // 1.5 * 2^23: adding it rounds to an integer in the low bits
#define SAC_EXP2_MIN -125.0f        // below, exp2 stays at its value there
#define SAC_EXP2_MAX 128.0f         // from here on infinity

static inline uint32_t sac_float_bits(float x)
{
    const union
    {
        float number;
        uint32_t bits;
    } both = {.number = x};
    return both.bits;
}

static inline float sac_bits_float(uint32_t bits)
{
    const union
    {
        uint32_t bits;
        float number;
    } both = {.bits = bits};
    return both.number;
}

/// One step of a hash over the bits of floats.
static inline uint32_t sac_hash_step(uint32_t hash, float x)
{
    hash = (hash ^ sac_float_bits(x)) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}

/// Zero where two floats have the same bits.
static inline uint32_t sac_differing_bits(float a, float b)
{
    return sac_float_bits(a) ^ sac_float_bits(b);
}

// The comparison decides as the vector instruction does: it gives the second operand when either is NaN.
static inline float sac_max(float a, float b)
{
    return a > b ? a : b;
}
static inline float sac_min(float a, float b)
{
    return a < b ? a : b;
}

/// To the nearest integer, ties to even, for |x| < 2^22.
static inline float sac_round(float x)
{
    return (x + SAC_MAGIC) - SAC_MAGIC;
}

/// 2^n for an integer n in -126..127 held as a float; any value for NaN.
static inline float sac_power_of_two(float n)
{
    return sac_bits_float((sac_float_bits(n + SAC_MAGIC) << 23) + 0x3f800000u);
}

static inline float sac_exp2(float t)
{
    t = sac_min(SAC_EXP2_MAX, sac_max(SAC_EXP2_MIN, t));
    float n = sac_round(t), f = t - n;
    float p = fmaf(SAC_EXP2_C5, f, SAC_EXP2_C4);
    p = fmaf(p, f, SAC_EXP2_C3);
    p = fmaf(p, f, SAC_EXP2_C2);
    p = fmaf(p, f, SAC_EXP2_C1);
    p = fmaf(p, f, 1.0f);
    // 2^128 is no float, but p 2^128 may be one
    return (p + p) * sac_power_of_two(n - 1.0f);
}

/// 2^t in units of SAC_NEAR_UNIT, |t| <= 100: for sums that are divided by one another. NaN for NaN.
static inline float sac_exp2_near(float t)
{
    float magic = t + SAC_MAGIC, f = t - (magic - SAC_MAGIC);
    float z = f + SAC_NEAR_A0, y = z * z;
    float p = fmaf(fmaf(y + SAC_NEAR_A1, y, SAC_NEAR_A2), f + SAC_NEAR_A3, SAC_NEAR_A4);
    return sac_bits_float(sac_float_bits(p) + (sac_float_bits(magic) << 23));
}

static inline float sac_exp(float x)
{
    x = sac_min(89.0f, sac_max(-104.0f, x));
    float n = sac_round(x * SAC_LOG2_E);
    float r = fmaf(n, -SAC_LN2_LOW, fmaf(n, -SAC_LN2_HIGH, x));
    float p = fmaf(SAC_EXP_C6, r, SAC_EXP_C5);
    p = fmaf(p, r, SAC_EXP_C4);
    p = fmaf(p, r, SAC_EXP_C3);
    p = fmaf(p, r, SAC_EXP_C2);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    // The power is applied in two steps, so that a subnormal result is rounded once.
    float half = sac_round(n * 0.5f);
    return p * sac_power_of_two(half) * sac_power_of_two(n - half);
}

/// Sine and cosine of t quarter turns: the reduction is exact.
static inline void sac_sin_cos(float t, float *sine, float *cosine)
{
    t = sac_min(SAC_TURN_MAX, sac_max(-SAC_TURN_MAX, t));
    float n = sac_round(t), f = t - n, y = f * f;
    float s = fmaf(SAC_SIN_C3, y, SAC_SIN_C2);
    s = fmaf(s, y, SAC_SIN_C1);
    s = fmaf(s, y, SAC_SIN_C0) * f;
    float c = fmaf(SAC_COS_C4, y, SAC_COS_C3);
    c = fmaf(c, y, SAC_COS_C2);
    c = fmaf(c, y, SAC_COS_C1);
    c = fmaf(c, y, 1.0f);
    // The low bits of n + magic are the number of the quarter.
    uint32_t quarter = sac_float_bits(n + SAC_MAGIC), odd = quarter & 1;
    *sine = sac_bits_float(sac_float_bits(odd ? c : s) ^ (quarter & 2) << 30);
    *cosine = sac_bits_float(sac_float_bits(odd ? s : c) ^ ((quarter + 1) & 2) << 30);
}

static inline float sac_sigmoid(float x)
{
    return 1.0f / (1.0f + sac_exp(-x));
}

static inline float sac_tanh(float x)
{
    float magnitude = fabsf(x), y = x * x, p = fmaf(SAC_TANH_C4, y, SAC_TANH_C3);
    p = fmaf(p, y, SAC_TANH_C2);
    p = fmaf(p, y, SAC_TANH_C1);
    p = fmaf(p, y, SAC_TANH_C0);
    float small = fmaf(magnitude * y, p, magnitude);
    float large = 1.0f - 2.0f / (sac_exp(magnitude + magnitude) + 1.0f);
    return copysignf(magnitude < SAC_TANH_LIMIT ? small : large, x);
}
