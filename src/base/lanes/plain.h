#pragma once

#include <math.h>
#include <string.h>

#include "base/lanes/lanes.h"

/// Lanes in plain C, the definition of each operation: see lanes.h.

typedef struct lanes
{
    float v[16];
} lanes;
typedef struct words
{
    int32_t v[16];
} words;
typedef struct mask
{
    int32_t v[16]; // -1 or 0
} mask;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

#define LANES_EACH(type, expression)                    \
    type r;                                             \
    for (int i = 0; i < 16; i++) r.v[i] = (expression); \
    return r

#define LANES_TWO(type, name, from, expression) \
    LANES type name(from x, from y)             \
    {                                           \
        LANES_EACH(type, expression);           \
    }
#define LANES_ONE(type, name, from, expression) \
    LANES type name(from x)                     \
    {                                           \
        LANES_EACH(type, expression);           \
    }

LANES_TWO(lanes, lanes_add, lanes, x.v[i] + y.v[i])
LANES_TWO(lanes, lanes_sub, lanes, x.v[i] - y.v[i])
LANES_TWO(lanes, lanes_mul, lanes, x.v[i] * y.v[i])
LANES_TWO(lanes, lanes_div, lanes, x.v[i] / y.v[i])
LANES_TWO(lanes, lanes_min, lanes, x.v[i] < y.v[i] ? x.v[i] : y.v[i])
LANES_TWO(lanes, lanes_max, lanes, x.v[i] > y.v[i] ? x.v[i] : y.v[i])
LANES_ONE(lanes, lanes_sqrt, lanes, sqrtf(x.v[i]))
LANES_ONE(lanes, lanes_abs, lanes, fabsf(x.v[i]))
LANES_ONE(lanes, lanes_negate, lanes, -x.v[i])
LANES_TWO(lanes, lanes_copy_sign, lanes, copysignf(x.v[i], y.v[i]))
LANES_ONE(lanes, lanes_round, lanes, rintf(x.v[i]))
LANES_ONE(lanes, lanes_floor, lanes, floorf(x.v[i]))
LANES_TWO(lanes, lanes_power, lanes, ldexpf(x.v[i], (int)y.v[i]))
LANES_TWO(mask, lanes_less, lanes, -(x.v[i] < y.v[i]))
LANES_TWO(mask, lanes_at_most, lanes, -(x.v[i] <= y.v[i]))
LANES_TWO(mask, lanes_equal, lanes, -(x.v[i] == y.v[i]))
LANES_TWO(mask, mask_and, mask, x.v[i] & y.v[i])
LANES_TWO(mask, mask_or, mask, x.v[i] | y.v[i])
LANES_TWO(mask, mask_without, mask, x.v[i] & ~y.v[i])
LANES_TWO(words, words_add, words, (int32_t)((uint32_t)x.v[i] + (uint32_t)y.v[i]))
LANES_TWO(words, words_sub, words, (int32_t)((uint32_t)x.v[i] - (uint32_t)y.v[i]))
LANES_TWO(words, words_mul, words, (int32_t)((uint32_t)x.v[i] * (uint32_t)y.v[i]))
LANES_TWO(words, words_and, words, x.v[i] & y.v[i])
LANES_TWO(words, words_or, words, x.v[i] | y.v[i])
LANES_TWO(words, words_xor, words, x.v[i] ^ y.v[i])
LANES_TWO(words, words_min, words, x.v[i] < y.v[i] ? x.v[i] : y.v[i])
LANES_ONE(words, words_count, words, __builtin_popcount((uint32_t)x.v[i]))
LANES_TWO(mask, words_equal, words, -(x.v[i] == y.v[i]))
LANES_ONE(words, words_truncate, lanes, (int32_t)x.v[i])
LANES_ONE(words, words_round, lanes, (int32_t)rintf(x.v[i]))
LANES_ONE(lanes, lanes_from_words, words, (float)x.v[i])

LANES lanes lanes_set(float x)
{
    LANES_EACH(lanes, x);
}
LANES lanes lanes_load(const float *p)
{
    LANES_EACH(lanes, p[i]);
}
LANES void lanes_store(float *p, lanes x)
{
    memcpy(p, x.v, sizeof x.v);
}
LANES lanes lanes_load_part(const float *p, int count)
{
    LANES_EACH(lanes, i < count ? p[i] : 0.0f);
}
LANES void lanes_store_part(float *p, lanes x, int count)
{
    memcpy(p, x.v, (size_t)count * sizeof *p);
}
LANES lanes lanes_first(lanes x, int count)
{
    LANES_EACH(lanes, i < count ? x.v[i] : 0.0f);
}
LANES lanes lanes_fma(lanes x, lanes y, lanes z)
{
    LANES_EACH(lanes, fmaf(x.v[i], y.v[i], z.v[i]));
}
LANES lanes lanes_choose(mask m, lanes yes, lanes no)
{
    LANES_EACH(lanes, m.v[i] ? yes.v[i] : no.v[i]);
}
LANES unsigned mask_bits(mask m)
{
    unsigned b = 0;
    for (int i = 0; i < 16; i++) b |= (unsigned)(m.v[i] & 1) << i;
    return b;
}
LANES int mask_any(mask m)
{
    return mask_bits(m) != 0;
}
LANES mask mask_from_bits(unsigned b)
{
    LANES_EACH(mask, -(int32_t)(b >> i & 1));
}
// lane i and lane i + 8, then i + 4, i + 2, i + 1
LANES float lanes_sum(lanes x)
{
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) x.v[i] += x.v[i + half];
    return x.v[0];
}
LANES float lanes_largest(lanes x)
{
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) x.v[i] = x.v[i] > x.v[i + half] ? x.v[i] : x.v[i + half];
    return x.v[0];
}
LANES float lanes_smallest(lanes x, mask m)
{
    float r = INFINITY;
    for (int i = 0; i < 16; i++)
        if (m.v[i] && x.v[i] < r) r = x.v[i];
    return r;
}
LANES words words_set(uint32_t x)
{
    LANES_EACH(words, (int32_t)x);
}
LANES words words_load(const void *p)
{
    words r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
LANES words words_load_part(const void *p, int count)
{
    words r = {{0}};
    memcpy(r.v, p, (size_t)count * sizeof *r.v);
    return r;
}
LANES void words_store(void *p, words x)
{
    memcpy(p, x.v, sizeof x.v);
}
LANES void words_store_part(void *p, words x, int count)
{
    memcpy(p, x.v, (size_t)count * sizeof *x.v);
}
LANES words words_shift_left(words x, int n)
{
    LANES_EACH(words, (int32_t)((uint32_t)x.v[i] << n));
}
LANES words words_shift_right(words x, int n)
{
    LANES_EACH(words, (int32_t)((uint32_t)x.v[i] >> n));
}
LANES words words_choose(mask m, words yes, words no)
{
    LANES_EACH(words, m.v[i] ? yes.v[i] : no.v[i]);
}
LANES words words_cast(lanes x)
{
    words r;
    memcpy(&r, &x, sizeof r);
    return r;
}
LANES lanes lanes_cast(words x)
{
    lanes r;
    memcpy(&r, &x, sizeof r);
    return r;
}
LANES words words_mark(words word, lanes u, uint32_t bit)
{
    LANES_EACH(words, u.v[i] >= 0.0f ? (int32_t)((uint32_t)word.v[i] | bit) : word.v[i]);
}
LANES lanes lanes_raise(lanes x, lanes n)
{
    return lanes_cast(words_add(words_cast(x), words_shift_left(words_cast(n), 23)));
}

// an odd number of quarters swaps the two, the second and third quarter turn the sine's sign, the first and second the
// cosine's
LANES void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    words quarters = words_cast(n), one = words_set(1), two = words_set(2);
    mask odd = words_equal(words_and(quarters, one), one);
    lanes a = lanes_choose(odd, c, s), b = lanes_choose(odd, s, c);
    words down = words_and(quarters, two), left = words_and(words_add(quarters, one), two);
    *sine = lanes_cast(words_xor(words_cast(a), words_shift_left(down, 30)));
    *cosine = lanes_cast(words_xor(words_cast(b), words_shift_left(left, 30)));
}
LANES lanes lanes_look_up(const float *table, words index)
{
    LANES_EACH(lanes, table[index.v[i]]);
}
LANES words words_look_up(const int32_t *table, words index)
{
    LANES_EACH(words, table[index.v[i]]);
}
LANES words words_multiply_pairs(words x, words y)
{
    LANES_EACH(words, (int16_t)x.v[i] * (int16_t)y.v[i] + (x.v[i] >> 16) * (y.v[i] >> 16));
}

LANES void words_gather(words out[4], const uint8_t *blocks, words index)
{
    for (int i = 0; i < 16; i++)
    {
        int32_t block[4];
        memcpy(block, blocks + (size_t)index.v[i] * 16, sizeof block);
        for (int j = 0; j < 4; j++) out[j].v[i] = block[j];
    }
}

LANES void words_store_rgb(uint8_t *out, size_t pitch, words x)
{
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 3; c++) out[(size_t)(i / 4) * pitch + (size_t)(i % 4 * 3 + c)] = (uint8_t)(x.v[i] >> 8 * c);
}
