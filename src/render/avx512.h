#pragma once

#include <immintrin.h>

/// Lanes of AVX-512: see lanes.h.

typedef __m512 lanes;
typedef __m512i ints;
typedef __mmask16 mask;

LANES lanes fill(float x)
{
    return _mm512_set1_ps(x);
}
LANES lanes load(const float *p)
{
    return _mm512_loadu_ps(p);
}
LANES void store(float *p, lanes a)
{
    _mm512_storeu_ps(p, a);
}
LANES lanes add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}
LANES lanes sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}
LANES lanes mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}
LANES lanes quotient(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}
LANES lanes root(lanes a)
{
    return _mm512_sqrt_ps(a);
}
LANES lanes least(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}
LANES lanes most(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}
LANES lanes magnitude(lanes a)
{
    return _mm512_abs_ps(a);
}
LANES lanes whole(lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
LANES mask below(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
LANES mask at_most(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
LANES lanes choose(mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_ps(m, no, yes);
}

LANES unsigned bits(mask m)
{
    return m;
}
LANES mask from_bits(unsigned b)
{
    return (mask)b;
}
LANES mask both(mask a, mask b)
{
    return (mask)(a & b);
}
LANES mask either(mask a, mask b)
{
    return (mask)(a | b);
}
LANES mask without(mask a, mask b)
{
    return (mask)(a & ~b);
}

LANES float smallest(lanes a, mask m)
{
    return _mm512_mask_reduce_min_ps(m, a);
}

LANES ints int_fill(int32_t x)
{
    return _mm512_set1_epi32(x);
}
LANES ints int_load(const int32_t *p)
{
    return _mm512_loadu_si512(p);
}
LANES void int_store(int32_t *p, ints a)
{
    _mm512_storeu_si512(p, a);
}
LANES ints int_add(ints a, ints b)
{
    return _mm512_add_epi32(a, b);
}
LANES ints int_sub(ints a, ints b)
{
    return _mm512_sub_epi32(a, b);
}
LANES ints int_mul(ints a, ints b)
{
    return _mm512_mullo_epi32(a, b);
}
LANES ints int_and(ints a, ints b)
{
    return _mm512_and_si512(a, b);
}
LANES ints int_or(ints a, ints b)
{
    return _mm512_or_si512(a, b);
}
LANES ints int_least(ints a, ints b)
{
    return _mm512_min_epi32(a, b);
}
LANES ints shift_left(ints a, int n)
{
    return _mm512_slli_epi32(a, (unsigned)n);
}
LANES ints shift_right(ints a, int n)
{
    return _mm512_srli_epi32(a, (unsigned)n);
}
LANES mask same(ints a, ints b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}
LANES ints int_choose(mask m, ints yes, ints no)
{
    return _mm512_mask_blend_epi32(m, no, yes);
}
LANES ints truncated(lanes a)
{
    return _mm512_cvttps_epi32(a);
}
LANES ints rounded(lanes a)
{
    return _mm512_cvtps_epi32(a);
}
LANES lanes to_lanes(ints a)
{
    return _mm512_cvtepi32_ps(a);
}
LANES ints as_ints(lanes a)
{
    return _mm512_castps_si512(a);
}
LANES lanes as_lanes(ints a)
{
    return _mm512_castsi512_ps(a);
}
LANES lanes lookup(const float *table, ints index)
{
    return _mm512_permutexvar_ps(index, _mm512_loadu_ps(table));
}
LANES ints int_lookup(const int32_t *table, ints index)
{
    return _mm512_permutexvar_epi32(index, _mm512_loadu_si512(table));
}
LANES ints multiply_pairs(ints a, ints b)
{
    return _mm512_madd_epi16(a, b);
}

LANES void gather_blocks(ints out[4], const uint8_t *blocks, ints index)
{
    int32_t at[16];
    _mm512_storeu_si512(at, index);
    __m512i row[4];
    for (int r = 0; r < 4; r++)
    {
        const __m128i *b = (const __m128i *)blocks;
        __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(b + at[r])),
                                              _mm_loadu_si128(b + at[r + 4]), 1);
        __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(b + at[r + 8])),
                                               _mm_loadu_si128(b + at[r + 12]), 1);
        row[r] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    __m512i a = _mm512_unpacklo_epi32(row[0], row[1]), b = _mm512_unpackhi_epi32(row[0], row[1]);
    __m512i c = _mm512_unpacklo_epi32(row[2], row[3]), d = _mm512_unpackhi_epi32(row[2], row[3]);
    out[0] = _mm512_unpacklo_epi64(a, c);
    out[1] = _mm512_unpackhi_epi64(a, c);
    out[2] = _mm512_unpacklo_epi64(b, d);
    out[3] = _mm512_unpackhi_epi64(b, d);
}

LANES void store_rgb(uint8_t *out, size_t pitch, ints bytes)
{
    const __m128i drop_fourth = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m512i packed = _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(drop_fourth));
    __m128i rows[4] = {_mm512_castsi512_si128(packed), _mm512_extracti32x4_epi32(packed, 1),
                       _mm512_extracti32x4_epi32(packed, 2), _mm512_extracti32x4_epi32(packed, 3)};
    for (int i = 0; i < 4; i++) _mm_mask_storeu_epi32(out + (size_t)i * pitch, 7, rows[i]);
}
