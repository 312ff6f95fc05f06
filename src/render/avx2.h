#pragma once

#include <immintrin.h>

/// Lanes of AVX2, two registers each: see lanes.h.

typedef struct lanes
{
    __m256 a, b;
} lanes;
typedef struct ints
{
    __m256i a, b;
} ints;
typedef struct mask
{
    __m256 a, b; // all bits of a lane or none
} mask;

#define LANES_TWO(type, name, from, f)           \
    LANES type name(from x, from y)              \
    {                                            \
        return (type){f(x.a, y.a), f(x.b, y.b)}; \
    }
#define LANES_ONE(type, name, from, f) \
    LANES type name(from x)            \
    {                                  \
        return (type){f(x.a), f(x.b)}; \
    }
#define LESS_256(x, y)    _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define AT_MOST_256(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
#define WITHOUT_256(x, y) _mm256_andnot_ps(y, x)
#define EQUAL_256(x, y)   _mm256_castsi256_ps(_mm256_cmpeq_epi32(x, y))
#define ABSOLUTE_256(x)   _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x)

LANES_TWO(lanes, add, lanes, _mm256_add_ps)
LANES_TWO(lanes, sub, lanes, _mm256_sub_ps)
LANES_TWO(lanes, mul, lanes, _mm256_mul_ps)
LANES_TWO(lanes, quotient, lanes, _mm256_div_ps)
LANES_TWO(lanes, least, lanes, _mm256_min_ps)
LANES_TWO(lanes, most, lanes, _mm256_max_ps)
LANES_ONE(lanes, root, lanes, _mm256_sqrt_ps)
LANES_ONE(lanes, magnitude, lanes, ABSOLUTE_256)
LANES_ONE(lanes, whole, lanes, _mm256_floor_ps)
LANES_TWO(mask, below, lanes, LESS_256)
LANES_TWO(mask, at_most, lanes, AT_MOST_256)
LANES_TWO(mask, both, mask, _mm256_and_ps)
LANES_TWO(mask, either, mask, _mm256_or_ps)
LANES_TWO(mask, without, mask, WITHOUT_256)
LANES_TWO(ints, int_add, ints, _mm256_add_epi32)
LANES_TWO(ints, int_sub, ints, _mm256_sub_epi32)
LANES_TWO(ints, int_mul, ints, _mm256_mullo_epi32)
LANES_TWO(ints, int_and, ints, _mm256_and_si256)
LANES_TWO(ints, int_or, ints, _mm256_or_si256)
LANES_TWO(ints, int_least, ints, _mm256_min_epi32)
LANES_TWO(ints, multiply_pairs, ints, _mm256_madd_epi16)
LANES_TWO(mask, same, ints, EQUAL_256)
LANES_ONE(ints, truncated, lanes, _mm256_cvttps_epi32)
LANES_ONE(ints, rounded, lanes, _mm256_cvtps_epi32)
LANES_ONE(lanes, to_lanes, ints, _mm256_cvtepi32_ps)
LANES_ONE(ints, as_ints, lanes, _mm256_castps_si256)
LANES_ONE(lanes, as_lanes, ints, _mm256_castsi256_ps)

LANES lanes fill(float x)
{
    return (lanes){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
LANES lanes load(const float *p)
{
    return (lanes){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
LANES void store(float *p, lanes x)
{
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
LANES lanes choose(mask m, lanes yes, lanes no)
{
    return (lanes){_mm256_blendv_ps(no.a, yes.a, m.a), _mm256_blendv_ps(no.b, yes.b, m.b)};
}
LANES unsigned bits(mask m)
{
    return (unsigned)_mm256_movemask_ps(m.a) | (unsigned)_mm256_movemask_ps(m.b) << 8;
}
LANES mask from_bits(unsigned b)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i low = _mm256_and_si256(_mm256_set1_epi32((int)(b & 255)), bit);
    __m256i high = _mm256_and_si256(_mm256_set1_epi32((int)(b >> 8)), bit);
    return (mask){EQUAL_256(low, bit), EQUAL_256(high, bit)};
}
LANES float smallest(lanes x, mask m)
{
    lanes all = choose(m, x, fill(__builtin_inff()));
    __m256 eight = _mm256_min_ps(all.a, all.b);
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
}
LANES ints int_fill(int32_t x)
{
    return (ints){_mm256_set1_epi32(x), _mm256_set1_epi32(x)};
}
LANES ints int_load(const int32_t *p)
{
    return (ints){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 8))};
}
LANES void int_store(int32_t *p, ints x)
{
    _mm256_storeu_si256((__m256i *)p, x.a);
    _mm256_storeu_si256((__m256i *)(p + 8), x.b);
}
LANES ints shift_left(ints x, int n)
{
    return (ints){_mm256_slli_epi32(x.a, n), _mm256_slli_epi32(x.b, n)};
}
LANES ints shift_right(ints x, int n)
{
    return (ints){_mm256_srli_epi32(x.a, n), _mm256_srli_epi32(x.b, n)};
}
LANES ints int_choose(mask m, ints yes, ints no)
{
    return as_ints(choose(m, as_lanes(yes), as_lanes(no)));
}
LANES ints int_lookup(const int32_t *table, ints index)
{
    return (ints){_mm256_i32gather_epi32(table, index.a, 4), _mm256_i32gather_epi32(table, index.b, 4)};
}
LANES lanes lookup(const float *table, ints index)
{
    return (lanes){_mm256_i32gather_ps(table, index.a, 4), _mm256_i32gather_ps(table, index.b, 4)};
}

LANES void gather_half(__m256i out[4], const uint8_t *blocks, const int32_t *at)
{
    const __m128i *from = (const __m128i *)blocks;
    __m256i row[4];
    for (int r = 0; r < 4; r++)
        row[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(from + at[r])),
                                         _mm_loadu_si128(from + at[r + 4]), 1);
    __m256i a = _mm256_unpacklo_epi32(row[0], row[1]), b = _mm256_unpackhi_epi32(row[0], row[1]);
    __m256i c = _mm256_unpacklo_epi32(row[2], row[3]), d = _mm256_unpackhi_epi32(row[2], row[3]);
    out[0] = _mm256_unpacklo_epi64(a, c);
    out[1] = _mm256_unpackhi_epi64(a, c);
    out[2] = _mm256_unpacklo_epi64(b, d);
    out[3] = _mm256_unpackhi_epi64(b, d);
}
LANES void gather_blocks(ints out[4], const uint8_t *blocks, ints index)
{
    int32_t at[16];
    __m256i low[4], high[4];
    int_store(at, index);
    gather_half(low, blocks, at);
    gather_half(high, blocks, at + 8);
    for (int i = 0; i < 4; i++) out[i] = (ints){low[i], high[i]};
}

LANES void store_rgb(uint8_t *out, size_t pitch, ints bytes)
{
    const __m128i drop_fourth = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m128i rows[4] = {_mm256_castsi256_si128(bytes.a), _mm256_extracti128_si256(bytes.a, 1),
                       _mm256_castsi256_si128(bytes.b), _mm256_extracti128_si256(bytes.b, 1)};
    for (int i = 0; i < 4; i++)
    {
        __m128i row = _mm_shuffle_epi8(rows[i], drop_fourth);
        _mm_storel_epi64((__m128i *)(void *)(out + (size_t)i * pitch), row);
        _mm_storeu_si32(out + (size_t)i * pitch + 8, _mm_srli_si128(row, 8));
    }
}
