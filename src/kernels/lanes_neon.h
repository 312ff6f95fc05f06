#pragma once

#include <arm_neon.h>

#include "kernels/kernels.h"

/// NEON: four registers are 16 floats.

typedef struct lanes
{
    float32x4_t v[4];
} lanes;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

#define OP static inline __attribute__((always_inline))

// an expression of i, for each of the four registers
#define EACH(expression)                               \
    lanes out;                                         \
    for (int i = 0; i < 4; i++) out.v[i] = expression; \
    return out

OP lanes lanes_load(const float *p)
{
    EACH(vld1q_f32(p + 4 * i));
}

OP lanes lanes_load_part(const float *p, int count)
{
    if (count == SAC_LANES) return lanes_load(p);
    float part[SAC_LANES] = {0};
    for (int i = 0; i < count; i++) part[i] = p[i];
    return lanes_load(part);
}

OP lanes lanes_load_integers(const int32_t *p)
{
    EACH(vcvtq_f32_s32(vld1q_s32(p + 4 * i)));
}

OP void lanes_store(float *p, lanes a)
{
    for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, a.v[i]);
}

OP void lanes_store_part(float *p, lanes a, int count)
{
    if (count == SAC_LANES)
    {
        lanes_store(p, a);
        return;
    }
    float part[SAC_LANES];
    lanes_store(part, a);
    for (int i = 0; i < count; i++) p[i] = part[i];
}

// the comparison decides, as on the other levels: vmaxq would give NaN
OP float32x4_t larger(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
OP float32x4_t smaller(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

OP lanes lanes_set(float x)
{
    EACH(vdupq_n_f32(x));
}
OP lanes lanes_add(lanes a, lanes b)
{
    EACH(vaddq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_sub(lanes a, lanes b)
{
    EACH(vsubq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_mul(lanes a, lanes b)
{
    EACH(vmulq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_div(lanes a, lanes b)
{
    EACH(vdivq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_fma(lanes a, lanes b, lanes c)
{
    EACH(vfmaq_f32(c.v[i], a.v[i], b.v[i]));
}
OP lanes lanes_max(lanes a, lanes b)
{
    EACH(larger(a.v[i], b.v[i]));
}
OP lanes lanes_min(lanes a, lanes b)
{
    EACH(smaller(a.v[i], b.v[i]));
}
OP lanes lanes_sqrt(lanes a)
{
    EACH(vsqrtq_f32(a.v[i]));
}
OP lanes lanes_round(lanes a)
{
    EACH(vrndnq_f32(a.v[i]));
}
OP lanes lanes_negate(lanes a)
{
    EACH(vnegq_f32(a.v[i]));
}
OP lanes lanes_abs(lanes a)
{
    EACH(vabsq_f32(a.v[i]));
}

OP float32x4_t power_of_two(float32x4_t n)
{
    int32x4_t bits = vreinterpretq_s32_f32(vaddq_f32(n, vdupq_n_f32(12582912.0f)));
    return vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32(bits, 23), vdupq_n_s32(0x3f800000)));
}

OP lanes lanes_power(lanes p, lanes n)
{
    EACH(vmulq_f32(p.v[i], power_of_two(n.v[i])));
}

OP float32x4_t raise_power(float32x4_t p, float32x4_t n)
{
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), vshlq_n_s32(vreinterpretq_s32_f32(n), 23)));
}

OP lanes lanes_raise(lanes p, lanes n)
{
    EACH(raise_power(p.v[i], n.v[i]));
}

OP lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    EACH(vbslq_f32(vdupq_n_u32(0x80000000u), sign.v[i], magnitude.v[i]));
}

OP lanes lanes_less(lanes a, lanes b, lanes x, lanes y)
{
    EACH(vbslq_f32(vcltq_f32(a.v[i], b.v[i]), x.v[i], y.v[i]));
}

OP void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    const uint32x4_t one = vdupq_n_u32(1), two = vdupq_n_u32(2);
    for (int i = 0; i < 4; i++)
    {
        uint32x4_t bits = vreinterpretq_u32_f32(n.v[i]), odd = vtstq_u32(bits, one);
        uint32x4_t a = vreinterpretq_u32_f32(vbslq_f32(odd, c.v[i], s.v[i]));
        uint32x4_t b = vreinterpretq_u32_f32(vbslq_f32(odd, s.v[i], c.v[i]));
        uint32x4_t down = vshlq_n_u32(vandq_u32(bits, two), 30);
        uint32x4_t left = vshlq_n_u32(vandq_u32(vaddq_u32(bits, one), two), 30);
        sine->v[i] = vreinterpretq_f32_u32(veorq_u32(a, down));
        cosine->v[i] = vreinterpretq_f32_u32(veorq_u32(b, left));
    }
}

OP lanes lanes_equal(lanes a, lanes b, lanes x, lanes y)
{
    EACH(vbslq_f32(vceqq_f32(a.v[i], b.v[i]), x.v[i], y.v[i]));
}

OP lanes lanes_first(lanes a, int count)
{
    float part[SAC_LANES];
    lanes_store(part, a);
    for (int i = count; i < SAC_LANES; i++) part[i] = 0;
    return lanes_load(part);
}

OP uint32_t lanes_greater(lanes a, lanes b)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++) mask |= vaddvq_u32(vandq_u32(vcgtq_f32(a.v[i], b.v[i]), vld1q_u32(bits))) << (4 * i);
    return mask;
}

OP float lanes_sum(lanes a)
{
    float32x4_t b = vaddq_f32(vaddq_f32(a.v[0], a.v[2]), vaddq_f32(a.v[1], a.v[3]));
    float32x2_t c = vadd_f32(vget_low_f32(b), vget_high_f32(b));
    return vget_lane_f32(c, 0) + vget_lane_f32(c, 1);
}

OP float lanes_largest(lanes a)
{
    float32x4_t b = larger(larger(a.v[0], a.v[2]), larger(a.v[1], a.v[3]));
    float32x2_t c = vget_low_f32(b), d = vget_high_f32(b);
    c = vbsl_f32(vcgt_f32(c, d), c, d);
    float x = vget_lane_f32(c, 0), y = vget_lane_f32(c, 1);
    return x > y ? x : y;
}

// 16 uint32
typedef struct words
{
    uint32x4_t v[4];
} words;

#define EACH_WORD(expression)                          \
    words out;                                         \
    for (int i = 0; i < 4; i++) out.v[i] = expression; \
    return out

OP words words_set(uint32_t x)
{
    EACH_WORD(vdupq_n_u32(x));
}
OP words words_load(const uint32_t *p)
{
    EACH_WORD(vld1q_u32(p + 4 * i));
}
OP words words_load_part(const uint32_t *p, int count)
{
    uint32_t part[SAC_LANES] = {0};
    for (int i = 0; i < count; i++) part[i] = p[i];
    return words_load(part);
}
OP void words_store(uint32_t *p, words a)
{
    for (int i = 0; i < 4; i++) vst1q_u32(p + 4 * i, a.v[i]);
}
OP void words_store_part(uint32_t *p, words a, int count)
{
    uint32_t part[SAC_LANES];
    words_store(part, a);
    for (int i = 0; i < count; i++) p[i] = part[i];
}
OP words words_xor(words a, words b)
{
    EACH_WORD(veorq_u32(a.v[i], b.v[i]));
}
OP words words_add(words a, words b)
{
    EACH_WORD(vaddq_u32(a.v[i], b.v[i]));
}
OP words words_count(words a)
{
    EACH_WORD(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(a.v[i])))));
}
OP words words_mark(words word, lanes u, uint32_t bit)
{
    EACH_WORD(vorrq_u32(word.v[i], vandq_u32(vcgezq_f32(u.v[i]), vdupq_n_u32(bit))));
}
