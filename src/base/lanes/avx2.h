#pragma once

#include <immintrin.h>

#include "base/lanes/lanes.h"

/// Lanes of AVX2 and FMA, two registers each: see lanes.h.

typedef struct lanes
{
    __m256 low, high;
} lanes;
typedef struct words
{
    __m256i low, high;
} words;
typedef struct mask
{
    __m256 low, high; // all bits of a lane or none
} mask;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

#define LANES_TWO(type, name, from, f)                     \
    LANES type name(from x, from y)                        \
    {                                                      \
        return (type){f(x.low, y.low), f(x.high, y.high)}; \
    }
#define LANES_ONE(type, name, from, f)      \
    LANES type name(from x)                 \
    {                                       \
        return (type){f(x.low), f(x.high)}; \
    }
#define LESS_256(x, y)    _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define AT_MOST_256(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
#define SAME_256(x, y)    _mm256_cmp_ps(x, y, _CMP_EQ_OQ)
#define WITHOUT_256(x, y) _mm256_andnot_ps(y, x)
#define EQUAL_256(x, y)   _mm256_castsi256_ps(_mm256_cmpeq_epi32(x, y))
#define ABSOLUTE_256(x)   _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x)
#define NEGATE_256(x)     _mm256_xor_ps(_mm256_set1_ps(-0.0f), x)
#define ROUND_256(x)      _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

LANES __m256 copy_sign_256(__m256 magnitude, __m256 sign)
{
    __m256 bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, magnitude), _mm256_and_ps(bit, sign));
}
LANES __m256 power_256(__m256 p, __m256 n)
{
    __m256i bits = _mm256_castps_si256(_mm256_add_ps(n, _mm256_set1_ps(LANES_MAGIC)));
    bits = _mm256_add_epi32(_mm256_slli_epi32(bits, 23), _mm256_set1_epi32(0x3f800000));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(bits));
}
LANES __m256 raise_256(__m256 p, __m256 n)
{
    __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), bits));
}
// Bits are counted in each half byte by a table, then added up.
LANES __m256i count_256(__m256i a)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2,
                                           2, 3, 2, 3, 3, 4);
    const __m256i half = _mm256_set1_epi8(15);
    __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(a, half));
    __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(a, 4), half));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

LANES_TWO(mask, mask_and, mask, _mm256_and_ps)
LANES_TWO(mask, mask_or, mask, _mm256_or_ps)
LANES_TWO(mask, mask_without, mask, WITHOUT_256)
LANES_TWO(lanes, lanes_add, lanes, _mm256_add_ps)
LANES_TWO(lanes, lanes_sub, lanes, _mm256_sub_ps)
LANES_TWO(lanes, lanes_mul, lanes, _mm256_mul_ps)
LANES_TWO(lanes, lanes_div, lanes, _mm256_div_ps)
LANES_TWO(lanes, lanes_max, lanes, _mm256_max_ps)
LANES_TWO(lanes, lanes_min, lanes, _mm256_min_ps)
LANES_ONE(lanes, lanes_sqrt, lanes, _mm256_sqrt_ps)
LANES_ONE(lanes, lanes_abs, lanes, ABSOLUTE_256)
LANES_ONE(lanes, lanes_negate, lanes, NEGATE_256)
LANES_TWO(lanes, lanes_copy_sign, lanes, copy_sign_256)
LANES_ONE(lanes, lanes_round, lanes, ROUND_256)
LANES_ONE(lanes, lanes_floor, lanes, _mm256_floor_ps)
LANES_TWO(lanes, lanes_power, lanes, power_256)
LANES_TWO(lanes, lanes_raise, lanes, raise_256)
LANES_TWO(mask, lanes_less, lanes, LESS_256)
LANES_TWO(mask, lanes_at_most, lanes, AT_MOST_256)
LANES_TWO(mask, lanes_equal, lanes, SAME_256)
LANES_TWO(words, words_add, words, _mm256_add_epi32)
LANES_TWO(words, words_sub, words, _mm256_sub_epi32)
LANES_TWO(words, words_mul, words, _mm256_mullo_epi32)
LANES_TWO(words, words_and, words, _mm256_and_si256)
LANES_TWO(words, words_or, words, _mm256_or_si256)
LANES_TWO(words, words_xor, words, _mm256_xor_si256)
LANES_TWO(words, words_min, words, _mm256_min_epi32)
LANES_TWO(words, words_multiply_pairs, words, _mm256_madd_epi16)
LANES_ONE(words, words_count, words, count_256)
LANES_TWO(mask, words_equal, words, EQUAL_256)
LANES_ONE(words, words_truncate, lanes, _mm256_cvttps_epi32)
LANES_ONE(words, words_round, lanes, _mm256_cvtps_epi32)
LANES_ONE(lanes, lanes_from_words, words, _mm256_cvtepi32_ps)
LANES_ONE(words, words_cast, lanes, _mm256_castps_si256)
LANES_ONE(lanes, lanes_cast, words, _mm256_castsi256_ps)

// all ones in the first `count` of 8
LANES __m256i first_256(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

LANES unsigned mask_bits(mask m)
{
    return (unsigned)_mm256_movemask_ps(m.low) | (unsigned)_mm256_movemask_ps(m.high) << 8;
}
LANES int mask_any(mask m)
{
    return mask_bits(m) != 0;
}
LANES mask mask_from_bits(unsigned b)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i low = _mm256_and_si256(_mm256_set1_epi32((int)(b & 255)), bit);
    __m256i high = _mm256_and_si256(_mm256_set1_epi32((int)(b >> 8)), bit);
    return (mask){EQUAL_256(low, bit), EQUAL_256(high, bit)};
}

LANES lanes lanes_load(const float *p)
{
    return (lanes){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
LANES lanes lanes_load_part(const float *p, int count)
{
    return (lanes){_mm256_maskload_ps(p, first_256(count)), _mm256_maskload_ps(p + 8, first_256(count - 8))};
}
LANES void lanes_store(float *p, lanes a)
{
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps(p + 8, a.high);
}
LANES void lanes_store_part(float *p, lanes a, int count)
{
    _mm256_maskstore_ps(p, first_256(count), a.low);
    _mm256_maskstore_ps(p + 8, first_256(count - 8), a.high);
}
LANES lanes lanes_set(float x)
{
    return (lanes){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
LANES lanes lanes_first(lanes a, int count)
{
    return (lanes){_mm256_and_ps(a.low, _mm256_castsi256_ps(first_256(count))),
                   _mm256_and_ps(a.high, _mm256_castsi256_ps(first_256(count - 8)))};
}
LANES lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes){_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
LANES lanes lanes_choose(mask m, lanes yes, lanes no)
{
    return (lanes){_mm256_blendv_ps(no.low, yes.low, m.low), _mm256_blendv_ps(no.high, yes.high, m.high)};
}

LANES void quarter_256(__m256 n, __m256 s, __m256 c, __m256 *sine, __m256 *cosine)
{
    __m256i bits = _mm256_castps_si256(n), two = _mm256_set1_epi32(2);
    __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(bits, 31));
    __m256i down = _mm256_slli_epi32(_mm256_and_si256(bits, two), 30);
    __m256i left = _mm256_slli_epi32(_mm256_and_si256(_mm256_add_epi32(bits, _mm256_set1_epi32(1)), two), 30);
    *sine = _mm256_xor_ps(_mm256_blendv_ps(s, c, odd), _mm256_castsi256_ps(down));
    *cosine = _mm256_xor_ps(_mm256_blendv_ps(c, s, odd), _mm256_castsi256_ps(left));
}
LANES void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    quarter_256(n.low, s.low, c.low, &sine->low, &cosine->low);
    quarter_256(n.high, s.high, c.high, &sine->high, &cosine->high);
}

LANES float lanes_sum(lanes a)
{
    __m256 b = _mm256_add_ps(a.low, a.high);
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
LANES float lanes_largest(lanes a)
{
    __m256 b = _mm256_max_ps(a.low, a.high);
    __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_max_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}
LANES float lanes_smallest(lanes x, mask m)
{
    lanes all = lanes_choose(m, x, lanes_set(__builtin_inff()));
    __m256 eight = _mm256_min_ps(all.low, all.high);
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
}

LANES words words_set(uint32_t x)
{
    return (words){_mm256_set1_epi32((int)x), _mm256_set1_epi32((int)x)};
}
LANES words words_load(const void *p)
{
    return (words){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)p + 1)};
}
LANES words words_load_part(const void *p, int count)
{
    const int *at = p;
    return (words){_mm256_maskload_epi32(at, first_256(count)), _mm256_maskload_epi32(at + 8, first_256(count - 8))};
}
LANES void words_store(void *p, words a)
{
    _mm256_storeu_si256((__m256i *)p, a.low);
    _mm256_storeu_si256((__m256i *)p + 1, a.high);
}
LANES void words_store_part(void *p, words a, int count)
{
    int *at = p;
    _mm256_maskstore_epi32(at, first_256(count), a.low);
    _mm256_maskstore_epi32(at + 8, first_256(count - 8), a.high);
}
LANES words words_shift_left(words x, int n)
{
    return (words){_mm256_slli_epi32(x.low, n), _mm256_slli_epi32(x.high, n)};
}
LANES words words_shift_right(words x, int n)
{
    return (words){_mm256_srli_epi32(x.low, n), _mm256_srli_epi32(x.high, n)};
}
LANES words words_choose(mask m, words yes, words no)
{
    return words_cast(lanes_choose(m, lanes_cast(yes), lanes_cast(no)));
}

LANES __m256i mark_256(__m256i word, __m256 u, __m256i bit)
{
    __m256 is_set = _mm256_cmp_ps(u, _mm256_setzero_ps(), _CMP_GE_OQ);
    return _mm256_or_si256(word, _mm256_and_si256(_mm256_castps_si256(is_set), bit));
}
LANES words words_mark(words word, lanes u, uint32_t bit)
{
    __m256i all = _mm256_set1_epi32((int)bit);
    return (words){mark_256(word.low, u.low, all), mark_256(word.high, u.high, all)};
}

LANES words words_look_up(const int32_t *table, words index)
{
    return (words){_mm256_i32gather_epi32(table, index.low, 4), _mm256_i32gather_epi32(table, index.high, 4)};
}
LANES lanes lanes_look_up(const float *table, words index)
{
    return (lanes){_mm256_i32gather_ps(table, index.low, 4), _mm256_i32gather_ps(table, index.high, 4)};
}

LANES void gather_256(__m256i out[4], const uint8_t *blocks, const int32_t *at)
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
LANES void words_gather(words out[4], const uint8_t *blocks, words index)
{
    int32_t at[16];
    __m256i low[4], high[4];
    words_store(at, index);
    gather_256(low, blocks, at);
    gather_256(high, blocks, at + 8);
    for (int i = 0; i < 4; i++) out[i] = (words){low[i], high[i]};
}

LANES void words_store_rgb(uint8_t *out, size_t pitch, words bytes)
{
    const __m128i drop_fourth = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m128i rows[4] = {_mm256_castsi256_si128(bytes.low), _mm256_extracti128_si256(bytes.low, 1),
                       _mm256_castsi256_si128(bytes.high), _mm256_extracti128_si256(bytes.high, 1)};
    for (int i = 0; i < 4; i++)
    {
        __m128i row = _mm_shuffle_epi8(rows[i], drop_fourth);
        _mm_storel_epi64((__m128i *)(void *)(out + (size_t)i * pitch), row);
        _mm_storeu_si32(out + (size_t)i * pitch + 8, _mm_srli_si128(row, 8));
    }
}
