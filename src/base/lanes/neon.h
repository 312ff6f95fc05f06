#pragma once

#include <arm_neon.h>

#include "base/lanes/lanes.h"

/// Lanes of NEON, four registers each: see lanes.h.

typedef struct lanes
{
    float32x4_t v[4];
} lanes;
typedef struct words
{
    uint32x4_t v[4];
} words;
typedef struct mask
{
    uint32x4_t v[4]; // all bits of a lane or none
} mask;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

// an expression of i, for each of the four registers
#define LANES_EACH(type, expression)                   \
    type r;                                            \
    for (int i = 0; i < 4; i++) r.v[i] = (expression); \
    return r

#define LANES_TWO(type, name, from, f)       \
    LANES type name(from x, from y)          \
    {                                        \
        LANES_EACH(type, f(x.v[i], y.v[i])); \
    }
#define LANES_ONE(type, name, from, f) \
    LANES type name(from x)            \
    {                                  \
        LANES_EACH(type, f(x.v[i]));   \
    }
#define SIGNED(x)   vreinterpretq_s32_u32(x)
#define UNSIGNED(x) vreinterpretq_u32_s32(x)

// the comparison decides, as on the other levels: vmaxq would give NaN
LANES float32x4_t larger_4(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
LANES float32x4_t smaller_4(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
LANES float32x4_t copy_sign_4(float32x4_t magnitude, float32x4_t sign)
{
    return vbslq_f32(vdupq_n_u32(0x80000000u), sign, magnitude);
}
LANES float32x4_t power_4(float32x4_t p, float32x4_t n)
{
    int32x4_t bits = vreinterpretq_s32_f32(vaddq_f32(n, vdupq_n_f32(LANES_MAGIC)));
    return vmulq_f32(p, vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32(bits, 23), vdupq_n_s32(0x3f800000))));
}
LANES float32x4_t raise_4(float32x4_t p, float32x4_t n)
{
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), vshlq_n_s32(vreinterpretq_s32_f32(n), 23)));
}
LANES uint32x4_t least_4(uint32x4_t a, uint32x4_t b)
{
    return UNSIGNED(vminq_s32(SIGNED(a), SIGNED(b)));
}
LANES uint32x4_t count_4(uint32x4_t a)
{
    return vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(a))));
}
LANES uint32x4_t truncate_4(float32x4_t a)
{
    return UNSIGNED(vcvtq_s32_f32(a));
}
LANES uint32x4_t round_4(float32x4_t a)
{
    return UNSIGNED(vcvtnq_s32_f32(a));
}
LANES float32x4_t from_words_4(uint32x4_t a)
{
    return vcvtq_f32_s32(SIGNED(a));
}
LANES uint32x4_t multiply_pairs_4(uint32x4_t a, uint32x4_t b)
{
    int32x4_t low = vmulq_s32(vshrq_n_s32(vshlq_n_s32(SIGNED(a), 16), 16), vshrq_n_s32(vshlq_n_s32(SIGNED(b), 16), 16));
    return UNSIGNED(vmlaq_s32(low, vshrq_n_s32(SIGNED(a), 16), vshrq_n_s32(SIGNED(b), 16)));
}

LANES_TWO(mask, mask_and, mask, vandq_u32)
LANES_TWO(mask, mask_or, mask, vorrq_u32)
LANES_TWO(mask, mask_without, mask, vbicq_u32)
LANES_TWO(lanes, lanes_add, lanes, vaddq_f32)
LANES_TWO(lanes, lanes_sub, lanes, vsubq_f32)
LANES_TWO(lanes, lanes_mul, lanes, vmulq_f32)
LANES_TWO(lanes, lanes_div, lanes, vdivq_f32)
LANES_TWO(lanes, lanes_max, lanes, larger_4)
LANES_TWO(lanes, lanes_min, lanes, smaller_4)
LANES_ONE(lanes, lanes_sqrt, lanes, vsqrtq_f32)
LANES_ONE(lanes, lanes_abs, lanes, vabsq_f32)
LANES_ONE(lanes, lanes_negate, lanes, vnegq_f32)
LANES_TWO(lanes, lanes_copy_sign, lanes, copy_sign_4)
LANES_ONE(lanes, lanes_round, lanes, vrndnq_f32)
LANES_ONE(lanes, lanes_floor, lanes, vrndmq_f32)
LANES_TWO(lanes, lanes_power, lanes, power_4)
LANES_TWO(lanes, lanes_raise, lanes, raise_4)
LANES_TWO(mask, lanes_less, lanes, vcltq_f32)
LANES_TWO(mask, lanes_at_most, lanes, vcleq_f32)
LANES_TWO(mask, lanes_equal, lanes, vceqq_f32)
LANES_TWO(words, words_add, words, vaddq_u32)
LANES_TWO(words, words_sub, words, vsubq_u32)
LANES_TWO(words, words_mul, words, vmulq_u32)
LANES_TWO(words, words_and, words, vandq_u32)
LANES_TWO(words, words_or, words, vorrq_u32)
LANES_TWO(words, words_xor, words, veorq_u32)
LANES_TWO(words, words_min, words, least_4)
LANES_TWO(words, words_multiply_pairs, words, multiply_pairs_4)
LANES_ONE(words, words_count, words, count_4)
LANES_TWO(mask, words_equal, words, vceqq_u32)
LANES_ONE(words, words_truncate, lanes, truncate_4)
LANES_ONE(words, words_round, lanes, round_4)
LANES_ONE(lanes, lanes_from_words, words, from_words_4)
LANES_ONE(words, words_cast, lanes, vreinterpretq_u32_f32)
LANES_ONE(lanes, lanes_cast, words, vreinterpretq_f32_u32)

LANES unsigned mask_bits(mask m)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    unsigned b = 0;
    for (int i = 0; i < 4; i++) b |= vaddvq_u32(vandq_u32(m.v[i], vld1q_u32(bits))) << (4 * i);
    return b;
}
LANES int mask_any(mask m)
{
    return vmaxvq_u32(vorrq_u32(vorrq_u32(m.v[0], m.v[1]), vorrq_u32(m.v[2], m.v[3]))) != 0;
}
LANES mask mask_from_bits(unsigned b)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    LANES_EACH(mask, vtstq_u32(vdupq_n_u32(b >> (4 * i)), vld1q_u32(bits)));
}

LANES lanes lanes_load(const float *p)
{
    LANES_EACH(lanes, vld1q_f32(p + 4 * i));
}
LANES lanes lanes_load_part(const float *p, int count)
{
    if (count == 16) return lanes_load(p);
    float part[16] = {0};
    for (int i = 0; i < count; i++) part[i] = p[i];
    return lanes_load(part);
}
LANES void lanes_store(float *p, lanes a)
{
    for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, a.v[i]);
}
LANES void lanes_store_part(float *p, lanes a, int count)
{
    if (count == 16)
    {
        lanes_store(p, a);
        return;
    }
    float part[16];
    lanes_store(part, a);
    for (int i = 0; i < count; i++) p[i] = part[i];
}
LANES lanes lanes_set(float x)
{
    LANES_EACH(lanes, vdupq_n_f32(x));
}
LANES lanes lanes_first(lanes a, int count)
{
    float part[16];
    lanes_store(part, a);
    for (int i = count; i < 16; i++) part[i] = 0;
    return lanes_load(part);
}
LANES lanes lanes_fma(lanes a, lanes b, lanes c)
{
    LANES_EACH(lanes, vfmaq_f32(c.v[i], a.v[i], b.v[i]));
}
LANES lanes lanes_choose(mask m, lanes yes, lanes no)
{
    LANES_EACH(lanes, vbslq_f32(m.v[i], yes.v[i], no.v[i]));
}

LANES void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
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

LANES float lanes_sum(lanes a)
{
    float32x4_t b = vaddq_f32(vaddq_f32(a.v[0], a.v[2]), vaddq_f32(a.v[1], a.v[3]));
    float32x2_t c = vadd_f32(vget_low_f32(b), vget_high_f32(b));
    return vget_lane_f32(c, 0) + vget_lane_f32(c, 1);
}
LANES float lanes_largest(lanes a)
{
    float32x4_t b = larger_4(larger_4(a.v[0], a.v[2]), larger_4(a.v[1], a.v[3]));
    float32x2_t c = vget_low_f32(b), d = vget_high_f32(b);
    c = vbsl_f32(vcgt_f32(c, d), c, d);
    float x = vget_lane_f32(c, 0), y = vget_lane_f32(c, 1);
    return x > y ? x : y;
}
LANES float lanes_smallest(lanes x, mask m)
{
    lanes all = lanes_choose(m, x, lanes_set(__builtin_inff()));
    return vminvq_f32(smaller_4(smaller_4(all.v[0], all.v[2]), smaller_4(all.v[1], all.v[3])));
}

LANES words words_set(uint32_t x)
{
    LANES_EACH(words, vdupq_n_u32(x));
}
LANES words words_load(const void *p)
{
    LANES_EACH(words, vld1q_u32((const uint32_t *)p + 4 * i));
}
LANES words words_load_part(const void *p, int count)
{
    uint32_t part[16] = {0};
    for (int i = 0; i < count; i++) part[i] = ((const uint32_t *)p)[i];
    return words_load(part);
}
LANES void words_store(void *p, words a)
{
    for (int i = 0; i < 4; i++) vst1q_u32((uint32_t *)p + 4 * i, a.v[i]);
}
LANES void words_store_part(void *p, words a, int count)
{
    uint32_t part[16];
    words_store(part, a);
    for (int i = 0; i < count; i++) ((uint32_t *)p)[i] = part[i];
}
LANES words words_shift_left(words x, int n)
{
    LANES_EACH(words, vshlq_u32(x.v[i], vdupq_n_s32(n)));
}
LANES words words_shift_right(words x, int n)
{
    LANES_EACH(words, vshlq_u32(x.v[i], vdupq_n_s32(-n)));
}
LANES words words_choose(mask m, words yes, words no)
{
    LANES_EACH(words, vbslq_u32(m.v[i], yes.v[i], no.v[i]));
}
LANES words words_mark(words word, lanes u, uint32_t bit)
{
    LANES_EACH(words, vorrq_u32(word.v[i], vandq_u32(vcgezq_f32(u.v[i]), vdupq_n_u32(bit))));
}

LANES words words_look_up(const int32_t *table, words index)
{
    uint32_t at[16];
    int32_t found[16];
    words_store(at, index);
    for (int i = 0; i < 16; i++) found[i] = table[at[i]];
    return words_load(found);
}
LANES lanes lanes_look_up(const float *table, words index)
{
    uint32_t at[16];
    float found[16];
    words_store(at, index);
    for (int i = 0; i < 16; i++) found[i] = table[at[i]];
    return lanes_load(found);
}

LANES void words_gather(words out[4], const uint8_t *blocks, words index)
{
    uint32_t at[16], found[4][16];
    words_store(at, index);
    for (int i = 0; i < 16; i++)
    {
        uint32_t block[4];
        vst1q_u32(block, vreinterpretq_u32_u8(vld1q_u8(blocks + (size_t)at[i] * 16)));
        for (int j = 0; j < 4; j++) found[j][i] = block[j];
    }
    for (int j = 0; j < 4; j++) out[j] = words_load(found[j]);
}

LANES void words_store_rgb(uint8_t *out, size_t pitch, words bytes)
{
    static const uint8_t drop_fourth[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255};
    for (int i = 0; i < 4; i++)
    {
        uint8x16_t row = vqtbl1q_u8(vreinterpretq_u8_u32(bytes.v[i]), vld1q_u8(drop_fourth));
        vst1_u8(out + (size_t)i * pitch, vget_low_u8(row));
        vst1q_lane_u32((uint32_t *)(void *)(out + (size_t)i * pitch + 8), vreinterpretq_u32_u8(row), 2);
    }
}
