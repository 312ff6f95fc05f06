#pragma once

#include <math.h>
#include <string.h>

/// Lanes in plain C, the definition of each operation: see lanes.h.

typedef struct lanes
{
    float v[16];
} lanes;
typedef struct ints
{
    int32_t v[16];
} ints;
typedef struct mask
{
    int32_t v[16]; // -1 or 0
} mask;

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

LANES_TWO(lanes, add, lanes, x.v[i] + y.v[i])
LANES_TWO(lanes, sub, lanes, x.v[i] - y.v[i])
LANES_TWO(lanes, mul, lanes, x.v[i] * y.v[i])
LANES_TWO(lanes, quotient, lanes, x.v[i] / y.v[i])
LANES_TWO(lanes, least, lanes, x.v[i] < y.v[i] ? x.v[i] : y.v[i])
LANES_TWO(lanes, most, lanes, x.v[i] > y.v[i] ? x.v[i] : y.v[i])
LANES_ONE(lanes, root, lanes, sqrtf(x.v[i]))
LANES_ONE(lanes, magnitude, lanes, fabsf(x.v[i]))
LANES_ONE(lanes, whole, lanes, floorf(x.v[i]))
LANES_TWO(mask, below, lanes, -(x.v[i] < y.v[i]))
LANES_TWO(mask, at_most, lanes, -(x.v[i] <= y.v[i]))
LANES_TWO(mask, both, mask, x.v[i] & y.v[i])
LANES_TWO(mask, either, mask, x.v[i] | y.v[i])
LANES_TWO(mask, without, mask, x.v[i] & ~y.v[i])
LANES_TWO(ints, int_add, ints, (int32_t)((uint32_t)x.v[i] + (uint32_t)y.v[i]))
LANES_TWO(ints, int_sub, ints, (int32_t)((uint32_t)x.v[i] - (uint32_t)y.v[i]))
LANES_TWO(ints, int_mul, ints, (int32_t)((uint32_t)x.v[i] * (uint32_t)y.v[i]))
LANES_TWO(ints, int_and, ints, x.v[i] & y.v[i])
LANES_TWO(ints, int_or, ints, x.v[i] | y.v[i])
LANES_TWO(ints, int_least, ints, x.v[i] < y.v[i] ? x.v[i] : y.v[i])
LANES_TWO(mask, same, ints, -(x.v[i] == y.v[i]))
LANES_ONE(ints, truncated, lanes, (int32_t)x.v[i])
LANES_ONE(ints, rounded, lanes, (int32_t)rintf(x.v[i]))
LANES_ONE(lanes, to_lanes, ints, (float)x.v[i])

LANES lanes fill(float x)
{
    LANES_EACH(lanes, x);
}
LANES lanes load(const float *p)
{
    LANES_EACH(lanes, p[i]);
}
LANES void store(float *p, lanes x)
{
    memcpy(p, x.v, sizeof x.v);
}
LANES lanes choose(mask m, lanes yes, lanes no)
{
    LANES_EACH(lanes, m.v[i] ? yes.v[i] : no.v[i]);
}
LANES unsigned bits(mask m)
{
    unsigned b = 0;
    for (int i = 0; i < 16; i++) b |= (unsigned)(m.v[i] & 1) << i;
    return b;
}
LANES mask from_bits(unsigned b)
{
    LANES_EACH(mask, -(int32_t)(b >> i & 1));
}
LANES float smallest(lanes x, mask m)
{
    float r = INFINITY;
    for (int i = 0; i < 16; i++)
        if (m.v[i] && x.v[i] < r) r = x.v[i];
    return r;
}
LANES ints int_fill(int32_t x)
{
    LANES_EACH(ints, x);
}
LANES ints int_load(const int32_t *p)
{
    LANES_EACH(ints, p[i]);
}
LANES void int_store(int32_t *p, ints x)
{
    memcpy(p, x.v, sizeof x.v);
}
LANES ints shift_left(ints x, int n)
{
    LANES_EACH(ints, (int32_t)((uint32_t)x.v[i] << n));
}
LANES ints shift_right(ints x, int n)
{
    LANES_EACH(ints, (int32_t)((uint32_t)x.v[i] >> n));
}
LANES ints int_choose(mask m, ints yes, ints no)
{
    LANES_EACH(ints, m.v[i] ? yes.v[i] : no.v[i]);
}
LANES ints as_ints(lanes x)
{
    ints r;
    memcpy(&r, &x, sizeof r);
    return r;
}
LANES lanes as_lanes(ints x)
{
    lanes r;
    memcpy(&r, &x, sizeof r);
    return r;
}
LANES lanes lookup(const float *table, ints index)
{
    LANES_EACH(lanes, table[index.v[i]]);
}
LANES ints int_lookup(const int32_t *table, ints index)
{
    LANES_EACH(ints, table[index.v[i]]);
}
LANES ints multiply_pairs(ints x, ints y)
{
    LANES_EACH(ints, (int16_t)x.v[i] * (int16_t)y.v[i] + (x.v[i] >> 16) * (y.v[i] >> 16));
}

LANES void gather_blocks(ints out[4], const uint8_t *blocks, ints index)
{
    for (int i = 0; i < 16; i++)
    {
        int32_t block[4];
        memcpy(block, blocks + (size_t)index.v[i] * 16, sizeof block);
        for (int j = 0; j < 4; j++) out[j].v[i] = block[j];
    }
}

LANES void store_rgb(uint8_t *out, size_t pitch, ints x)
{
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 3; c++) out[(size_t)(i / 4) * pitch + (size_t)(i % 4 * 3 + c)] = (uint8_t)(x.v[i] >> 8 * c);
}
