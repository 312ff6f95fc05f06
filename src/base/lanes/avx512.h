#pragma once

#include <immintrin.h>

#include "base/lanes/lanes.h"

/// Lanes of AVX-512, one register each: see lanes.h.

typedef __m512 lanes;
typedef __m512i words;
typedef __mmask16 mask;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 16
};

LANES mask mask_first(int count)
{
    return (mask)((1u << count) - 1);
}
LANES mask mask_from_bits(unsigned b)
{
    return (mask)b;
}
LANES unsigned mask_bits(mask m)
{
    return m;
}
LANES int mask_any(mask m)
{
    return m != 0;
}
LANES mask mask_and(mask a, mask b)
{
    return (mask)(a & b);
}
LANES mask mask_or(mask a, mask b)
{
    return (mask)(a | b);
}
LANES mask mask_without(mask a, mask b)
{
    return (mask)(a & ~b);
}

LANES lanes lanes_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
LANES lanes lanes_load_part(const float *p, int count)
{
    return _mm512_maskz_loadu_ps(mask_first(count), p);
}
LANES void lanes_store(float *p, lanes a)
{
    _mm512_storeu_ps(p, a);
}
LANES void lanes_store_part(float *p, lanes a, int count)
{
    _mm512_mask_storeu_ps(p, mask_first(count), a);
}
LANES lanes lanes_set(float x)
{
    return _mm512_set1_ps(x);
}
LANES lanes lanes_first(lanes a, int count)
{
    return _mm512_maskz_mov_ps(mask_first(count), a);
}
LANES lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}
LANES lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}
LANES lanes lanes_mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}
LANES lanes lanes_div(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}
LANES lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}
LANES lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}
LANES lanes lanes_min(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}
LANES lanes lanes_sqrt(lanes a)
{
    return _mm512_sqrt_ps(a);
}
LANES lanes lanes_abs(lanes a)
{
    return _mm512_abs_ps(a);
}
LANES lanes lanes_negate(lanes a)
{
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}
LANES lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    lanes bit = _mm512_set1_ps(-0.0f);
    return _mm512_or_ps(_mm512_andnot_ps(bit, magnitude), _mm512_and_ps(bit, sign));
}
LANES lanes lanes_round(lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
LANES lanes lanes_floor(lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

LANES lanes lanes_power(lanes p, lanes n)
{
    return _mm512_scalef_ps(p, n);
}
LANES lanes lanes_raise(lanes p, lanes n)
{
    __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), bits));
}
LANES void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    enum
    {
        A_XOR_B_AND_C = 0x78
    };
    __m512i bits = _mm512_castps_si512(n), one = _mm512_set1_epi32(1), top = _mm512_set1_epi32(INT32_MIN);
    __mmask16 odd = _mm512_test_epi32_mask(bits, one);
    __m512i a = _mm512_castps_si512(_mm512_mask_blend_ps(odd, s, c)), down = _mm512_slli_epi32(bits, 30);
    __m512i b = _mm512_castps_si512(_mm512_mask_blend_ps(odd, c, s));
    __m512i left = _mm512_slli_epi32(_mm512_add_epi32(bits, one), 30);
    *sine = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(a, down, top, A_XOR_B_AND_C));
    *cosine = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(b, left, top, A_XOR_B_AND_C));
}

LANES mask lanes_less(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
LANES mask lanes_at_most(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
LANES mask lanes_equal(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
LANES lanes lanes_choose(mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_ps(m, no, yes);
}

LANES float lanes_sum(lanes a)
{
    __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
LANES float lanes_largest(lanes a)
{
    __m256 b = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_max_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}
LANES float lanes_smallest(lanes a, mask m)
{
    return _mm512_mask_reduce_min_ps(m, a);
}

LANES words words_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
LANES words words_load(const void *p)
{
    return _mm512_loadu_si512(p);
}
LANES words words_load_part(const void *p, int count)
{
    return _mm512_maskz_loadu_epi32(mask_first(count), p);
}
LANES void words_store(void *p, words a)
{
    _mm512_storeu_si512(p, a);
}
LANES void words_store_part(void *p, words a, int count)
{
    _mm512_mask_storeu_epi32(p, mask_first(count), a);
}
LANES words words_add(words a, words b)
{
    return _mm512_add_epi32(a, b);
}
LANES words words_sub(words a, words b)
{
    return _mm512_sub_epi32(a, b);
}
LANES words words_mul(words a, words b)
{
    return _mm512_mullo_epi32(a, b);
}
LANES words words_and(words a, words b)
{
    return _mm512_and_si512(a, b);
}
LANES words words_or(words a, words b)
{
    return _mm512_or_si512(a, b);
}
LANES words words_xor(words a, words b)
{
    return _mm512_xor_si512(a, b);
}
LANES words words_min(words a, words b)
{
    return _mm512_min_epi32(a, b);
}
LANES words words_shift_left(words a, int n)
{
    return _mm512_slli_epi32(a, (unsigned)n);
}
LANES words words_shift_right(words a, int n)
{
    return _mm512_srli_epi32(a, (unsigned)n);
}
LANES mask words_equal(words a, words b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}
LANES words words_choose(mask m, words yes, words no)
{
    return _mm512_mask_blend_epi32(m, no, yes);
}
LANES words words_mark(words word, lanes u, uint32_t bit)
{
    return _mm512_mask_or_epi32(word, _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_GE_OQ), word, words_set(bit));
}
LANES words words_multiply_pairs(words a, words b)
{
    return _mm512_madd_epi16(a, b);
}

// Bits are counted in each half byte by a table, then added up.
LANES words words_count(words a)
{
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(a, half));
    __m512i high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi32(a, 4), half));
    __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
    return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}

LANES words words_truncate(lanes a)
{
    return _mm512_cvttps_epi32(a);
}
LANES words words_round(lanes a)
{
    return _mm512_cvtps_epi32(a);
}
LANES lanes lanes_from_words(words a)
{
    return _mm512_cvtepi32_ps(a);
}
LANES words words_cast(lanes a)
{
    return _mm512_castps_si512(a);
}
LANES lanes lanes_cast(words a)
{
    return _mm512_castsi512_ps(a);
}

LANES lanes lanes_look_up(const float *table, words index)
{
    return _mm512_permutexvar_ps(index, _mm512_loadu_ps(table));
}
LANES words words_look_up(const int32_t *table, words index)
{
    return _mm512_permutexvar_epi32(index, _mm512_loadu_si512(table));
}

LANES void words_gather(words out[4], const uint8_t *blocks, words index)
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

LANES void words_store_rgb(uint8_t *out, size_t pitch, words bytes)
{
    const __m128i drop_fourth = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m512i packed = _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(drop_fourth));
    __m128i rows[4] = {_mm512_castsi512_si128(packed), _mm512_extracti32x4_epi32(packed, 1),
                       _mm512_extracti32x4_epi32(packed, 2), _mm512_extracti32x4_epi32(packed, 3)};
    for (int i = 0; i < 4; i++) _mm_mask_storeu_epi32(out + (size_t)i * pitch, 7, rows[i]);
}
