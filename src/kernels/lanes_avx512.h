#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

/// AVX-512: one register is 16 floats.

typedef __m512 lanes;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 16
};

#define OP static inline __attribute__((always_inline))

OP __mmask16 first_mask(int count)
{
    return (__mmask16)((1u << count) - 1);
}
OP lanes lanes_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
OP lanes lanes_load_part(const float *p, int count)
{
    return _mm512_maskz_loadu_ps(first_mask(count), p);
}
OP lanes lanes_load_integers(const int32_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_loadu_si512(p));
}
OP void lanes_store(float *p, lanes a)
{
    _mm512_storeu_ps(p, a);
}
OP void lanes_store_part(float *p, lanes a, int count)
{
    _mm512_mask_storeu_ps(p, first_mask(count), a);
}
OP lanes lanes_set(float x)
{
    return _mm512_set1_ps(x);
}
OP lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}
OP lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}
OP lanes lanes_mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}
OP lanes lanes_div(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}
OP lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}
OP lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}
OP lanes lanes_min(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}
OP lanes lanes_sqrt(lanes a)
{
    return _mm512_sqrt_ps(a);
}
OP lanes lanes_round(lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
OP lanes lanes_power(lanes p, lanes n)
{
    return _mm512_scalef_ps(p, n);
}
OP lanes lanes_raise(lanes p, lanes n)
{
    __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), bits));
}
OP lanes lanes_abs(lanes a)
{
    return _mm512_abs_ps(a);
}
OP lanes lanes_negate(lanes a)
{
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}
OP lanes lanes_first(lanes a, int count)
{
    return _mm512_maskz_mov_ps(first_mask(count), a);
}
OP uint32_t lanes_greater(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

OP lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    lanes bit = _mm512_set1_ps(-0.0f);
    return _mm512_or_ps(_mm512_andnot_ps(bit, magnitude), _mm512_and_ps(bit, sign));
}

OP lanes lanes_less(lanes a, lanes b, lanes x, lanes y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}

OP void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
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

OP lanes lanes_equal(lanes a, lanes b, lanes x, lanes y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), y, x);
}

OP float lanes_sum(lanes a)
{
    __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

OP float lanes_largest(lanes a)
{
    __m256 b = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_max_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}

// 16 uint32
typedef __m512i words;

OP words words_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
OP words words_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}
OP words words_load_part(const uint32_t *p, int count)
{
    return _mm512_maskz_loadu_epi32(first_mask(count), p);
}
OP void words_store(uint32_t *p, words a)
{
    _mm512_storeu_si512(p, a);
}
OP void words_store_part(uint32_t *p, words a, int count)
{
    _mm512_mask_storeu_epi32(p, first_mask(count), a);
}
OP words words_xor(words a, words b)
{
    return _mm512_xor_si512(a, b);
}
OP words words_add(words a, words b)
{
    return _mm512_add_epi32(a, b);
}
OP words words_mark(words word, lanes u, uint32_t bit)
{
    return _mm512_mask_or_epi32(word, _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_GE_OQ), word, words_set(bit));
}

// of each half byte by table, then added up
OP words words_count(words a)
{
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(a, half));
    __m512i high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi32(a, 4), half));
    __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
    return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}
