#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

/// AVX2 and FMA: two registers are 16 floats.

typedef struct lanes
{
    __m256 low, high;
} lanes;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

#define OP static inline __attribute__((always_inline))

OP lanes both(__m256 low, __m256 high)
{
    return (lanes){low, high};
}

// all ones in the first `count` of 8
OP __m256i first_mask(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

OP lanes lanes_load(const float *p)
{
    return both(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8));
}

OP lanes lanes_load_part(const float *p, int count)
{
    return both(_mm256_maskload_ps(p, first_mask(count)), _mm256_maskload_ps(p + 8, first_mask(count - 8)));
}

OP lanes lanes_load_integers(const int32_t *p)
{
    return both(_mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)p)),
                _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(p + 8))));
}

OP void lanes_store(float *p, lanes a)
{
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps(p + 8, a.high);
}

OP void lanes_store_part(float *p, lanes a, int count)
{
    _mm256_maskstore_ps(p, first_mask(count), a.low);
    _mm256_maskstore_ps(p + 8, first_mask(count - 8), a.high);
}

OP lanes lanes_set(float x)
{
    return both(_mm256_set1_ps(x), _mm256_set1_ps(x));
}
OP lanes lanes_add(lanes a, lanes b)
{
    return both(_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high));
}
OP lanes lanes_sub(lanes a, lanes b)
{
    return both(_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high));
}
OP lanes lanes_mul(lanes a, lanes b)
{
    return both(_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high));
}
OP lanes lanes_div(lanes a, lanes b)
{
    return both(_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high));
}
OP lanes lanes_max(lanes a, lanes b)
{
    return both(_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high));
}
OP lanes lanes_min(lanes a, lanes b)
{
    return both(_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high));
}
OP lanes lanes_sqrt(lanes a)
{
    return both(_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high));
}
OP lanes lanes_round(lanes a)
{
    enum
    {
        NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC
    };
    return both(_mm256_round_ps(a.low, NEAREST), _mm256_round_ps(a.high, NEAREST));
}

OP lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return both(_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high));
}

OP __m256 power(__m256 p, __m256 n)
{
    __m256i bits = _mm256_castps_si256(_mm256_add_ps(n, _mm256_set1_ps(12582912.0f)));
    bits = _mm256_add_epi32(_mm256_slli_epi32(bits, 23), _mm256_set1_epi32(0x3f800000));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(bits));
}

OP lanes lanes_power(lanes p, lanes n)
{
    return both(power(p.low, n.low), power(p.high, n.high));
}

OP __m256 raise_power(__m256 p, __m256 n)
{
    __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), bits));
}

OP lanes lanes_raise(lanes p, lanes n)
{
    return both(raise_power(p.low, n.low), raise_power(p.high, n.high));
}

OP lanes lanes_negate(lanes a)
{
    __m256 bit = _mm256_set1_ps(-0.0f);
    return both(_mm256_xor_ps(bit, a.low), _mm256_xor_ps(bit, a.high));
}

OP lanes lanes_abs(lanes a)
{
    __m256 bit = _mm256_set1_ps(-0.0f);
    return both(_mm256_andnot_ps(bit, a.low), _mm256_andnot_ps(bit, a.high));
}

OP __m256 copy_sign(__m256 magnitude, __m256 sign)
{
    __m256 bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, magnitude), _mm256_and_ps(bit, sign));
}

OP lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    return both(copy_sign(magnitude.low, sign.low), copy_sign(magnitude.high, sign.high));
}

OP lanes lanes_less(lanes a, lanes b, lanes x, lanes y)
{
    return both(_mm256_blendv_ps(y.low, x.low, _mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ)),
                _mm256_blendv_ps(y.high, x.high, _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)));
}

OP void quarter(__m256 n, __m256 s, __m256 c, __m256 *sine, __m256 *cosine)
{
    __m256i bits = _mm256_castps_si256(n), two = _mm256_set1_epi32(2);
    __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(bits, 31));
    __m256i down = _mm256_slli_epi32(_mm256_and_si256(bits, two), 30);
    __m256i left = _mm256_slli_epi32(_mm256_and_si256(_mm256_add_epi32(bits, _mm256_set1_epi32(1)), two), 30);
    *sine = _mm256_xor_ps(_mm256_blendv_ps(s, c, odd), _mm256_castsi256_ps(down));
    *cosine = _mm256_xor_ps(_mm256_blendv_ps(c, s, odd), _mm256_castsi256_ps(left));
}

OP void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    quarter(n.low, s.low, c.low, &sine->low, &cosine->low);
    quarter(n.high, s.high, c.high, &sine->high, &cosine->high);
}

OP lanes lanes_equal(lanes a, lanes b, lanes x, lanes y)
{
    return both(_mm256_blendv_ps(y.low, x.low, _mm256_cmp_ps(a.low, b.low, _CMP_EQ_OQ)),
                _mm256_blendv_ps(y.high, x.high, _mm256_cmp_ps(a.high, b.high, _CMP_EQ_OQ)));
}

OP lanes lanes_first(lanes a, int count)
{
    return both(_mm256_and_ps(a.low, _mm256_castsi256_ps(first_mask(count))),
                _mm256_and_ps(a.high, _mm256_castsi256_ps(first_mask(count - 8))));
}

OP uint32_t lanes_greater(lanes a, lanes b)
{
    uint32_t low = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.low, b.low, _CMP_GT_OQ));
    uint32_t high = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.high, b.high, _CMP_GT_OQ));
    return low | high << 8;
}

OP float lanes_sum(lanes a)
{
    __m256 b = _mm256_add_ps(a.low, a.high);
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

OP float lanes_largest(lanes a)
{
    __m256 b = _mm256_max_ps(a.low, a.high);
    __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_max_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}

// 16 uint32
typedef struct words
{
    __m256i low, high;
} words;

OP words words_set(uint32_t x)
{
    return (words){_mm256_set1_epi32((int)x), _mm256_set1_epi32((int)x)};
}
OP words words_load(const uint32_t *p)
{
    return (words){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 8))};
}
OP words words_load_part(const uint32_t *p, int count)
{
    const int *at = (const int *)p;
    return (words){_mm256_maskload_epi32(at, first_mask(count)), _mm256_maskload_epi32(at + 8, first_mask(count - 8))};
}
OP void words_store(uint32_t *p, words a)
{
    _mm256_storeu_si256((__m256i *)p, a.low);
    _mm256_storeu_si256((__m256i *)(p + 8), a.high);
}
OP void words_store_part(uint32_t *p, words a, int count)
{
    _mm256_maskstore_epi32((int *)p, first_mask(count), a.low);
    _mm256_maskstore_epi32((int *)p + 8, first_mask(count - 8), a.high);
}
OP words words_xor(words a, words b)
{
    return (words){_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
}
OP words words_add(words a, words b)
{
    return (words){_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}

// of each half byte by table, then added up
OP __m256i count_bits(__m256i a)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2,
                                           2, 3, 2, 3, 3, 4);
    const __m256i half = _mm256_set1_epi8(15);
    __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(a, half));
    __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(a, 4), half));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

OP words words_count(words a)
{
    return (words){count_bits(a.low), count_bits(a.high)};
}

OP __m256i mark(__m256i word, __m256 u, __m256i bit)
{
    __m256 is_set = _mm256_cmp_ps(u, _mm256_setzero_ps(), _CMP_GE_OQ);
    return _mm256_or_si256(word, _mm256_and_si256(_mm256_castps_si256(is_set), bit));
}

OP words words_mark(words word, lanes u, uint32_t bit)
{
    __m256i all = _mm256_set1_epi32((int)bit);
    return (words){mark(word.low, u.low, all), mark(word.high, u.high, all)};
}
